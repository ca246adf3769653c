"""Elementwise operations, matrix products, and conversions: PyTorch's promotion, broadcasting and
errors around app/numerics, with their gradients.
"""

from . import _core as core
from . import _views as views
from ._autograd import needs, record
from ._core import (
    CPU, CUDA, Size, broadcast_shapes, can_cast, compute_name, constant, numel, result_type, run,
)  # fmt: skip
from ._tensor import Tensor, alias, empty, write

_NUMBER = (bool, int, float)


def device_of(*operands):
    """The device a result lies on; 0-d CPU tensors may meet CUDA ones."""
    found = None
    scalar_cpu = None
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


def _binary(name, a, b, dtype=None, out=None, boolean=False, integral_to_float=False):
    """One elementwise operation on two tensors or numbers. `dtype` overrides the promoted one."""
    if not isinstance(a, Tensor) and not isinstance(a, _NUMBER):
        _unsupported(name, a)
    if not isinstance(b, Tensor) and not isinstance(b, _NUMBER):
        _unsupported(name, b)
    common = dtype or result_type(a, b)
    if integral_to_float and not common.is_floating_point:
        common = core.get_default_dtype()
    device = device_of(a, b)
    shape = broadcast_shapes(
        a._shape if isinstance(a, Tensor) else (), b._shape if isinstance(b, Tensor) else ()
    )
    if out is not None:
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
        target = empty(shape, core.bool_ if boolean else common, device)
    if target.numel():
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
        return x if x._shape == shape else views.view_of(x, shape, _expanded(x, shape), x._offset)
    _check_fits(x, common)
    # Arithmetic of the narrow floats keeps a Python number in f32; comparisons round it.
    wide = common.is_floating_point and common.itemsize < 4 and not boolean
    return constant(x, core.float32 if wide else common)


def _expanded(x, shape):
    extra = len(shape) - len(x._shape)
    return [0] * extra + [
        0 if s == 1 and shape[i + extra] != 1 else t
        for i, (s, t) in enumerate(zip(x._shape, x._strides))
    ]


def _unary(name, t, float_result=False, boolean=False, out=None):
    if not isinstance(t, Tensor):
        raise TypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {type(t).__name__}"
        )
    dtype = t.dtype
    if name == "frac" and not dtype.is_floating_point:
        raise NotImplementedError(f'"frac_cpu" not implemented for \'{dtype.short}\'')
    if float_result and not dtype.is_floating_point:
        dtype = core.get_default_dtype()
    target = out if out is not None else empty(t._shape, core.bool_ if boolean else dtype, t.device)
    if t.numel():
        run("unary", (target,), (t,), f=name, c=compute_name(dtype))
    if out is not None:
        out._version += 1
    return target


# ── conversions ─────────────────────────────────────────────────────────────────────────────────


def cast(t, dtype):
    if t.dtype is dtype:
        return t
    out = empty(t._shape, dtype, t.device)
    if t.numel():
        run("copy", (out,), (t,))
    if needs(t):
        old = t.dtype
        record(out, "ToCopyBackward0", [t], lambda g: cast(g, old))
    return out


