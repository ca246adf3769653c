"""Kernels whose results Triton's interpreter computed (values.json). All take the same arguments: X and I
are inputs (fp32, int32), F and J outputs, n = 5, s = 0.75; the grid is (2,)."""

import triton
import triton.language as tl

SIZE = tl.constexpr(16)


@triton.jit
def case_arithmetic(X, I, F, J, n, s):
    r = tl.arange(0, 16)
    x = tl.load(X + r)
    i = tl.load(I + r)
    tl.store(F + r, x * s - 3 / (x + 100))
    tl.store(F + 16 + r, -x + i / 7)
    tl.store(J + r, i // 7 + i % 5 * 100)
    tl.store(J + 16 + r, (i << 3) ^ (i >> 2) | (i & 12))
    tl.store(J + 32 + r, ~i + (7 // -2) + (-7 % 5))
    tl.store(J + 48 + r, (i > 3) & (x < 2) | (i == -48))


@triton.jit
def case_unsigned(X, I, F, J, n, s):
    r = tl.arange(0, 16)
    u = tl.load(I + r).to(tl.uint32, bitcast=True)
    tl.store(J + r, u // 3)
    tl.store(J + 16 + r, u % 7)
    tl.store(J + 32 + r, u >> 4)
    tl.store(J + 48 + r, u > 5)
    tl.store(F + r, u.to(tl.float32))
    tl.store(J + 64 + r, (u.to(tl.uint8) + 200).to(tl.int32))
    tl.store(J + 80 + r, u.to(tl.int8).to(tl.int32) * 3)
    tl.store(J + 96 + r, tl.umulhi(u, u))


@triton.jit
def case_long(X, I, F, J, n, s):
    r = tl.arange(0, 16)
    i = tl.load(I + r).to(tl.int64)
    wide = i * 1000003 * 1000003
    tl.store(J + r, (wide >> 20).to(tl.int32))
    tl.store(J + 16 + r, (wide // 12345).to(tl.int32))
    tl.store(J + 32 + r, (wide % 1000).to(tl.int32))
    tl.store(F + r, wide.to(tl.float32))


@triton.jit
def case_casts(X, I, F, J, n, s):
    r = tl.arange(0, 16)
    x = tl.load(X + r)
    tl.store(F + r, (x * 1.2345).to(tl.float16).to(tl.float32))
    tl.store(F + 16 + r, (x.to(tl.float16) * 3.1).to(tl.float32))
    tl.store(J + r, x.to(tl.int32))
    tl.store(J + 16 + r, x.to(tl.int32, bitcast=True))
    tl.store(J + 32 + r, (x > 0).to(tl.int32) + (x > 1))
    tl.store(J + 48 + r, x.to(tl.int1))


@triton.jit
def case_reductions(X, I, F, J, n, s):
    rows = tl.arange(0, 8)
    columns = tl.arange(0, 16)
    at = rows[:, None] * 16 + columns[None, :]
    x = tl.load(X + at)
    i = tl.load(I + at)
    tl.store(F + rows, tl.sum(x, axis=1))
    tl.store(F + 8 + columns, tl.max(x, axis=0))
    tl.store(F + 24 + tl.arange(0, 1), tl.min(x))
    tl.store(F + 25, tl.sum(x))
    tl.store(J + rows, tl.argmax(x, axis=1))
    tl.store(J + 8 + columns, tl.argmin(i, axis=0))
    tl.store(J + 24 + rows, tl.sum(i.to(tl.int8), axis=1))
    tl.store(J + 32 + rows, tl.xor_sum(i, 1))
    tl.store(J + 40, tl.max(i))
    value, index = tl.max(x, axis=1, return_indices=True)
    tl.store(F + 32 + rows, value + index)
    tl.store(F + 48 + at, x - tl.sum(x, 1, keep_dims=True))


@triton.jit
def combine(a_count, a_sum, b_count, b_sum):
    return a_count + b_count, a_sum * 0.5 + b_sum


@triton.jit
def case_scans(X, I, F, J, n, s):
    rows = tl.arange(0, 4)
    columns = tl.arange(0, 16)
    at = rows[:, None] * 16 + columns[None, :]
    x = tl.load(X + at)
    i = tl.load(I + at)
    tl.store(F + at, tl.cumsum(x, axis=1))
    tl.store(F + 64 + at, tl.cumsum(x, axis=0, reverse=True))
    tl.store(F + 128 + at, tl.cumprod(x * 0.3, axis=1))
    tl.store(J + at, tl.cumsum(i, axis=1, reverse=True))


@triton.jit
def case_softmax(X, I, F, J, n, s):
    rows = tl.arange(0, 4)
    columns = tl.arange(0, 16)
    at = rows[:, None] * 16 + columns[None, :]
    x = tl.load(X + at)
    tl.store(F + at, tl.softmax(x, 1, keep_dims=True))
    tl.store(F + 64 + at, tl.sigmoid(x))


@triton.jit
def case_sort(X, I, F, J, n, s):
    rows = tl.arange(0, 4)
    columns = tl.arange(0, 16)
    at = rows[:, None] * 16 + columns[None, :]
    x = tl.load(X + at)
    i = tl.load(I + at)
    tl.store(F + at, tl.sort(x))
    tl.store(J + at, tl.sort(i, descending=True))
    tl.store(F + 128 + at, tl.flip(x, 1))
    tl.store(J + 64 + at, tl.flip(i, 0))
    tl.store(F + 192 + columns, tl.sort(tl.load(X + columns)))


@triton.jit
def case_random(X, I, F, J, n, s):
    r = tl.arange(0, 16)
    pid = tl.program_id(0)
    tl.store(J + pid * 16 + r, tl.randint(n, pid * 16 + r).to(tl.int32, bitcast=True))
    tl.store(F + pid * 16 + r, tl.rand(n, pid * 16 + r))
    tl.store(F + 32 + r, tl.randn(123, r))
    a, b, c, d = tl.randint4x(-7, r * 3)
    tl.store(J + 32 + r, (a ^ b ^ c ^ d).to(tl.int32, bitcast=True))
    tl.store(J + 48 + r, tl.randint(n, r.to(tl.int64) * 10000000000).to(tl.int32, bitcast=True))


@triton.jit
def case_shapes(X, I, F, J, n, s):
    rows = tl.arange(0, 4)
    columns = tl.arange(0, 8)
    x = tl.load(X + rows[:, None] * 8 + columns[None, :])
    flat = tl.arange(0, 32)
    tl.store(F + flat, tl.reshape(tl.trans(x), (32,)))
    tl.store(F + 32 + flat, tl.reshape(tl.permute(tl.reshape(x, (2, 4, 4)), (2, 0, 1)), (32,)))
    even, odd = tl.split(tl.reshape(x, (4, 4, 2)))
    tl.store(F + 64 + tl.arange(0, 16), tl.ravel(even - 2 * odd))
    tl.store(F + 80 + flat, tl.ravel(tl.interleave(even, odd)))
    tl.store(F + 112 + tl.arange(0, 64), tl.ravel(tl.join(x, -x)))
    tl.store(F + 192 + flat, tl.ravel(tl.broadcast_to(tl.sum(x, 1)[:, None], (4, 8))))
    a, b = tl.split(tl.join(n, n + 1))
    tl.store(J, a * 100 + b)


@triton.jit
def case_dot(X, I, F, J, n, s):
    r = tl.arange(0, 16)
    a = tl.load(X + r[:, None] * 16 + r[None, :])
    b = tl.load(X + 7 + r[:, None] * 16 + r[None, :])
    acc = tl.zeros((16, 16), tl.float32) + s
    acc = tl.dot(a, b.T, acc, input_precision="ieee")
    tl.store(F + r[:, None] * 16 + r[None, :], acc)


@triton.jit
def classify(x, low, high):
    if x < low:
        return -1
    elif x > high:
        return 1
    else:
        return 0


@triton.jit
def early(J, i, limit):
    if i > limit:
        tl.store(J + i, 1000 + i)
        return
    tl.store(J + i, i)
    if i == 2:
        return
    tl.store(J + 32 + i, i)


@triton.jit
def nested(x, y):
    if x > 0:
        if y > 0:
            return x * y
        x = x + 100
    y = y + x
    if y > 50:
        return y
    return x - y


@triton.jit
def case_returns(X, I, F, J, n, s):
    for k in range(8):
        early(J, k, n)
        i = tl.load(I + k)
        tl.store(J + 64 + k, classify(i, -10, 10))
        tl.store(J + 80 + k, nested(i, k - 3))
        tl.store(J + 96 + k, nested(k - 3, i))


@triton.jit
def case_early_exit(X, I, F, J, n, s):
    pid = tl.program_id(0)
    if pid == 1:
        return
    total = 0
    if n > 3:
        total += 10
        if s > 0.5:
            total += 5
        else:
            total = -1
    elif n == 3:
        total = 99
    tl.store(J + pid, total)


@triton.jit
def case_loops(X, I, F, J, n, s):
    total = 0
    count = 0
    for i in range(n, 0, -1):
        total = total * 3 + i
        count += 1
    tl.store(J, total)
    tl.store(J + 1, count)
    a = 1
    b = n * 1000
    while b > a:
        a = a * 2
        if a % 3 == 1:
            b = b - a
    tl.store(J + 2, a)
    tl.store(J + 3, b)
    x = 0.0
    for i in tl.static_range(3):
        for j in range(i, n):
            x += i * j * s
    tl.store(F, x)
    first, second = 0, 1
    for _ in range(10):
        first, second = second, first + second
    tl.store(J + 4, first)
    for i in range(4):
        y = i
        for k in range(2, 9, 3):
            y += k * i
        tl.store(J + 8 + i, y)
    z = n
    for i in range(0, 0):
        z = i
    tl.store(J + 5, z)


@triton.jit
def case_swizzle(X, I, F, J, n, s):
    for i in range(4):
        for j in range(5):
            a, b = tl.swizzle2d(i, j, 4, 5, 2)
            tl.store(J + i * 5 + j, a * 100 + b)
    tl.store(J + 32, tl.cdiv(n, 3) + min(n, 3) * 10 + max(n, 3, 4) * 100)


@triton.jit
def case_blocks(X, I, F, J, n, s):
    p = tl.make_block_ptr(X, (n, 12), (16, 1), (0, 0), (4, 8), (1, 0))
    q = tl.make_block_ptr(F, (8, 16), (16, 1), (0, 0), (4, 8), (1, 0))
    total = tl.zeros((4, 8), tl.float32)
    for _ in range(2):
        x = tl.load(p, boundary_check=(0, 1), padding_option="zero")
        total += x
        tl.store(q, x + 1, boundary_check=(1,))
        p = tl.advance(p, (0, 8))
        q = tl.advance(q, [0, 8])
    r = tl.make_block_ptr(F + 128, (4, 8), (8, 1), (2, 0), (4, 8), (1, 0))
    tl.store(r, total, boundary_check=(0,))


@triton.jit
def case_masks(X, I, F, J, n, s):
    r = tl.arange(0, SIZE)
    x = tl.load(X + r, mask=r < n, other=-1.0)
    tl.store(F + r, x, mask=r > 1)
    tl.store(F + 32 + r, tl.where(x > 0, x, tl.abs(x) * 2))
    tl.store(F + 64 + r, tl.minimum(tl.maximum(x, -s), s))
    tl.store(F + 96 + r, tl.clamp(x, -1.0, 1.0))
    tl.store(F + 128 + r, tl.exp2(x) + tl.sqrt(tl.abs(x)) + tl.floor(x) - tl.ceil(x * 1.3))


@triton.jit
def case_atomics(X, I, F, J, n, s):
    r = tl.arange(0, 16)
    pid = tl.program_id(0)
    i = tl.load(I + r)
    tl.atomic_add(J + r % 4, i)
    tl.atomic_max(J + 8, tl.max(i) + pid)
    tl.atomic_min(J + 16 + r, i * (pid + 1))
    tl.atomic_xor(J + 32 + r, i)
    tl.atomic_add(F + r % 2, tl.load(X + r), mask=r < 7)
    old = tl.atomic_cas(J + 50, 0, 7)
    tl.store(J + 51 + pid, old)
    tl.atomic_max(F + 16 + r, tl.load(X + r + pid))
    tl.store(J + 60 + pid, tl.atomic_xchg(J + 59, pid + 5))


@triton.jit
def case_histogram(X, I, F, J, n, s):
    r = tl.arange(0, 64)
    i = tl.abs(tl.load(I + r)) % 8
    tl.store(J + tl.arange(0, 8), tl.histogram(i, 8))
    g = tl.gather(tl.load(I + tl.arange(0, 16)), tl.load(I + r) & 15, 0)
    tl.store(J + 16 + r, g)
