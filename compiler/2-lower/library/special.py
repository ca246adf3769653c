"""Special functions of libdevice on fp32: the error function's family, gamma, Bessel. Polynomials are
fitted to the functions themselves."""


def _ld_exp_of_square(x):
    """e ** -(x * x), with the bits that the square loses."""
    top = _ld_float(_ld_bits(x) & -0x1000)
    return _ld_exp(-(top * top)) * _ld_exp((top - x) * (top + x))


def _ld_erfcx_right(x):
    """e ** (x * x) * erfc(x) for x >= 0."""
    q = (x - 2.0) / (x + 2.0)
    q = tl.where(_ld_isinf(x), 1.0, q)
    p = ((-2.01089312e-05 * q + 6.31001855e-05) * q + 0.000221105452) * q - 0.000357177892
    p = ((p * q - 0.00146351167) * q + 0.0012166655) * q + 0.00872429454
    p = ((p * q - 0.00801863569) * q - 0.0542201861) * q + 0.164049395
    p = ((p * q - 0.166030391) * q - 0.0927637598) * q + 1.27697838
    return tl.where(x > 1.0e10, 0.564189584 / x, p / (1.0 + 2.0 * x))


def _ld_erf_small(x):
    """erf(x) for |x| up to 1."""
    z = x * x
    p = ((-9.66704457e-06 * z + 0.00011265959) * z - 0.000848408041) * z + 0.00522103181
    p = (((p * z - 0.0268654307) * z + 0.112837825) * z - 0.376126385) * z + 0.128379167
    return x + x * p


def _ld_erfc(x):
    a = _ld_size(x)
    tail = _ld_exp_of_square(tl.minimum(a, 15.0)) * _ld_erfcx_right(a)
    result = tl.where(_ld_signbit(x), 2.0 - tail, tail)
    return _ld_keep_nan(x, tl.where(a < 0.5, 1.0 - _ld_erf_small(x), result))


def _ld_erfcx(x):
    a = _ld_size(x)
    right = _ld_erfcx_right(a)
    c = tl.minimum(a, 15.0)
    top = _ld_float(_ld_bits(c) & -0x1000)
    square = _ld_exp(top * top) * _ld_exp((c - top) * (c + top))
    result = tl.where(_ld_signbit(x), (square - right) + square, right)
    return _ld_keep_nan(x, result)


def _ld_erfinv_ratio(w):
    """erfinv(x) / x where w = -log(1 - x * x)."""
    t = w - 2.5
    p = ((2.26059777e-08 * t + 3.42224709e-07) * t - 3.45477951e-06) * t - 4.38034671e-06
    p = (((p * t + 0.00021831298) * t - 0.00125375888) * t - 0.00417734652) * t + 0.246640766
    small = p * t + 1.50140935
    s = tl.sqrt_rn(w)
    t = s - 2.75
    p = ((0.000891418614 * t + 0.000487555572) * t - 0.00558505624) * t + 0.0115961352
    p = ((p * t - 0.0160237675) * t + 0.0179477542) * t + 0.995085931
    middle = p * t + 2.58329387
    t = s - 4.5
    p = ((3.62602529e-06 * t - 8.92358143e-06) * t + 9.11770381e-06) * t - 3.38800844e-05
    p = (((p * t + 0.000148407947) * t - 0.000433549172) * t + 0.000327522601) * t + 1.01023319
    large = p * t + 4.3447538
    t = s - 8.0
    p = ((-1.81050786e-08 * t + 1.26603493e-07) * t - 5.09402212e-07) * t + 1.16116857e-06
    p = ((p * t + 1.91148851e-05) * t - 0.000469780695) * t + 1.00760684
    huge = p * t + 7.87711359
    result = tl.where(s < 3.3, middle, tl.where(s < 5.8, large, huge))
    return tl.where(w < 5.0, small, result)


