/** Requests for another target: choices that stay behind, and tensors that share bindings. */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { requestFor } from '../inspect/testing/launches';
import { createCompiler } from '../pipeline';
import { settle } from '../regroup';
import { BASELINE_TARGET } from '../target';
import { findProfile } from './index';
import { retarget } from './retarget';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});
const NAMES = 'abcdefghij'.split('');
const TEXT = `def sum_kernel(${NAMES.map((x) => `${x}_ptr`).join(', ')}, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(a_ptr + i, ${NAMES.slice(1)
      .map((x) => `tl.load(${x}_ptr + i)`)
      .join(' + ')})
`;

it('leaves out what was chosen for the machine at hand', () => {
  const signature = Object.fromEntries(NAMES.map((x) => [`${x}_ptr`, '*fp32:16']));
  const request = requestFor(parser, TEXT, { ...signature, BLOCK: 256 }, BASELINE_TARGET);
  const options = { ...request.options, choices: { threads: 512 }, manyPrograms: true };
  const mali = findProfile('mali')!.target;
  const moved = retarget({ ...request, options }, mali);
  expect(moved.target).toBe(mali);
  expect(moved.options).not.toHaveProperty('choices');
  expect(moved.options.manyPrograms).toBeUndefined();
  const software = retarget({ ...request, options }, findProfile('swiftshader')!.target);
  expect(software.options.manyPrograms).toBe(true);
});

it('merges tensors where the target has fewer bindings', () => {
  const signature = Object.fromEntries(NAMES.map((x) => [`${x}_ptr`, '*fp32:16']));
  const request = requestFor(parser, TEXT, { ...signature, BLOCK: 256 }, BASELINE_TARGET);
  const bindings = (id: string): number => {
    const first = retarget(request, findProfile(id)!.target);
    const { result } = settle((each) => createCompiler(parser).compile(each), first);
    return result.kind === 'compiled' ? result.kernel.bindings.length : 0;
  };
  expect(bindings('h200')).toBe(10);
  expect(bindings('mali')).toBe(6);
});
