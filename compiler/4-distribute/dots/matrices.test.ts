/**
 * Which products matrices may take: those that keep what Triton promises of their precision, and no
 * others.
 */
import { expect, it } from 'vitest';
import type { Func } from '../../ir/ir';
import { walk } from '../../ir/ir';
import { parseFunc } from '../../ir/parser';
import { MATRIX_TARGET } from '../../testing/targets';
import { matrixOf } from './matrices';

const product = (operands: string, result: string, shape = [32, 32, 32]): Func => {
  const [m, n, k] = shape;
  const [a, b, c] = [`${m}x${k}x${operands}`, `${k}x${n}x${operands}`, `${m}x${n}x${result}`];
  const precision = operands === 'f32' ? ' {inputPrecision = "ieee"}' : '';
  return parseFunc(`tt.func @product(%p: !tt.ptr<${operands}>, %q: !tt.ptr<${result}>) {
  %x = tt.load %p : ${operands}
  %y = tt.load %q : ${result}
  %a = tt.splat %x : tensor<${a}>
  %b = tt.splat %x : tensor<${b}>
  %c = tt.splat %y : tensor<${c}>
  %d = tt.dot %a, %b, %c${precision} : tensor<${c}>
  tt.return
}
`);
};
const taken = (func: Func, target = MATRIX_TARGET): readonly number[] | null => {
  let found: readonly number[] | null = null;
  walk(func.body, (op) => {
    const matrix = op.name === 'tt.dot' ? matrixOf(op, target) : undefined;
    if (matrix) found = [matrix.M, matrix.N, matrix.K];
  });
  return found;
};

it.each([
  ['f16', 'f32'],
  ['f8E4M3FN', 'f32'],
  ['f8E5M2', 'f32'],
  ['i8', 'i32'],
])('products of %s summed in %s', (operands, result) => {
  expect(taken(product(operands, result))).not.toBeNull();
});

it.each([
  ['f32', 'f32', 'their inputs would be rounded to halves'],
  ['bf16', 'f32', 'halves do not hold their range'],
  ['i32', 'i32', 'no configuration has them'],
])('no products of %s summed in %s: %s', (operands, result) => {
  expect(taken(product(operands, result))).toBeNull();
});

it('none where the adapter has no halves, no matrices, or has shared memory in storage', () => {
  const halves = product('f16', 'f32');
  expect(taken(halves, { ...MATRIX_TARGET, f16: false })).toBeNull();
  expect(taken(halves, { ...MATRIX_TARGET, subgroupMatrices: [] })).toBeNull();
  expect(taken(halves, { ...MATRIX_TARGET, sharedMemoryInStorage: true })).toBeNull();
  expect(taken(halves, { ...MATRIX_TARGET, subgroupSize: 'none' })).toBeNull();
});

it('none of a tile that no matrix divides', () => {
  expect(taken(product('f16', 'f32', [16, 16, 8]))).toBeNull();
  expect(taken(product('i8', 'i32', [16, 16, 16]))).toBeNull();
});
