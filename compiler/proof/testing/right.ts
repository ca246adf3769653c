/** For tests: kernels none of which may be accused. */
import { copy, matrix, MATRIX, ramp, two, whole, XYN, type Case } from './case';

export const RIGHT: readonly Case[] = [
  {
    name: 'a masked addition',
    text: copy(`    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x + 1.0, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'a grid larger than needed, with masks',
    text: copy(`    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x + 1.0, mask=i < n)
`),
    signature: XYN,
    grid: [7, 1, 1],
    args: two(100),
  },
  {
    name: 'a grid-stride loop',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    for at in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = at + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n)
        tl.store(y_ptr + i, x, mask=i < n)
`,
    signature: XYN,
    grid: [3, 1, 1],
    args: two(1000),
  },
  {
    name: 'a persistent loop over tiles of a matrix',
    text: `def k(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    across = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * across, tl.num_programs(0)):
        r = (tile // across) * BM + tl.arange(0, BM)[:, None]
        c = (tile % across) * BN + tl.arange(0, BN)[None, :]
        m = (r < M) & (c < N)
        tl.store(y_ptr + r * N + c, tl.load(x_ptr + r * N + c, mask=m), mask=m)
`,
    signature: MATRIX,
    grid: [3, 1, 1],
    args: [ramp(40, 50), ramp(40, 50), 40, 50],
  },
  {
    name: 'swizzled program ids',
    text: `def k(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
    width = 2 * across
    group = pid // width
    size = min(down - group * 2, 2)
    r = (group * 2 + (pid % width) % size) * BM + tl.arange(0, BM)[:, None]
    c = ((pid % width) // size) * BN + tl.arange(0, BN)[None, :]
    m = (r < M) & (c < N)
    tl.store(y_ptr + r * N + c, tl.load(x_ptr + r * N + c, mask=m), mask=m)
`,
    signature: MATRIX,
    grid: [12, 1, 1],
    args: [ramp(40, 50), ramp(40, 50), 40, 50],
  },
  {
    name: 'tl.swizzle2d',
    text: `def k(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    row, column = tl.swizzle2d(tl.program_id(0), tl.program_id(1), 3, 4, 2)
    r = row * BM + tl.arange(0, BM)[:, None]
    c = column * BN + tl.arange(0, BN)[None, :]
    m = (r < M) & (c < N)
    tl.store(y_ptr + r * N + c, tl.load(x_ptr + r * N + c, mask=m), mask=m)
`,
    signature: MATRIX,
    grid: [3, 4, 1],
    args: [ramp(40, 50), ramp(40, 50), 40, 50],
  },
  {
    name: 'split k with atomics',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(1) * BLOCK + i)
    tl.atomic_add(y_ptr + i, x)
`,
    signature: XYN,
    grid: [1, 2, 1],
    args: [ramp(128), ramp(64), 64],
  },
  {
    name: 'a histogram with atomics',
    text: `def k(x_ptr, c_ptr, n):
    bin = tl.load(x_ptr + tl.program_id(0))
    tl.atomic_add(c_ptr + bin, 1)
`,
    signature: { x_ptr: '*i32', c_ptr: '*i32', n: 'i32' },
    grid: [16, 1, 1],
    args: [whole(16, (i) => i % 4), whole(4, () => 0), 16],
  },
  {
    name: 'block pointers with boundary checks',
    text: `def k(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at = (tl.program_id(0) * BM, tl.program_id(1) * BN)
    x = tl.make_block_ptr(x_ptr, (M, N), (N, 1), at, (BM, BN), (1, 0))
    y = tl.make_block_ptr(y_ptr, (M, N), (N, 1), at, (BM, BN), (1, 0))
    tl.store(y, tl.load(x, boundary_check=(0, 1)), boundary_check=(0, 1))
`,
    signature: MATRIX,
    grid: [3, 4, 1],
    args: [ramp(40, 50), ramp(40, 50), 40, 50],
  },
  {
    name: 'a tensor descriptor',
    text: `def k(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    y = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [BM, BN])
    r, c = tl.program_id(0) * BM, tl.program_id(1) * BN
    y.store([r, c], x.load([r, c]))
`,
    signature: MATRIX,
    grid: [3, 4, 1],
    args: [ramp(40, 52), ramp(40, 52), 40, 52],
  },
  {
    name: 'an update in place',
    text: copy(`    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + i, x * 2.0, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'a reversal',
    text: copy(`    x = tl.load(x_ptr + (n - 1 - i), mask=i < n)
    tl.store(y_ptr + i, x, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'neighbours clamped by minimum and maximum',
    text: copy(`    left = tl.load(x_ptr + tl.maximum(i - 1, 0), mask=i < n)
    right = tl.load(x_ptr + tl.minimum(i + 1, n - 1), mask=i < n)
    tl.store(y_ptr + i, left + right, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'an index that wraps by remainder',
    text: copy(`    x = tl.load(x_ptr + i % n)
    tl.store(y_ptr + i, x, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'a transpose',
    text: matrix(`    m = (r < M) & (c < N)
    tl.store(y_ptr + c * M + r, tl.load(x_ptr + r * N + c, mask=m), mask=m)
`),
    signature: MATRIX,
    grid: [3, 4, 1],
    args: [ramp(40, 50), ramp(50, 40), 40, 50],
  },
  {
    name: 'a pointer that a loop carries',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x_ptr + tl.program_id(0) * n + i
    s = tl.zeros((BLOCK,), dtype=tl.float32)
    for at in range(0, n, BLOCK):
        s += tl.load(p, mask=i < n - at, other=0.0)
        p += BLOCK
    tl.store(y_ptr + tl.program_id(0), tl.sum(s))
`,
    signature: XYN,
    grid: [5, 1, 1],
    args: [ramp(5, 150), ramp(5), 150],
  },
  {
    name: 'a while loop',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    s, at = 0.0, 0
    while at < n:
        i = at + tl.arange(0, BLOCK)
        s += tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0))
        at += BLOCK
    tl.store(y_ptr + tl.program_id(0), s)
`,
    signature: XYN,
    grid: [3, 1, 1],
    args: [ramp(150), ramp(3), 150],
  },
  {
    name: 'one program that stores',
    text: copy(`    s = tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0))
    if tl.program_id(0) == 0:
        tl.store(y_ptr, s)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: [ramp(128), ramp(1), 128],
  },
  {
    name: 'a lookup whose index is clamped',
    text: `def k(i_ptr, t_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(i_ptr + i, mask=i < n)
    at = tl.minimum(tl.maximum(at, 0), n - 1)
    x = tl.load(t_ptr + at, mask=i < n)
    tl.store(y_ptr + i, x, mask=i < n)
`,
    signature: { i_ptr: '*i32', t_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 64 },
    grid: [2, 1, 1],
    args: [whole(100, (i) => i * 7 - 200), ramp(100), ramp(100), 100],
  },
  {
    name: 'the last block moved back, where both write the same',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.minimum(tl.program_id(0) * BLOCK, n - BLOCK) + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * 2.0)
