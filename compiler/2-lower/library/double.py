"""Functions of libdevice on fp64, composed of the fp64 operations that are emulated: + - * / fma, sqrt,
exp and log, which round within one unit in the last place."""


def _ld64_size(x):
    return (x.to(tl.int64, bitcast=True) & 0x7FFFFFFFFFFFFFFF).to(tl.float64, bitcast=True)


def _ld64_signbit(x):
    return x.to(tl.int64, bitcast=True) < 0


def _ld64_copysign(x, y):
    return tl.where(_ld64_signbit(y), -_ld64_size(x), _ld64_size(x))


def _ld64_expm1(x):
    # The error of 1 + (e ** x - 1) is that of its own logarithm, and cancels (Kahan).
    u = tl.exp(x)
    near = (u - 1.0) * x / tl.log(u)
    result = tl.where(u == 1.0, x, near)
    result = tl.where(u - 1.0 == -1.0, -1.0, result)
    return tl.where(x > 700.0, u, result)


def _ld64_log1p(x):
    u = 1.0 + x
    near = tl.log(u) * x / (u - 1.0)
    return tl.where(u == 1.0, x, tl.where(x > 1e300, tl.log(x), tl.where(x <= -1.0, tl.log(u), near)))


def _ld64_log10(x):
    return tl.log(x) / 2.302585092994046


def _ld64_sinh(x):
    a = _ld64_size(x)
    e = _ld64_expm1(tl.minimum(a, 700.0))
    half = tl.exp(a * 0.5)
    size = tl.where(a > 700.0, (0.5 * half) * half, 0.5 * (e + e / (e + 1.0)))
    return tl.where(x != x, x, _ld64_copysign(size, x))


def _ld64_cosh(x):
    a = _ld64_size(x)
    e = tl.exp(tl.minimum(a, 700.0))
    half = tl.exp(a * 0.5)
    return tl.where(x != x, x, tl.where(a > 700.0, (0.5 * half) * half, 0.5 * e + 0.5 / e))


def _ld64_tanh(x):
    e = _ld64_expm1(2.0 * tl.minimum(_ld64_size(x), 40.0))
    return tl.where(x != x, x, _ld64_copysign(e / (e + 2.0), x))


def _ld64_asinh(x):
    a = _ld64_size(x)
    near = _ld64_log1p(a + a * a / (1.0 + tl.sqrt(a * a + 1.0)))
    size = tl.where(a > 1e150, tl.log(a) + 0.6931471805599453, near)
    return tl.where(x != x, x, _ld64_copysign(size, x))


def _ld64_acosh(x):
    t = x - 1.0
    near = _ld64_log1p(t + tl.sqrt(2.0 * t + t * t))
    result = tl.where(x > 1e150, tl.log(x) + 0.6931471805599453, near)
    return tl.where(x < 1.0, float("nan"), result)


def _ld64_atanh(x):
    a = _ld64_size(x)
    size = 0.5 * _ld64_log1p(2.0 * a / (1.0 - a))
    return tl.where(x != x, x, _ld64_copysign(size, x))


def _ld64_atan_size(a):
    """The angle whose tangent is a, from 0 to 1."""
    # Half the angle twice: below 1/5 a short series is enough.
    t = a / (1.0 + tl.sqrt(1.0 + a * a))
    t = t / (1.0 + tl.sqrt(1.0 + t * t))
    z = t * t
    p = z * 0.0
    for i in tl.static_range(11):
        p = z * (1.0 / (23.0 - 2.0 * i) - p)
    return 4.0 * (t - t * p)


def _ld64_atan(x):
    a = _ld64_size(x)
    inside = _ld64_atan_size(tl.where(a > 1.0, 1.0 / a, a))
    return tl.where(x != x, x, _ld64_copysign(tl.where(a > 1.0, 1.5707963267948966 - inside, inside), x))


def _ld64_atan2(y, x):
    a, b = _ld64_size(x), _ld64_size(y)
    low, high = tl.minimum(a, b), tl.maximum(a, b)
    # Two zeros and two infinities have the quotients 0 and 1.
    quotient = tl.where(low == high, tl.where(high == 0.0, 0.0, 1.0), low / high)
    angle = _ld64_atan_size(quotient)
    angle = tl.where(b > a, 1.5707963267948966 - angle, angle)
    angle = tl.where(_ld64_signbit(x), 3.141592653589793 - angle, angle)
    return tl.where((x != x) | (y != y), x + y, _ld64_copysign(angle, y))


def _ld64_asin(x):
    return _ld64_atan(x / tl.sqrt((1.0 - x) * (1.0 + x)))


def _ld64_acos(x):
    return 2.0 * _ld64_atan(tl.sqrt((1.0 - x) / (1.0 + x)))


def _ld64_hypot(x, y):
    a, b = _ld64_size(x), _ld64_size(y)
    low, high = tl.minimum(a, b), tl.maximum(a, b)
    quotient = tl.where(high == 0.0, 0.0, low / high)
    size = tl.where(high == float("inf"), high, high * tl.sqrt(1.0 + quotient * quotient))
    size = tl.where((x != x) | (y != y), x + y, size)
    return tl.where((a == float("inf")) | (b == float("inf")), float("inf"), size)


def _ld64_exp10(x):
    e = tl.minimum(tl.maximum(x, -400.0), 400.0) * 2.302585092994046
    e2 = tl.fma(x, tl.full(x.shape, 2.302585092994046, tl.float64), -e) - x * 2.1707562233822494e-16
    result = tl.exp(e)
    near = (result < float("inf")) & (_ld64_size(x) < 400.0)
    return tl.where(x != x, x, tl.where(near, tl.fma(result, e2, result), result))
