/** For tests: kernels with one fault each, out of bounds or a race. */
import { copy, matrix, MATRIX, ramp, two, whole, XYN, type Case } from './case';

export const WRONG: readonly Case[] = [
  {
    name: 'a mask that admits one element more',
    text: copy(`    m = i <= n
    x = tl.load(x_ptr + i, mask=m)  # !
    tl.store(y_ptr + i, x, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'no mask on the load',
    text: copy(`    x = tl.load(x_ptr + i)  # !
    tl.store(y_ptr + i, x, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'no mask on the store',
    text: copy(`    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x)  # !
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'a grid of one program too many, and no mask',
    text: copy(`    x = tl.load(x_ptr + i)  # !
    tl.store(y_ptr + i, x, mask=i < n)
`),
    signature: XYN,
    grid: [3, 1, 1],
    args: two(128),
  },
  {
    name: 'a negative index at the left edge',
    text: copy(`    left = tl.load(x_ptr + i - 1, mask=i < n)  # !
    tl.store(y_ptr + i, left, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'a neighbour past the right edge',
    text: copy(`    right = tl.load(x_ptr + i + 1, mask=i < n)  # !
    tl.store(y_ptr + i, right, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(100),
  },
  {
    name: 'masks joined by or in place of and',
    text: matrix(`    m = (r < M) | (c < N)
    x = tl.load(x_ptr + r * N + c, mask=m)  # !
    tl.store(y_ptr + r * N + c, x, mask=(r < M) & (c < N))
`),
    signature: MATRIX,
    grid: [2, 2, 1],
    args: [ramp(20, 30), ramp(20, 30), 20, 30],
  },
  {
    name: 'transposed bounds',
    text: matrix(`    x = tl.load(x_ptr + r * N + c, mask=(r < N) & (c < M))  # !
    tl.store(y_ptr + r * N + c, x, mask=(r < M) & (c < N))
`),
    signature: MATRIX,
    grid: [2, 2, 1],
    args: [ramp(20, 30), ramp(20, 30), 20, 30],
  },
  {
    name: 'the stride of the other matrix',
    text: matrix(`    x = tl.load(x_ptr + c * N + r, mask=(r < M) & (c < N))  # !
    tl.store(y_ptr + r * N + c, x, mask=(r < M) & (c < N))
`),
    signature: MATRIX,
    grid: [2, 2, 1],
    args: [ramp(20, 30), ramp(20, 30), 20, 30],
  },
  {
    name: 'rows that are not masked',
    text: matrix(`    x = tl.load(x_ptr + r * N + c, mask=c < N)  # !
    tl.store(y_ptr + r * N + c, x, mask=(r < M) & (c < N))
`),
    signature: MATRIX,
    grid: [2, 2, 1],
    args: [ramp(20, 30), ramp(20, 30), 20, 30],
  },
  {
    name: 'a loop that begins one block late and ends one late',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    s = 0.0
    for at in range(BLOCK, n + BLOCK, BLOCK):
        s += tl.sum(tl.load(x_ptr + at + tl.arange(0, BLOCK)))  # !
    tl.store(y_ptr, s)
`,
    signature: XYN,
    grid: [1, 1, 1],
    args: [ramp(256), ramp(1), 256],
  },
  {
    name: 'a pointer that a loop carries past the end',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    p = x_ptr + tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), dtype=tl.float32)
    for at in range(0, n):
        s += tl.load(p)  # !
        p += BLOCK
    tl.store(y_ptr + tl.arange(0, BLOCK), s)
`,
    signature: XYN,
    grid: [1, 1, 1],
    args: [ramp(256), ramp(64), 5],
  },
  {
    name: 'a lookup whose index is not clamped',
    text: `def k(i_ptr, t_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(i_ptr + i, mask=i < n)
    x = tl.load(t_ptr + at, mask=i < n)  # !
    tl.store(y_ptr + i, x, mask=i < n)
`,
    signature: { i_ptr: '*i32', t_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 64 },
    grid: [2, 1, 1],
    args: [whole(100, (i) => (i === 70 ? 50 : i % 50)), ramp(50), ramp(100), 100],
  },
  {
    name: 'an index that overflows 32 bits',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = i * n
    x = tl.load(x_ptr + at, mask=at < 128)  # !
    tl.store(y_ptr + i, x, mask=i < 128)
`,
    signature: XYN,
    grid: [2, 1, 1],
    args: [ramp(128), ramp(128), 100_000_000],
  },
  {
    name: 'blocks that overlap',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x + tl.program_id(0), mask=i < n)  # !
`,
    signature: XYN,
    grid: [3, 1, 1],
    args: two(128),
  },
  {
    name: 'a stencil in place',
    text: copy(`    left = tl.load(x_ptr + i - 1, mask=(i > 0) & (i < n))  # !
    tl.store(x_ptr + i, left * 2.0, mask=i < n)
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(128),
  },
  {
    name: 'a histogram without atomics',
    text: `def k(x_ptr, c_ptr, n):
    i = tl.program_id(0)
    bin = tl.load(x_ptr + i)
    count = tl.load(c_ptr + bin)  # !
    tl.store(c_ptr + bin, count + 1)
`,
    signature: { x_ptr: '*i32', c_ptr: '*i32', n: 'i32' },
    grid: [16, 1, 1],
    args: [whole(16, (i) => i % 4), whole(4, () => 0), 16],
  },
  {
    name: 'a sum that every program stores to one place',
    text: copy(`    s = tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0))
    tl.store(y_ptr, s)  # !
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: [ramp(128), ramp(1), 128],
  },
  {
    name: 'an axis of the grid that the address forgets',
    text: matrix(`    x = tl.load(x_ptr + r * N + c, mask=(r < M) & (c < N))
    tl.store(y_ptr + r, tl.sum(x, axis=1)[:, None], mask=r < M)  # !
`),
    signature: MATRIX,
    grid: [2, 2, 1],
    args: [ramp(20, 30), ramp(20, 1), 20, 30],
  },
  {
    name: 'rows closer than they are long',
    text: matrix(`    x = tl.load(x_ptr + r * N + c, mask=(r < M) & (c < N))
    tl.store(y_ptr + r * (N - 1) + c, x, mask=(r < M) & (c < N))  # !
`),
    signature: MATRIX,
    grid: [2, 2, 1],
    args: [ramp(20, 30), ramp(20, 30), 20, 30],
  },
  {
    name: 'split k without atomics',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(1) * BLOCK + i)
    old = tl.load(y_ptr + i)  # !
    tl.store(y_ptr + i, old + x)
`,
    signature: XYN,
    grid: [1, 2, 1],
    args: [ramp(128), ramp(64), 64],
  },
  {
    name: 'a persistent loop whose stride is one program short',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0) - 1):
        i = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n)
        tl.store(y_ptr + i, x + tl.program_id(0), mask=i < n)  # !
`,
    signature: XYN,
    grid: [3, 1, 1],
    args: two(500),
  },
  {
    name: 'a step that memory chooses in each iteration',
    text: `def k(f_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = 0
    for t in range(0, n):
        at += tl.where(tl.load(f_ptr + t) > 0, 40, 1)
    tl.store(y_ptr + tl.program_id(0), tl.load(x_ptr + at))  # !
`,
    signature: { f_ptr: '*i32', x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 64 },
    grid: [2, 1, 1],
    args: [whole(4, (i) => (i === 3 ? 1 : 0)), ramp(40), ramp(2), 4],
  },
  {
    name: 'a place that memory chooses for each program',
    text: `def k(f_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    at = tl.where(tl.load(f_ptr + p) > 0, n, 0)
    tl.store(y_ptr + p + at, p + 1.0)  # !
`,
    signature: { f_ptr: '*i32', x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 64 },
    grid: [4, 1, 1],
    args: [whole(4, (i) => (i === 0 ? 1 : 0)), ramp(4), ramp(8), 2],
  },
  {
    name: 'an assumption that memory does not keep',
    text: `def k(f_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.load(f_ptr)
    tl.assume(at >= 0)
    tl.assume(at < 4)
    tl.store(y_ptr + tl.program_id(0), tl.load(x_ptr + at))  # !
`,
    signature: { f_ptr: '*i32', x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 64 },
    grid: [2, 1, 1],
    args: [whole(4, () => 1000), ramp(40), ramp(2), 4],
  },
];
