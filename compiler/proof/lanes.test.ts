/** Races between lanes of one program, and accesses that are none. */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { RIGHT } from './testing/right';
import { ramp, XYN, type Case } from './testing/case';
import { launchOf, markedLine, proveInputs } from './testing/prove';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

const kernel = (body: string): Case => ({
  name: '',
  text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
${body}`,
  signature: XYN,
  grid: [1, 1, 1],
  args: [ramp(64), ramp(64), 64],
});
const lanes = (one: Case) => proveInputs(compiler, launchOf(parser, one)).lanes;

it.each([
  [
    'lanes of one store',
    '    tl.store(y_ptr + i % 8, x)  # !\n',
    'two lanes of the store write different values to element 0 of y_ptr',
  ],
  [
    'a load behind a store of another lane',
    '    tl.store(y_ptr + i, x)  # !\n    z = tl.load(y_ptr + 63 - i)\n    tl.store(x_ptr + i, z)\n',
    'a lane loads element 63 of y_ptr in line 9, after another stored it',
  ],
  [
    'a scalar that all threads load',
    '    tl.store(y_ptr, n * 1.0)  # !\n    tl.store(x_ptr + i, x + tl.load(y_ptr))\n',
    'a lane loads element 0 of y_ptr in line 9',
  ],
  [
    'two stores of other lanes',
    '    tl.store(y_ptr + i, x)  # !\n    tl.store(y_ptr + 63 - i, x)\n',
    'a lane writes element 63 of y_ptr in line 9',
  ],
])('finds %s', (_, body, message) => {
  const one = kernel(body);
  expect(lanes(one)).toMatchObject([
    {
      first: { location: { line: markedLine(one) } },
      answer: { kind: 'counterexample', message: expect.stringContaining(message) as string },
    },
  ]);
});

it.each([
  ['lanes that store the same', '    tl.store(y_ptr + i % 8, i % 8 + 0.5)\n'],
  ['lanes that store 0 and −0', '    tl.store(y_ptr + i % 8, tl.where(i < 8, 0.0, -0.0))\n'],
  [
    'a barrier',
    '    tl.store(y_ptr + i, x)\n    tl.debug_barrier()\n    tl.store(x_ptr + i, tl.load(y_ptr + 63 - i))\n',
  ],
  [
    'the same lane',
    '    tl.store(y_ptr + i, x)\n    tl.store(y_ptr + i, tl.load(y_ptr + i) + 1)\n',
  ],
  ['a lane that is masked', '    tl.store(y_ptr + i % 8, x, mask=i < 8)\n'],
])('accuses nothing of %s', (_, body) => {
  expect(lanes(kernel(body))).toEqual([]);
});

it.each(RIGHT)('accuses nothing of $name', (one) => {
  expect(lanes(one)).toEqual([]);
});
