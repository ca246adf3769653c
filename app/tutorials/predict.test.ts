/** Guesses of a prediction against the answer of a run. */
import { expect, it } from 'vitest';
import { judge, parsePrediction } from './predict';

const prediction = (...fields: string[]) =>
  parsePrediction(['question: How many?', 'answer: printed many', ...fields].join('\n'));

it('takes a number within what the question allows', () => {
  const exact = prediction();
  expect(judge(exact, '1,024', '1024')).toBe(true);
  expect(judge(exact, '1023', '1024')).toBe(false);
  expect(judge(prediction('within: 40'), '60', '73')).toBe(true);
});

it('takes a choice that the answer begins with, and not one that is a part of another', () => {
  const tiles = prediction('choices: 1 | 4 | 16');
  expect(judge(tiles, '16', '16')).toBe(true);
  expect(judge(tiles, '1', '16')).toBe(false);
  expect(judge(tiles, '1', '1')).toBe(true);
  expect(judge(tiles, '4', '16')).toBe(false);
  const path = prediction('choices: 16×16 | 32×32');
  expect(judge(path, '16×16', '16×16 of 32×32')).toBe(true);
  expect(judge(path, '32×32', '16×16 of 32×32')).toBe(false);
});
