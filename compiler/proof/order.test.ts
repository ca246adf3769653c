/** Atomics whose result depends on the order of programs, and those whose result does not. */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { ramp, whole, type Case } from './testing/case';
import { launchOf, proveInputs } from './testing/prove';
import type { BoundsAnswer } from './report';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

function orders(body: string, grid = 4): readonly BoundsAnswer[] {
  const one: Case = {
    name: '',
    text: `def k(x_ptr, y_ptr, c_ptr, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
${body}`,
    signature: { x_ptr: '*fp32', y_ptr: '*fp32', c_ptr: '*i32', n: 'i32', BLOCK: 64 },
    grid: [grid, 1, 1],
    args: [ramp(64), ramp(64), whole(64, () => 0), 50],
  };
  return proveInputs(compiler, launchOf(parser, one)).orders;
}

it.each([
  ['a count', '    tl.atomic_add(c_ptr, p + 1)\n'],
  ['a maximum of floats', '    tl.atomic_max(y_ptr, p * 100.0)\n'],
  ['a mask of bits', '    tl.atomic_or(c_ptr, 1 << p)\n'],
  ['places that no other program has', '    tl.atomic_xchg(c_ptr + p, p)\n'],
])('%s is the same in any order', (_, body) => {
  for (const { answer } of orders(body))
    expect(answer).toMatchObject({
      kind: 'checked',
      programs: 4,
      of: 4,
      reason: 'run with the first program first, and with the last one first',
    });
});

it('states how the order rounds a sum of floats', () => {
  const [found] = orders('    tl.atomic_add(y_ptr, 1.0 / (p + 3.0))\n', 9);
  expect(found).toMatchObject({
    kind: 'atomic',
    argument: 'y_ptr',
    answer: {
      kind: 'checked',
      reason: expect.stringMatching(/round a sum otherwise: element 0 of/),
    },
  });
});

it('finds a sum that the order changes beyond its rounding', () => {
  // 2**25 takes up the small numbers that come after it.
  const [found] = orders('    tl.atomic_add(y_ptr, tl.where(p == 0, 33554432.0, 1.0))\n', 400);
  expect(found!.answer.kind).toBe('checked');
  const [lost] = orders(
    '    tl.atomic_add(y_ptr, tl.where(p == 0, 3e38, tl.where(p == 1, 3e38, -3e38)))\n',
    4,
  );
  expect(lost!.answer).toMatchObject({
    kind: 'counterexample',
    message: expect.stringContaining('more than the rounding of a sum: element 0 of y_ptr is '),
  });
});

it('finds that the last program decides', () => {
  const [found] = orders('    tl.atomic_xchg(c_ptr, p)\n');
  expect(found!.answer).toMatchObject({
    kind: 'counterexample',
    message: 'the last program to come decides the result: element 0 of c_ptr is 3 or 0',
  });
});

it.each([
  ['gives out places', '    at = tl.atomic_add(c_ptr, 1)\n    tl.store(y_ptr + at, p * 1.0)\n'],
  [
    'waits for the program before it',
    '    while tl.atomic_add(c_ptr, 0) < p:\n        pass\n    tl.atomic_add(c_ptr, 1)\n',
  ],
])('does not decide where a program %s', (_, body) => {
  for (const { answer } of orders(body)) expect(answer.kind).toBe('undecided');
});

it('has no answer for one program, nor for a launch without atomics', () => {
  expect(orders('    tl.atomic_xchg(c_ptr, p)\n', 1)).toEqual([]);
  expect(orders('    tl.store(y_ptr + p, 1.0)\n')).toEqual([]);
});
