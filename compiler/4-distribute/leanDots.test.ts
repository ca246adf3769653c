/**
 * A product before a loop whose result only the kernel's end needs, with `sinkIntoEpilogue`: it
 * stays where its operands lie in workgroup memory, which the loop's slices take over. Nothing else
 * would tell: the text is valid either way.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import { lowerSigned } from '../5-threads/testing/lowerSigned';
import type { Func, Operation } from '../ir/ir';
import { assertValid } from '../ir/verifier';
import { BASELINE_TARGET, type Target } from '../target';
import { MATRIX_TARGET } from '../testing/targets';
import { DISTRIBUTE_PASSES, distributeContext } from './index';

const SOURCE = `import triton
import triton.language as tl
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, COUNT, D: tl.constexpr):
    rows = tl.arange(0, D)
    block = rows[:, None] * D + rows[None, :]
    first = tl.dot(tl.load(a_ptr + block), tl.load(b_ptr + block))
    acc = tl.zeros((D, D), dtype=tl.float32)
    for i in range(0, COUNT):
        tile = block + (i + 1) * D * D
        acc += tl.dot(tl.load(a_ptr + tile), tl.load(b_ptr + tile))
    tl.store(c_ptr + block, acc * first)
`;
let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const readsStaged = (op: Operation): boolean =>
  op.operands.some(({ type }) => type.kind === 'memdesc');

function distributed(type: string, target: Target): Func {
  const types = { a_ptr: `${type}:16`, b_ptr: `${type}:16`, c_ptr: '*fp32:16' };
  const func = lowerSigned(parser, SOURCE, { ...types, COUNT: 'i32', D: 32 });
  for (const pass of OPTIMIZE_PASSES) pass.run(func);
  const context = distributeContext(target, 4, { sinkIntoEpilogue: true });
  for (const pass of DISTRIBUTE_PASSES) pass.run(func, context);
  assertValid(func, 'distribution');
  return func;
}

it.each([
  ['*fp32', BASELINE_TARGET],
  ['*fp16', MATRIX_TARGET],
] as const)('a product of %s that was staged before the loop is taken there', (type, target) => {
  const { ops } = distributed(type, target).body;
  const loop = ops.findLastIndex(({ name }) => name === 'scf.for');
  const takers = ops.flatMap((op, i) => (readsStaged(op) && op.results.length > 0 ? [i] : []));
  expect(takers.length).toBeGreaterThan(0);
  for (const at of takers) expect(at).toBeLessThan(loop);
});
