"""What hidden checks are written with: those of a lesson, and of a problem's folder (docs/check.md).

Here the program runs in a worker of its own and gets other values than those that are checked; what a call did there
is carried out on this side, on this side's memory (`replay.py`). What a program returns has to be what its kernels
compute: of what torch computed, of what was there before, and of an input that is handed back, the check says so.

The same checks run from the command line on real Triton, where the program is called directly and nothing of the
above holds:

    python judge.py PROGRAM.py CHECKS.py
"""

import importlib.util
import json
import os
import sys
import types

import torch
import triton

try:
    import hippocamp_testing as rules
except ImportError:
    # Beside real Triton, where nothing else of that folder is to be found.
    _file = os.path.join(os.path.dirname(__file__), "..", "..", "python", "hippocamp_testing.py")
    _spec = importlib.util.spec_from_file_location("hippocamp_testing", _file)
    rules = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(rules)

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
#: Elements before a tensor that nobody may touch. A multiple of 16, so that alignment stays.
BAND = 2048

#: The program that is checked: its functions can be called.
program = None
_checks = []
_guards = []
_watched = []
_launches = []
#: By the id of a result's storage: why it does not count as computed by a kernel, or None.
_refused = {}
#: The same for the storages of the last call's arguments, as results that it wrote in place.
_in_place = {}
#: Lines on which the last call's Python read numbers of tensors.
_read_lines = []
#: Dtypes of the tensors that the last call got.
_given_dtypes = set()
_torch_allowed = False
#: Storages that the program gets as they are.
_structure = set()
#: Calls to be measured: a title, the arguments, the plan, the tensors of the result.
_timed = []
#: The GPU that `ir` compiles for, wherever the check runs.
IR_TARGET = "h100"
#: For each comparison of floats: its name, and the largest shares of what it allows that an error
#: takes, and a result that is rounded to float16, or by 4 steps where it is as narrow.
shares = []


class Failed(AssertionError):
    """A check that does not hold; its text is for the visitor."""


def watch(*names):
    """The kernels that must do the work: every check has to launch one of them."""
    for name in names:
        if not program.has(name):
            raise Failed(f"there is no {name} any more: keep the names that the program starts with")
        _watched.append(name)


def launches(name=None):
    """The launches since the check began."""
    return [one for one in _launches if name is None or one.kernel == name]


def ir(kernel, question):
    """The answer to a question about the kernel of this check's launches, as if compiled for `IR_TARGET`
    (compiler/inspect/irQuestion.ts): a number, or a list of texts. Nothing else may have been launched, and the
    launches have to agree. Real Triton has other passes: there a check ends at its first question."""
    if _bridge is None:
        raise NotAsked()
    others = sorted({one.kernel for one in _launches} - {kernel})
    if others:
        raise Failed(f"{others[0]} was launched, too: {kernel} alone has to do the work")
    if not _launches:
        raise Failed(f"{kernel} was not launched")
    try:
        answers = [_bridge.kernel_ir(key, IR_TARGET, question) for key in dict.fromkeys(one.key for one in _launches)]
    except ValueError as error:
        raise Failed(str(error)) from None
    if any(answer != answers[0] for answer in answers):
        raise Failed(f"{question}: the launches differ, {' and '.join(map(str, answers))}")
    return answers[0]


class NotAsked(Exception):
    """The compiler that answers is not here."""


def allow_torch():
    """Torch may compute what kernels read. What is returned still has to be a kernel's."""
    global _torch_allowed
    _torch_allowed = True


def structure(tensor):
    """The program gets this tensor's values as they are: the sizes and places of other data, which its Python may
    read. Of other integers it gets values of the same range, of floats any."""
    _structure.add(_storage_key(tensor))
    return tensor


def timed(title, holds=None):
    """Registers a function that returns one of the program's functions and its arguments: a check, which calls it,
    and `holds(result, *args)` compares what this call gave. The launches of the same call are measured once all
    checks hold. The interpreter has no times, and real Triton none here."""

    def register(function):
        if _bridge is None or _bridge.environment()["adapter"]["kind"] == "interpreter":
            return function

        @check(title)
        def call():
            remote, *args = function()
            value, plan, tensors = remote._call(args, {})
            if holds is not None:
                holds(value, *args)
            _timed.append((title, args, plan, tensors))

        return function

    return register