def to(t, *args, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
    for arg in args:
        if isinstance(arg, core.dtype):
            dtype = arg
        elif isinstance(arg, Tensor):
            dtype, device = arg.dtype, arg.device
        elif isinstance(arg, (str, int, core.device)) and not isinstance(arg, bool):
            device = arg
    target = t.device if device is None else core.as_device(device)
    kind = t.dtype if dtype is None else dtype
    if target is t.device and kind is t.dtype:
        return views.clone(t) if copy else t
    out = empty(t._shape, kind, target)
    if t.numel():
        run("copy", (out,), (t,))
    if needs(t):
        old, where = t.dtype, t.device
        record(out, "ToCopyBackward0", [t], lambda g: to(g, old, device=where))
    return out


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
    return cast(t, dtype)


def _caster(dtype):
    return lambda t, memory_format=None: cast(t, dtype)


CASTS = {
    "float": core.float32, "double": core.float64, "half": core.float16, "bfloat16": core.bfloat16,
    "int": core.int32, "long": core.int64, "short": core.int16, "char": core.int8,
    "byte": core.uint8, "bool": core.bool_,
}  # fmt: skip


# ── arithmetic ──────────────────────────────────────────────────────────────────────────────────


def _arithmetic(name, node, gradient, integral_to_float=False):
    """A differentiable binary function. `gradient(g, a, b, out)` gives both operands'."""

    def function(input, other, *, alpha=1, out=None):
        if alpha != 1:
            other = mul(other, alpha)
        result = _binary(name, input, other, out=out, integral_to_float=integral_to_float)
        if out is None and needs(input, other):
            record(
                result,
                node,
                [input, other],
                lambda g: gradient(g, input, other, result),
            )
        return result

    function.__name__ = name
    return function


def _wants(t):
    return isinstance(t, Tensor) and t.requires_grad


add = _arithmetic("add", "AddBackward0", lambda g, a, b, o: (g, g))
sub = _arithmetic("sub", "SubBackward0", lambda g, a, b, o: (g, neg(g)))
mul = _arithmetic(
    "mul",
    "MulBackward0",
    lambda g, a, b, o: (mul(g, b) if _wants(a) else None, mul(g, a) if _wants(b) else None),
)
_true_div = _arithmetic(
    "div",
    "DivBackward0",
    lambda g, a, b, o: (
        _true_div(g, b) if _wants(a) else None,
        neg(mul(g, _true_div(o, b))) if _wants(b) else None,
    ),
    integral_to_float=True,
)
maximum = _arithmetic(
    "maximum",
    "MaximumBackward0",
    lambda g, a, b, o: (mul(g, _share(a, b, "gt")), mul(g, _share(b, a, "gt"))),
)
minimum = _arithmetic(
    "minimum",
    "MinimumBackward0",
    lambda g, a, b, o: (mul(g, _share(a, b, "lt")), mul(g, _share(b, a, "lt"))),
)
fmax = _arithmetic("fmax", "FmaxBackward0", lambda g, a, b, o: (mul(g, ge(a, b)), mul(g, lt(a, b))))
fmin = _arithmetic("fmin", "FminBackward0", lambda g, a, b, o: (mul(g, le(a, b)), mul(g, gt(a, b))))
atan2 = _arithmetic(
    "atan2",
    "Atan2Backward0",
    lambda g, a, b, o: _atan2_gradient(g, a, b),
    integral_to_float=True,
)
hypot = _arithmetic(
    "hypot", "HypotBackward0", lambda g, a, b, o: (mul(g, _true_div(a, o)), mul(g, _true_div(b, o)))
)
remainder = _arithmetic(
    "remainder",
    "RemainderBackward0",
    lambda g, a, b, o: (g, neg(mul(g, _binary("floor_divide", a, b)))),
)
fmod = _arithmetic(
    "fmod",
    "FmodBackward0",
    lambda g, a, b, o: (g, neg(mul(g, _binary("trunc_divide", a, b)))),
)
copysign = _arithmetic(
    "copysign", "CopysignBackward0", lambda g, a, b, o: (mul(g, mul(sign(a), sign(o))), None), True
)
xlogy = _arithmetic("xlogy", "XlogyBackward0", lambda g, a, b, o: (mul(g, log(b)), mul(g, _true_div(a, b))), True)


def _share(a, b, comparison):
    """1 where a wins, ½ where both are equal."""
    won = _binary(comparison, a, b, boolean=True)
    equal = _binary("eq", a, b, boolean=True)
    return add(cast(won, core.float32), mul(cast(equal, core.float32), 0.5))


def _atan2_gradient(g, a, b):
    square = add(mul(a, a), mul(b, b))
    return mul(g, _true_div(b, square)), neg(mul(g, _true_div(a, square)))


def div(input, other, *, rounding_mode=None, out=None):
    if rounding_mode is None:
        return _true_div(input, other, out=out)
    if rounding_mode == "floor":
        return _binary("floor_divide", input, other, out=out)
    if rounding_mode == "trunc":
        return _binary("trunc_divide", input, other, out=out)
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
    )


