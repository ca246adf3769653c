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
    '    tl.store(y_ptr + i, x * 2)  # !\n    z = tl.load(y_ptr + 63 - i)\n    tl.store(x_ptr + i, z)\n',
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
  [
    'a store behind a load of another lane',
    '    z = tl.load(y_ptr + i)  # !\n    tl.store(y_ptr + 63 - i, z)\n',
    'in line 9, after another loaded it, with no barrier between',
  ],
  [
    'a neighbour that is loaded before it is stored',
    '    z = tl.load(y_ptr + i + 1, mask=i < 63, other=0.0)  # !\n    tl.store(y_ptr + i, x + z)\n',
    'in line 9, after another loaded it',
  ],
  [
    'a store of what all threads load as a scalar',
    '    z = tl.load(y_ptr)  # !\n    tl.store(y_ptr + i, x - z)\n',
    'a lane writes element 0 of y_ptr in line 9, after another loaded it',
  ],
  [
    'a scalar that changes while other threads load it',
    '    z = tl.load(y_ptr)  # !\n    tl.store(y_ptr, z + 1)\n    tl.store(x_ptr + i, x + z)\n',
    'a lane writes element 0 of y_ptr in line 9, after another loaded it',
  ],
  [
    'a flag that decides what other threads store',
    '    if tl.load(y_ptr + 1) > 0.5:  # !\n        tl.store(y_ptr + 1, 0.0)\n        tl.store(x_ptr + i, x + 1)\n',
    'a lane writes element 1 of y_ptr in line 9, after another loaded it',
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
  [
    'lanes beyond the end that load its last element',
    '    z = tl.load(y_ptr + tl.minimum(i, 40))\n    tl.store(y_ptr + i, z + 1, mask=i < 41)\n',
  ],
  [
    'such lanes behind the store',
    '    tl.store(y_ptr + i, x, mask=i < 41)\n    z = tl.load(y_ptr + tl.minimum(i, 40))\n' +
      '    tl.store(x_ptr + i, z, mask=i < 41)\n',
  ],
  ['a counter', '    tl.store(y_ptr, tl.load(y_ptr) + 1)\n'],
  [
    'a flag that its branch clears',
    '    if tl.load(y_ptr + 1) > 0.5:\n        tl.store(y_ptr + 1, 0.0)\n    tl.store(x_ptr + i, x + 1)\n',
  ],
  [
    'a scalar that its thread loads again',
    '    tl.store(y_ptr, 7.0)\n    tl.store(x_ptr, tl.load(y_ptr))\n',
  ],
  [
    'a store that writes what was loaded',
    '    z = tl.load(y_ptr + 63 - i)\n    tl.store(y_ptr + i, i + 1.0)\n    tl.store(x_ptr + i, z)\n',
  ],
  ['a sum between', '    z = tl.load(y_ptr + i)\n    tl.store(y_ptr + 63 - i, z - tl.sum(z))\n'],
  [
    'a column of what was loaded',
    '    z = tl.load(y_ptr + i)\n    j = tl.arange(0, 2)[None, :]\n' +
      '    tl.store(y_ptr + 32 * j + (i % 32)[:, None], z[:, None] + j, mask=i[:, None] < 32)\n',
  ],
  ['a lane that is masked', '    tl.store(y_ptr + i % 8, x, mask=i < 8)\n'],
])('accuses nothing of %s', (_, body) => {
  expect(lanes(kernel(body))).toEqual([]);
});

it.each(RIGHT)('accuses nothing of $name', (one) => {
  expect(lanes(one)).toEqual([]);
});

it('states of two stores that only their elements are undefined, and of a load nothing', () => {
  const notes = (body: string): unknown =>
    lanes(kernel(body)).map(({ answer }) => ('notes' in answer ? answer.notes : null));
  const slot = '    tl.store(y_ptr + tl.where(i < 40, i, 40), SLOT)\n';
  expect(notes(slot.replace('SLOT', 'x'))).toEqual([
    ['only what such elements hold is undefined: the program is right where nothing reads them'],
  ]);
  // The lanes that are left out store one value.
  expect(notes(slot.replace('SLOT', 'tl.where(i < 40, x, 0.0)'))).toEqual([]);
  const loaded =
    '    tl.store(y_ptr + i, x * 2)\n    tl.store(x_ptr + i, tl.load(y_ptr + 63 - i))\n';
  expect(notes(loaded)).toEqual([null]);
});
