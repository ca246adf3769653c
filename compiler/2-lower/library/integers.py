"""Integer functions of libdevice, and arithmetic on fp32 with directed rounding: exact in 64-bit
integers, then rounded once."""


def _ld_popc(x):
    if x.dtype.primitive_bitwidth == 64:
        return tl.extra.libdevice.popc(x.to(tl.int64, bitcast=True))
    else:
        return tl.extra.libdevice.popc(x.to(tl.int32, bitcast=True))


def _ld_clz(x):
    if x.dtype.primitive_bitwidth == 64:
        return tl.extra.libdevice.clz(x.to(tl.int64, bitcast=True))
    else:
        return tl.extra.libdevice.clz(x.to(tl.int32, bitcast=True))


def _ld_ffs(x):
    if x.dtype.primitive_bitwidth == 64:
        return tl.where(x == 0, 0, 64 - _ld_clz(x & -x))
    else:
        return tl.where(x == 0, 0, 32 - _ld_clz(x & -x))


def _ld_brev(x):
    if x.dtype.primitive_bitwidth == 64:
        return tl.extra.libdevice.brev(x.to(tl.int64, bitcast=True))
    else:
        return tl.extra.libdevice.brev(x.to(tl.int32, bitcast=True))


def _ld_byte_of(low, high, selector):
    """The byte of the eight in (high, low) that three bits of `selector` choose."""
    word = tl.where((selector & 4) == 0, low, high)
    return (word >> ((selector & 3) * 8)) & 0xFF


def _ld_byte_perm(low, high, selector):
    low = low.to(tl.uint32, bitcast=True)
    high = high.to(tl.uint32, bitcast=True)
    selector = selector.to(tl.uint32, bitcast=True)
    result = _ld_byte_of(low, high, selector)
    for i in tl.static_range(1, 4):
        result |= _ld_byte_of(low, high, selector >> (4 * i)) << (8 * i)
    return result.to(tl.int32, bitcast=True)


def _ld_prmt(low, high, selector):
    """As byte_perm, where the fourth bit of a nibble repeats the sign of its byte."""
    result = low & 0
    for i in tl.static_range(4):
        nibble = selector >> (4 * i)
        byte = _ld_byte_of(low, high, nibble)
        sign = tl.where((byte & 0x80) != 0, 0xFF, 0).to(tl.uint32)
        result |= tl.where((nibble & 8) != 0, sign, byte) << (8 * i)
    return result


def _ld_mulhi(x, y):
    if x.dtype.is_int_unsigned():
        return tl.umulhi(x, y)
    elif x.dtype.primitive_bitwidth == 64:
        high = tl.umulhi(x.to(tl.uint64, bitcast=True), y.to(tl.uint64, bitcast=True))
        high = high.to(tl.int64, bitcast=True)
        return high - tl.where(x < 0, y, 0) - tl.where(y < 0, x, 0)
    else:
        high = tl.umulhi(x.to(tl.uint32, bitcast=True), y.to(tl.uint32, bitcast=True))
        high = high.to(tl.int32, bitcast=True)
        return high - tl.where(x < 0, y, 0) - tl.where(y < 0, x, 0)


def _ld_mul24(x, y):
    return ((x << 8) >> 8) * ((y << 8) >> 8)


def _ld_sad(x, y, z):
    a = x.to(tl.uint32, bitcast=True)
    b = y.to(tl.uint32, bitcast=True)
    return (tl.where(x > y, a - b, b - a) + z).to(x.dtype, bitcast=True)


def _ld_hadd(x, y):
    return (x & y) + ((x ^ y) >> 1)


def _ld_rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


# Directed rounding. A number is a sign, a significand (int64, not negative) and a power of two.


def _ld_round(negative, significand, exponent, mode: tl.constexpr):
    """The fp32 next to (-1) ** negative * significand * 2 ** exponent; significand < 2 ** 63."""
    zeros = _ld_clz(significand) - 1
    significand = significand << zeros.to(tl.int64)
    # Now the top bit is bit 62.
    top = exponent - zeros + 62
    drop = tl.minimum(39 + tl.maximum(-126 - top, 0), 63).to(tl.int64)
    kept = significand >> drop
    rest = significand - (kept << drop)
    half = tl.full(significand.shape, 1, tl.int64) << (drop - 1)
    if mode == "rn":
        up = (rest > half) | ((rest == half) & ((kept & 1) == 1))
    elif mode == "rz":
        up = rest < 0
    elif mode == "rd":
        up = (rest != 0) & negative
    else:
        up = (rest != 0) & ~negative
    bits = (kept + up.to(tl.int64)).to(tl.int32)
    # From the least normal number on, the hidden bit carries into the exponent.
    bits = tl.where(top < -126, bits, bits + ((tl.minimum(top, 200) + 126) << 23))
    if mode == "rn":
        limit = tl.full(bits.shape, 0x7F800000, tl.int32)
    elif mode == "rz":
        limit = tl.full(bits.shape, 0x7F7FFFFF, tl.int32)
    elif mode == "rd":
        limit = tl.where(negative, 0x7F800000, 0x7F7FFFFF)
    else:
        limit = tl.where(negative, 0x7F7FFFFF, 0x7F800000)
    bits = tl.where((top > 127) | (bits >= 0x7F800000) | (bits < 0), limit, bits)
    bits = tl.where(significand == 0, 0, bits)
    return _ld_float(tl.where(negative, bits | -0x80000000, bits))


def _ld_split(x):
    bits = _ld_magnitude(x)
    exponent = bits >> 23
    significand = tl.where(exponent == 0, bits, (bits & 0x7FFFFF) | 0x800000)
    return _ld_signbit(x), significand.to(tl.int64), tl.maximum(exponent, 1) - 150


