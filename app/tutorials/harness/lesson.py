"""What a lesson's hidden checks are written with. Runs here and, from the command line, on real Triton:

    python lesson.py PROGRAM.py CHECKS.py

A program is imported, not run as `__main__`; its functions are called with hostile inputs. While they
run, `torch.empty` gives NaN in place of what happens to lie in memory, and every tensor stands between
two bands of NaN: what a kernel forgets to write, writes too much, or reads without its mask, shows.
What a program returns has to be what one of its kernels wrote: PyTorch's own result does not count.
"""

import importlib.util
import sys
import types

import torch
import triton

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
#: Elements before and after a tensor that nobody may touch. A multiple of 16, so that alignment
#: stays.
BAND = 2048

program = None
_checks = []
_guards = []
_spies = {}
_launches = []
#: Changes by the check's launches, as they left it: (tensor, copy of it).
_written = []
#: For each comparison of floats: its name, the largest share of what it allows that an error takes,
#: and the share that one step of the dtype takes.
shares = []


class Failed(AssertionError):
    """A check that does not hold; its text is for the visitor."""


class Launch:
    def __init__(self, kernel, grid, args, kwargs):
        self.kernel, self.grid, self.args, self.kwargs = kernel, grid, args, kwargs

    @property
    def programs(self):
        """How many programs the grid has; None where it follows from the kernel's tuning."""
        grid = self.grid
        if callable(grid):
            try:
                grid = grid(dict(self.kwargs))
            except KeyError:
                return None
        grid = grid if isinstance(grid, (tuple, list)) else (grid,)
        count = 1
        for size in grid:
            count *= size
        return count


class _Spy:
    """A kernel that remembers its launches."""

    def __init__(self, name, kernel):
        self._name, self._kernel = name, kernel

    def __getitem__(self, grid):
        launch = self._kernel[grid]

        def run(*args, **kwargs):
            given = _may_change(args, kwargs)
            before = [one.clone() for one in given]
            made = launch(*args, **kwargs)
            _launches.append(Launch(self._name, grid, args, kwargs))
            for tensor, old in zip(given, before):
                _note_written(tensor, old)
            return made

        return run

    def __getattr__(self, name):
        return getattr(self._kernel, name)


def _may_change(args, kwargs):
    """The tensors of a launch that are not the check's own inputs."""
    inputs = [view for _, view, kept in _guards if kept is not None]
    tensors = [one for one in (*args, *kwargs.values()) if isinstance(one, torch.Tensor)]
    return [one for one in tensors if not any(one is view for view in inputs)]


def _note_written(tensor, before):
    left = tensor.clone()
    if _same(left, before):
        return
    _written[:] = [(other, copy) for other, copy in _written if other is not tensor]
    _written.append((tensor, left))


def _by_kernel(actual):
    """Whether a launch left these numbers: in this tensor, in a view of it or in one of another dtype."""
    flat = actual.detach().reshape(-1)
    for _, left in _written:
        if left.numel() == flat.numel() and _same(left.reshape(-1).to(flat.dtype), flat):
            return True
    return False


def watch(*names):
    """The kernels that must do the work: every check has to launch one of them."""
    for name in names:
        kernel = getattr(program, name, None)
        if kernel is None:
            raise Failed(f"there is no {name} any more: keep the names that the program starts with")
        _spies[name] = kernel


def launches(name=None):
    """The launches since the check began."""
    return [one for one in _launches if name is None or one.kernel == name]


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


class _Hostile:
    """While a check runs: no memory is clean, and kernels are watched."""

    NAMES = ("empty", "empty_like", "zeros", "zeros_like")

    def __enter__(self):
        _guards.clear()
        _launches.clear()
        _written.clear()
        self.saved = {name: getattr(torch, name) for name in self.NAMES}
        for name, make in self.saved.items():
            setattr(torch, name, self.wrap(make, name.startswith("zeros")))
        for name, kernel in _spies.items():
            setattr(program, name, _Spy(name, kernel))

    def wrap(self, make, clean):
        def made(*args, **kwargs):
            plain = make(*args, **kwargs)
            if not plain.is_contiguous() or plain.requires_grad:
                return plain
            whole, view = _banded(tuple(plain.shape), plain.dtype, plain.device)
            if clean:
                view.copy_(plain)
            _guards.append((whole, view, None))
            return view

        return made

    def __exit__(self, *_):
        for name, make in self.saved.items():
            setattr(torch, name, make)
        for name, kernel in _spies.items():
            setattr(program, name, kernel)


# ── comparisons ─────────────────────────────────────────────────────────────────────────────────


def epsilon(dtype):
    """The step between 1 and the next number."""
    if not dtype.is_floating_point:
        return 0.0
    return torch.finfo(dtype).eps


def close(actual, expected, what, terms=1, scale=None, exponent=0.0, dtype=None, part_of=None):
    """Fails where an element is further off than rounding explains.

    Allowed are 4 steps of float32, or 1 of a narrower result's dtype (rounding costs half a step). Roundings
    of a sum mostly cancel, so `terms` that were summed cost 2 * sqrt(terms) float32 steps, of the size `scale`
    (of the largest expected value). `exponent` is what exp was taken of: each whole number of it costs 4
    float32 steps of the result, as WebGPU's exp may lose 2. Both may be given for each element.
    `dtype` is for work that is done in a narrower type than the result has; `part_of` is the tensor that a
    kernel wrote where only a part of it is compared.
    NaN equals NaN, and infinities equal themselves.
    """
    if not isinstance(actual, torch.Tensor):
        raise Failed(f"{what}: the result is {type(actual).__name__}, not a tensor")
    if tuple(actual.shape) != tuple(expected.shape):
        raise Failed(f"{what}: the result's shape is {tuple(actual.shape)}, not {tuple(expected.shape)}")
    if actual.numel() == 0:
        return
    _compare(actual, expected, what, terms, scale, exponent, dtype or actual.dtype)
    if _spies and not _by_kernel(actual if part_of is None else part_of):
        raise Failed(
            f"{what}: the numbers are right, but no kernel wrote them: what is returned has to be "
            "what the kernel stored"
        )