def _ld_erfinv(x):
    a = _ld_size(x)
    w = -_ld_log((1.0 - a) * (1.0 + a))
    w = tl.where(a < 0.01, -_ld_log1p(-(a * a)), w)
    result = x * _ld_erfinv_ratio(w)
    result = tl.where(a == 1.0, _ld_copysign(_ld_infinite(a), x), result)
    return _ld_keep_nan(x, tl.where(a > 1.0, float("nan"), result))


def _ld_erfcinv(x):
    # The smaller of x and its mirror image 2 - x keeps its digits.
    upper = x > 1.0
    y = tl.where(upper, 2.0 - x, x)
    near = 1.0 - y
    w = tl.where(near < 0.01, -_ld_log1p(-(near * near)), -_ld_log(y) - _ld_log(2.0 - y))
    result = near * _ld_erfinv_ratio(w)
    result = tl.where(y == 0.0, float("inf"), result)
    result = tl.where(upper, -result, result)
    return _ld_keep_nan(x, tl.where((x < 0.0) | (x > 2.0), float("nan"), result))


def _ld_normcdf(x):
    a = _ld_size(x)
    c = tl.minimum(a, 20.0)
    top = _ld_float(_ld_bits(c) & -0x1000)
    square = _ld_exp(-0.5 * (top * top)) * _ld_exp(0.5 * (top - c) * (top + c))
    tail = 0.5 * square * _ld_erfcx_right(c * 0.707106781)
    result = tl.where(_ld_signbit(x), tail, 1.0 - tail)
    near = 0.5 + 0.5 * _ld_erf_small(x * 0.707106781)
    return _ld_keep_nan(x, tl.where(a < 0.5, near, result))


def _ld_normcdfinv(x):
    return -1.41421356 * _ld_erfcinv(2.0 * x)


# Gamma.


def _ld_gamma_unit(t):
    """gamma(1.5 + t) for |t| up to 1/2."""
    p = ((0.0158638655 * t - 0.0237291363) * t + 0.0246816193) * t - 0.0362693163
    p = ((p * t + 0.0587404493) * t - 0.0777181202) * t + 0.144639465
    p = ((p * t - 0.10728597) * t + 0.414813528) * t + 0.0323382864
    return p * t + 0.886226925


def _ld_gamma_right(x):
    """gamma(x) for x in 1 … 37, by stepping down to 1 … 2."""
    whole = tl.floor(x)
    y = (x - whole) + 1.0
    result = _ld_gamma_unit(y - 1.5)
    for i in tl.static_range(35):
        result = tl.where(whole > i + 1.5, result * (y + i), result)
    return result


def _ld_tgamma(x):
    a = _ld_size(x)
    near = _ld_gamma_right(tl.minimum(tl.maximum(x, -0.99999994), 1.0) + 2.0) / (x * (x + 1.0))
    # gamma(-a) = -pi / (a sin(pi a) gamma(a)); of a large a, gamma(a) in two factors.
    c = tl.minimum(tl.maximum(a, 1.0), 43.0)
    deep = (x < 0.0) & (c > 30.0)
    right = _ld_gamma_right(tl.minimum(tl.where(deep, c - 6.0, c), 36.5))
    steps = ((c - 1.0) * (c - 2.0) * (c - 3.0)) * ((c - 4.0) * (c - 5.0) * (c - 6.0))
    sine = _ld_sinpi(c)
    left = (-3.14159265 / (c * sine)) / right
    left = tl.where(deep, left / steps, left)
    left = tl.where(a > 42.5, sine * 0.0, left)
    left = tl.where(tl.floor(a) == a, float("nan"), left)
    result = tl.where(a < 1.0, near, tl.where(x < 0.0, left, right))
    result = tl.where(x > 35.04, float("inf"), result)
    result = tl.where(a == 0.0, _ld_copysign(_ld_infinite(a), x), result)
    result = tl.where(_ld_isinf(x) & (x < 0.0), float("nan"), result)
    return _ld_keep_nan(x, result)


