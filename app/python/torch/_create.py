"""Making tensors: from Python values, from patterns, from random numbers."""

from . import _core as core
from ._core import (
    CPU, as_device, compute_name, constant, numel, run, scalar_dtype,
)  # fmt: skip
from ._tensor import Tensor, empty as new_empty_tensor, empty_strided as _strided, write


def _shape(args, size=None):
    if size is not None:
        args = size if isinstance(size, (tuple, list)) else (size,)
    elif len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = args[0]
    out = []
    for i, a in enumerate(args):
        if isinstance(a, (float, str)) or not hasattr(a, "__index__"):
            raise TypeError(
                f"empty(): argument 'size' failed to unpack the object at pos {i + 1} with error \"type must be tuple of ints,but got {type(a).__name__}\""
            )
        out.append(a.__index__())
    if any(s < 0 for s in out):
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    return tuple(out)


def _finish(t, requires_grad):
    return t.requires_grad_() if requires_grad else t


def empty(*size, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False, memory_format=None, **kw):  # fmt: skip
    t = new_empty_tensor(_shape(size, kw.get("size")), dtype or core.get_default_dtype(), as_device(device))
    return _finish(t, requires_grad)


def empty_strided(size, stride, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):  # fmt: skip
    t = _strided(tuple(size), tuple(stride), dtype or core.get_default_dtype(), as_device(device))
    return _finish(t, requires_grad)


zeros = empty  # Storages are born zeroed.


def fill_(t, value):
    if isinstance(value, Tensor):
        if value._shape:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {len(value._shape)} dimensions."
            )
        write(t, value)
        return t
    if t.numel():
        write(t, constant(value, t.dtype))
    return t


def full(size, fill_value, *, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False):  # fmt: skip
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, Tensor) else scalar_dtype(fill_value)
    t = new_empty_tensor(_shape((size,) if isinstance(size, int) else tuple(size)), dtype, as_device(device))
    return _finish(fill_(t, fill_value), requires_grad)


def ones(*size, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False, **kw):  # fmt: skip
    t = empty(*size, dtype=dtype, device=device, **kw)
    return _finish(fill_(t, 1), requires_grad)


def empty_like(input, *, dtype=None, device=None, requires_grad=False, layout=None, memory_format=None, pin_memory=False):  # fmt: skip
    strides = None
    # Where it is contiguous, which is nearly always, there is nothing to keep.
    if not input.is_contiguous() and str(memory_format) != "torch.contiguous_format":
        expected = 1
        for stride, size in sorted(zip(input._strides, input._shape)):
            if size != 1 and stride != expected:
                break
            expected *= size
        else:
            strides = input._strides
    t = _strided(
        input._shape,
        strides,
        dtype or input.dtype,
        input.device if device is None else as_device(device),
    )
    return _finish(t, requires_grad)


zeros_like = empty_like


def ones_like(input, **kw):
    grad = kw.pop("requires_grad", False)
    return _finish(fill_(empty_like(input, **kw), 1), grad)


def full_like(input, fill_value, **kw):
    grad = kw.pop("requires_grad", False)
    return _finish(fill_(empty_like(input, **kw), fill_value), grad)


def new_empty(t, *size, dtype=None, device=None, requires_grad=False, **kw):
    return empty(*size, dtype=dtype or t.dtype, device=device or t.device, requires_grad=requires_grad, **kw)


new_zeros = new_empty


def new_empty_strided(t, size, stride, *, dtype=None, device=None, requires_grad=False):
    return empty_strided(size, stride, dtype=dtype or t.dtype, device=device or t.device, requires_grad=requires_grad)


def new_ones(t, *size, dtype=None, device=None, requires_grad=False, **kw):
    return ones(*size, dtype=dtype or t.dtype, device=device or t.device, requires_grad=requires_grad, **kw)


def new_full(t, size, fill_value, *, dtype=None, device=None, requires_grad=False):
    return full(size, fill_value, dtype=dtype or t.dtype, device=device or t.device, requires_grad=requires_grad)


def new_tensor(t, data, *, dtype=None, device=None, requires_grad=False):
    return tensor(data, dtype=dtype or t.dtype, device=device or t.device, requires_grad=requires_grad)


# ── from Python values ──────────────────────────────────────────────────────────────────────────


def _measure(data):
    """The shape of nested lists; ragged ones are an error."""
    shape = []
    while isinstance(data, (list, tuple)):
        shape.append(len(data))
        if not data:
            break
        data = data[0]
    if isinstance(data, Tensor):
        shape.extend(data._shape)
    elif hasattr(data, "shape") and hasattr(data, "tolist"):
        shape.extend(data.shape)
    return tuple(shape)