def _compare(actual, expected, what, terms, scale, exponent, dtype):
    a = actual.detach().cpu().to(torch.float32).reshape(-1)
    e = expected.detach().cpu().to(torch.float32).reshape(-1)
    finite = torch.isfinite(e)
    size = torch.where(finite, e.abs(), torch.zeros_like(e))
    if scale is None:
        scale = float(size.max())
    steps = 4 if dtype is torch.float32 else 1
    step = epsilon(torch.float32)
    scale, exponent = (_for_each(one, actual.shape) for one in (scale, exponent))
    allowed = (steps * epsilon(dtype) + 4 * step * exponent) * size + 2 * step * terms**0.5 * scale
    if dtype.is_floating_point:
        # Below its normal numbers a dtype has steps of one size, or none.
        allowed = allowed + torch.finfo(dtype).tiny
    _note_share(what, (a - e).abs(), epsilon(dtype) * size, allowed, finite)
    fine = torch.where(
        finite, (a - e).abs() <= allowed, (a == e) | (torch.isnan(a) & torch.isnan(e))
    )
    wrong = int((~fine).sum())
    if wrong == 0:
        return
    first = int((~fine).to(torch.int32).argmax())
    index, rest = [], first
    for length in reversed(actual.shape):
        index.insert(0, rest % length)
        rest //= length
    at = ", ".join(str(i) for i in index)
    raise Failed(
        f"{what}: {wrong} of {a.numel()} elements are wrong; the first is [{at}]: "
        f"{_number(a[first])} instead of {_number(e[first])}"
    )


def _for_each(value, shape):
    """A number, or one for each element; not counted where there is none."""
    if not isinstance(value, torch.Tensor):
        return value
    flat = value.detach().cpu().to(torch.float32).abs().expand(shape).reshape(-1)
    return torch.where(torch.isfinite(flat), flat, torch.zeros_like(flat))


def attention_terms(d, score=4.0, part=1.0):
    """`terms` of an attention output: each of `d` products of a score is rounded, and exp makes a relative
    error of what a score is off by. `score`: the largest, or (q, k). `part` of that remains where few keys
    have all the weight: what their scores are off by cancels, and the largest outputs are values as they are."""
    if isinstance(score, tuple):
        q, k = score
        score = float((q @ k.transpose(-1, -2)).abs().max()) * d**-0.5
    return part * part * d * (1.0 + score * score / 8.0)


def _note_share(what, error, step, allowed, finite):
    counts = finite & (allowed > 0)
    if bool(counts.any()):
        largest = [float(torch.where(counts, one / allowed, torch.zeros_like(one)).max()) for one in (error, step)]
        shares.append((what, *largest))


def equal(actual, expected, what, by_kernel=True):
    """Fails where any element differs: for integers, and for what is only moved. `by_kernel`: as in
    `close`, a kernel has to have written it."""
    if tuple(actual.shape) != tuple(expected.shape):
        raise Failed(f"{what}: the result's shape is {tuple(actual.shape)}, not {tuple(expected.shape)}")
    test = close if by_kernel else _compare
    test(actual, expected, what, terms=0, scale=0.0, exponent=0.0, dtype=torch.int32)


def _number(value):
    return f"{float(value):.6g}"


# ── running ─────────────────────────────────────────────────────────────────────────────────────


def _report(index, title, passed, message=None):
    try:
        import _hippocamp_bridge as bridge
    except ImportError:
        print("pass" if passed else "FAIL", title, f": {message}" if message else "")
        return
    event = {"type": "verdict", "index": index, "total": len(_checks), "name": title}
    if not passed:
        titles = [name for name, _ in _checks]
        event["unreached"] = titles[titles.index(title) + 1 :] if title in titles else titles
    bridge.emit({**event, "passed": passed, "message": message})


def _load(name, path, shown):
    """A module from a file; its frames carry the name `shown`."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, shown, "exec"), module.__dict__)
    return module


def main(program_path, checks_path):
    """@returns whether every check holds. The first that does not ends it."""
    global program
    spec = importlib.util.spec_from_file_location("lesson_program", program_path)
    program = importlib.util.module_from_spec(spec)
    sys.modules["lesson_program"] = program
    spec.loader.exec_module(program)
    try:
        _load("checks", checks_path, "<checks>")
    except Failed as error:
        _report(0, "The program is all there", False, str(error))
        return False
    for index, (title, function) in enumerate(_checks):
        torch.manual_seed(1000 + index)
        try:
            with _Hostile():
                function()
                _verify_guards()
            if _spies and not _launches:
                raise Failed(f"{' and '.join(_spies)} was not launched: the kernel has to do the work")
        except Failed as error:
            _report(index, title, False, str(error))
            return False
        except Exception as error:
            _report(index, title, False, f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}")
            raise
        _report(index, title, True)
    return True


if __name__ == "__main__":
    sys.modules["lesson"] = sys.modules["__main__"]
    sys.exit(0 if main(sys.argv[1], sys.argv[2]) else 1)