def _ld_lgamma_right(x):
    """log(gamma(x)) for x >= 1/2."""
    t = x - 1.0
    p = ((0.0807645851 * t - 0.0865327424) * t + 0.0275853032) * t - 0.0307168332
    p = (((p * t + 0.0550991054) * t - 0.0614802642) * t + 0.0665392504) * t - 0.0771136653
    p = (((p * t + 0.0922451456) * t - 0.115153062) * t + 0.155434211) * t - 0.24525131
    first = p * t + 0.577215665
    t = x - 2.0
    p = ((-6.41114813e-06 * t + 3.31539259e-05) * t - 8.7868812e-05) * t + 0.000187809174
    p = (((p * t - 0.000405860176) * t + 0.000914080125) * t - 0.002107891) * t + 0.00499876591
    p = ((p * t - 0.0123842181) * t + 0.0329649963) * t - 0.100317301
    second = p * t + 0.422784335
    t = x - 5.0
    p = ((2.14361262e-09 * t - 2.34159738e-08) * t + 1.20213757e-07) * t - 5.4083861e-07
    p = (((p * t + 2.98276196e-06) * t - 1.75529338e-05) * t + 0.000103389288) * t - 0.000628986997
    third = ((p * t + 0.0040562626) * t - 0.0289788985) * t + 0.264837827
    factor = tl.where(x < 1.5, first, tl.where(x < 3.0, second, third))
    small = (x - 1.0) * (x - 2.0) * factor
    u = 1.0 / x
    p = (-0.00274418042 * u - 3.42759911e-06) * u + 0.0833334269
    large = (x - 0.5) * (_ld_log(x) - 1.0) + (p * u + 0.418938533)
    return tl.where(x < 8.0, small, tl.where(_ld_isinf(x), x, large))


def _ld_lgamma(x):
    a = _ld_size(x)
    low = a < 0.5
    right = _ld_lgamma_right(tl.where(low, a + 1.0, a))
    right = tl.where(low, right - _ld_log(a), right)
    left = _ld_log(3.14159265 / (a * _ld_size(_ld_sinpi(a)))) - right
    left = tl.where(tl.floor(a) == a, float("inf"), left)
    result = tl.where(_ld_signbit(x), left, right)
    return _ld_keep_nan(x, tl.where(_ld_isinf(x), float("inf"), result))


# Bessel functions: polynomials up to 8, then amplitude and phase.


def _ld_phase(a):
    """1 / sqrt(pi a), and the sum and the difference of sine and cosine."""
    s = tl.sin(a)
    c = tl.cos(a)
    return 0.564189584 * tl.rsqrt(a), s + c, s - c


def _ld_parts_0(a):
    u = 64.0 / (a * a)
    p = (((2.0806121e-07 * u - 2.0706989e-06) * u + 2.73434192e-05) * u - 0.00109862829) * u + 1.0
    q = ((-7.41360482e-07 * u + 6.08359306e-06) * u - 5.52807964e-05) * u + 0.00114438931
    return p, (q * u - 0.125) / a


def _ld_parts_1(a):
    u = 64.0 / (a * a)
    p = (((-2.38871793e-07 * u + 2.45457142e-06) * u - 3.51621055e-05) * u + 0.00183104962) * u + 1.0
    q = ((8.39069812e-07 * u - 7.04376009e-06) * u + 6.75844033e-05) * u - 0.00160215083
    return p, (q * u + 0.375) / a


def _ld_j0_small(a):
    t = a * a * 0.03125 - 1.0
    p = ((1.60656814e-07 * t - 2.74355484e-06) * t + 3.84718271e-05) * t - 0.000443513633
    p = (((p * t + 0.00405807981) * t - 0.028472738) * t + 0.145988848) * t - 0.50746804
    p = ((p * t + 1.03837946) * t - 0.808088808) * t - 0.648469283
    return (p * t + 0.930301247) * t + 0.0458296649


def _ld_j1_small(a):
    t = a * a * 0.03125 - 1.0
    p = ((6.46908184e-09 * t - 1.20629901e-07) * t + 1.86840524e-06) * t - 2.40445487e-05
    p = (((p * t + 0.00024949461) * t - 0.00202904021) * t + 0.0124568144) * t - 0.054745818
    p = ((p * t + 0.158583764) * t - 0.259594865) * t + 0.151516651
    return a * ((p * t + 0.0810586604) * t - 0.058143828)