def floor_divide(input, other, *, out=None):
    return _binary("floor_divide", input, other, out=out)


def pow(input, exponent, *, out=None):
    if isinstance(exponent, int) and exponent < 0 and isinstance(input, Tensor) and not input.dtype.is_floating_point:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    result = _binary("pow", input, exponent, out=out)
    if out is None and needs(input, exponent):

        def gradient(g):
            base = exp = None
            if _wants(input):
                if isinstance(exponent, _NUMBER):
                    base = mul(g, mul(pow(input, exponent - 1), exponent)) if exponent != 0 else mul(g, 0)
                else:
                    base = mul(g, mul(pow(input, sub(exponent, 1)), exponent))
            if _wants(exponent):
                logarithm = log(input) if isinstance(input, Tensor) else _log_number(input)
                exp = mul(g, mul(result, logarithm))
            return base, exp

        record(result, "PowBackward0", [input, exponent], gradient)
    return result


def _log_number(x):
    import math

    return math.log(x)


def rsub(input, other, *, alpha=1):
    return sub(other, input, alpha=alpha)


def neg(input, *, out=None):
    if input.dtype is core.bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead."
        )
    result = _unary("neg", input, out=out)
    if out is None and needs(input):
        record(result, "NegBackward0", [input], lambda g: neg(g))
    return result


def addcmul(input, tensor1, tensor2, *, value=1):
    return add(input, mul(mul(tensor1, tensor2), value))


def addcdiv(input, tensor1, tensor2, *, value=1):
    return add(input, mul(div(tensor1, tensor2), value))


def lerp(input, end, weight):
    return add(input, mul(sub(end, input), weight))


# ── comparisons and logic ───────────────────────────────────────────────────────────────────────


def _comparison(name):
    def function(input, other, *, out=None):
        return _binary(name, input, other, boolean=True, out=out)

    function.__name__ = name
    return function


eq, ne, lt, le, gt, ge = map(_comparison, ("eq", "ne", "lt", "le", "gt", "ge"))
logical_and, logical_or, logical_xor = map(
    _comparison, ("logical_and", "logical_or", "logical_xor")
)
greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne


def _bitwise(name):
    def function(input, other, *, out=None):
        common = result_type(input, other)
        if common.is_floating_point:
            raise NotImplementedError(f'"{name}_cpu" not implemented for \'{common.short}\'')
        return _binary(name, input, other, out=out)

    function.__name__ = name
    return function


bitwise_and, bitwise_or, bitwise_xor = map(_bitwise, ("bitwise_and", "bitwise_or", "bitwise_xor"))
bitwise_left_shift, bitwise_right_shift = map(_bitwise, ("shift_left", "shift_right"))


def bitwise_not(input):
    if input.dtype.is_floating_point:
        raise NotImplementedError(f'"bitwise_not_cpu" not implemented for \'{input.dtype.short}\'')
    if input.dtype is core.bool_:
        return logical_not(input)
    return _unary("bitwise_not", input)


def logical_not(input, *, out=None):
    return _unary("logical_not", input, boolean=True, out=out)


def isnan(input):
    return _unary("isnan", input, boolean=True)


def isinf(input):
    return _unary("isinf", input, boolean=True)


def isfinite(input):
    return _unary("isfinite", input, boolean=True)


def signbit(input):
    return _unary("signbit", input, boolean=True)


def isneginf(input):
    return logical_and(isinf(input), lt(input, 0))


def isposinf(input):
    return logical_and(isinf(input), gt(input, 0))


