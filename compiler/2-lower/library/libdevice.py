"""Functions of libdevice on fp32, composed of what the language has. Polynomials are fitted to the
functions themselves; reductions keep what they cut off. NaN is tested by its bits."""


def _ld_bits(x):
    return x.to(tl.int32, bitcast=True)


def _ld_float(bits):
    return bits.to(tl.float32, bitcast=True)


def _ld_magnitude(x):
    return _ld_bits(x) & 0x7FFFFFFF


def _ld_isnan(x):
    return _ld_magnitude(x) > 0x7F800000


def _ld_isinf(x):
    return _ld_magnitude(x) == 0x7F800000


def _ld_finite(x):
    return _ld_magnitude(x) < 0x7F800000


def _ld_signbit(x):
    return _ld_bits(x) < 0


def _ld_copysign(x, y):
    return _ld_float(_ld_magnitude(x) | (_ld_bits(y) & -0x80000000))


def _ld_size(x):
    return _ld_float(_ld_magnitude(x))


def _ld_infinite(x):
    return tl.full(x.shape, float("inf"), tl.float32)


def _ld_keep_nan(x, result):
    return tl.where(_ld_isnan(x), x, result)


def _ld_power_of_2(k):
    """2 ** k for k in -126 … 127."""
    return _ld_float((k + 127) << 23)


def _ld_ldexp(x, n):
    n = tl.minimum(tl.maximum(n, -300), 300)
    first = tl.minimum(tl.maximum(n, -126), 127)
    n = n - first
    second = tl.minimum(tl.maximum(n, -126), 127)
    third = tl.minimum(tl.maximum(n - second, -126), 127)
    # Large steps down come before the last one, which alone rounds; so they stop above denormals.
    down = n < 0
    up = (x * _ld_power_of_2(first)) * _ld_power_of_2(second) * _ld_power_of_2(third)
    return tl.where(down, _ld_ldexp_down(x, first + n), up)


def _ld_ldexp_down(x, n):
    """x * 2 ** n for n < -126, rounded once: the significand is shifted as an integer."""
    bits = _ld_magnitude(x)
    exponent = bits >> 23
    significand = tl.where(exponent == 0, bits, (bits & 0x7FFFFF) | 0x800000)
    shift = tl.minimum(tl.maximum(1 - tl.maximum(exponent, 1) - n, 0), 26)
    rest = significand & ((1 << shift) - 1)
    half = (1 << shift) >> 1
    kept = significand >> shift
    kept += ((rest > half) | ((rest == half) & (rest != 0) & ((kept & 1) == 1))).to(tl.int32)
    normal = _ld_float(bits + (n << 23))
    small = tl.where(shift > 0, _ld_float(kept), normal)
    result = tl.where((shift == 0) & (exponent == 0), _ld_float(bits), small)
    return tl.where(_ld_finite(x), _ld_copysign(result, x), x)


# Exponentials and logarithms.


def _ld_exp_reduced(r):
    """(e ** r - 1) for |r| up to ln(2) / 2."""
    p = ((0.00139261761 * r + 0.00836317307) * r + 0.0416665547) * r + 0.16666577
    return r + (r * r) * (p * r + 0.5)


def _ld_exp_times(x, shift: tl.constexpr):
    """e ** x * 2 ** shift."""
    c = tl.minimum(tl.maximum(x, -120.0), 100.0)
    n = tl.floor(c * 1.44269504 + 0.5)
    r = (c - n * 0.693145752) - n * 1.42860677e-06
    k = n.to(tl.int32) + shift
    half = k >> 1
    result = ((1.0 + _ld_exp_reduced(r)) * _ld_power_of_2(half)) * _ld_power_of_2(k - half)
    return _ld_keep_nan(x, result)


def _ld_exp(x):
    return _ld_exp_times(x, 0)


def _ld_exp10(x):
    c = tl.minimum(tl.maximum(x, -50.0), 40.0)
    n = tl.floor(c * 3.32192809 + 0.5)
    r = (c - n * 0.301025391) - n * 4.60503898e-06
    k = n.to(tl.int32)
    half = k >> 1
    # ln(10) in two parts, the first with few bits.
    high = r * 2.30258512
    result = 1.0 + _ld_exp_reduced(high - r * 3.19743e-08)
    return _ld_keep_nan(x, (result * _ld_power_of_2(half)) * _ld_power_of_2(k - half))


