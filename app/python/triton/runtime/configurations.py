"""The configurations of an autotuned kernel, compared with one another, for `hippocamp prove`.

Their author states that each of them computes the same. After the first launch for a key, the others are launched on
copies of what its tensors held before; what they leave in them is compared with what the launch itself left: bit for
bit in the ring, else within what another order of sums may change. No launch but the program's own touches its tensors.

A launch of a kernel without the decorator has one option that may change no result, `num_warps`: on a GPU it is
launched with twice and with half as many (`OtherWarps`). The interpreter has no warps.
"""

import copy
import time

import _hippocamp_bridge as bridge

from .._program import run_number

#: Configurations beside the launch's own, keys of a tuner, and operations of all launches.
MOST_OTHERS = 7
MOST_KEYS = 2
MOST_OPERATIONS = 2e9
#: Seconds after which no further configuration is launched, and bytes of the tensors of one launch.
MOST_SECONDS = 20
MOST_BYTES = 256 * 1024 * 1024

#: The share of a tensor's largest element that another order of sums may change.
_SHARE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 5e-2}
_SHARE_OF_EIGHT_BITS = 0.3


def wanted(tuner, key):
    """Whether this launch is the first for its key, in a run that compares configurations."""
    if key in tuner.compared or len(tuner.compared) >= MOST_KEYS or bridge.benchmarks:
        return False
    tuner.compared.add(key)
    return bool(bridge.environment()["options"].get("compareConfigurations"))


def launch(tuner, chosen, args, kwargs, run):
    """The launch itself, by `run(config, args, kwargs)`. @returns what it returns."""
    nargs = tuner.nargs
    others = _others(tuner, chosen, args, kwargs)
    before = _Copies(args, kwargs, tuner.arg_names) if others else None
    start = time.perf_counter()
    tuner.nargs = nargs
    result = run(chosen, args, kwargs)
    if before is None or before.refused or not before.tensors:
        return result
    left = {place: _tensor_of(value).detach() for place, value in _leaves(tuner, args, kwargs)}
    for config in others:
        if time.perf_counter() - start > MOST_SECONDS:
            break
        after = _made_by(config, tuner, before, run)
        for place, first in before.tensors.items() if after else ():
            ours, theirs = after[place], left[place]
            if _same(theirs, first) and _same(ours, first) or _is_workspace(tuner, place, first, ours, theirs):
                continue
            _compare(tuner, place, (config, ours), (chosen, theirs), before.has_floats)
    tuner.nargs = nargs
    return result


#: Seconds of a run after which no kernel is launched with other numbers of warps.
MOST_SECONDS_OF_WARPS = 15
#: Names in kernels whose results may depend on the order of programs, or on the number of warps.
_ORDERED = ("atomic_", "num_warps", "num_threads", "inline_asm")


class _Warps:
    def __init__(self, warps):
        self.warps = warps

    def all_kwargs(self):
        return {"num_warps": self.warps}

    def __eq__(self, other):
        return self.warps == other.warps


