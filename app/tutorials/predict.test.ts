/** Guesses of a prediction against the answer of a run. */
import { expect, it } from 'vitest';
import { piecesOf } from './document';
import { judge, openPredictions, parsePrediction, showsAnswer } from './predict';

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

it('shows what the compiler says at a right guess, or after two wrong ones', () => {
  const printed = prediction();
  const ir = parsePrediction(
    'question: How wide?\nanswer: ir k: list vector of tt.load after set_vector_width',
  );
  expect([showsAnswer(printed, ['1']), showsAnswer(ir), showsAnswer(ir, ['1'])]).toEqual([
    true,
    false,
    false,
  ]);
  expect(showsAnswer(ir, ['1', '2'])).toBe(true);
});

it('counts a prediction as open until it is right, or was answered wrong twice', () => {
  const pieces = piecesOf('```predict\nquestion: How many?\nanswer: printed many\n```\n');
  const [at] = pieces.flatMap((piece, id) => (piece.kind === 'predict' ? [id] : []));
  const open = (guess: string, ...missed: string[]): number =>
    openPredictions(pieces, {
      guesses: { [at!]: guess },
      answers: { [at!]: '4' },
      misses: { [at!]: missed },
    });
  expect(open('4')).toBe(0);
  expect(open('5', '5')).toBe(1);
  expect(open('6', '5', '6')).toBe(0);
  expect(openPredictions(pieces, { guesses: {} })).toBe(1);
});