`,
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'a lock that orders programs',
    text: `def k(lock_ptr, y_ptr, n):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(y_ptr, tl.load(y_ptr) + tl.program_id(0) + 1)
    tl.atomic_xchg(lock_ptr, 0)
`,
    signature: { lock_ptr: '*i32', y_ptr: '*i32', n: 'i32' },
    grid: [4, 1, 1],
    args: [whole(1, () => 0), whole(1, () => 0), 4],
  },
  {
    name: 'halves of one tile in two columns',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    pair = tl.join(2 * i, 2 * i + 1)
    tl.store(y_ptr + pair, tl.load(x_ptr + pair, mask=pair < n), mask=pair < n)
`,
    signature: XYN,
    grid: [1, 1, 1],
    args: two(100),
  },
  {
    name: 'bits in place of division',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = (tl.program_id(0) << 6) + tl.arange(0, BLOCK)
    at = (i & -4) | (i & 3)
    tl.store(y_ptr + i, tl.load(x_ptr + at, mask=at < n), mask=i < n)
`,
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'one program that chooses between two tensors',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    from_ptr = tl.where(i < n, x_ptr + i, y_ptr + i)
    tl.store(y_ptr + i, tl.load(from_ptr, mask=i < n), mask=i < n)
`,
    signature: XYN,
    grid: [1, 1, 1],
    args: two(60),
  },
  {
    name: 'heads of groups, whose number the host makes a multiple',
    text: `def k(x_ptr, y_ptr, n, heads, group, BLOCK: tl.constexpr):
    p, q = tl.program_id(0), tl.program_id(1)
    row = q // heads * (heads // group) + q % heads // group
    i = p * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n)
    tl.store(y_ptr + q * n + i, x, mask=i < n)
`,
    signature: { ...XYN, heads: 'i32', group: 'i32' },
    grid: [2, 30, 1],
    args: [ramp(5, 2, 100), ramp(5, 6, 100), 100, 6, 3],
  },
  {
    name: 'two numbers in one element, in groups of 32',
    text: `def k(x_ptr, y_ptr, n, K, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for group in range(0, K // 32):
        r = group * 16 + tl.arange(0, 16)[:, None]
        x = tl.load(x_ptr + r * n + c[None, :], mask=c[None, :] < n)
        tl.store(y_ptr + group * n + c, tl.sum(x, axis=0), mask=c < n)
`,
    signature: { ...XYN, K: 'i32' },
    grid: [2, 1, 1],
    args: [ramp(80, 100), ramp(5, 100), 100, 160],
  },
  {
    name: 'rows after those of earlier launches',
    text: `def k(x_ptr, y_ptr, n, start, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    s = 0.0
    for at in range(0, start + row + 1):
        s += tl.sum(tl.load(x_ptr + at * n + i, mask=i < n, other=0.0))
    tl.store(y_ptr + row, s)
`,
    signature: { ...XYN, start: 'i32' },
    grid: [7, 1, 1],
    args: [ramp(12, 50), ramp(7), 50, 5],
  },
  {
    name: 'rows of one block, whose loop has one iteration',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + tl.program_id(0) * n + i, mask=i < n)
        tl.store(y_ptr + tl.program_id(0) * n + i, x, mask=i < n)
`,
    signature: XYN,
    grid: [7, 1, 1],
    args: [ramp(7, 32), ramp(7, 32), 32],
  },
];