def _flatten(data, shape, out, depth=0):
    if depth == len(shape):
        if isinstance(data, (list, tuple)):
            raise ValueError(f"expected sequence of length {shape[-1] if shape else 0} at dim {depth}")
        if isinstance(data, Tensor):
            data = data.item()
        elif hasattr(data, "item"):
            data = data.item()
        if data is not None and not isinstance(data, (bool, int, float, complex)):
            if hasattr(data, "__index__"):
                data = data.__index__()
            elif hasattr(data, "__float__"):
                data = float(data)
            elif isinstance(data, str):
                raise TypeError("new(): invalid data type 'str'")
            else:
                raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
        if data is None:
            raise RuntimeError("Could not infer dtype of NoneType")
        out.append(data)
        return
    if hasattr(data, "tolist"):
        data = data.tolist()
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"only sequences of one depth can become a tensor, not a bare {type(data).__name__}")
    if len(data) != shape[depth]:
        raise ValueError(
            f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})"
        )
    if depth == len(shape) - 1 and all(type(v) in (int, float, bool) for v in data):
        out.extend(data)
        return
    for item in data:
        _flatten(item, shape, out, depth + 1)


_ARRAY_CODES = {
    "float64": "d", "float32": "f", "int64": "q", "int32": "i", "int16": "h", "int8": "b",
    "uint64": "Q", "uint32": "I", "uint16": "H", "uint8": "B", "bool": "B",
}  # fmt: skip


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    if type(data).__module__ == "numpy":
        import numpy

        data = numpy.asarray(data)._t
    if isinstance(data, Tensor):
        out = data.detach().to(
            dtype=dtype or data.dtype, device=data.device if device is None else device, copy=True
        )
        return _finish(out, requires_grad)
    if isinstance(data, range):
        data = list(data)
    if hasattr(data, "shape") and hasattr(data, "dtype") and hasattr(data, "tolist"):
        dtype = dtype or core.BY_NAME.get(str(data.dtype))
    shape = _measure(data)
    values = []
    _flatten(data, shape, values)
    if dtype is None:
        dtype = _infer(values)
    return _finish(_from_values(values, shape, dtype, as_device(device)), requires_grad)


def _infer(values):
    kinds = {type(v) for v in values}
    if complex in kinds:
        return core.get_default_dtype().to_complex()
    if not kinds or float in kinds:
        return core.get_default_dtype()
    return core.int64 if int in kinds else core.bool_


def _from_values(values, shape, dtype, device):
    from array import array

    out = new_empty_tensor(shape, dtype, device)
    if not values:
        return out
    code = _ARRAY_CODES.get(dtype.name)
    holder = dtype
    if code is None:
        holder, code = core.float32, "f"
    if dtype.is_complex:
        pairs = [p for v in values for p in (complex(v).real, complex(v).imag)]
        flat = _from_values(pairs, (*shape, 2), dtype.to_real(), device)
        flat._shape, flat._strides, flat.dtype = out._shape, out._strides, dtype
        return flat
    if dtype is core.bool_:
        values = [1 if v else 0 for v in values]
    elif not dtype.is_floating_point:
        values = [int(v) for v in values]
    try:
        packed = array(code, values)
    except OverflowError:
        if dtype.is_floating_point:
            packed = array(code, [_saturate(v) for v in values])
        else:
            raise RuntimeError(
                f"value cannot be converted to type {dtype.name} without overflow"
            ) from None
    if holder is dtype:
        out._storage.bytes().assign(memoryview(packed).cast("B"))
        core.bridge.storage_written(out._storage.id)
        return out
    source = new_empty_tensor(shape, holder, device)
    source._storage.bytes().assign(memoryview(packed).cast("B"))
    core.bridge.storage_written(source._storage.id)
    write(out, source)
    return out


def _saturate(value):
    return float("inf") if value > 3.5e38 else float("-inf") if value < -3.5e38 else value


def as_tensor(data, dtype=None, device=None):
    if isinstance(data, Tensor):
        return data.to(dtype=dtype or data.dtype, device=data.device if device is None else device)
    return tensor(data, dtype=dtype, device=device)


