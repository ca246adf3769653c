/**
 * Extrema with indices drop NaN, as Triton's own interpreter does, however the elements are dealt
 * to threads and in whatever order they are combined. Triton's combining function alone does not
 * decide it: a NaN on its right wins, and one on its left loses.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import type { Func } from '../ir/ir';
import { BASELINE_TARGET, type Target } from '../target';
import { EXACT, interpret, passDifferences } from './testing/differential';
import { lowerSigned } from './testing/lowerSigned';

const KERNEL = `import triton
import triton.language as tl

@triton.jit
def kernel(X, V, I, N: tl.constexpr, LEFT: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(X + row * N + tl.arange(0, N))
    v, i = tl.max(x, 0, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(V + row * 2, v)
    tl.store(I + row * 2, i)
    v, i = tl.min(x, 0, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(V + row * 2 + 1, v)
    tl.store(I + row * 2 + 1, i)
`;
/** Rows, and the values and indices that Triton 3.8 gives under TRITON_INTERPRET=1. */
const ROWS: readonly (readonly [
  row: readonly number[],
  values: readonly number[],
  indices: readonly number[],
])[] = [
  [
    [3, 5, NaN, -1],
    [5, -1],
    [1, 3],
  ],
  [
    [NaN, 1, 2, 0],
    [2, 0],
    [2, 3],
  ],
  [
    [0, 1, 2, NaN],
    [2, 0],
    [2, 0],
  ],
  [
    [NaN, NaN, NaN, 4],
    [4, 4],
    [3, 3],
  ],
  [
    [4, NaN, NaN, NaN],
    [4, 4],
    [0, 0],
  ],
  [
    [NaN, -Infinity, NaN, Infinity],
    [Infinity, -Infinity],
    [3, 1],
  ],
  [
    [Infinity, NaN, -Infinity, NaN],
    [Infinity, -Infinity],
    [0, 2],
  ],
];
const TARGETS: readonly Target[] = [
  BASELINE_TARGET,
  { ...BASELINE_TARGET, name: 'lanes of 8', subgroupSize: 8 },
  { ...BASELINE_TARGET, name: 'few threads', maxInvocations: 64 },
];

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});
const lowered = (N: number, LEFT: boolean): Func =>
  lowerSigned(parser, KERNEL, { X: '*fp32', V: '*fp32', I: '*i32', N, LEFT: Number(LEFT) });

/** Values and indices of each row, by tiles. */
function extrema(rows: readonly (readonly number[])[], left: boolean): [number[], number[]] {
  const x = Float32Array.from(rows.flat());
  const results = [new Uint8Array(8 * rows.length), new Uint8Array(8 * rows.length)];
  const func = lowered(rows[0]!.length, left);
  const { buffers } = interpret(func, [new Uint8Array(x.buffer), ...results], [rows.length, 1, 1]);
  return [
    [...new Float32Array(buffers[1]!.slice().buffer)],
    [...new Int32Array(buffers[2]!.slice().buffer)],
  ];
}

it.each([true, false])('as Triton’s interpreter, ties to the left: %s', (left) => {
  const [values, indices] = extrema(
    ROWS.map(([row]) => row),
    left,
  );
  expect(values).toEqual(ROWS.flatMap(([, each]) => each));
  expect(indices).toEqual(ROWS.flatMap(([, , each]) => each));
});

it('gives the first of a row of NaN', () => {
  expect(extrema([Array.from({ length: 64 }, () => NaN)], true)).toEqual([
    [NaN, NaN],
    [0, 0],
  ]);
});

it.each(TARGETS)('the same by workgroups, on $name', (target) => {
  for (const [n, left] of [
    [64, true],
    [512, true],
    [512, false],
    [2048, true],
  ] as const) {
    // Every third element is NaN; all numbers differ.
    const x = Float32Array.from({ length: 2 * n }, (_, i) =>
      (i * 7) % 3 === 1 ? NaN : ((i * 7919) % 8191) - 4000,
    );
    const args = [new Uint8Array(x.buffer), new Uint8Array(16), new Uint8Array(16)];
    for (const optimize of [true, false])
      expect(
        passDifferences(target, () => lowered(n, left), args, [2, 1, 1], EXACT, { optimize }),
      ).toEqual([]);
  }
});