# ── functions of one argument ───────────────────────────────────────────────────────────────────


def _pointwise(name, gradient=None, float_result=True):
    """`gradient(g, x, y)`: the input's gradient from the output's, the input and the output."""

    def function(input, *, out=None):
        result = _unary(name, input, float_result, out=out)
        if out is None and gradient is not None and needs(input):
            record(
                result, f"{name.capitalize()}Backward0", [input], lambda g: gradient(g, input, result)
            )
        return result

    function.__name__ = name
    return function



_TWO_OVER_ROOT_PI = 1.1283791670955126
_LN2 = 0.6931471805599453
_LN10 = 2.302585092994046

exp = _pointwise("exp", lambda g, x, y: mul(g, y))
exp2 = _pointwise("exp2", lambda g, x, y: mul(mul(g, y), _LN2))
expm1 = _pointwise("expm1", lambda g, x, y: mul(g, add(y, 1)))
log = _pointwise("log", lambda g, x, y: div(g, x))
log2 = _pointwise("log2", lambda g, x, y: div(g, mul(x, _LN2)))
log10 = _pointwise("log10", lambda g, x, y: div(g, mul(x, _LN10)))
log1p = _pointwise("log1p", lambda g, x, y: div(g, add(x, 1)))
sqrt = _pointwise("sqrt", lambda g, x, y: div(g, mul(y, 2)))
rsqrt = _pointwise("rsqrt", lambda g, x, y: mul(mul(g, pow(y, 3)), -0.5))
sin = _pointwise("sin", lambda g, x, y: mul(g, cos(x)))
cos = _pointwise("cos", lambda g, x, y: neg(mul(g, sin(x))))
tan = _pointwise("tan", lambda g, x, y: mul(g, add(mul(y, y), 1)))
asin = _pointwise("asin", lambda g, x, y: mul(g, rsqrt(sub(1, mul(x, x)))))
acos = _pointwise("acos", lambda g, x, y: neg(mul(g, rsqrt(sub(1, mul(x, x))))))
atan = _pointwise("atan", lambda g, x, y: div(g, add(mul(x, x), 1)))
sinh = _pointwise("sinh", lambda g, x, y: mul(g, cosh(x)))
cosh = _pointwise("cosh", lambda g, x, y: mul(g, sinh(x)))
tanh = _pointwise("tanh", lambda g, x, y: mul(g, sub(1, mul(y, y))))
asinh = _pointwise("asinh", lambda g, x, y: mul(g, rsqrt(add(mul(x, x), 1))))
acosh = _pointwise("acosh", lambda g, x, y: mul(g, rsqrt(sub(mul(x, x), 1))))
atanh = _pointwise("atanh", lambda g, x, y: div(g, sub(1, mul(x, x))))
erf = _pointwise("erf", lambda g, x, y: mul(mul(g, exp(neg(mul(x, x)))), _TWO_OVER_ROOT_PI))
erfc = _pointwise("erfc", lambda g, x, y: mul(mul(g, exp(neg(mul(x, x)))), -_TWO_OVER_ROOT_PI))
lgamma = _pointwise("lgamma")
sigmoid = _pointwise("sigmoid", lambda g, x, y: mul(g, mul(y, sub(1, y))))
reciprocal = _pointwise("reciprocal", lambda g, x, y: neg(mul(g, mul(y, y))))
square = _pointwise("square", lambda g, x, y: mul(g, mul(x, 2)), False)
floor = _pointwise("floor", lambda g, x, y: mul(g, 0), False)
ceil = _pointwise("ceil", lambda g, x, y: mul(g, 0), False)
trunc = _pointwise("trunc", lambda g, x, y: mul(g, 0), False)
frac = _pointwise("frac", lambda g, x, y: g, False)
sign = _pointwise("sign", lambda g, x, y: mul(g, 0), False)
positive = _pointwise("positive", lambda g, x, y: g, False)
relu = _pointwise("relu", lambda g, x, y: mul(g, gt(y, 0)), False)
abs = _pointwise("abs", lambda g, x, y: mul(g, sign(x)), False)
absolute, arcsin, arccos, arctan, fix = abs, asin, acos, atan, trunc
special_expit = sigmoid


