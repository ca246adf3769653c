/** Pending accesses behind branches and loops: no barrier too few behind them, none too many. */
import { expect, test } from 'vitest';
import { parseFunc } from '../ir/parser';
import { behindBlock, behindRegions, type Step } from './membar';

const step: Step<string> = (op, pending) => {
  if (op.name === 'gpu.barrier') return new Set();
  if (op.name !== 'tt.load') return behindRegions(op, pending, step);
  return new Set([...pending, op.result.name!]);
};
/** The names of loads that no barrier follows. */
const pendingBehind = (body: string): string[] => {
  const func = parseFunc(`tt.func @f(%p: !tt.ptr<f32>, %n: i32, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = tt.load %p : f32
  ${body}
  tt.return
}
`);
  return [...behindBlock(func.body, new Set<string>(), step)].sort();
};
const branch = (yes: string, no: string): string => `scf.if %c {
  ${yes}
  scf.yield
  } else {
  ${no}
  scf.yield
  }`;
const loop = (body: string): string => `scf.for %zero, %n, %one {
  ^(%i: i32):
  ${body}
  scf.yield
  }`;
const LOAD = '%x = tt.load %p : f32';

test('a branch clears what both arms have a barrier for, and adds what either leaves', () => {
  expect(pendingBehind(branch('gpu.barrier', 'gpu.barrier'))).toEqual([]);
  expect(pendingBehind(branch('gpu.barrier', ''))).toEqual(['first']);
  expect(pendingBehind(branch(LOAD, 'gpu.barrier'))).toEqual(['first', 'x']);
  expect(pendingBehind(branch(`gpu.barrier\n  ${LOAD}`, 'gpu.barrier'))).toEqual(['x']);
});

test('a loop may run no iteration: pending accesses stay', () => {
  expect(pendingBehind(loop('gpu.barrier'))).toEqual(['first']);
  expect(pendingBehind(loop(`${LOAD}\n  gpu.barrier`))).toEqual(['first']);
  expect(pendingBehind(loop(`gpu.barrier\n  ${LOAD}`))).toEqual(['first', 'x']);
});
