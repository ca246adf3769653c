/**
 * A Gluon kernel by tiles and by workgroups, on machines that count and share otherwise: layouts,
 * conversions, and tiles in shared memory, of which no access may race.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import type { Func } from '../ir/ir';
import { BASELINE_TARGET, type Target } from '../target';
import { MATRIX_TARGET } from '../testing/targets';
import { EXACT, interpret, passDifferences } from './testing/differential';
import { lowerSigned } from './testing/lowerSigned';

const KERNEL = `from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def kernel(X, Y, n, VEC: gl.constexpr, PHASE: gl.constexpr, PHASES: gl.constexpr):
    rows: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([2, 1], [8, 4], [1, 4], [0, 1])
    shared: gl.constexpr = gl.SwizzledSharedLayout(VEC, PHASE, PHASES, [1, 0])
    tiles = gl.allocate_shared_memory(gl.float32, [2, 16, 32], shared)
    r = gl.arange(0, 16, gl.SliceLayout(1, rows))
    c = gl.arange(0, 32, gl.SliceLayout(0, rows))
    places = r[:, None] * 32 + c[None, :]
    sums = gl.zeros([32, 16], gl.float32, columns)
    for i in range(n):
        tiles.index(i % 2).store(gl.load(X + i * 512 + places))
        if i > 0:
            sums += tiles.index((i - 1) % 2).permute((1, 0)).load(columns) * i
    half = tiles.index(0).slice(8, 8).load(rows)
    tiles.index(0).slice(0, 8).store(half * 2)
    r = gl.arange(0, 32, gl.SliceLayout(1, rows))
    c = gl.arange(0, 16, gl.SliceLayout(0, rows))
    sums = gl.convert_layout(sums, rows) + tiles.index(0).permute((1, 0)).load(rows)
    gl.store(Y + r[:, None] * 16 + c[None, :], sums)
    total = gl.sum(sums, 1)
    gl.store(Y + 512 + gl.arange(0, 32, gl.SliceLayout(1, rows)), total)
`;
let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const TARGETS: readonly Target[] = [
  BASELINE_TARGET,
  { ...BASELINE_TARGET, name: 'lanes of 8', subgroupSize: 8 },
  { ...BASELINE_TARGET, name: 'few threads', maxInvocations: 64 },
  { ...BASELINE_TARGET, name: 'storage', subgroupSize: 4, sharedMemoryInStorage: true },
  MATRIX_TARGET,
];

it.each(TARGETS)('on $name', (target) => {
  // Whole numbers: sums are exact in any order.
  const x = Float32Array.from({ length: 5 * 512 }, (_, i) => ((i * 7919) % 61) - 30);
  for (const [VEC, PHASE, PHASES] of [
    [1, 1, 1],
    [4, 2, 4],
    [8, 1, 16],
  ] as const) {
    const make = (): Func =>
      lowerSigned(parser, KERNEL, { X: '*fp32', Y: '*fp32', n: 'i32', VEC, PHASE, PHASES });
    const args = [new Uint8Array(x.slice().buffer), new Uint8Array(4 * 544), [5]];
    const found = passDifferences(target, make, args, [1, 1, 1], EXACT, {
      optimize: true,
      numWarps: 4,
    });
    expect(found).toEqual([]);
  }
});

it('has the values that the program says, whatever the swizzle', () => {
  const results = (
    [
      [1, 1, 1],
      [4, 2, 4],
      [8, 1, 16],
    ] as const
  ).map(([VEC, PHASE, PHASES]) => {
    const func = lowerSigned(parser, KERNEL, {
      X: '*fp32',
      Y: '*fp32',
      n: 'i32',
      VEC,
      PHASE,
      PHASES,
    });
    const x = Float32Array.from({ length: 5 * 512 }, (_, i) => i % 97);
    const y = new Uint8Array(4 * 544);
    const { buffers } = interpret(func, [new Uint8Array(x.buffer), y, [5]], [1, 1, 1]);
    return new Float32Array(buffers[1]!.slice().buffer);
  });
  const expected = new Float32Array(544);
  const x = (i: number, r: number, c: number): number => (i * 512 + r * 32 + c) % 97;
  for (let c = 0; c < 32; c++)
    for (let r = 0; r < 16; r++) {
      let sum = r < 8 ? 2 * x(4, r + 8, c) : x(4, r, c);
      for (let i = 1; i < 5; i++) sum += x(i - 1, r, c) * i;
      expected[c * 16 + r] = sum;
      expected[512 + c]! += sum;
    }
  for (const result of results) expect(result).toEqual(expected);
});
