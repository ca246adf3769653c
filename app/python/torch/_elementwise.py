"""Elementwise operations at work: operands, promotion, broadcasting and errors around app/numerics, and
conversions between dtypes and devices.
"""

from . import _core as core
from . import _views as views
from ._autograd import needs, no_gradient_into, record
from ._core import (
    CPU, CUDA, broadcast_shapes, can_cast, compute_name, constant, result_type, run,
)  # fmt: skip
from ._tensor import Tensor, empty_strided

NUMBER = (bool, int, float, complex)

def device_of(*operands):
    """The device a result lies on; 0-d CPU tensors may meet CUDA ones."""
    found = None
    scalar_cpu = None
    if CUDA not in [t.device for t in operands if isinstance(t, Tensor)]:
        return CPU
    for t in operands:
        if not isinstance(t, Tensor):
            continue
        if t.device is CPU and not t._shape:
            scalar_cpu = CPU
            continue
        if found is None:
            found = t.device
        elif found is not t.device:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, {found} and {t.device}!"
            )
    return found or scalar_cpu or CPU


def _check_fits(value, dtype):
    """Python integers must fit the dtype they are computed in."""
    if isinstance(value, int) and not isinstance(value, bool) and not dtype.is_floating_point and dtype is not core.bool_:
        bits = dtype.itemsize * 8
        low, high = (-(1 << (bits - 1)), 1 << bits)
        if not low <= value < high:
            raise RuntimeError(f"value cannot be converted to type {_c_name(dtype)} without overflow")


def _c_name(dtype):
    return {"bool": "bool", "float32": "float", "float64": "double"}.get(dtype.name, dtype.name + "_t")


def _unsupported(name, operand):
    raise TypeError(
        f"unsupported operand type(s) for {name}: 'Tensor' and '{type(operand).__name__}'"
    )


def _known(name, x):
    """A tensor or a number; NumPy's scalars are taken as Python's."""
    if isinstance(x, (Tensor, *NUMBER)):
        return x
    if type(x).__module__ == "numpy" and hasattr(x, "item"):
        if x.shape == ():
            return x.item()
        from ._create import tensor

        return tensor(x)
    _unsupported(name, x)


def _binary(name, a, b, dtype=None, out=None, boolean=False, integral_to_float=False):
    """One elementwise operation on two tensors or numbers. `dtype` overrides the promoted one."""
    if a.__class__ is not Tensor:
        a = _known(name, a)
    if b.__class__ is not Tensor:
        b = _known(name, b)
    common = dtype or result_type(a, b)
    if integral_to_float and not (common.is_floating_point or common.is_complex):
        common = core.get_default_dtype()
    device = device_of(a, b)
    shape = broadcast_shapes(
        a._shape if isinstance(a, Tensor) else (), b._shape if isinstance(b, Tensor) else ()
    )
    if out is not None:
        no_gradient_into(name, out, a, b)
        if out._shape != shape:
            raise RuntimeError(
                f"output with shape {list(out._shape)} doesn't match the broadcast shape {list(shape)}"
            )
        if not boolean and not can_cast(common, out.dtype):
            raise RuntimeError(
                f"result type {common.short} can't be cast to the desired output type {out.dtype.short}"
            )
        target = out
    else:
        strides = views.result_strides(shape, a, b)
        target = empty_strided(shape, strides, core.bool_ if boolean else common, device)
    if common.is_complex:
        from ._complex import binary

        binary(name, target, a, b, common)
    elif target.numel():
        run(
            "binary",
            (target,),
            (_operand(a, shape, common, boolean), _operand(b, shape, common, boolean)),
            f=name,
            c=compute_name(common),
        )
    if out is not None:
        out._version += 1
    return target


def _operand(x, shape, common, boolean):
    if isinstance(x, Tensor):
        if boolean and x.dtype is not common:
            # Comparisons round a promoted operand first.
            x = cast(x, common)
        if not x._shape:
            return x
        return views.broadcast_view(x, shape)
    _check_fits(x, common)
    # Arithmetic of the narrow floats keeps a Python number in f32; comparisons round it.
    wide = common.is_floating_point and common.itemsize < 4 and not boolean
    return constant(x, core.float32 if wide else common)