class OtherWarps:
    """A launch of a kernel without the decorator, as a tuner whose configurations differ in `num_warps` alone."""

    #: The run, whether it compares configurations on a GPU, and the seconds that it took for it.
    _run, _enabled, _seconds = None, False, 0.0
    reset_to_zero = ()
    what = "num_warps"

    def __init__(self, kernel, options, grid):
        self.base_fn = kernel
        self.arg_names = kernel.arg_names
        self.nargs = None
        self._options = options
        self._grid = grid

    @classmethod
    def wanted(cls, kernel, values):
        """Whether the launch is the first of two with such arguments, in a run that compares configurations."""
        run = run_number()
        if cls._run != run:
            environment = bridge.environment()
            is_gpu = environment["adapter"]["kind"] != "interpreter"
            cls._run, cls._seconds = run, 0.0
            cls._enabled = is_gpu and bool(environment["options"].get("compareConfigurations"))
        if not cls._enabled or bridge.benchmarks or len(kernel.compared) >= MOST_KEYS:
            return False
        key = tuple(str(getattr(value, "dtype", value)) for value in values)
        if key in kernel.compared or cls._seconds > MOST_SECONDS_OF_WARPS:
            return False
        kernel.compared.add(key)
        return not kernel.is_gluon() and not _uses_order(kernel, set())

    def launch(self, values):
        if callable(self._grid):
            self._grid = self._grid(dict(zip(self.arg_names, values)))
        start = time.perf_counter()
        result = launch(self, _Warps(self._options.get("num_warps") or 4), values, {}, self._start)
        OtherWarps._seconds += time.perf_counter() - start
        return result

    def _start(self, config, values, _):
        return self.base_fn.start(values, {**self._options, **config.all_kwargs()}, self._grid)

    def prune_configs(self, _):
        warps = self._options.get("num_warps") or 4
        return [_Warps(each) for each in (2 * warps, warps // 2) if 1 <= each <= 8]

    def _operations(self, config, values, _):
        options = {**self._options, **config.all_kwargs()}
        return getattr(self.base_fn.start(values, options, self._grid, "ahead"), "operations", None)


def _uses_order(kernel, seen):
    """Whether the kernel, or a function that it calls, uses one of those names."""
    seen.add(kernel)
    for name in kernel.used_names:
        used = kernel.fn.__globals__.get(name)
        # An atomic that was imported by another name keeps its own.
        if name.startswith(_ORDERED) or getattr(used, "__name__", "").startswith("atomic_"):
            return True
        if hasattr(used, "used_names") and used not in seen and _uses_order(used, seen):
            return True
    return False


def _tensor_of(value):
    """The tensor of an argument, also of a descriptor or a pointer of another dtype; None of others."""
    from torch import Tensor

    tensor = getattr(value, "base", value)
    return tensor if isinstance(tensor, Tensor) and tensor.numel() else None


def _leaves(tuner, args, kwargs):
    """Arguments with a tensor, also those in tuples, with their names."""
    open_ones = [*zip(tuner.arg_names, args), *kwargs.items()]
    for name, value in open_ones:
        if isinstance(value, (tuple, list)):
            open_ones.extend((f"{name}[{i}]", each) for i, each in enumerate(value))
        elif _tensor_of(value) is not None:
            yield name, value


def _is_workspace(tuner, name, first, ours, theirs):
    """Whether configurations write other elements of what the tuner clears for each, and other numbers into those
    that both write: sums of parts, as many as a configuration has programs, which are summed afterwards."""
    if name not in tuner.reset_to_zero:
        return False
    by_us, by_them = (one != first for one in (ours, theirs))
    differ = by_us & by_them & (ours != theirs)
    return not _same(by_us, by_them) and bool(differ.any())


class _Copies:
    """Arguments of a launch on copies of their storages, with the same offsets and strides."""

    def __init__(self, args, kwargs, names):
        self.storages = {}
        #: Views of one storage have several dtypes, numbers may be addresses, or too many bytes.
        self.refused = False
        self.has_floats = False
        self._bytes = 0
        #: By the name of the argument.
        self.tensors = {}
        self.names = names
        self.args = [self._copied(name, value) for name, value in zip(names, args)]
        self.kwargs = {name: self._copied(name, value) for name, value in kwargs.items()}

    def again(self):
        """Copies of these, which a launch may change."""
        return _Copies(self.args, self.kwargs, self.names)

    def _copied(self, name, value):
        if isinstance(value, (tuple, list)):
            made = [self._copied(f"{name}[{i}]", each) for i, each in enumerate(value)]
            return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
        tensor = _tensor_of(value)
        if self.refused or tensor is None:
            self.refused |= _is_address(value)
            return value
        tensor = tensor.detach()
        storage, dtype = self.storages.get(tensor._storage, (None, tensor.dtype))
        if storage is None:
            self._bytes += tensor.untyped_storage().nbytes()
        self.refused = dtype is not tensor.dtype or self._bytes > MOST_BYTES or _holds_addresses(tensor)
        if self.refused:
            return value
        self.has_floats |= tensor.is_floating_point()
        if storage is None:
            size = tensor.untyped_storage().nbytes() // dtype.itemsize
            storage = tensor.as_strided((size,), (1,), 0).clone()
            self.storages[tensor._storage] = storage, dtype
        made = storage.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        self.tensors[name] = made
        if isinstance(value, type(made)):
            return made
        holder = copy.copy(value)
        holder.base = made
        return holder


#: Addresses of tensors on the device lie between these (app/runtime/addresses.ts).
_LEAST_ADDRESS = 0x7F00_0000_0000
_END_OF_ADDRESSES = 0x8000_0000_0000


def _is_address(value):
    return isinstance(value, int) and _LEAST_ADDRESS <= value < _END_OF_ADDRESSES


def _holds_addresses(tensor):
    """Whether a kernel may make pointers of its numbers, to tensors of which no copies are made."""
    if tensor.dtype.name not in ("int64", "uint64"):
        return False
    numbers = tensor.long() if tensor.dtype.name == "uint64" else tensor
    return bool(((numbers >= _LEAST_ADDRESS) & (numbers < _END_OF_ADDRESSES)).any())


def _others(tuner, chosen, args, kwargs):
    configs = [config for config in tuner.prune_configs(kwargs) if config != chosen][:MOST_OTHERS]
    operations = tuner._operations(chosen, args, kwargs)
    return configs[: int(MOST_OPERATIONS // operations)] if operations else configs


def _made_by(config, tuner, before, run):
    """What a configuration leaves in the tensors, by name; None where it does not compile or needs too much."""
    from ..compiler.errors import CompileTimeAssertionFailure
    from .errors import OutOfResources, PTXASError

    copies = before.again()
    tuner.nargs = dict(zip(tuner.arg_names, copies.args))
    bridge.bench_mark(True, silent=True)
    try:
        run(config, copies.args, copies.kwargs)
    except (OutOfResources, CompileTimeAssertionFailure, PTXASError):
        return None
    finally:
        bridge.bench_mark(False, silent=True)
    return copies.tensors


def _same(a, b):
    try:
        return bool((a == b).all())
    except (NotImplementedError, RuntimeError):
        return False


def _compare(tuner, name, actual, expected, has_floats):
    from torch import testing

    (config, ours), (chosen, theirs) = actual, expected
    tolerance = 0.0
    in_ring = bridge.environment()["options"].get("ring")
    if has_floats and not in_ring and not theirs.is_floating_point() and theirs.dtype.name != "bool":
        # An integer that is rounded from a sum may be the next one; the index of a maximum of sums,
        # any. The author tried out each configuration, and no number of warps: the ring decides.
        if isinstance(tuner, OtherWarps):
            return
        tolerance = 1.0
    elif theirs.is_floating_point() and not in_ring:
        largest = theirs.float().abs().nan_to_num(0.0, 0.0, 0.0).max().item()
        tolerance = largest * _SHARE.get(theirs.dtype.name, _SHARE_OF_EIGHT_BITS)
    call = {
        "function": f"{getattr(tuner, 'what', 'configurations')} of {tuner.base_fn.__name__}",
        "actual": f"{name} with {_settings(config)}",
        "expected": f"{name} with {_settings(chosen)}",
    }
    testing.compare("assert_close", ours, theirs, 0.0, tolerance, True, call)


def _settings(config):
    return ", ".join(f"{name}: {value}" for name, value in config.all_kwargs().items())