def _ld_expm1(x):
    c = tl.minimum(tl.maximum(x, -40.0), 100.0)
    n = tl.floor(c * 1.44269504 + 0.5)
    r = (c - n * 0.693145752) - n * 1.42860677e-06
    e = _ld_exp_reduced(r)
    k = n.to(tl.int32)
    scale = _ld_power_of_2(tl.minimum(k, 127))
    result = scale * e + (scale - 1.0)
    result = tl.where(k > 126, _ld_exp(x), result)
    result = tl.where(k == 0, e, result)
    return _ld_keep_nan(x, tl.where(x == 0.0, x, result))


def _ld_log_special(x, result):
    result = tl.where(_ld_isinf(x), x, result)
    result = tl.where(_ld_signbit(x), float("nan"), result)
    result = tl.where(_ld_magnitude(x) == 0, float("-inf"), result)
    return _ld_keep_nan(x, result)


def _ld_log_split(x):
    """x as 2 ** k * (1 + f), with 1 + f between the square roots of 1/2 and 2."""
    bits = _ld_bits(x)
    small = bits < 0x800000
    # A denormal's significand, as an integer, is a normal number.
    bits = tl.where(small, _ld_bits((bits & 0x7FFFFF).to(tl.float32)), bits)
    bits = bits + (0x3F800000 - 0x3F3504F3)
    k = (bits >> 23) - tl.where(small, 127 + 149, 127)
    m = _ld_float((bits & 0x7FFFFF) + 0x3F3504F3)
    return k.to(tl.float32), m - 1.0


def _ld_log_tail(f):
    """What f lacks to log(1 + f), negative."""
    s = f / (2.0 + f)
    z = s * s
    p = z * (((0.233329128 * z + 0.285507308) * z + 0.400001226) * z + 0.666666666)
    h = 0.5 * f * f
    return s * (h + p), h


def _ld_log(x):
    k, f = _ld_log_split(x)
    s, h = _ld_log_tail(f)
    result = k * 0.693138123 - ((h - (s + k * 9.05800061e-06)) - f)
    return _ld_log_special(x, result)


def _ld_log2(x):
    k, f = _ld_log_split(x)
    s, h = _ld_log_tail(f)
    # log2(e) in two parts: the first product is exact to 12 bits of f.
    top = _ld_float(_ld_bits(f - h) & -0x1000)
    rest = ((f - top) - h) + s
    result = (rest * 1.44238281 + (top + rest) * 0.000312228389) + top * 1.44238281
    return _ld_log_special(x, k + result)


def _ld_log10(x):
    k, f = _ld_log_split(x)
    s, h = _ld_log_tail(f)
    top = _ld_float(_ld_bits(f - h) & -0x1000)
    rest = ((f - top) - h) + s
    result = (rest * 0.434204102 + (top + rest) * 9.03803408e-05) + top * 0.434204102
    return _ld_log_special(x, (k * 4.60503898e-06 + result) + k * 0.301025391)


def _ld_log1p(x):
    u = 1.0 + x
    near = (x > -0.29) & (x < 0.41)
    k, f = _ld_log_split(u)
    lost = tl.where(x > 1.0, 1.0 - (u - x), x - (u - 1.0)) / u
    k = tl.where(near, 0.0, k)
    f = tl.where(near, x, f)
    lost = tl.where(near | _ld_isinf(u), 0.0, lost)
    s, h = _ld_log_tail(f)
    result = k * 0.693138123 - ((h - (s + (lost + k * 9.05800061e-06))) - f)
    return tl.where(near, tl.where(x == 0.0, x, result), _ld_log_special(u, result))


# Trigonometric and hyperbolic functions.


def _ld_pi_parts(x):
    """The quadrant of pi * x, and the sine and cosine of what is left."""
    # From 2 ** 24 on all are even: x - 2 * floor(x / 2) is exact.
    x = x - 2.0 * tl.floor(x * 0.5)
    n = tl.floor(2.0 * x + 0.5)
    r = (x - 0.5 * n) * 3.14159274
    return n.to(tl.int32), tl.sin(r), tl.cos(r)


def _ld_sinpi(x):
    a = _ld_size(x)
    n, s, c = _ld_pi_parts(a)
    result = tl.where((n & 1) == 1, c, s)
    result = tl.where((n & 2) == 2, -result, result)
    # Whole numbers give a zero of x's own sign.
    result = tl.where((tl.floor(a) == a), 0.0, result)
    result = tl.where(_ld_signbit(x), -result, result)
    return tl.where(_ld_finite(x), result, float("nan"))


