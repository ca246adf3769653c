"""Tensors of random numbers, and the streams (`Generator`) that they are drawn from."""

import random

from . import _core as core
from . import _ops as ops
from . import _order as order
from . import _reductions as reductions
from . import _scans as scans
from . import _views as views
from ._complex import view_as_real
from ._core import CPU, run
from ._create import empty, empty_like, finish, tensor
from ._tensor import Tensor, empty as new_empty_tensor, make as new_tensor, write


class Generator:
    """A stream of random numbers of its own. `id` 0 is the default one."""

    _count = 0

    def __init__(self, device="cpu"):
        Generator._count += 1
        self.id = Generator._count
        self.device = core.device(device)
        self.manual_seed(67280421310721)

    def manual_seed(self, seed):
        self._seed = int(seed)
        run("seed", (), (), n=(self.id,), x=(int(seed) & 0xFFFFFFFFFFFFFFFF,))
        return self

    def initial_seed(self):
        return self._seed

    def get_state(self):
        return _state_of(self.id)

    def set_state(self, state):
        _restore(self.id, state)
        return self

    def seed(self):
        return self.manual_seed(random.getrandbits(64)).initial_seed()


class _Default(Generator):
    """The stream that numbers come from where no generator is named."""

    device = CPU
    _seed = 0
    #: How often it was seeded.
    seeded = 0

    def __init__(self):
        self.id = 0

    def manual_seed(self, seed):
        return manual_seed(seed)


default = _Default()


def manual_seed(seed):
    default._seed = int(seed)
    default.seeded += 1
    run("seed", (), (), n=(0,), x=(int(seed) & 0xFFFFFFFFFFFFFFFF,))
    return default


def seed():
    value = random.getrandbits(64)
    manual_seed(value)
    return value


def initial_seed():
    return default._seed


_states = {}


def _state_of(id):
    """An opaque tensor: it stands for a state that is kept on this side."""
    key = len(_states)
    _states[key] = run("rng_state", (), (), n=(id,))
    return tensor([key], dtype=core.int64).view(core.uint8)


def _restore(id, state):
    text = _states[int(state.view(core.int64).item())]
    run("rng_state", (), (), n=(id,), x=(text.replace('"', "'"),))


def get_rng_state():
    return _state_of(0)


def set_rng_state(state):
    _restore(0, state)


def _draw(op, t, generator, *numbers):
    if t.dtype.is_complex:
        if op == "normal":  # The variance is of both parts together.
            numbers = (numbers[0], numbers[1] * 0.5**0.5)
        elif op != "uniform":
            raise NotImplementedError(f'"{op}" not implemented for \'{t.dtype.short}\'')
        _draw(op, view_as_real(t.detach()), generator, *numbers)
        t._version += 1
        return t
    if t.numel():
        source = (generator or default).id
        if not t.is_contiguous():
            flat = new_empty_tensor(t._shape, t.dtype, t.device)
            _draw(op, flat, generator, *numbers)
            write(t, flat)
            return t
        # The generator draws at the dtype's own precision, not at the one it is computed in.
        run(op, (t,), (), c=t.dtype.name, n=(source,), x=numbers)
    t._version += 1
    return t


def _float(dtype, name):
    dtype = dtype or core.get_default_dtype()
    if not (dtype.is_floating_point or dtype.is_complex):
        raise NotImplementedError(f'"{name}" not implemented for \'{dtype.short}\'')
    return dtype


def rand(*size, generator=None, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False, **kw):  # fmt: skip
    t = empty(*size, dtype=_float(dtype, "check_uniform_bounds"), device=device, **kw)
    return finish(_draw("uniform", t, generator, 0.0, 1.0), requires_grad)


def randn(*size, generator=None, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False, **kw):  # fmt: skip
    t = empty(*size, dtype=_float(dtype, "normal_kernel_cpu"), device=device, **kw)
    return finish(_draw("normal", t, generator, 0.0, 1.0), requires_grad)