def round(input, *, decimals=0, out=None):
    if decimals:
        scale = 10.0**decimals
        return div(_unary("round", mul(input, scale)), scale)
    result = _unary("round", input, out=out)
    if out is None and needs(input):
        record(result, "RoundBackward0", [input], lambda g: mul(g, 0))
    return result


def clamp(input, min=None, max=None, *, out=None):
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    result = input
    operands = [x for x in (input, min, max) if x is not None]
    common = result_type(*operands)
    if min is not None:
        result = _binary("maximum", result, min, dtype=common)
    if max is not None:
        result = _binary("minimum", result, max, dtype=common)
    if out is not None:
        write(out, result)
        return out
    if needs(input):
        kept = None
        if min is not None:
            kept = ge(input, min)
        if max is not None:
            below = le(input, max)
            kept = below if kept is None else logical_and(kept, below)
        record(result, "ClampBackward1", [input], lambda g: mul(g, kept))
    return result


clip = clamp


def clamp_min(input, min):
    return clamp(input, min=min)


def clamp_max(input, max):
    return clamp(input, max=max)


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if not input.dtype.is_floating_point:
        return views.clone(input)
    from ._create import finfo

    limits = finfo(input.dtype)
    out = where(isnan(input), nan, input)
    out = where(isposinf(out), limits.max if posinf is None else posinf, out)
    return where(isneginf(out), limits.min if neginf is None else neginf, out)


def where(condition, input=None, other=None):
    if input is None:
        from ._indexing import nonzero

        return nonzero(condition, as_tuple=True)
    if condition.dtype is not core.bool_:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype.short}"
        )
    common = result_type(input, other)
    shape = broadcast_shapes(
        condition._shape, *[x._shape for x in (input, other) if isinstance(x, Tensor)]
    )
    out = empty(shape, common, device_of(condition, input, other))
    if out.numel():
        run(
            "where",
            (out,),
            (
                _operand(condition, shape, core.bool_, False),
                _operand(input, shape, common, False),
                _operand(other, shape, common, False),
            ),
            c=compute_name(common),
        )
    if needs(input, other):
        record(
            out,
            "WhereBackward0",
            [input, other],
            lambda g: (where(condition, g, 0.0), where(condition, 0.0, g)),
        )
    return out


def masked_fill(input, mask, value):
    if isinstance(value, Tensor):
        if value._shape:
            raise RuntimeError(
                f"masked_fill only supports a 0-dimensional value tensor, but got tensor with {len(value._shape)} dimension(s)."
            )
        value = cast(value, input.dtype)
    elif not isinstance(value, _NUMBER):
        raise TypeError(
            f"masked_fill() received an invalid combination of arguments - got (Tensor, {type(value).__name__}), but expected one of:\n * (Tensor mask, Tensor value)\n      didn't match because some of the arguments have invalid types: (Tensor, !{type(value).__name__}!)\n * (Tensor mask, Number value)\n      didn't match because some of the arguments have invalid types: (Tensor, !{type(value).__name__}!)\n"
        )
    elif isinstance(value, float) and not input.dtype.is_floating_point:
        raise RuntimeError(f"value cannot be converted to type {_c_name(input.dtype)} without overflow")
    return where(mask, value, input)


# ── matrix products ─────────────────────────────────────────────────────────────────────────────