def _ld_j0(x):
    a = _ld_size(x)
    c = tl.maximum(a, 8.0)
    scale, plus, minus = _ld_phase(c)
    p, q = _ld_parts_0(c)
    result = tl.where(a < 8.0, _ld_j0_small(a), scale * (p * plus - q * minus))
    return _ld_keep_nan(x, tl.where(_ld_isinf(x), 0.0, result))


def _ld_j1(x):
    a = _ld_size(x)
    c = tl.maximum(a, 8.0)
    scale, plus, minus = _ld_phase(c)
    p, q = _ld_parts_1(c)
    result = tl.where(a < 8.0, _ld_j1_small(a), scale * (p * minus + q * plus))
    result = tl.where(_ld_signbit(x), -result, result)
    return _ld_keep_nan(x, tl.where(_ld_isinf(x), 0.0, result))


def _ld_y_special(x, result):
    result = tl.where(_ld_isinf(x), 0.0, result)
    result = tl.where(_ld_signbit(x), float("nan"), result)
    result = tl.where(_ld_magnitude(x) == 0, float("-inf"), result)
    return _ld_keep_nan(x, result)


def _ld_y0(x):
    t = x * x * 0.03125 - 1.0
    p = ((-2.53280705e-07 * t + 4.16411244e-06) * t - 5.58160032e-05) * t + 0.000610381935
    p = (((p * t - 0.00523502905) * t + 0.0338028886) * t - 0.154536796) * t + 0.448246035
    p = ((p * t - 0.619340783) * t - 0.212459993) * t + 1.36094566
    p = (p * t - 0.417920742) * t - 0.362027343
    small = p + 0.636619772 * (_ld_log(0.5 * x) * _ld_j0_small(x))
    c = tl.maximum(x, 8.0)
    scale, plus, minus = _ld_phase(c)
    p, q = _ld_parts_0(c)
    return _ld_y_special(x, tl.where(x < 8.0, small, scale * (p * minus + q * plus)))


def _ld_y1(x):
    t = x * x * 0.03125 - 1.0
    p = ((-1.03797626e-08 * t + 1.86829646e-07) * t - 2.77642506e-06) * t + 3.40616474e-05
    p = (((p * t - 0.000333722618) * t + 0.00252713524) * t - 0.0141319234) * t + 0.054390116
    p = ((p * t - 0.126419951) * t + 0.120520354) * t + 0.0902275064
    p = (p * t - 0.207608578) * t + 0.0451026621
    small = x * p + 0.636619772 * (_ld_log(0.5 * x) * _ld_j1_small(x) - 1.0 / x)
    c = tl.maximum(x, 8.0)
    scale, plus, minus = _ld_phase(c)
    p, q = _ld_parts_1(c)
    return _ld_y_special(x, tl.where(x < 8.0, small, scale * (q * minus - p * plus)))


def _ld_largest(n):
    """The largest element, as a scalar."""
    if len(n.shape) == 0:
        return n
    else:
        return max(tl.reshape(n, [n.numel]), 0)


def _ld_yn(n, x):
    size = tl.where(n < 0, -n, n)
    before = _ld_y0(x)
    now = _ld_y1(x)
    result = tl.where(size == 0, before, now)
    for k in range(1, _ld_largest(size)):
        after = (2.0 * k) / x * now - before
        before = now
        now = tl.where(_ld_isinf(before), before, after)
        result = tl.where(size == k + 1, now, result)
    result = tl.where((n < 0) & ((size & 1) == 1), -result, result)
    return _ld_y_special(x, result)


