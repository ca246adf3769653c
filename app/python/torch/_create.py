"""Making tensors: empty, full of one value, like another, from Python values.

Tensors of a pattern are made in `_patterns`, of random numbers in `_random`.
"""

from . import _core as core, _history, _real_numpy
from ._core import CPU, as_device, constant, scalar_dtype
from ._tensor import Tensor, empty as new_empty_tensor, empty_strided as _strided, write
from ._views import result_strides


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


def finish(t, requires_grad):
    # Filling it is no operation in place.
    t._storage.version = 0
    return t.requires_grad_() if requires_grad else t


def empty(*size, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False, memory_format=None, **kw):  # fmt: skip
    dtype = dtype or core.get_default_dtype()
    t = new_empty_tensor(_shape(size, kw.get("size")), dtype, as_device(device), dtype.fill)
    return finish(t, requires_grad)


def zeros(*size, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False, **kw):  # fmt: skip
    t = new_empty_tensor(_shape(size, kw.get("size")), dtype or core.get_default_dtype(), as_device(device))
    return finish(t, requires_grad)


def empty_strided(size, stride, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):  # fmt: skip
    dtype = dtype or core.get_default_dtype()
    t = _strided(tuple(size), tuple(stride), dtype, as_device(device), dtype.fill)
    return finish(t, requires_grad)


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
    return finish(fill_(t, fill_value), requires_grad)


def ones(*size, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False, **kw):  # fmt: skip
    return finish(fill_(zeros(*size, dtype=dtype, device=device, **kw), 1), requires_grad)


def empty_like(input, *, dtype=None, device=None, requires_grad=False, layout=None, memory_format=None, pin_memory=False):  # fmt: skip
    dtype = dtype or input.dtype
    return finish(_like(input, dtype, device, memory_format, dtype.fill), requires_grad)


def zeros_like(input, *, dtype=None, device=None, requires_grad=False, layout=None, memory_format=None, pin_memory=False):  # fmt: skip
    return finish(_like(input, dtype or input.dtype, device, memory_format), requires_grad)


def _like(input, dtype, device, memory_format, fill=()):
    keeps = str(memory_format) != "torch.contiguous_format"
    strides = result_strides(input._shape, input) if keeps else None
    device = input.device if device is None else as_device(device)
    return _strided(input._shape, strides, dtype, device, fill)


def ones_like(input, **kw):
    grad = kw.pop("requires_grad", False)
    return finish(fill_(zeros_like(input, **kw), 1), grad)


def full_like(input, fill_value, **kw):
    grad = kw.pop("requires_grad", False)
    return finish(fill_(zeros_like(input, **kw), fill_value), grad)


def new_empty(t, *size, dtype=None, device=None, requires_grad=False, **kw):
    return empty(*size, dtype=dtype or t.dtype, device=device or t.device, requires_grad=requires_grad, **kw)


def new_zeros(t, *size, dtype=None, device=None, requires_grad=False, **kw):
    return zeros(*size, dtype=dtype or t.dtype, device=device or t.device, requires_grad=requires_grad, **kw)


def new_empty_strided(t, size, stride, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    return empty_strided(size, stride, dtype=dtype or t.dtype, device=device or t.device, requires_grad=requires_grad)


def new_ones(t, *size, dtype=None, device=None, requires_grad=False, **kw):
    return ones(*size, dtype=dtype or t.dtype, device=device or t.device, requires_grad=requires_grad, **kw)


def new_full(t, size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
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

        if _real_numpy.is_real(numpy):
            data = _real_numpy.tensor_of(numpy.asarray(data), core.BY_NAME, frombuffer)
        else:
            data = numpy.asarray(data)._t
    if isinstance(data, Tensor):
        out = data.detach().to(
            dtype=dtype or data.dtype, device=data.device if device is None else device, copy=True
        )
        return finish(out, requires_grad)
    if isinstance(data, range):
        data = list(data)
    if hasattr(data, "shape") and hasattr(data, "dtype") and hasattr(data, "tolist"):
        dtype = dtype or core.BY_NAME.get(str(data.dtype))
    shape = _measure(data)
    values = []
    _flatten(data, shape, values)
    if dtype is None:
        dtype = _infer(values)
    return finish(_from_values(values, shape, dtype, as_device(device)), requires_grad)


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
        _history.data(out._storage)
        core.bridge.storage_written(out._storage.id)
        return out
    source = new_empty_tensor(shape, holder, device)
    source._storage.bytes().assign(memoryview(packed).cast("B"))
    _history.data(source._storage)
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
    # `_t` first: the shipped numpy's `ctypes` raises what hasattr lets through.
    if type(array).__module__ == "numpy" and not hasattr(array, "_t") and hasattr(array, "ctypes"):
        return _real_numpy.tensor_of(array, core.BY_NAME, frombuffer)
    if type(array).__module__ != "numpy" or not hasattr(array, "_t"):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    if any(step < 0 for step in array._t._strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides "
            "are not currently supported. (You can probably work around this by making a copy of your "
            "array with array.copy().)"
        )
    # Writes of the array are counted nowhere.
    return array._t.data


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    data = memoryview(buffer).cast("B")[offset:]
    n = len(data) // dtype.itemsize if count < 0 else count
    out = new_empty_tensor((n,), dtype, CPU)
    if n:
        out._storage.bytes().assign(data[: n * dtype.itemsize])
        _history.data(out._storage)
        core.bridge.storage_written(out._storage.id)
    return finish(out, requires_grad)


def scalar_tensor(value, *, dtype=None, layout=None, device=None, pin_memory=False):
    return tensor(value, dtype=dtype or core.get_default_dtype(), device=device)


core.takes_types(
    globals(),
    """empty zeros full ones empty_like zeros_like ones_like full_like empty_strided new_empty new_zeros new_ones
    new_full new_tensor new_empty_strided tensor as_tensor scalar_tensor""",
)