def _ld_cospi(x):
    a = _ld_size(x)
    n, s, c = _ld_pi_parts(a)
    result = tl.where((n & 1) == 1, s, c)
    result = tl.where(((n + 1) & 2) == 2, -result, result)
    result = tl.where((n & 1) == 1, tl.where(a - tl.floor(a) == 0.5, 0.0, result), result)
    return tl.where(_ld_finite(x), result, float("nan"))


def _ld_sinh(x):
    a = _ld_size(x)
    e = _ld_expm1(tl.minimum(a, 30.0))
    small = 0.5 * (e + e / (e + 1.0))
    result = tl.where(a < 20.0, small, _ld_exp_times(a, -1))
    return _ld_keep_nan(x, _ld_copysign(result, x))


def _ld_cosh(x):
    e = _ld_exp_times(_ld_size(x), -1)
    return e + 0.25 / e


def _ld_asinh(x):
    a = _ld_size(x)
    c = tl.minimum(a, 1.0e9)
    s = c * c
    small = _ld_log1p(c + s / (1.0 + tl.sqrt_rn(s + 1.0)))
    result = tl.where(a < 1.0e9, small, _ld_log(a) + 0.693147181)
    return _ld_keep_nan(x, _ld_copysign(result, x))


def _ld_acosh(x):
    t = tl.minimum(x, 1.0e9) - 1.0
    small = _ld_log1p(t + tl.sqrt_rn(2.0 * t + t * t))
    result = tl.where(x < 1.0e9, small, _ld_log(x) + 0.693147181)
    return _ld_keep_nan(x, tl.where(x < 1.0, float("nan"), result))


def _ld_atanh(x):
    a = _ld_size(x)
    result = 0.5 * _ld_log1p(2.0 * a / (1.0 - a))
    result = tl.where(a == 1.0, float("inf"), result)
    result = tl.where(a > 1.0, float("nan"), result)
    return _ld_keep_nan(x, _ld_copysign(result, x))


# Roots and norms.


