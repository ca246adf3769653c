import { describe, expect, it } from 'vitest';
import type { Location } from '../../compiler/ir/location';
import type { CompiledKernel } from '../../compiler/program';
import { coloredLines, colorLines, colorOf, colorRanges, colorsOfCode } from './lineColors';

const at = (line: number, file = 'a.py', inlinedAt?: Location): Location => ({
  file,
  line,
  column: 1,
  endLine: line,
  endColumn: 9,
  ...(inlinedAt ? { inlinedAt } : {}),
});
const files = { 'a.py': '', 'helpers.py': '' };
const sourceMap = [null, at(12), at(10), at(2, 'helpers.py', at(12)), at(3, 'library', at(10))];
const colors = colorLines(
  {
    kind: 'compiled',
    kernel: { sourceMap } as unknown as CompiledKernel,
    log: [],
    schedule: [],
    diagnostics: [],
  },
  files,
);

describe('one colour per line', () => {
  it('neighbours differ, whatever lies between them', () => {
    expect(coloredLines(colors, 'a.py')).toEqual([
      { line: 10, color: 0 },
      { line: 12, color: 1 },
    ]);
    expect(coloredLines(colors, 'helpers.py')).toEqual([{ line: 2, color: 2 }]);
    expect(colorOf(colors, 'a.py', 11)).toBeNull();
  });
  it('generated code has the colour of the line it comes from', () => {
    expect(colorsOfCode(colors, sourceMap, files)).toEqual([null, 1, 0, 2, 0]);
  });
  it('runs of one colour are one range', () => {
    expect(colorRanges([null, 1, 1, 0, null, 0])).toEqual([
      { from: 2, to: 3, color: 1 },
      { from: 4, to: 4, color: 0 },
      { from: 6, to: 6, color: 0 },
    ]);
  });
});
