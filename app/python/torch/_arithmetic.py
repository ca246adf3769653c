"""Arithmetic, comparisons and logic of two operands, with their gradients."""

from . import _core as core
from ._autograd import holomorphic, needs, record
from ._core import result_type
from ._eager import singles
from ._elementwise import NUMBER, _binary, _unary, cast
from ._tensor import Tensor


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
                holomorphic(lambda g: gradient(g, input, other, result), result),
            )
        return result

    function.__name__ = name
    return function


def _needs_grad(t):
    return isinstance(t, Tensor) and t.requires_grad


add = _arithmetic("add", "AddBackward0", lambda g, a, b, o: (g, g))
sub = _arithmetic("sub", "SubBackward0", lambda g, a, b, o: (g, neg(g)))
mul = _arithmetic(
    "mul",
    "MulBackward0",
    lambda g, a, b, o: (mul(g, b) if _needs_grad(a) else None, mul(g, a) if _needs_grad(b) else None),
)
_true_div = _arithmetic(
    "div",
    "DivBackward0",
    lambda g, a, b, o: (
        _true_div(g, b) if _needs_grad(a) else None,
        neg(mul(g, _true_div(_true_div(a, b), b))) if _needs_grad(b) else None,
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
arctan2 = atan2
hypot = _arithmetic(
    "hypot",
    "HypotBackward0",
    lambda g, a, b, o: (
        mul(g, _true_div(a, o)) if _needs_grad(a) else None,
        mul(g, _true_div(b, o)) if _needs_grad(b) else None,
    ),
)
remainder = _arithmetic(
    "remainder",
    "RemainderBackward0",
    lambda g, a, b, o: (g, neg(mul(g, _binary("floor_divide", a, b))) if _needs_grad(b) else None),
)
fmod = _arithmetic(
    "fmod",
    "FmodBackward0",
    lambda g, a, b, o: (g, neg(mul(g, _binary("trunc_divide", a, b))) if _needs_grad(b) else None),
)
copysign = _arithmetic(
    "copysign",
    "CopysignBackward0",
    lambda g, a, b, o: (mul(g, mul(_sign(a), _sign(o))) if _needs_grad(a) else None, mul(g, 0)),
    True,
)
xlogy = _arithmetic(
    "xlogy",
    "XlogyBackward0",
    lambda g, a, b, o: (
        mul(g, _log(b)) if _needs_grad(a) else None,
        mul(g, _true_div(a, b)) if _needs_grad(b) else None,
    ),
    True,
)


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
    if rounding_mode in ("floor", "trunc"):
        result = _binary(rounding_mode + "_divide", input, other, out=out)
        if needs(input, other):
            record(result, "DivBackward1", [input, other], lambda g: (mul(g, 0), mul(g, 0)))
        return result
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
    )


def floor_divide(input, other, *, out=None):
    return _binary("floor_divide", input, other, out=out)


def pow(input, exponent, *, out=None):
    if isinstance(exponent, int) and exponent < 0 and isinstance(input, Tensor) and not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    result = _binary("pow", input, exponent, out=out)
    if out is None and needs(input, exponent):

        def gradient(g):
            base = exp = None
            if _needs_grad(input):
                if isinstance(exponent, NUMBER):
                    base = mul(g, mul(pow(input, exponent - 1), exponent)) if exponent != 0 else mul(g, 0)
                else:
                    base = mul(g, mul(pow(input, sub(exponent, 1)), exponent))
            if _needs_grad(exponent):
                exp = mul(g, mul(result, _log(input)))
            return base, exp

        record(result, "PowBackward0", [input, exponent], holomorphic(gradient, result))
    return result


def _log(x):
    if isinstance(x, Tensor):
        from ._functions import log

        return log(x)
    import math

    return math.log(x)


def _sign(t):
    from ._functions import sign

    return sign(t)


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


singles(globals(), "addcmul addcdiv lerp isneginf isposinf")