def check(title):
    """Registers a check. It fails by `Failed`, from `close` and its like."""

    def register(function):
        _checks.append((title, function))
        return function

    return register


def fail(message):
    raise Failed(message)


def require(held, message):
    if not held:
        raise Failed(message)


# ── tensors ─────────────────────────────────────────────────────────────────────────────────────


def poison(dtype):
    """What nobody should read."""
    if dtype.is_floating_point:
        return float("nan")
    return True if dtype is torch.bool else torch.iinfo(dtype).min


def _banded(shape, dtype, device, after=BAND):
    count = 1
    for size in shape:
        count *= size
    whole = torch.full((BAND + count + after,), poison(dtype), dtype=dtype, device=device)
    return whole, whole[BAND : BAND + count].view(shape)


def guarded(values, changes=False):
    """The same values behind a band that no kernel may touch, and where nothing follows: a load that
    reaches too far is out of range, which this page reports. `changes`: a kernel may write them."""
    after = BAND if changes else 0
    whole, view = _banded(tuple(values.shape), values.dtype, values.device, after)
    view.copy_(values)
    if _storage_key(values) in _structure:
        structure(view)
    _guards.append((whole, view, None if changes else values.clone()))
    return view


def strided(values, gap=7):
    """The same matrix with `gap` elements of NaN after each row: its row stride is not its width."""
    rows, columns = values.shape
    whole, wide = _banded((rows, columns + gap), values.dtype, values.device, 0)
    view = wide[:, :columns]
    view.copy_(values)
    return view


def randn(*shape, dtype=torch.float32):
    return guarded(torch.randn(*shape, device=DEVICE).to(dtype))


def rand(*shape, dtype=torch.float32):
    return guarded(torch.rand(*shape, device=DEVICE).to(dtype))


def randint(low, high, shape, dtype=torch.int32):
    return guarded(torch.randint(low, high, shape, device=DEVICE).to(dtype))


def _same(a, b):
    if a.dtype.is_floating_point:
        a, b = a.to(torch.float32), b.to(torch.float32)
        return bool(((a == b) | (torch.isnan(a) & torch.isnan(b))).all())
    return bool((a == b).all())


def _is_poison(band):
    if band.dtype.is_floating_point:
        return bool(torch.isnan(band.to(torch.float32)).all())
    return bool((band == poison(band.dtype)).all())


def _verify_guards():
    for whole, view, kept in _guards:
        count = view.numel()
        if whole.numel() > BAND + count and not _is_poison(whole[BAND + count :]):
            raise Failed("the kernel wrote past the end of a tensor: is the store masked?")
        if not _is_poison(whole[:BAND]):
            raise Failed("the kernel wrote before the start of a tensor")
        if kept is not None and not _same(whole[BAND : BAND + count].view(kept.shape), kept):
            raise Failed("the kernel changed one of its inputs")


def _begin_check():
    _guards.clear()
    _launches.clear()
    _refused.clear()
    _in_place.clear()
    _read_lines.clear()
    _structure.clear()


# ── comparisons ─────────────────────────────────────────────────────────────────────────────────


def close(
    actual, reference, *args, what, terms=None, accumulator=torch.float32, operands=None, atol=0.0, wanted=None
):
    """Fails where an element is further off than rounding explains, and where no kernel computed it.

    `reference` computes the same from `args`; it gets their floats as float64, and what rounding explains is
    what `hippocamp_testing.assert_close` allows, whose `terms`, `accumulator`, `operands` and `atol` these are. A
    tensor in its place has the values. `wanted`: the dtype that the result has to have; without it, an
    input's, or one that is no narrower than float32.
    """
    values = reference if callable(reference) else lambda: reference
    target = rules.InFloat64(values, args, terms=terms)
    (expected,) = target.expected
    _require_shape(actual, expected, what)
    _require_dtype(actual, what, wanted)
    if actual.numel() == 0:
        # No kernel writes a tensor without elements.
        return
    reason = _refused.get(_storage_key(actual))
    if reason:
        raise Failed(f"{what}: {reason}")
    if not actual.dtype.is_floating_point:
        _require_equal(actual, expected, what)
        return
    found = target.judged(0, actual, accumulator, operands, atol)
    _note_share(what, found)
    _require_fine(found.actual, found.expected, ~found.wrong, what, found.note if found.count else "", found.allowed)