def _unary(name, t, float_result=False, boolean=False, out=None):
    if not isinstance(t, Tensor):
        raise TypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {type(t).__name__}"
        )
    dtype = t.dtype
    no_gradient_into(name, out, t)
    if dtype.is_complex:
        from ._complex import _into, unary

        return _into(unary(name, t), out)
    if name == "frac" and not dtype.is_floating_point:
        raise NotImplementedError(f'"frac_cpu" not implemented for \'{dtype.short}\'')
    if float_result and not dtype.is_floating_point:
        dtype = core.get_default_dtype()
    if out is not None and not boolean and not can_cast(dtype, out.dtype):
        raise RuntimeError(
            f"result type {dtype.short} can't be cast to the desired output type {out.dtype.short}"
        )
    target = out if out is not None else _dense_like(t, core.bool_ if boolean else dtype, t.device)
    if t.numel():
        run("unary", (target,), (t,), f=name, c=compute_name(dtype))
    if out is not None:
        out._version += 1
    return target


# ── conversions ─────────────────────────────────────────────────────────────────────────────────


def _dense_like(t, dtype, device):
    """An empty tensor of the same shape and order of dimensions, as PyTorch's preserve_format makes it."""
    return empty_strided(t._shape, views.result_strides(t._shape, t), dtype, device)


def cast(t, dtype):
    if t.dtype is dtype:
        return t
    out = _dense_like(t, dtype, t.device)
    if t.numel():
        run("copy", (out,), (t,))
    if needs(t):
        record(out, "ToCopyBackward0", [t], lambda g: g)
    return out


def to(t, *args, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
    for arg in args:
        if isinstance(arg, core.dtype):
            dtype = arg
        elif isinstance(arg, Tensor):
            dtype, device = arg.dtype, arg.device
        elif isinstance(arg, (str, int, core.device)) and not isinstance(arg, bool):
            device = arg
        elif arg.__class__ is type:
            dtype = arg
    target = t.device if device is None else core.as_device(device)
    kind = t.dtype if dtype is None else core.from_python(dtype)
    if target is t.device and kind is t.dtype:
        return views.clone(t) if copy else t
    t = _real_part(t, kind)
    out = _dense_like(t, kind, target)
    if t.numel():
        run("copy", (out,), (t,))
    if needs(t):
        where = t.device
        record(out, "ToCopyBackward0", [t], lambda g: to(g, device=where))
    return out


def _real_part(t, dtype):
    """What a program's own conversion of `t` to `dtype` begins with: complex numbers lose a part."""
    if not t.dtype.is_complex or dtype.is_complex:
        return t
    from ._complex import discarded

    return _binary("ne", t, 0, boolean=True) if dtype is core.bool_ else discarded(t)


def cuda(t, device=None, non_blocking=False, memory_format=None):
    return to(t, device=CUDA if device is None else device)


def cpu(t, memory_format=None):
    return to(t, device=CPU)


def type_as(t, other):
    return to(t, other)


def type_(t, dtype=None, non_blocking=False):
    if dtype is None:
        return f"torch.{'cuda.' if t.is_cuda else ''}{t.dtype.short}Tensor"
    if isinstance(dtype, str):
        short = dtype.split(".")[-1].removesuffix("Tensor")
        dtype = next(d for d in core.DTYPES if d.short == short)
    return cast(_real_part(t, dtype), dtype)


def _caster(dtype):
    return lambda t, memory_format=None: cast(_real_part(t, dtype), dtype)


CASTS = {
    "float": core.float32, "double": core.float64, "half": core.float16, "bfloat16": core.bfloat16,
    "int": core.int32, "long": core.int64, "short": core.int16, "char": core.int8,
    "byte": core.uint8, "bool": core.bool_, "cfloat": core.complex64, "cdouble": core.complex128,
}  # fmt: skip
