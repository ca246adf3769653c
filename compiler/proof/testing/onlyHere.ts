/** For tests: kernels whose launch hides a fault of other launches. */
import { copy, matrix, MATRIX, ramp, two, XYN, type Case } from './case';

export const ONLY_HERE: readonly Case[] = [
  {
    name: 'no mask, and a size that is a multiple of the block',
    text: copy(`    tl.store(y_ptr + i, tl.load(x_ptr + i))  # !
`),
    signature: XYN,
    grid: [2, 1, 1],
    args: two(128),
  },
  {
    name: 'transposed bounds of a square matrix',
    text: matrix(`    x = tl.load(x_ptr + r * N + c, mask=(r < N) & (c < M))  # !
    tl.store(y_ptr + r * N + c, x, mask=(r < M) & (c < N))
`),
    signature: MATRIX,
    grid: [2, 2, 1],
    args: [ramp(30, 30), ramp(30, 30), 30, 30],
  },
  {
    name: 'the wrong stride of a square matrix',
    text: matrix(`    x = tl.load(x_ptr + r * M + c, mask=(r < M) & (c < N))  # !
    tl.store(y_ptr + r * N + c, x, mask=(r < M) & (c < N))
`),
    signature: MATRIX,
    grid: [2, 2, 1],
    args: [ramp(30, 30), ramp(30, 30), 30, 30],
  },
  {
    name: 'a loop over whole blocks',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    s = 0.0
    for at in range(0, n, BLOCK):
        s += tl.sum(tl.load(x_ptr + at + tl.arange(0, BLOCK)))  # !
    tl.store(y_ptr, s)
`,
    signature: XYN,
    grid: [1, 1, 1],
    args: [ramp(128), ramp(1), 128],
  },
  {
    name: 'a grid that is as large as the tensor only here',
    text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    tl.store(y_ptr + i, tl.load(x_ptr + i * n))  # !
`,
    signature: XYN,
    grid: [4, 1, 1],
    args: [ramp(4, 8), ramp(4), 10],
  },
  {
    name: 'heads of groups of two, whatever the group is',
    text: `def k(x_ptr, y_ptr, n, heads, group, BLOCK: tl.constexpr):
    p, q = tl.program_id(0), tl.program_id(1)
    row = q // heads * (heads // group) + q % heads // 2
    i = p * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n)  # !
    tl.store(y_ptr + q * n + i, x, mask=i < n)
`,
    signature: { ...XYN, heads: 'i32', group: 'i32' },
    grid: [2, 30, 1],
    args: [ramp(5, 3, 100), ramp(5, 6, 100), 100, 6, 2],
  },
  {
    name: 'rows rounded up, in a tensor of whole ones',
    text: `def k(x_ptr, y_ptr, n, K, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for row in range(0, (K + 3) // 4):
        x = tl.load(x_ptr + row * n + i, mask=i < n)  # !
        tl.store(y_ptr + row, tl.sum(x))
`,
    signature: { ...XYN, K: 'i32' },
    grid: [1, 1, 1],
    args: [ramp(10, 50), ramp(10), 50, 40],
  },
];