def equal(actual, expected, what, by_kernel=True, wanted=None):
    """Fails where any element differs: for integers, and for what is only moved. `by_kernel`: as in
    `close`, a kernel has to have computed it. NaN equals NaN."""
    _require_shape(actual, expected, what)
    _require_dtype(actual, what, wanted)
    reason = by_kernel and actual.numel() and _refused.get(_storage_key(actual))
    if reason:
        raise Failed(f"{what}: {reason}")
    _require_equal(actual, expected, what)


def _require_shape(actual, expected, what):
    if not isinstance(actual, torch.Tensor):
        raise Failed(f"{what}: the result is {type(actual).__name__}, not a tensor")
    if tuple(actual.shape) != tuple(expected.shape):
        raise Failed(f"{what}: the result's shape is {tuple(actual.shape)}, not {tuple(expected.shape)}")


def _require_dtype(actual, what, wanted):
    if wanted is not None:
        if actual.dtype is not wanted:
            raise Failed(f"{what}: the result is {actual.dtype}, not {wanted}")
        return
    narrow = actual.dtype.is_floating_point and actual.dtype.itemsize < 4
    if narrow and _given_dtypes and actual.dtype not in _given_dtypes:
        raise Failed(f"{what}: the result is {actual.dtype}, which none of the inputs is")


def _require_equal(actual, expected, what):
    floats = actual.dtype.is_floating_point or expected.dtype.is_floating_point
    a, e = (each.detach().cpu().to(torch.float64 if floats else torch.int64) for each in (actual, expected))
    _require_fine(a, e, (a == e) | (torch.isnan(a) & torch.isnan(e)) if floats else a == e, what)


def _require_fine(actual, expected, fine, what, note="", allowed=None):
    wrong = int((~fine).sum())
    if wrong == 0:
        return
    _show(actual, expected, what, 0.0 if allowed is None else float(allowed[~fine].min()))
    flat, a, e = fine.reshape(-1), actual.reshape(-1), expected.reshape(-1)
    first = int((~flat).to(torch.int32).argmax())
    index, rest = [], first
    for length in reversed(actual.shape):
        index.insert(0, rest % length)
        rest //= length
    at = ", ".join(str(i) for i in index)
    text = (
        f"{what}: {wrong} of {a.numel()} elements are wrong; the first is [{at}]: "
        f"{_number(a[first])} instead of {_number(e[first])}{note}"
    )
    if _read_lines:
        text += (
            f". Line {_read_lines[0]} of the program reads numbers of a tensor in Python: what it does with them is no "
            "kernel's work, and they were those of another call"
        )
    raise Failed(text)


def _show(actual, expected, what, atol):
    """The elements of a comparison that fails, for the page. `atol`: the least that a wrong element is allowed."""
    if _bridge is None:
        return
    from torch import testing

    call = {"function": "check", "actual": what, "expected": "expected"}
    testing.compare("allclose" if atol else "equal", actual, expected, 0.0, atol, True, call)


def _note_share(what, found):
    """Notes the shares of what is allowed that the largest error takes, and a result that is rounded coarsely."""
    size = torch.where(torch.isfinite(found.expected), found.expected.abs(), torch.zeros_like(found.expected))
    if not bool((size > 0).any()):
        return
    error = torch.where(torch.isfinite(found.expected), (found.actual - found.expected).abs(), torch.zeros_like(size))
    coarse = rules.unit(torch.float16) if found.dtype.itemsize > 2 else 4 * torch.finfo(found.dtype).eps
    shares.append((what, *(float((one / found.allowed).max()) for one in (error, coarse * size))))