def _ld_top(significand, exponent):
    """The same with bit 60 the highest."""
    zeros = tl.where(significand == 0, 0, _ld_clz(significand) - 3)
    return significand << zeros.to(tl.int64), exponent - zeros


def _ld_sum(n1, s1, e1, n2, s2, e2, mode: tl.constexpr):
    s1, e1 = _ld_top(s1, e1)
    s2, e2 = _ld_top(s2, e2)
    e1 = tl.where(s1 == 0, -2000, e1)
    e2 = tl.where(s2 == 0, -2000, e2)
    swap = e2 > e1
    n, s, e = tl.where(swap, n2, n1), tl.where(swap, s2, s1), tl.where(swap, e2, e1)
    m, t, f = tl.where(swap, n1, n2), tl.where(swap, s1, s2), tl.where(swap, e1, e2)
    away = tl.minimum(e - f, 62).to(tl.int64)
    moved = t >> away
    # The bits shifted out still decide on which side the sum is.
    moved |= ((moved << away) != t).to(tl.int64)
    total = tl.where(n, -s, s) + tl.where(m, -moved, moved)
    negative = total < 0
    if mode == "rd":
        negative |= (total == 0) & (n | m)
    else:
        negative |= (total == 0) & n & m
    return _ld_round(negative, tl.where(total < 0, -total, total), e, mode)


def _ld_directed_add(x, y, mode: tl.constexpr):
    n1, s1, e1 = _ld_split(x)
    n2, s2, e2 = _ld_split(y)
    result = _ld_sum(n1, s1, e1, n2, s2, e2, mode)
    return tl.where(_ld_finite(x) & _ld_finite(y), result, x + y)


def _ld_directed_sub(x, y, mode: tl.constexpr):
    return _ld_directed_add(x, -y, mode)


def _ld_directed_mul(x, y, mode: tl.constexpr):
    n1, s1, e1 = _ld_split(x)
    n2, s2, e2 = _ld_split(y)
    result = _ld_round(n1 != n2, s1 * s2, e1 + e2, mode)
    return tl.where(_ld_finite(x) & _ld_finite(y), result, x * y)


def _ld_directed_fma(x, y, z, mode: tl.constexpr):
    n1, s1, e1 = _ld_split(x)
    n2, s2, e2 = _ld_split(y)
    n3, s3, e3 = _ld_split(z)
    result = _ld_sum(n1 != n2, s1 * s2, e1 + e2, n3, s3, e3, mode)
    finite = _ld_finite(x) & _ld_finite(y) & _ld_finite(z)
    return tl.where(finite, result, x * y + z)


def _ld_directed_div(x, y, mode: tl.constexpr):
    n1, s1, e1 = _ld_split(x)
    n2, s2, e2 = _ld_split(y)
    s1, e1 = _ld_top(s1, e1)
    s2, e2 = _ld_top(s2, e2)
    divisor = tl.maximum(s2 >> 37, 1)
    quotient = s1 // divisor
    quotient = (quotient << 1) | ((quotient * divisor) != s1).to(tl.int64)
    result = _ld_round(n1 != n2, quotient, e1 - e2 - 38, mode)
    plain = _ld_finite(x) & _ld_finite(y) & (s2 != 0)
    return tl.where(plain, result, tl.div_rn(x, y))


def _ld_directed_rcp(x, mode: tl.constexpr):
    return _ld_directed_div(tl.full(x.shape, 1.0, tl.float32), x, mode)


def _ld_directed_sqrt(x, mode: tl.constexpr):
    negative, s, e = _ld_split(x)
    s, e = _ld_top(s, e)
    # An even exponent, and at most 61 bits.
    odd = (e & 1) != 0
    s = tl.where(odd, s >> 1, s)
    e = tl.where(odd, e + 1, e)
    root = tl.sqrt_rn(s.to(tl.float32)).to(tl.int64)
    root = tl.maximum(root, 1)
    root = (root + s // root) >> 1
    root -= (root * root > s).to(tl.int64)
    root -= (root * root > s).to(tl.int64)
    root += ((root + 1) * (root + 1) <= s).to(tl.int64)
    root = (root << 1) | (root * root != s).to(tl.int64)
    result = _ld_round(negative, root, (e >> 1) - 1, mode)
    plain = _ld_finite(x) & ~negative & (s != 0)
    return tl.where(plain, result, tl.sqrt_rn(x))


def _ld_directed_from_int(x, mode: tl.constexpr):
    if x.dtype.is_int_unsigned():
        wide = x.to(tl.uint64)
        high = (wide >> 2) | ((wide & 3) != 0).to(tl.uint64)
        large = (wide >> 62) != 0
        significand = tl.where(large, high, wide).to(tl.int64, bitcast=True)
        exponent = tl.where(large, 2, 0)
        return _ld_round(significand < 0, significand, exponent, mode)
    else:
        wide = x.to(tl.int64)
        negative = wide < 0
        size = tl.where(negative, -wide, wide)
        # Only the least integer has no positive counterpart.
        least = size < 0
        significand = tl.where(least, size ^ size | (1 << 62), size)
        return _ld_round(negative, significand, tl.where(least, 1, 0), mode)


def _ld_directed_narrow(bits, mode: tl.constexpr):
    """fp64, as its bits, to fp32."""
    exponent = ((bits >> 52) & 0x7FF).to(tl.int32)
    fraction = bits & 0xFFFFFFFFFFFFF
    significand = tl.where(exponent == 0, fraction, fraction | (1 << 52))
    negative = bits < 0
    result = _ld_round(negative, significand, tl.maximum(exponent, 1) - 1075, mode)
    special = tl.where(fraction == 0, float("inf"), float("nan"))
    return tl.where(exponent == 0x7FF, tl.where(negative, -special, special), result)