def _ld_jn(n, x):
    size = tl.where(n < 0, -n, n)
    a = _ld_size(x)
    # Up from 0 and 1 where x is beyond the order.
    zero = _ld_j0(a)
    before = zero
    now = _ld_j1(a)
    rising = tl.where(size == 0, before, now)
    top = _ld_largest(size)
    for k in range(1, top):
        after = (2.0 * k) / a * now - before
        before = now
        now = after
        rising = tl.where(size == k + 1, now, rising)
    # Else down from an order where it vanishes, and scaled to J0 + 2 (J2 + J4 + …) = 1.
    start = 2 * ((top + 40) // 2) + 2 * (tl.sqrt(40.0 * top.to(tl.float32))).to(tl.int32)
    above = tl.zeros_like(a)
    here = tl.full(a.shape, 1.0e-30, tl.float32)
    falling = tl.zeros_like(a)
    sum_of_even = tl.zeros_like(a)
    for step in range(0, start):
        k = start - step
        below = (2.0 * k) / a * here - above
        above = here
        here = below
        shrink = tl.where(_ld_size(here) > 1.0e10, 1.0e-10, 1.0)
        here *= shrink
        above *= shrink
        falling = tl.where(size == k - 1, here, falling * shrink)
        even = (k - 1) % 2 == 0
        sum_of_even = sum_of_even * shrink + tl.where(even, here, 0.0)
    falling = falling / (2.0 * sum_of_even - here)
    result = tl.where(a > size.to(tl.float32), rising, falling)
    result = tl.where(size < 2, rising, result)
    result = tl.where((a == 0.0) & (size > 0), 0.0, result)
    flip = (_ld_signbit(x) != (n < 0)) & ((size & 1) == 1)
    result = tl.where(flip, -result, result)
    return _ld_keep_nan(x, tl.where(_ld_isinf(x), 0.0, result))


def _ld_cyl_bessel_i0(x):
    a = _ld_size(x)
    t = tl.minimum(a, 8.0) * 0.25 - 1.0
    p = ((-0.00416283255 * t + 0.00913184944) * t - 0.0024782125) * t + 0.00172475043
    p = (((p * t - 0.02355016) * t + 0.0394018306) * t - 0.0411127834) * t + 0.0522963131
    p = (((p * t - 0.0700275367) * t + 0.0804406699) * t - 0.0849018644) * t + 0.0871958429
    p = (((p * t - 0.0890463886) * t + 0.0945227026) * t - 0.113004304) * t + 0.207001866
    c = tl.maximum(a, 8.0)
    u = 8.0 / c
    q = ((6.93113489e-06 * u - 9.17193168e-06) * u + 2.05667471e-05) * u + 5.33607014e-05
    q = ((q * u + 0.000438943175) * u + 0.00623343127) * u + 0.398942281
    # e ** a overflows before the result does.
    large = (_ld_exp_times(c, -10) * q) * tl.rsqrt(c) * 1024.0
    result = tl.where(a < 8.0, _ld_exp(tl.minimum(a, 8.0)) * p, large)
    return _ld_keep_nan(x, tl.where(_ld_isinf(x), a, result))


def _ld_cyl_bessel_i1(x):
    a = _ld_size(x)
    t = tl.minimum(a, 8.0) * 0.25 - 1.0
    p = ((-0.000697357788 * t + 0.00163812898) * t - 0.00089438318) * t + 0.00137359922
    p = (((p * t - 0.00610856174) * t + 0.011043957) * t - 0.015294328) * t + 0.0229797546
    p = (((p * t - 0.0337431094) * t + 0.0448578084) * t - 0.0552709753) * t + 0.0637442367
    p = (((p * t - 0.0684830402) * t + 0.0680587096) * t - 0.0611243346) * t + 0.0446877012
    c = tl.maximum(a, 8.0)
    u = 8.0 / c
    q = ((-7.81599902e-06 * u + 9.95822306e-06) * u - 2.48129934e-05) * u - 7.57561578e-05
    q = ((q * u - 0.000731213231) * u - 0.0187003727) * u + 0.39894228
    large = (_ld_exp_times(c, -10) * q) * tl.rsqrt(c) * 1024.0
    result = tl.where(a < 8.0, _ld_exp(tl.minimum(a, 8.0)) * (a * p), large)
    result = tl.where(_ld_isinf(x), a, result)
    return _ld_keep_nan(x, _ld_copysign(result, x))
