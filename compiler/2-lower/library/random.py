"""Random numbers: Philox-4x32-10 and Philox-4x64-10 (Salmon et al., "Parallel random numbers: as easy
as 1, 2, 3", SC 2011), with Triton's use of seed and offset, bit for bit."""


def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    if c0.dtype == tl.uint32:
        weyl_0: tl.constexpr = 0x9E3779B9
        weyl_1: tl.constexpr = 0xBB67AE85
        multiplier_0: tl.constexpr = 0xD2511F53
        multiplier_1: tl.constexpr = 0xCD9E8D57
    else:
        tl.static_assert(c0.dtype == tl.uint64, "philox takes 32- and 64-bit counters")
        weyl_0: tl.constexpr = 0x9E3779B97F4A7C15
        weyl_1: tl.constexpr = 0xBB67AE8584CAA73B
        multiplier_0: tl.constexpr = 0xD2E7470EE14C6C93
        multiplier_1: tl.constexpr = 0xCA5A826395121157
    a = tl.full([], multiplier_0, c0.dtype)
    b = tl.full([], multiplier_1, c0.dtype)
    for _ in tl.static_range(n_rounds):
        high_0 = tl.umulhi(a, c0)
        high_1 = tl.umulhi(b, c2)
        low_0 = a * c0
        low_1 = b * c2
        c0 = high_1 ^ c1 ^ k0
        c1 = low_1
        c2 = high_0 ^ c3 ^ k1
        c3 = low_0
        k0 = k0 + weyl_0
        k1 = k1 + weyl_1
    return c0, c1, c2, c3


def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    seed = tl.to_tensor(seed)
    tl.static_assert(seed.dtype.is_int(), "the seed must be an integer")
    seed = seed.to(tl.uint64)
    c0 = tl.to_tensor(c0)
    c1 = tl.to_tensor(c1)
    c2 = tl.to_tensor(c2)
    c3 = tl.to_tensor(c3)
    if c0.dtype.primitive_bitwidth == 32:
        word = tl.uint32
        key_high = ((seed >> 32) & 0xFFFFFFFF).to(tl.uint32)
        key_low = (seed & 0xFFFFFFFF).to(tl.uint32)
    else:
        tl.static_assert(c0.dtype.primitive_bitwidth == 64, "philox takes 32- and 64-bit counters")
        word = tl.uint64
        key_high = tl.full([1], 0, tl.uint64)
        key_low = seed
    c0 = c0.to(word, bitcast=True)
    c1 = c1.to(word, bitcast=True)
    c2 = c2.to(word, bitcast=True)
    c3 = c3.to(word, bitcast=True)
    return philox_impl(c0, c1, c2, c3, key_low, key_high, n_rounds)


def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    low = tl.to_tensor(offset).to(tl.uint32)
    zero = low * 0
    if tl.to_tensor(offset).dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


def randint(seed, offset, n_rounds: tl.constexpr = 10):
    first, _, _, _ = randint4x(seed, offset, n_rounds)
    return first


def uint_to_uniform_float(x):
    """Random bits to [0, 1): folds the sign away and scales, so that 1 is never reached."""
    if x.dtype.primitive_bitwidth == 32:
        bits = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        tl.static_assert(x.dtype.primitive_bitwidth == 64, "takes 32- and 64-bit integers")
        bits = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    return tl.where(bits < 0, ~bits, bits) * scale


def rand(seed, offset, n_rounds: tl.constexpr = 10):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


def rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    i1, i2, i3, i4 = randint4x(seed, offsets, n_rounds)
    return (
        uint_to_uniform_float(i1),
        uint_to_uniform_float(i2),
        uint_to_uniform_float(i3),
        uint_to_uniform_float(i4),
    )


def pair_uniform_to_normal(u1, u2):
    """Two normal numbers of two uniform ones (Box and Muller)."""
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


def randn(seed, offset, n_rounds: tl.constexpr = 10):
    i1, i2, _, _ = randint4x(seed, offset, n_rounds)
    normal, _ = pair_uniform_to_normal(uint_to_uniform_float(i1), uint_to_uniform_float(i2))
    return normal


def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
