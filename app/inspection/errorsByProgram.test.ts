/** Errors, counted for who wrote them. */
import { expect, it } from 'vitest';
import { errorsByProgram } from './errorsByProgram';
import { EXACT, pair } from './testing';

it('are counted for each, and NaN stays NaN', () => {
  const both = pair([1, 2, 3, NaN, 9, 7], [1, 2.5, 3, 4, 4, 7]);
  const owners = Int32Array.from([0, 0, 1, 1, -2, 3]);
  const found = errorsByProgram(both, EXACT, owners, 4);
  expect([...found.largest]).toEqual([0.5, NaN, -1, 0]);
  expect(found).toMatchObject({
    withErrors: 2,
    writing: 3,
    nobody: { elements: 0, over: 0, first: null },
    several: { elements: 1, over: 1, first: 4 },
  });
  expect(found.worst).toEqual([
    { program: 0, elements: 2, over: 1, largest: 0.5, first: 1 },
    { program: 1, elements: 2, over: 1, largest: NaN, first: 3 },
  ]);
});
