/** Programs that take longer the later they come are counted backwards, and no others. */
import { expect, it } from 'vitest';
import type { Builder } from '../ir/builder';
import type { Func, Value } from '../ir/ir';
import { I32 } from '../ir/types';
import { BASELINE_TARGET } from '../target';
import { makeFunc, P32, vectorAdd } from '../4-distribute/testKernels';
import { growsAlongX } from './programOrder';
import { compileFunc } from './testing/run';

/** Adds up numbers from `lower` to `upper`, which are made of the program's id. */
function sums(
  bounds: (b: Builder, id: Value, n: Value) => readonly [Value, Value],
  axis = 0,
): Func {
  return makeFunc(
    'sums',
    [
      ['out', P32, 16],
      ['n', I32],
    ],
    (b, [out, n]) => {
      const id = b.programId(axis);
      const [lower, upper] = bounds(b, id, n!);
      const [sum] = b.forLoop(lower, upper, b.i32(1), [b.i32(0)], (i, [s]) => [
        b.binary('arith.addi', s!, i),
      ]);
      b.store(b.addptr(out!, id), b.cast('arith.sitofp', sum!, { kind: 'scalar', dtype: 'f32' }));
    },
  );
}
const blocks = (b: Builder, id: Value): Value => b.binary('arith.muli', id, b.i32(128));

it.each([
  ['up to its block', (b: Builder, id: Value) => [b.i32(0), blocks(b, id)] as const, true],
  [
    'up to its block, or to the end',
    (b: Builder, id: Value, n: Value) =>
      [b.i32(0), b.binary('arith.minsi', blocks(b, id), n)] as const,
    true,
  ],
  ['from its block on', (b: Builder, id: Value, n: Value) => [blocks(b, id), n] as const, false],
  ['over all', (b: Builder, _: Value, n: Value) => [b.i32(0), n] as const, false],
  [
    'over its own block',
    (b: Builder, id: Value) =>
      [blocks(b, id), b.binary('arith.addi', blocks(b, id), b.i32(128))] as const,
    false,
  ],
  [
    'by its number in a group',
    (b: Builder, id: Value, n: Value) => [b.i32(0), b.binary('arith.remsi', id, n)] as const,
    false,
  ],
])('a loop %s', (_, bounds, grows) => {
  expect(growsAlongX(sums(bounds))).toBe(grows);
});

it('looks at x alone, where neighbours begin together', () => {
  expect(growsAlongX(sums((b, id) => [b.i32(0), id], 1))).toBe(false);
  expect(growsAlongX(vectorAdd())).toBe(false);
});

it('is the emitter’s order on a GPU', () => {
  const wgslOf = (name: string): string =>
    compileFunc(
      sums((b, id) => [b.i32(0), id]),
      { ...BASELINE_TARGET, name },
    ).wgsl;
  expect(wgslOf('a GPU')).toContain('workgroups.x - 1u - workgroup.x');
  expect(wgslOf('SwiftShader')).toContain('let program = workgroup;');
});