def may_change(argument):
    """Whether a kernel may write it: `_verify_guards` refuses it elsewhere."""
    key = _storage_key(argument)
    return all(kept is None for _, view, kept in _guards if _storage_key(view) == key)


def in_place(argument):
    """An argument of the last call, to be compared as a result: a kernel has to have written it."""
    key = _storage_key(argument)
    _refused[key] = _in_place.get(key)
    return argument


def _number(value):
    return f"{float(value):.6g}" if value.dtype.is_floating_point else str(value.item())


def _storage_key(tensor):
    storage = tensor.untyped_storage()
    return storage.data_ptr() if _bridge is None else storage._storage.id


# ── the program ─────────────────────────────────────────────────────────────────────────────────


class Remote:
    """The program in its own worker. Its attributes are functions, which are carried out here."""

    def __init__(self, files):
        self._files = files

    def __getattr__(self, name):
        return _Function(self, name)

    def has(self, name):
        return self._ask({"kind": "has", "name": name})["has"]

    def configs(self, kernel):
        """The configurations of a tuned kernel, each a dictionary."""
        return self._ask({"kind": "configs", "name": kernel})["configs"]

    def use_config(self, kernel, number=None):
        """Leaves one configuration of a tuned kernel; without a number, all of them."""
        self._ask({"kind": "use", "name": kernel, "number": number})

    def _ask(self, request):
        text = _bridge.exchange(json.dumps(request))
        if not text:
            raise Ended()
        answer = json.loads(text)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer


class Ended(Exception):
    """The program's worker has ended."""


class _Function:
    def __init__(self, remote, name):
        self._remote, self._name = remote, name

    def __call__(self, *args, **kwargs):
        return self._call(args, kwargs)[0]

    def gradients(self, *args, gradient):
        """The gradients of the arguments that require one, for this gradient of the result."""
        return self._call(args, {}, gradient)[0]

    def _call(self, args, kwargs, gradient=None):
        from judge_replay import Plan, Unsupported

        sent = _Sent()
        request = {
            "kind": "call",
            "function": self._name,
            "args": [sent.encode(each) for each in args],
            "kwargs": [[name, sent.encode(each)] for name, each in kwargs.items()],
            "gradient": None if gradient is None else sent.encode(gradient),
        }
        request["storages"] = sent.decoys()
        answer = self._remote._ask(request)
        try:
            plan = Plan(answer, sent.storages, self._remote._files).run()
            tensors = []
            value = plan.value(plan.result, tensors)
        except Unsupported as error:
            raise Failed(f"this cannot be checked: {error}") from None
        _launches.extend(plan.launches)
        _read_lines[:] = plan.read_lines
        _given_dtypes.clear()
        _given_dtypes.update(window.dtype for _, window in sent.windows)
        _in_place.clear()
        for id, storage in zip(answer["inputs"], sent.storages):
            _in_place[storage.id] = _reason(plan.origins[id], "Tensor", plan.has_inputs)
        for tensor, origin, cls in tensors:
            _refused[_storage_key(tensor)] = _reason(origin, cls, plan.has_inputs)
        return value, plan, tensors


def _reason(origin, cls, has_inputs):
    """Why what is returned does not count as computed by the program's kernels; None where it does."""
    if cls not in ("Tensor", "Parameter"):
        return f"the result is a {cls}, not a torch.Tensor"
    if origin.writer == "input":
        return "the result is an input that is handed back: no kernel wrote it"
    if origin.writer == "data":
        return "the result was there before the call, or Python filled it: no kernel wrote it"
    if origin.writer == "nothing":
        return "no kernel wrote the result"
    if origin.writer == "torch":
        return (
            f"torch computed the result ({origin.torch or 'line ' + str(origin.line)}), no kernel of the program: "
            "what is returned has to be what the kernel stored"
        )
    if has_inputs and not origin.from_input:
        return "the kernel that wrote the result reads none of the inputs"
    if origin.torch and not _torch_allowed:
        return (
            f"line {origin.line}: torch computed ({origin.torch}) what the kernel reads: that is the kernel's work"
        )
    return None


