import { describe, expect, it } from 'vitest';
import { piecesOf } from './document';
import { functionText, isKernelFinished } from './finished';
import { readLessons } from './testing';

const program = (body: string): string =>
  `import triton\n\n@triton.jit\ndef kernel(\n    x,\n):\n    ${body}\n\n\nprint(1)\n`;

describe('a finished kernel', () => {
  it('has the text of its def alone', () => {
    expect(functionText(program('return x'), 'kernel')).toBe(
      'def kernel(\n    x,\n):\n    return x',
    );
    expect(functionText(program('return x'), 'other')).toBeNull();
  });
  it('is the solution’s, or stands in a program that passed', () => {
    const finished = { solution: program('return x'), passed: null };
    expect(isKernelFinished(`${program('return x')}# more`, 'kernel', finished)).toBe(true);
    const own = program('return 1 * x');
    expect(isKernelFinished(own, 'kernel', finished)).toBe(false);
    expect(isKernelFinished(own, 'kernel', { ...finished, passed: own })).toBe(true);
  });
  it('is found in every lesson that draws one', () => {
    for (const { text, solution, start } of readLessons())
      for (const piece of piecesOf(text)) {
        if (piece.kind !== 'figure' || piece.figure.kind !== 'accesses') continue;
        const { kernel } = piece.figure;
        expect(functionText(solution, kernel), kernel).toContain('tl.load');
        expect(functionText(start, kernel), kernel).not.toBeNull();
      }
  });
});
