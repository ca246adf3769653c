/** Places of matrices on their way to registers: each word once, and in different banks. */
import { describe, expect, it } from 'vitest';
import { blockedLayout, coordinates } from '../ir/layoutAlgebra';
import { F32, type FragmentsType } from '../ir/types';
import { fragmentChunks, rowWords } from './fragmentChunks';
import { matrixResultLayout } from './memoryLayouts';

const THREADS = { lanes: 5, subgroups: 2 };
const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);

describe.each([
  [
    [64, 64],
    [16, 64],
  ],
  [
    [128, 32],
    [32, 32],
  ],
  [
    [64, 128],
    [64, 32],
  ],
  [
    [64, 64],
    [64, 16],
  ],
  [
    [32, 64],
    [32, 8],
  ],
] as const)('a tile of %j in blocks of %j', (shape, block) => {
  const matrix = [Math.min(16, block[0]), Math.min(16, block[1])] as const;
  const type: FragmentsType = { kind: 'fragments', shape, element: F32, block, matrix };
  const layout = blockedLayout(shape, THREADS, 8);

  it.each([Infinity, 16_384, 4096])(
    'has a word of its own for each element, in %d bytes',
    (most) => {
      const plan = fragmentChunks(type, layout, most);
      const [rows, columns] = [
        shape[0] / 2 ** plan.rows.length,
        shape[1] / 2 ** plan.columns.length,
      ];
      const words = new Set<number>();
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < columns; column++)
          words.add(row * plan.stride + plan.wordOfColumn(column));
      expect(words.size).toBe(rows * columns);
      expect(Math.max(...words)).toBeLessThan(plan.bytes / 4);
      expect(plan.stride % 4).toBe(0);
    },
  );

  it('adds up by the bits of a column, and by blocks', () => {
    const plan = fragmentChunks(type, layout, Infinity);
    const at = plan.wordOfColumn;
    for (let column = 0; column < shape[1]; column++) {
      const bits = [1, 2, 4, 8, 16, 32, 64].filter((bit) => (column & bit) !== 0);
      expect(at(column)).toBe(sum(bits.map(at)));
    }
    for (let first = 0; first < shape[1]; first += block[1])
      expect(at(first)).toBe((first / block[1]) * at(block[1]));
    // A matrix lies in one slice.
    for (let column = 0; column < shape[1]; column += matrix[1])
      expect(at(column + matrix[1] - 1)).toBe(at(column) + matrix[1] - 1);
  });
});

describe.each([32, 64])('rows of %i columns', (columns) => {
  const type: FragmentsType = {
    kind: 'fragments',
    shape: [64, columns],
    element: F32,
    block: [16, columns],
    matrix: [16, 16],
  };
  const plan = fragmentChunks(type, blockedLayout([64, columns], THREADS, 16), Infinity);
  const banks = (words: readonly number[]): number => new Set(words.map((w) => w % 32)).size;

  it('are written without conflicts: four rows of eight words', () => {
    const words = [0, 1, 2, 3].flatMap((row) =>
      Array.from({ length: 8 }, (_, i) => row * rowWords(columns) + i),
    );
    expect(banks(words)).toBe(32);
  });
  it('are read without: four words of each of two runs of 16 in four rows', () => {
    for (let column = 0; column < 16; column += 4) {
      const words = [0, 1, 2, 3].flatMap((row) =>
        [0, 16].flatMap((run) =>
          [0, 1, 2, 3].map((i) => row * plan.stride + plan.wordOfColumn(run + column + i)),
        ),
      );
      expect(banks(words)).toBe(32);
    }
  });
});

/**
 * The layouts in which results come back: what eight threads at a time read of scratch, and store
 * of halves, four words each, is in different banks.
 */
describe.each([
  ['rows', [128, 64], [16, 64], 8, { rowsInSubgroup: true }],
  ['short rows', [64, 64], [16, 64], 4, { rowsInSubgroup: true }],
  ['long rows', [128, 128], [16, 128], 8, { rowsInSubgroup: true }],
  ['squares', [128, 64], [32, 32], 8, { rowsInSubgroup: true, squareBlocks: true }],
  ['squares of long rows', [128, 128], [32, 64], 8, { rowsInSubgroup: true, squareBlocks: true }],
  ['squares that nothing reduces', [128, 64], [32, 32], 8, { squareBlocks: true }],
  ['squares, four subgroups', [64, 64], [32, 32], 4, { squareBlocks: true }],
] as const)('%s of %j', (_, shape, block, subgroups, wanted) => {
  const choices = { rowsInSubgroup: false, squareBlocks: false, kSlice: 64, ...wanted };
  const threads = { lanes: 5, subgroups: Math.log2(subgroups) };
  const layout = matrixResultLayout(shape, threads, choices, block[1]);
  const type: FragmentsType = { kind: 'fragments', shape, element: F32, block, matrix: [16, 16] };
  const plan = fragmentChunks(type, layout, 20_480);
  const close = (at: number, fixed: readonly number[]): number =>
    [...fixed]
      .sort((a, b) => b - a)
      .reduce((c, bit) => (c % bit) + Math.floor(c / bit / 2) * bit, at);
  /** How many banks each of eight threads has for itself: of those that take part. */
  const banksOfEach = (of: (at: readonly [number, number]) => number | undefined): number => {
    const banks = new Set<number>();
    let count = 0;
    for (let thread = 0; thread < 8; thread++) {
      const [row = 0, column = 0] = coordinates(layout, 0, thread);
      const first = of([row, column]);
      if (first === undefined) continue;
      count++;
      for (let i = 0; i < 4; i++) banks.add((first + i) % 32);
    }
    return banks.size / count;
  };

  it('has work for all threads in every chunk', () => {
    const dealt = [...layout.lane, ...layout.subgroup];
    for (const bit of plan.columns) expect(dealt.some((basis) => basis[1] === bit)).toBe(false);
    expect(plan.rows).toEqual([]);
  });
  it('is read without conflicts', () => {
    const word = ([row, column]: readonly [number, number]): number =>
      row * plan.stride + plan.wordOfColumn(close(column, plan.columns));
    expect(banksOfEach(word)).toBe(4);
  });
  it('is stored as halves without conflicts', () => {
    // The first slice: rows of 64, and 16 bytes.
    const word = ([row, column]: readonly [number, number]): number | undefined =>
      column < 64 ? (row * 72 + column) / 2 : undefined;
    expect(banksOfEach(word)).toBe(4);
  });
});