class _Sent:
    """Arguments on their way: which storages they lie on, and what the program gets in their place."""

    def __init__(self):
        self.storages = []
        self.windows = []

    def encode(self, value):
        if isinstance(value, torch.Tensor):
            number = next((i for i, one in enumerate(self.storages) if one is value._storage), None)
            if number is None:
                number = len(self.storages)
                self.storages.append(value._storage)
            self.windows.append((number, value.detach()))
            return [
                "tensor",
                {
                    "storage": number,
                    "dtype": value.dtype.name,
                    "shape": list(value.shape),
                    "strides": list(value.stride()),
                    "offset": value.storage_offset(),
                    "grad": value.requires_grad,
                },
            ]
        if isinstance(value, torch.dtype):
            return ["dtype", value.name]
        if isinstance(value, float):
            return ["float", repr(value)]
        if isinstance(value, (list, tuple)):
            return ["tuple" if isinstance(value, tuple) else "list", [self.encode(each) for each in value]]
        if isinstance(value, dict):
            return ["dict", [[name, self.encode(each)] for name, each in value.items()]]
        return ["plain", value]

    def decoys(self):
        """The storages with other values in the place of those that are checked, as text."""
        import base64

        texts = []
        for number, storage in enumerate(self.storages):
            data = bytearray(storage.bytes().to_bytes())
            if storage.id not in _structure:
                for at, window in self.windows:
                    if at == number:
                        _disguise(data, window)
            texts.append(base64.b64encode(data).decode())
        return texts


def _disguise(data, window):
    """Puts other values of the window's dtype into its place in `data`."""
    from torch._core import Storage
    from torch._tensor import make

    if window.numel() == 0:
        return
    shape = [1 if stride == 0 else size for size, stride in zip(window.shape, window.stride())]
    storage = Storage(len(data))
    storage.bytes().assign(data)
    copy = make(storage, window.dtype, torch.device("cpu"), tuple(shape), tuple(window.stride()), window.storage_offset())
    if window.dtype.is_floating_point:
        values = torch.randn(shape, generator=_decoys).to(window.dtype)
    else:
        flat = copy.reshape(-1)
        values = flat[torch.randint(0, flat.numel(), (flat.numel(),), generator=_decoys)]
        if flat.dtype is not torch.bool and flat.numel() > 1:
            # Python may size something by the largest.
            values[int(torch.randint(0, flat.numel(), (1,), generator=_decoys))] = flat.max()
        values = values.reshape(shape)
    copy.copy_(values)
    data[:] = storage.bytes().to_bytes()


class Local:
    """The program in this Python, for real Triton."""

    def __init__(self, module):
        self._module = module
        self._configs = {}
        for name, value in list(vars(module).items()):
            if hasattr(value, "run") and hasattr(value, "__getitem__") and hasattr(value, "fn"):
                setattr(module, name, _Spy(name, value))

    def __getattr__(self, name):
        return _LocalFunction(getattr(self._module, name))

    def has(self, name):
        return hasattr(self._module, name)

    def configs(self, kernel):
        return [dict(config.all_kwargs()) for config in getattr(getattr(self._module, kernel), "configs", [])]

    def use_config(self, kernel, number=None):
        tuned = getattr(self._module, kernel)
        configs = self._configs.setdefault(kernel, list(tuned.configs))
        tuned.configs[:] = configs if number is None else [configs[number]]
        tuned.cache.clear()


class _LocalFunction:
    def __init__(self, function):
        self._function = function

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)

    def gradients(self, *args, gradient):
        self._function(*args).backward(gradient)
        return [each.grad for each in args if isinstance(each, torch.Tensor) and each.requires_grad]


