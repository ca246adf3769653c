"""The configurations of an autotuned kernel, compared with one another, for `hippocamp prove`.

Their author states that each of them computes the same. Before the first launch for a key, the others are launched on
copies of its tensors; what they leave in them is compared with what the launch itself leaves: bit for bit in the ring,
else within what another order of sums may change.
"""

import copy

import _hippocamp_bridge as bridge

#: Configurations beside the launch's own, keys of a tuner, and operations of all launches.
MOST_OTHERS = 7
MOST_KEYS = 2
MOST_OPERATIONS = 2e9

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
    before = _Copies(args, kwargs) if others else None
    if before is None or before.mixed or not before.tensors:
        tuner.nargs = nargs
        return run(chosen, args, kwargs)
    names = [*tuner.arg_names[: len(args)], *kwargs]
    made = [(config, _made_by(config, tuner, args, kwargs, run)) for config in others]
    tuner.nargs = nargs
    result = run(chosen, args, kwargs)
    for config, after in made:
        for place, value in enumerate([*args, *kwargs.values()]):
            tensor = getattr(value, "base", value)
            first = before.tensors.get(place)
            if after is None or first is None:
                continue
            if not (_same(tensor, first) and _same(after[place], first)):
                _compare(tuner, names[place], (config, after[place]), (chosen, tensor.detach()))
    return result


class _Copies:
    """Arguments of a launch on copies of their storages, with the same offsets and strides."""

    def __init__(self, args, kwargs):
        self.storages = {}
        #: Views of one storage have several dtypes.
        self.mixed = False
        #: By the place of the argument.
        self.tensors = {}
        self.args = [self._copied(place, value) for place, value in enumerate(args)]
        rest = enumerate(kwargs.items(), len(args))
        self.kwargs = {name: self._copied(place, value) for place, (name, value) in rest}

    def _copied(self, place, value):
        from torch import Tensor

        tensor = getattr(value, "base", value)
        if not isinstance(tensor, Tensor) or tensor.numel() == 0:
            return value
        tensor = tensor.detach()
        storage, dtype = self.storages.get(tensor._storage, (None, tensor.dtype))
        if dtype is not tensor.dtype:
            self.mixed = True
            return value
        if storage is None:
            size = tensor.untyped_storage().nbytes() // dtype.itemsize
            storage = tensor.as_strided((size,), (1,), 0).clone()
            self.storages[tensor._storage] = storage, dtype
        made = storage.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        self.tensors[place] = made
        if value is tensor or isinstance(value, Tensor):
            return made
        holder = copy.copy(value)
        holder.base = made
        return holder


def _others(tuner, chosen, args, kwargs):
    configs = [config for config in tuner.prune_configs(kwargs) if config != chosen][:MOST_OTHERS]
    operations = tuner._operations(chosen, args, kwargs)
    return configs[: int(MOST_OPERATIONS // operations)] if operations else configs


def _made_by(config, tuner, args, kwargs, run):
    """What a configuration leaves in the tensors, by place; None where it does not compile or needs too much."""
    from ..compiler.errors import CompileTimeAssertionFailure
    from .errors import OutOfResources, PTXASError

    copies = _Copies(args, kwargs)
    tuner.nargs = dict(zip(tuner.arg_names, copies.args))
    bridge.bench_mark(True)
    try:
        run(config, copies.args, copies.kwargs)
    except (OutOfResources, CompileTimeAssertionFailure, PTXASError):
        return None
    finally:
        bridge.bench_mark(False)
    return copies.tensors


def _same(a, b):
    try:
        return bool((a == b).all())
    except (NotImplementedError, RuntimeError):
        return False


def _compare(tuner, name, actual, expected):
    from torch import testing

    (config, ours), (chosen, theirs) = actual, expected
    tolerance = 0.0
    if theirs.is_floating_point() and not bridge.environment()["options"].get("ring"):
        largest = theirs.float().abs().nan_to_num(0.0, 0.0, 0.0).max().item()
        tolerance = largest * _SHARE.get(theirs.dtype.name, _SHARE_OF_EIGHT_BITS)
    call = {
        "function": f"configurations of {tuner.base_fn.__name__}",
        "actual": f"{name} with {_settings(config)}",
        "expected": f"{name} with {_settings(chosen)}",
    }
    testing.compare("assert_close", ours, theirs, 0.0, tolerance, True, call)


def _settings(config):
    return ", ".join(f"{name}: {value}" for name, value in config.all_kwargs().items())