def from_numpy(array):
    """Shares the array's memory."""
    if type(array).__module__ != "numpy" or not hasattr(array, "_t"):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    if any(step < 0 for step in array._t._strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides "
            "are not currently supported. (You can probably work around this by making a copy of your "
            "array with array.copy().)"
        )
    return array._t.detach()


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    data = memoryview(buffer).cast("B")[offset:]
    n = len(data) // dtype.itemsize if count < 0 else count
    out = new_empty_tensor((n,), dtype, CPU)
    if n:
        out._storage.bytes().assign(data[: n * dtype.itemsize])
        core.bridge.storage_written(out._storage.id)
    return _finish(out, requires_grad)


def scalar_tensor(value, *, dtype=None, device=None):
    return tensor(value, dtype=dtype or core.get_default_dtype(), device=device)


# ── patterns ────────────────────────────────────────────────────────────────────────────────────


def arange(start, end=None, step=1, *, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False):  # fmt: skip
    if end is None:
        start, end = 0, start
    start, end, step = (v.item() if isinstance(v, Tensor) else v for v in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None:
        floats = any(isinstance(v, float) for v in (start, end, step))
        dtype = core.get_default_dtype() if floats else core.int64
    import math

    if all(isinstance(v, int) for v in (start, end, step)):
        n = -((start - end) // step)
    else:
        n = math.ceil((end - start) / step)
    t = new_empty_tensor((n,), dtype, as_device(device))
    if n:
        if not dtype.is_floating_point:
            start, step = int(start), int(step)
        run("arange", (t,), (), c=compute_name(dtype), x=(start, step))
    return _finish(t, requires_grad)


def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    t = new_empty_tensor((steps,), dtype or core.get_default_dtype(), as_device(device))
    if steps:
        run("linspace", (t,), (), c=compute_name(t.dtype), x=(float(start), float(end)))
    return _finish(t, requires_grad)


def logspace(start, end, steps, base=10.0, **kw):
    return base ** linspace(start, end, steps, **kw)


def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    from ._views import diagonal

    t = empty(n, n if m is None else m, dtype=dtype, device=device)
    if t.numel():
        fill_(diagonal(t), 1)
    return _finish(t, requires_grad)


def _triangle(name):
    def function(input, diagonal=0, *, out=None):
        if len(input._shape) < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        from ._autograd import needs, record

        t = new_empty_tensor(input._shape, input.dtype, input.device)
        if t.numel():
            run("tri", (t,), (input,), f=name, n=(*input._shape[-2:], diagonal))
        if needs(input):
            record(t, f"{name.capitalize()}Backward0", [input], lambda g: function(g, diagonal))
        return t

    function.__name__ = name
    return function


tril, triu = _triangle("tril"), _triangle("triu")


def _triangle_indices(lower):
    def function(row, col, offset=0, *, dtype=None, device=None):
        keep = [
            (r, c)
            for r in range(row)
            for c in range(col)
            if (c - r <= offset if lower else c - r >= offset)
        ]
        data = [[r for r, _ in keep], [c for _, c in keep]]
        return tensor(data, dtype=dtype or core.int64, device=device)

    return function


tril_indices, triu_indices = _triangle_indices(True), _triangle_indices(False)


def diag(input, diagonal=0):
    from ._views import clone, diagonal as view

    if len(input._shape) == 2:
        return clone(view(input, diagonal))
    return diag_embed(input, diagonal)


def diag_embed(input, offset=0):
    from ._views import diagonal as view

    n = input._shape[-1] + (offset if offset >= 0 else -offset)
    t = new_empty_tensor((*input._shape[:-1], n, n), input.dtype, input.device)
    write(view(t, offset, -2, -1), input)
    from ._autograd import needs, record

    if needs(input):
        record(t, "DiagEmbedBackward0", [input], lambda g: view(g, offset, -2, -1))
    return t


def meshgrid(*tensors, indexing="ij"):
    from . import _views as views

    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if indexing == "xy" and len(tensors) > 1:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = [t.numel() for t in tensors]
    out = []
    for i, t in enumerate(tensors):
        ones_shape = [1] * len(shape)
        ones_shape[i] = shape[i]
        out.append(views.expand(views.reshape(t, *ones_shape), *shape))
    if indexing == "xy" and len(out) > 1:
        out = [views.transpose(t, 0, 1) for t in (out[1], out[0], *out[2:])]
    return tuple(out)


# ── random numbers ──────────────────────────────────────────────────────────────────────────────


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
        import random

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
    import random

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
        from ._complex import view_as_real

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
    return _finish(_draw("uniform", t, generator, 0.0, 1.0), requires_grad)


def randn(*size, generator=None, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False, **kw):  # fmt: skip
    t = empty(*size, dtype=_float(dtype, "normal_kernel_cpu"), device=device, **kw)
    return _finish(_draw("normal", t, generator, 0.0, 1.0), requires_grad)


def randint(low, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False):  # fmt: skip
    if isinstance(high, (tuple, list)):
        high, size = None, high
    if high is None:
        low, high = 0, low
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    t = empty(tuple(size), dtype=dtype or core.int64, device=device)
    return _finish(_draw("integers", t, generator, int(low), int(high)), requires_grad)


def rand_like(input, **kw):
    return _like(rand, input, kw)


def randn_like(input, **kw):
    return _like(randn, input, kw)


def _like(make, input, kw):
    kw.pop("memory_format", None)
    kw.setdefault("dtype", input.dtype)
    kw.setdefault("device", input.device)
    return make(tuple(input._shape), **kw)


def randint_like(input, low, high=None, *, dtype=None, device=None, **kw):
    return randint(
        low, high, tuple(input._shape), dtype=dtype or input.dtype, device=device or input.device
    )


def randperm(n, *, generator=None, dtype=None, device=None, requires_grad=False, out=None):
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
    from . import _ops as ops

    draw = _draw("normal", new_empty_tensor(t._shape, core.float32, t.device), generator, mean, std)
    write(t, ops.exp(draw))
    return t


def exponential_(t, lambd=1.0, *, generator=None):
    from . import _ops as ops

    draw = _draw("uniform", new_empty_tensor(t._shape, core.float32, t.device), generator, 0.0, 1.0)
    write(t, ops.div(ops.neg(ops.log1p(ops.neg(draw))), lambd))
    return t


def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Without replacement, by the largest of p / exponential noise; with, by inversion."""
    from . import _ops as ops
    from . import _reductions as reductions

    if not replacement:
        noise = exponential_(new_empty_tensor(input._shape, core.float32, input.device), generator=generator)
        return reductions.topk(ops.div(input, noise), num_samples, -1)[1]
    total = reductions.cumsum(ops.div(input, reductions.sum(input, -1, True)), -1)
    draws = rand(*input._shape[:-1], num_samples, device=input.device, generator=generator)
    below = ops.lt(total.unsqueeze(-2), draws.unsqueeze(-1))
    return ops.clamp(reductions.sum(below, -1), max=input._shape[-1] - 1)


# ── limits ──────────────────────────────────────────────────────────────────────────────────────

_FINFO = {
    # name: (max, eps, tiny, smallest subnormal, digits)
    "float64": (1.7976931348623157e308, 2.220446049250313e-16, 2.2250738585072014e-308, 5e-324, 1e-15),
    "float32": (3.4028234663852886e38, 1.1920928955078125e-07, 1.1754943508222875e-38, 1.401298464324817e-45, 1e-06),
    "float16": (65504.0, 0.0009765625, 6.103515625e-05, 5.960464477539063e-08, 0.001),
    "bfloat16": (3.3895313892515355e38, 0.0078125, 1.1754943508222875e-38, 9.183549615799121e-41, 0.01),
    "float8_e5m2": (57344.0, 0.25, 6.103515625e-05, 1.52587890625e-05, 1.0),
    "float8_e4m3fn": (448.0, 0.125, 0.015625, 0.001953125, 1.0),
}  # fmt: skip


class finfo:
    def __init__(self, dtype=None):
        dtype = dtype or core.get_default_dtype()
        if not dtype.is_floating_point:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{dtype!r}'")
        self.dtype = dtype.name
        self.bits = dtype.itemsize * 8
        self.max, self.eps, self.tiny, self.smallest_subnormal, self.resolution = _FINFO[dtype.name]
        self.smallest_normal = self.tiny
        self.min = -self.max

    def __repr__(self):
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    def __init__(self, dtype):
        if dtype.is_floating_point:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{dtype!r}'")
        self.dtype = dtype.name
        self.bits = dtype.itemsize * 8
        self.max = (1 << (self.bits - dtype.is_signed)) - 1
        self.min = -(1 << (self.bits - 1)) if dtype.is_signed else 0

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


core.takes_types(
    globals(),
    """empty zeros full ones empty_like zeros_like ones_like full_like empty_strided new_empty new_zeros new_ones
    new_full new_tensor new_empty_strided tensor as_tensor scalar_tensor arange linspace logspace eye rand
    randn randint rand_like randn_like randint_like randperm""",
)

__all__ = ["numel"]