class _Launch:
    def __init__(self, kernel, grid, kwargs):
        self.kernel, self.kwargs = kernel, kwargs
        if callable(grid):
            try:
                grid = grid(dict(kwargs))
            except KeyError:
                grid = None
        sizes = grid if grid is None or isinstance(grid, (tuple, list)) else (grid,)
        #: None where it follows from the kernel's tuning.
        self.programs = None
        if sizes is not None:
            self.programs = 1
            for size in sizes:
                self.programs *= size


class _Spy:
    """A kernel of a local program, whose launches are noted."""

    def __init__(self, name, kernel):
        self._name, self._kernel = name, kernel

    def __getitem__(self, grid):
        def run(*args, **kwargs):
            made = self._kernel[grid](*args, **kwargs)
            _launches.append(_Launch(self._name, grid, kwargs))
            return made

        return run

    def __getattr__(self, name):
        return getattr(self._kernel, name)


# ── running ─────────────────────────────────────────────────────────────────────────────────────

try:
    import _hippocamp_bridge as _bridge
except ImportError:
    _bridge = None

_decoys = torch.Generator()


def _report(index, title, passed, message=None):
    if _bridge is None:
        print("pass" if passed else "FAIL", title, f": {message}" if message else "")
        return
    event = {"type": "verdict", "index": index, "total": len(_checks), "name": title}
    if not passed:
        titles = [name for name, _ in _checks]
        event["unreached"] = titles[titles.index(title) + 1 :] if title in titles else titles
    _bridge.emit({**event, "passed": passed, "message": message})


def _load(name, path, shown):
    """A module from a file; its frames carry the name `shown`."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, shown, "exec"), module.__dict__)
    return module


def run_checks(seed):
    """@returns whether every check holds. The first that does not ends it."""
    for index, (title, function) in enumerate(_checks):
        torch.manual_seed(1000 * (seed + 1) + index)
        _decoys.manual_seed(7_919 * (seed + 1) + index)
        _begin_check()
        try:
            function()
            _verify_guards()
            if _watched and not any(one.kernel in _watched for one in _launches):
                raise Failed(f"{' and '.join(_watched)} was not launched: the kernel has to do the work")
        except Failed as error:
            _report(index, title, False, str(error))
            return False
        except NotAsked:
            print("skip", title, ": it is about the passes of Hippocamp's compiler")
            continue
        except Ended:
            _report(index, title, False, "the program ended before it answered")
            return False
        except Exception as error:
            text = str(error).strip().splitlines()
            _report(index, title, False, f"{type(error).__name__}: {text[0] if text else ''}")
            raise
        _report(index, title, True)
    return True


def measure():
    """The time of the calls that `timed` made, on this side's clock."""
    from triton.testing import _sampled

    for title, args, plan, tensors in _timed:
        given = [each for each in args if isinstance(each, torch.Tensor)]
        moved = sum(each.numel() * each.dtype.itemsize for each in [*given, *(one for one, _, _ in tensors)])
        facts, times = _sampled(plan.again, lambda: None, 100)
        times = sorted(times)
        _bridge.emit(
            {
                "type": "measured",
                "name": title,
                "clock": "gpu" if facts["clock"] == "gpu" else "cpu",
                "milliseconds": times[len(times) // 2],
                "least": times[0],
                "samples": len(times),
                "bytes": moved,
            }
        )


def main(given, checks, seed=0, measures=False):
    """`given`: the program, a `Remote` or a `Local`. `checks`: paths of the files that register checks, in order.
    @returns whether every check holds."""
    global program
    program = given
    if _bridge is not None and not _bridge.exchange(""):
        _report(0, "The program loads", False, "it ended before a check could call it")
        return False
    try:
        for path in checks:
            _load(path.removesuffix(".py"), path, f"<{path}>")
    except Failed as error:
        _report(0, "The program is all there", False, str(error))
        return False
    if not run_checks(seed):
        return False
    if measures:
        measure()
    return True


if __name__ == "__main__":
    sys.modules["judge"] = sys.modules["__main__"]
    spec = importlib.util.spec_from_file_location("program", sys.argv[1])
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["program"] = loaded
    spec.loader.exec_module(loaded)
    sys.exit(0 if main(Local(loaded), sys.argv[2:]) else 1)