def randint(low, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False):  # fmt: skip
    if isinstance(high, (tuple, list)):
        high, size = None, high
    if high is None:
        low, high = 0, low
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    t = empty(tuple(size), dtype=dtype or core.int64, device=device)
    return finish(_draw("integers", t, generator, int(low), int(high)), requires_grad)


def rand_like(input, **kw):
    return _like(rand, input, kw)


def randn_like(input, **kw):
    return _like(randn, input, kw)


def _like(make, input, kw):
    keeps = str(kw.pop("memory_format", None)) != "torch.contiguous_format"
    kw.setdefault("dtype", input.dtype)
    kw.setdefault("device", input.device)
    strides = views.result_strides(input._shape, input) if keeps else None
    if strides is None:
        return make(tuple(input._shape), **kw)
    grad = kw.pop("requires_grad", False)
    # Numbers are drawn in the order of memory.
    drawn = make(tuple(input._shape), **kw)
    return finish(new_tensor(drawn._storage, drawn.dtype, drawn.device, drawn._shape, strides, 0), grad)


def randint_like(input, low, high=None, *, dtype=None, device=None, **kw):
    return randint(
        low, high, tuple(input._shape), dtype=dtype or input.dtype, device=device or input.device
    )


def randperm(n, *, generator=None, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False):  # fmt: skip
    return _draw("permutation", empty(n, dtype=dtype or core.int64, device=device), generator)


def normal(mean, std=1.0, size=None, *, generator=None, dtype=None, device=None):
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        like = mean if isinstance(mean, Tensor) else std
        return randn_like(like, generator=generator) * std + mean
    t = empty(tuple(size), dtype=dtype, device=device)
    return _draw("normal", t, generator, float(mean), float(std))


def bernoulli(input, p=None, *, generator=None):
    if p is not None:
        return _draw("bernoulli", empty_like(input), generator, float(p))
    return (rand_like(input, generator=generator) < input).to(input.dtype)


def uniform_(t, a=0.0, b=1.0, *, generator=None):
    return _draw("uniform", t, generator, float(a), float(b))


def normal_(t, mean=0.0, std=1.0, *, generator=None):
    return _draw("normal", t, generator, float(mean), float(std))


def random_(t, low=0, high=None, *, generator=None):
    if high is None:
        if low:
            low, high = 0, low
        elif t.dtype.is_floating_point:
            high = 1 << {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}[t.dtype.name]
        else:
            high = (1 << (t.dtype.itemsize * 8 - t.dtype.is_signed)) if t.dtype is not core.bool_ else 2
    return _draw("integers", t, generator, int(low), int(high))


def bernoulli_(t, p=0.5, *, generator=None):
    return _draw("bernoulli", t, generator, float(p))


def log_normal_(t, mean=1.0, std=2.0, *, generator=None):
    draw = _draw("normal", new_empty_tensor(t._shape, core.float32, t.device), generator, mean, std)
    write(t, ops.exp(draw))
    return t


def exponential_(t, lambd=1.0, *, generator=None):
    draw = _draw("uniform", new_empty_tensor(t._shape, core.float32, t.device), generator, 0.0, 1.0)
    write(t, ops.div(ops.neg(ops.log1p(ops.neg(draw))), lambd))
    return t


def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Without replacement, by the largest of p / exponential noise; with, by inversion."""
    if not replacement:
        noise = exponential_(new_empty_tensor(input._shape, core.float32, input.device), generator=generator)
        return order.topk(ops.div(input, noise), num_samples, -1)[1]
    total = scans.cumsum(ops.div(input, reductions.sum(input, -1, True)), -1)
    draws = rand(*input._shape[:-1], num_samples, device=input.device, generator=generator)
    below = ops.lt(total.unsqueeze(-2), draws.unsqueeze(-1))
    return ops.clamp(reductions.sum(below, -1), max=input._shape[-1] - 1)


core.takes_types(globals(), "rand randn randint rand_like randn_like randint_like randperm")
