/** Defaults for dots on subgroup matrices: threads and how much of K is staged at a time. */
import { CPU_FACTS } from '../machine';
import { expect, test } from 'vitest';
import type { Func } from '../ir/ir';
import { parseFunc } from '../ir/parser';
import { BASELINE_TARGET, type Target } from '../target';
import { reasonedChoices } from './choices';
import { vectorAdd } from './testing/kernels';

const MATRICES: Target = {
  ...BASELINE_TARGET,
  name: 'with matrices',
  subgroupSize: 32,
  maxInvocations: 1024,
  f16: true,
  subgroupMatrices: [{ component: 'f16', result: 'f32', M: 16, N: 16, K: 16 }],
};

/** Threads and K slices for a dot of M×K and K×N. */
function chosen(M: number, N: number, K: number): number[] {
  const func = parseFunc(`tt.func @dot(%p: !tt.ptr<f32>) {
  %a = arith.constant 1 : tensor<${M}x${K}xf16>
  %b = arith.constant 1 : tensor<${K}x${N}xf16>
  %c = arith.constant 0 : tensor<${M}x${N}xf32>
  %d = tt.dot %a, %b, %c : tensor<${M}x${N}xf32>
  tt.return
}
`);
  const { threads, kSlice } = reasonedChoices(func, { target: MATRICES, numWarps: 4 }).choices;
  return [threads, kSlice];
}

test('a skinny result has threads for its operands and stages more of K at a time', () => {
  expect(chosen(16, 128, 128)).toEqual([256, 128]);
  expect(chosen(16, 32, 128)).toEqual([128, 128]);
});

test('other results have threads for themselves', () => {
  expect(chosen(32, 128, 128)).toEqual([128, 64]);
  expect(chosen(128, 128, 64)).toEqual([256, 64]);
});

test('sums carried through a loop take one subgroup of a CPU, with no barrier', () => {
  const threadsFor = (columns: number): number =>
    reasonedChoices(
      parseFunc(`tt.func @sums(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : tensor<${columns}xf32>
  %range = tt.make_range {start = 0, end = ${columns}} : tensor<${columns}xi32>
  %s = tt.splat %p : tensor<${columns}x!tt.ptr<f32>>
  %at = tt.addptr %s, %range : tensor<${columns}x!tt.ptr<f32>>
  %o = tt.splat %q : tensor<${columns}x!tt.ptr<f32>>
  %to = tt.addptr %o, %range : tensor<${columns}x!tt.ptr<f32>>
  %sums = scf.for %c0, %n, %c1, %zero : tensor<${columns}xf32> {
  ^(%i: i32, %acc: tensor<${columns}xf32>):
    %x = tt.load %at : tensor<${columns}xf32>
    %high = tt.reduce %x {axis = 0} : f32 {
    ^(%a: f32, %b: f32):
      %m = arith.maxnumf %a, %b : f32
      tt.reduce.return %m
    }
    %h = tt.splat %high : tensor<${columns}xf32>
    %more = arith.addf %acc, %h : tensor<${columns}xf32>
    scf.yield %more
  }
  tt.store %to, %sums
  tt.return
}
`),
      { target: { ...BASELINE_TARGET, machine: CPU_FACTS, subgroupSize: 4 }, numWarps: 4 },
    ).choices.threads;
  expect(threadsFor(128)).toBe(4);
  // More names than one subgroup should have.
  expect(threadsFor(1024)).toBe(64);
});

/** Sums of rows of `columns`, a program each; `before`: lines in front of the store. */
const rowSums = (
  columns: number,
  before = '',
): string => `tt.func @sums(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %row = tt.get_program_id {axis = 0} : i32
  %range = tt.make_range {start = 0, end = ${columns}} : tensor<${columns}xi32>
  %s = tt.splat %p : tensor<${columns}x!tt.ptr<f32>>
  %at = tt.addptr %s, %range : tensor<${columns}x!tt.ptr<f32>>
  %x = tt.load %at : tensor<${columns}xf32>
  %sum = tt.reduce %x {axis = 0} : f32 {
  ^(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tt.reduce.return %m
  }
  %to = tt.addptr %q, %row : !tt.ptr<f32>
${before}
  tt.store %to, %sum
  tt.return
}
`;

test('many programs of one row each are threads, on a CPU, if they have nothing to do with each other', () => {
  const software = {
    ...BASELINE_TARGET,
    name: 'SwiftShader',
    machine: CPU_FACTS,
    subgroupSize: 4,
  } as const;
  const ofFunc = (func: Func, many: boolean, target: Target = software): number[] => {
    const given = { target, numWarps: 4, manyPrograms: many };
    const { threads, programs } = reasonedChoices(func, given).choices;
    return [threads, programs];
  };
  const chosen = (text: string, many: boolean, target?: Target): number[] =>
    ofFunc(parseFunc(text), many, target);
  expect(ofFunc(vectorAdd(1024), true)).toEqual([1, 4]);
  expect(ofFunc(vectorAdd(256), true)[1]).toBe(1);
  expect(chosen(rowSums(1024), true)).toEqual([1, 4]);
  expect(chosen(rowSums(1024), true, { ...software, subgroupSize: 8 })).toEqual([1, 8]);
  expect(chosen(rowSums(1024), false)).toEqual([4, 1]);
  expect(chosen(rowSums(1024), true, BASELINE_TARGET)[1]).toBe(1);
  // Shorter rows have names, sums of longer ones more digits where threads share them.
  expect(chosen(rowSums(256), true)).toEqual([4, 1]);
  expect(chosen(rowSums(8192), true)).toEqual([4, 1]);
  const counts = '  %old = tt.atomic_rmw %to, %sum {kind = "fadd"} : f32';
  expect(chosen(rowSums(1024, counts), true)).toEqual([4, 1]);
});