def _product(a, b, batch, m, k, n, shape):
    """[batch, m, k] × [batch, k, n]; the operands have those sizes, whatever their strides."""
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {_c_name(a.dtype)} != {_c_name(b.dtype)}"
        )
    if a.dtype is core.bool_:
        raise NotImplementedError('"addmm_impl_cpu_" not implemented for \'Bool\'')
    out = empty(shape, a.dtype, device_of(a, b))
    if out.numel():
        if k:
            run("matmul", (out,), (a, b), c=compute_name(a.dtype), n=(batch, m, k, n))
    return out


def mm(input, mat2, *, out=None):
    if len(input._shape) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2._shape) != 2:
        raise RuntimeError("mat2 must be a matrix")
    return _out(matmul(input, mat2), out)


def bmm(input, mat2, *, out=None):
    if len(input._shape) != 3 or len(mat2._shape) != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if input._shape[0] != mat2._shape[0] or input._shape[2] != mat2._shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{input._shape[0]}, {input._shape[2]}] but got: [{mat2._shape[0]}, {mat2._shape[1]}]."
        )
    return _out(matmul(input, mat2), out)


def mv(input, vec):
    return matmul(input, vec)


def dot(input, tensor):
    if len(input._shape) != 1 or len(tensor._shape) != 1:
        raise RuntimeError(
            f"1D tensors expected, but got {len(input._shape)}D and {len(tensor._shape)}D tensors"
        )
    if input._shape != tensor._shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{input._shape[0]}] and src [{tensor._shape[0]}] to have the same number of elements, but got {input._shape[0]} and {tensor._shape[0]} elements respectively"
        )
    return matmul(input, tensor)


inner_dot = dot


def _out(result, out):
    if out is None:
        return result
    write(out, result)
    return out


def matmul(input, other, *, out=None):
    a, b = input, other
    for position, operand in ((1, a), (2, b)):
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"matmul(): argument '{'input' if position == 1 else 'other'}' (position {position}) must be Tensor, not {type(operand).__name__}"
            )
    if not a._shape or not b._shape:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {len(a._shape)}D and {len(b._shape)}D"
        )
    device_of(a, b)
    left = views.unsqueeze(a, 0) if len(a._shape) == 1 else a
    right = views.unsqueeze(b, 1) if len(b._shape) == 1 else b
    m, k = left._shape[-2:]
    k2, n = right._shape[-2:]
    if k != k2:
        if len(a._shape) == 1 and len(b._shape) == 1:
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{k}] and src [{k2}] to have the same number of elements, but got {k} and {k2} elements respectively"
            )
        if len(a._shape) > 2 and len(b._shape) > 2:
            raise RuntimeError(
                f"Expected size for first two dimensions of batch2 tensor to be: [{numel(left._shape[:-2])}, {k}] but got: [{numel(right._shape[:-2])}, {k2}]."
            )
        rows = numel(left._shape[:-1])
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{k} and {k2}x{n})"
            if len(b._shape) != 1
            else f"size mismatch, got input ({rows}), mat ({rows}x{k}), vec ({k2})"
        )
    batch = broadcast_shapes(left._shape[:-2], right._shape[:-2])
    left_all = _batched(left, batch)
    right_all = _batched(right, batch)
    shape = list(batch) + [m, n]
    result = _product(left_all, right_all, numel(batch), m, k, n, shape)
    if needs(a, b):

        def gradient(g):
            ga = gb = None
            if _wants(a):
                ga = matmul(g, views.transpose(right, -1, -2))
            if _wants(b):
                gb = matmul(views.transpose(left, -1, -2), g)
            return ga, gb

        record(result, "MmBackward0", [left, right], gradient)
    if len(a._shape) == 1:
        result = views.squeeze(result, -2)
    if len(b._shape) == 1:
        result = views.squeeze(result, -1)
    return _out(result, out)


def _batched(t, batch):
    shape = Size(tuple(batch) + tuple(t._shape[-2:]))
    return t if t._shape == shape else views.view_of(t, shape, _expanded(t, shape), t._offset)


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    product = mm(mat1, mat2)
    if alpha != 1:
        product = mul(product, alpha)
    return add(input if beta == 1 else mul(input, beta), product)


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    product = bmm(batch1, batch2)
    if alpha != 1:
        product = mul(product, alpha)
    return add(input if beta == 1 else mul(input, beta), product)