def _ld_cbrt_size(a):
    """The cube root of a positive finite number."""
    small = a < 1.0e-30
    large = a > 1.0e30
    a = tl.where(small, (a * 16777216.0) * 16777216.0, a)
    a = tl.where(large, a * 3.55271368e-15, a)
    bits = _ld_bits(a)
    y = _ld_float((bits.to(tl.uint32) // 3 + 709958130).to(tl.int32))
    for _ in tl.static_range(3):
        cube = y * y * y
        y = y * ((cube + 2.0 * a) / (2.0 * cube + a))
    # One more step on the rest that a short product leaves exact.
    top = _ld_float(_ld_bits(y) & -0x1000)
    rest = (a / (y * y) - top) - (y - top)
    y += rest * 0.333333333
    return y * tl.where(small, 1.52587891e-05, tl.where(large, 65536.0, 1.0))


def _ld_cbrt(x):
    a = _ld_size(x)
    result = _ld_cbrt_size(tl.where((a == 0.0) | ~_ld_finite(x), 1.0, a))
    result = tl.where((a == 0.0) | ~_ld_finite(x), a, result)
    return _ld_copysign(result, x)


def _ld_rcbrt(x):
    a = _ld_size(x)
    result = 1.0 / _ld_cbrt_size(tl.where((a == 0.0) | ~_ld_finite(x), 1.0, a))
    result = tl.where(a == 0.0, float("inf"), result)
    result = tl.where(_ld_isinf(x), 0.0, result)
    return _ld_keep_nan(x, _ld_copysign(result, x))


def _ld_norm_parts(a, b, c, d):
    """The root of the sum of squares over a power of two, its exponent, and the largest argument."""
    largest = tl.maximum(tl.maximum(_ld_magnitude(a), _ld_magnitude(b)),
                         tl.maximum(_ld_magnitude(c), _ld_magnitude(d)))
    exponent = tl.minimum(tl.maximum((largest >> 23) - 127, -125), 125)
    scale = _ld_power_of_2(-exponent)
    # Denormals have few bits: twice scaled, their squares do not vanish.
    tiny = largest < 0x800000
    more = tl.where(tiny, 8388608.0, 1.0)
    a, b, c, d = a * scale * more, b * scale * more, c * scale * more, d * scale * more
    root = tl.sqrt_rn((a * a + b * b) + (c * c + d * d))
    return root, exponent - tl.where(tiny, 23, 0), largest


def _ld_any_inf(a, b, c, d):
    return _ld_isinf(a) | _ld_isinf(b) | _ld_isinf(c) | _ld_isinf(d)


def _ld_norm4d(a, b, c, d):
    root, exponent, largest = _ld_norm_parts(a, b, c, d)
    result = _ld_ldexp(root, exponent)
    result = tl.where(largest == 0, 0.0, result)
    return tl.where(_ld_any_inf(a, b, c, d), float("inf"), result)


def _ld_rnorm4d(a, b, c, d):
    root, exponent, largest = _ld_norm_parts(a, b, c, d)
    result = _ld_ldexp(1.0 / root, -exponent)
    result = tl.where(largest == 0, float("inf"), result)
    return tl.where(_ld_any_inf(a, b, c, d), 0.0, result)


def _ld_hypot(x, y):
    return _ld_norm4d(x, y, tl.zeros_like(x), tl.zeros_like(x))


def _ld_rhypot(x, y):
    return _ld_rnorm4d(x, y, tl.zeros_like(x), tl.zeros_like(x))


def _ld_norm3d(a, b, c):
    return _ld_norm4d(a, b, c, tl.zeros_like(a))


def _ld_rnorm3d(a, b, c):
    return _ld_rnorm4d(a, b, c, tl.zeros_like(a))


# Remainders, exponents and neighbours.


def _ld_remainder(x, y):
    b = _ld_size(y)
    a = tl.where(b < 1.0e38, _ld_fmod(_ld_size(x), b + b), _ld_size(x))
    twice = (a - b) + a > 0.0
    first = tl.where((b < 2.0e-38), (a + a) > b, twice)
    a = tl.where(first, a - b, a)
    second = tl.where((b < 2.0e-38), (a + a) >= b, (a - b) + a >= 0.0)
    a = tl.where(first & second, a - b, a)
    a = tl.where(_ld_signbit(x), -a, a)
    a = tl.where(_ld_finite(x) & (b > 0.0), a, float("nan"))
    a = tl.where(_ld_isinf(y) & _ld_finite(x), x, a)
    return tl.where(_ld_isnan(x) | _ld_isnan(y), float("nan"), a)


def _ld_ilogb(x):
    bits = _ld_magnitude(x)
    # A denormal's significand, as an integer, is a normal number.
    normal = tl.where(bits < 0x800000, _ld_bits(bits.to(tl.float32)), bits)
    result = (normal >> 23) - tl.where(bits < 0x800000, 127 + 149, 127)
    result = tl.where(bits >= 0x7F800000, 0x7FFFFFFF, result)
    return tl.where((bits == 0) | (bits > 0x7F800000), -0x80000000, result)


def _ld_logb(x):
    bits = _ld_magnitude(x)
    result = _ld_ilogb(x).to(tl.float32)
    result = tl.where(bits == 0x7F800000, float("inf"), result)
    return _ld_keep_nan(x, tl.where(bits == 0, float("-inf"), result))


def _ld_nextafter(x, y):
    a = _ld_bits(x)
    size = _ld_magnitude(x)
    key = tl.where(a < 0, -size, size)
    other = tl.where(_ld_signbit(y), -_ld_magnitude(y), _ld_magnitude(y))
    step = tl.where(size == 0, tl.where(other > 0, 1, -0x7FFFFFFF),
                    tl.where((key < other) == (a >= 0), a + 1, a - 1))
    result = _ld_float(tl.where(key == other, _ld_bits(y), step))
    return tl.where(_ld_isnan(x) | _ld_isnan(y), float("nan"), result)


def _ld_fdim(x, y):
    result = tl.where(x > y, x - y, 0.0)
    return tl.where(_ld_isnan(x) | _ld_isnan(y), float("nan"), result)


def _ld_saturatef(x):
    return tl.where(_ld_isnan(x), 0.0, tl.minimum(tl.maximum(x, 0.0), 1.0))


def _ld_fmod(x, y):
    return x % y


def _ld_round_to_even(x, mode: tl.constexpr):
    """To a whole number: rd down, ru up, rz toward zero."""
    if mode == "rd":
        return tl.floor(x)
    elif mode == "ru":
        return tl.ceil(x)
    else:
        return tl.where(x < 0.0, tl.ceil(x), tl.floor(x))


def _ld_powi(x, n):
    """x ** n for an integer n: the sign is n's parity, which fp32 may not hold."""
    size = _ld_pow(_ld_size(x), n.to(tl.float32))
    result = tl.where(_ld_signbit(x) & ((n & 1) == 1), -size, size)
    return tl.where(n == 0, 1.0, result)


def _ld_log2_pair(a):
    """log2 of a positive finite number as a pair of floats, some 10 bits more than one holds."""
    k, f = _ld_log_split(a)
    # s = f / (2 + f) in two parts, the first short enough for exact products.
    down = 2.0 + f
    s = f / down
    s1 = _ld_float(_ld_bits(s) & -0x1000)
    down1 = _ld_float(_ld_bits(down) & -0x1000)
    down2 = f - (down1 - 2.0)
    s2 = ((f - s1 * down1) - s1 * down2) / down
    # log(1 + f) = 2/3 s (3 + z + 3/5 z z + …), with z in two parts too.
    z = s * s
    p = ((0.230769231 * z + 0.272727273) * z + 0.333333333) * z + 0.428571429
    z1 = _ld_float(_ld_bits(s1 * s1) & -0x1000)
    t = s1 * s1 - z1 + s2 * (s1 + s)
    more = z * z * (p * z + 0.6) + t
    sum1 = _ld_float(_ld_bits(3.0 + z1 + more) & -0x1000)
    sum2 = more - ((sum1 - 3.0) - z1)
    u = s1 * sum1
    v = s2 * sum1 + sum2 * s
    w1 = _ld_float(_ld_bits(u + v) & -0x1000)
    w2 = v - (w1 - u)
    # Times 2/3 / ln(2) = 0.961796694…, in two parts.
    high = 0.9616699219 * w1
    low = 0.000126772051 * (w1 + w2) + 0.9616699219 * w2
    t1 = _ld_float(_ld_bits((high + low) + k) & -0x1000)
    return t1, low - ((t1 - k) - high)


def _ld_pow_size(a, y):
    """a ** y for positive finite a."""
    t1, t2 = _ld_log2_pair(a)
    y = tl.minimum(tl.maximum(y, -3.0e30), 3.0e30)
    y1 = _ld_float(_ld_bits(y) & -0x1000)
    high = y1 * t1
    low = (y - y1) * t1 + y * t2
    e = tl.minimum(tl.maximum(high + low, -200.0), 200.0)
    n = tl.floor(e + 0.5)
    inside = (high + low == e)
    r = tl.where(inside, (high - n) + low, e - n)
    # 2 ** r, with ln(2) in two parts.
    r1 = _ld_float(_ld_bits(r) & -0x1000)
    x = r1 * 0.693115234 + ((r - r1) * 0.693115234 + r * 3.19461849e-05)
    k = n.to(tl.int32)
    half = k >> 1
    result = (1.0 + _ld_exp_reduced(x)) * _ld_power_of_2(half)
    return result * _ld_power_of_2(k - half)


def _ld_pow(x, y):
    a = _ld_size(x)
    b = _ld_size(y)
    ordinary = (a > 0.0) & _ld_finite(a)
    result = _ld_pow_size(tl.where(ordinary, a, 1.0), tl.where(_ld_isnan(y), 0.0, y))
    # 0 and infinity, as a base and as an exponent.
    vanishes = (a == 0.0) != _ld_signbit(y)
    result = tl.where(ordinary, result, tl.where(vanishes, 0.0, float("inf")))
    shrinks = (a < 1.0) != _ld_signbit(y)
    at_end = tl.where(a == 1.0, 1.0, tl.where(shrinks, 0.0, float("inf")))
    result = tl.where(_ld_isinf(y), at_end, result)
    whole = (tl.floor(b) == b) | _ld_isinf(y)
    half = b * 0.5
    odd = whole & (b < 16777216.0) & (tl.floor(half) != half)
    negative = _ld_signbit(x)
    result = tl.where(negative & odd, -result, result)
    result = tl.where(negative & ordinary & ~whole, float("nan"), result)
    result = tl.where(_ld_isnan(x) | _ld_isnan(y), float("nan"), result)
    return tl.where((b == 0.0) | (x == 1.0), 1.0, result)
