"""Functions of one argument, clamping and choosing, with their gradients."""

from . import _core as core
from . import _views as views
from ._arithmetic import (
    add, div, eq, ge, gt, isnan, isneginf, isposinf, le, logical_and, logical_or, mul, neg, pow, sub,
)  # fmt: skip
from ._autograd import holomorphic, needs, no_gradient_into, record
from ._core import broadcast_shapes, compute_name, result_type, run
from ._eager import singles
from ._elementwise import NUMBER, _binary, _c_name, _operand, _unary, cast, device_of
from ._tensor import Tensor, empty_strided, write


def _pointwise(name, gradient=None, float_result=True):
    """`gradient(g, x, y)`: the input's gradient from the output's, the input and the output."""

    def function(input, *, out=None):
        result = _unary(name, input, float_result, out=out)
        if out is None and gradient is not None and needs(input):
            record(
                result,
                f"{name.capitalize()}Backward0",
                [input],
                holomorphic(lambda g: gradient(g, input, result), result),
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
lgamma = _pointwise("lgamma", lambda g, x, y: mul(g, digamma(x)))
digamma = _pointwise("digamma")
erfinv = _pointwise("erfinv", lambda g, x, y: mul(mul(g, exp(square(erfinv(x)))), 1 / _TWO_OVER_ROOT_PI))
i0 = _pointwise("i0", lambda g, x, y: mul(g, i1(x)))
i0e = _pointwise("i0e", lambda g, x, y: mul(g, sub(i1e(x), mul(sign(x), y))))
i1 = _pointwise("i1", lambda g, x, y: mul(g, sub(i0(x), _over(y, x))))
i1e = _pointwise("i1e", lambda g, x, y: mul(g, sub(sub(i0e(x), _over(y, x)), mul(sign(x), y))))
sigmoid = _pointwise("sigmoid", lambda g, x, y: mul(g, mul(y, sub(1, y))))
reciprocal = _pointwise("reciprocal", lambda g, x, y: neg(mul(g, mul(y, y))))
square = _pointwise("square", lambda g, x, y: mul(g, mul(x, 2)), False)
floor = _pointwise("floor", lambda g, x, y: mul(g, 0), False)
ceil = _pointwise("ceil", lambda g, x, y: mul(g, 0), False)
trunc = _pointwise("trunc", lambda g, x, y: mul(g, 0), False)
frac = _pointwise("frac", lambda g, x, y: g, False)
sign = _pointwise("sign", lambda g, x, y: mul(g, 0), False)
relu = _pointwise("relu", lambda g, x, y: mul(g, gt(y, 0)), False)
abs = _pointwise("abs", lambda g, x, y: mul(g, _direction(x)), False)
absolute, arcsin, arccos, arctan, fix = abs, asin, acos, atan, trunc
arcsinh, arccosh, arctanh = asinh, acosh, atanh
special_expit = sigmoid


def positive(input):
    if input.dtype is core.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def _over(y, x):
    """`y / x` for a function that is x / 2 near 0."""
    return where(eq(x, 0), 0.5, div(y, x))


def _direction(x):
    """What `abs` goes up along."""
    from ._complex import sgn

    return sgn(x.detach())


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
    no_gradient_into("clamp", out, *operands)
    common = result_type(*operands)
    if min is not None:
        result = _binary("maximum", result, min, dtype=common)
    if max is not None:
        result = _binary("minimum", result, max, dtype=common)
    if out is not None:
        write(out, result)
        return out
    if needs(*operands):
        kept = low = high = None
        if min is not None:
            kept, low = ge(input, min), gt(min, input)
        if max is not None:
            below, high = le(input, max), gt(input, max)
            kept = below if kept is None else logical_and(kept, below)
        if low is not None and high is not None and isinstance(min, Tensor) and isinstance(max, Tensor):
            # The result is `max` where they cross.
            low, high = logical_and(low, gt(max, min)), logical_or(high, gt(min, max))
        record(
            result,
            "ClampBackward1",
            [input, min, max],
            lambda g: (
                mul(g, kept),
                mul(g, low) if isinstance(min, Tensor) else None,
                mul(g, high) if isinstance(max, Tensor) else None,
            ),
        )
    return result


clip = clamp


def clamp_min(input, min):
    return clamp(input, min=min)


def clamp_max(input, max):
    return clamp(input, max=max)


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if not input.dtype.is_floating_point:
        return views.clone(input)
    from ._limits import finfo

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
    strides = views.result_strides(shape, condition, input, other)
    out = empty_strided(shape, strides, common, device_of(condition, input, other))
    if common.is_complex:
        input, other = (cast(x, common) if isinstance(x, Tensor) else x for x in (input, other))
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
    elif not isinstance(value, NUMBER):
        raise TypeError(
            f"masked_fill() received an invalid combination of arguments - got (Tensor, {type(value).__name__}), but expected one of:\n * (Tensor mask, Tensor value)\n      didn't match because some of the arguments have invalid types: (Tensor, !{type(value).__name__}!)\n * (Tensor mask, Number value)\n      didn't match because some of the arguments have invalid types: (Tensor, !{type(value).__name__}!)\n"
        )
    elif isinstance(value, float) and not input.dtype.is_floating_point:
        raise RuntimeError(f"value cannot be converted to type {_c_name(input.dtype)} without overflow")
    return views.contiguous(where(mask, value, input))


singles(globals(), "clamp clip clamp_min clamp_max nan_to_num round")