def outer(input, vec2):
    return mul(views.unsqueeze(input, 1), views.unsqueeze(vec2, 0))


ger = outer


def einsum(equation, *operands):
    """Products and sums over named dimensions, two operands at a time."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    equation = equation.replace(" ", "")
    inputs, arrow, output = equation.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(operands):
        raise RuntimeError(
            f"einsum(): the number of operands specified in the equation ({len(terms)}) does not match the number provided ({len(operands)})"
        )
    if "..." in equation:
        terms, output = _name_ellipsis(terms, operands, output, arrow)
    if not arrow:
        letters = "".join(terms)
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    pending = list(zip(terms, operands))
    term, value = _diagonals(*pending[0])
    for i in range(1, len(pending)):
        later = "".join(t for t, _ in pending[i + 1 :]) + output
        other, right = _diagonals(*pending[i])
        term, value = _contract(term, value, other, right, set(later))
    drop = [i for i, c in enumerate(term) if c not in output]
    if drop:
        value = value.sum(tuple(drop))
        term = "".join(c for c in term if c in output)
    return views.permute(value, *[term.index(c) for c in output]) if output else value


def _name_ellipsis(terms, operands, output, arrow):
    """`...` becomes capital letters that no subscript uses, aligned at the right."""
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in "".join(terms)]
    most = 0
    named = []
    for term, t in zip(terms, operands):
        if "..." in term:
            n = len(t._shape) - (len(term) - 3)
            most = n if n > most else most
            named.append((term, n))
        else:
            named.append((term, 0))
    letters = "".join(spare[:most])
    out_terms = [t.replace("...", letters[most - n :]) if "..." in t else t for t, n in named]
    if arrow:
        output = output.replace("...", letters)
    return out_terms, output


def _diagonals(term, t):
    for c in term:
        while term.count(c) > 1:
            i = term.index(c)
            j = term.index(c, i + 1)
            t = views.diagonal(t, 0, i, j)
            term = term[:i] + term[i + 1 : j] + term[j + 1 :] + c
    return term, t


def _contract(ta, a, tb, b, later):
    """One matrix product: shared and kept letters are batch, shared and done ones are summed."""
    batch = [c for c in ta if c in tb and c in later]
    summed = [c for c in ta if c in tb and c not in later]
    # Letters that only one operand has and nobody needs are summed at once.
    for letters, is_left in ((ta, True), (tb, False)):
        other = tb if is_left else ta
        alone = [c for c in letters if c not in other and c not in later]
        if alone:
            axes = tuple(letters.index(c) for c in alone)
            kept = "".join(c for c in letters if c not in alone)
            if is_left:
                a, ta = a.sum(axes), kept
            else:
                b, tb = b.sum(axes), kept
    left = [c for c in ta if c not in tb]
    right = [c for c in tb if c not in ta]
    size = {c: s for c, s in zip(tb, b._shape)}
    for c, s in zip(ta, a._shape):
        size[c] = s if size.get(c, 1) == 1 else size[c]
    a = views.permute(a, *[ta.index(c) for c in batch + left + summed])
    b = views.permute(b, *[tb.index(c) for c in batch + summed + right])
    sizes = lambda cs: [size[c] for c in cs]  # noqa: E731
    n = lambda cs: numel(sizes(cs))  # noqa: E731
    a = views.reshape(views.expand(a, *sizes(batch + left + summed)), n(batch), n(left), n(summed))
    b = views.reshape(views.expand(b, *sizes(batch + summed + right)), n(batch), n(summed), n(right))
    out = views.reshape(bmm(a, b), *sizes(batch + left + right))
    return "".join(batch + left + right), out


__all__ = ["alias"]
