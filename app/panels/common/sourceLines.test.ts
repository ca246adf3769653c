import { describe, expect, it } from 'vitest';
import type { Location } from '../../../compiler/ir/location';
import { lineOf, linesFrom } from './sourceLines';

const at = (line: number, endLine = line, inlinedAt?: Location): Location => ({
  file: 'a.py',
  line,
  column: 1,
  endLine,
  endColumn: 9,
  ...(inlinedAt ? { inlinedAt } : {}),
});

describe('linked lines', () => {
  const helper: Location = { ...at(3), file: 'helpers.py', inlinedAt: at(12) };
  const locations = [null, at(10), at(10, 11), helper, at(1, 60)];

  it('go from the program to generated code, through inlined helpers', () => {
    expect(linesFrom(locations, 'a.py', 10)).toEqual([2, 3]);
    expect(linesFrom(locations, 'a.py', 11)).toEqual([3]);
    expect(linesFrom(locations, 'a.py', 12)).toEqual([4]);
    expect(linesFrom(locations, 'helpers.py', 3)).toEqual([4]);
  });
  it('do not light a whole function for one line of it', () => {
    expect(linesFrom(locations, 'a.py', 40)).toEqual([]);
    expect(linesFrom(locations, 'a.py', 1)).toEqual([5]);
  });
  it('come back, to the innermost line of the program’s files', () => {
    const both = { 'a.py': '', 'helpers.py': '' };
    expect(lineOf(locations, 1, both)).toBeNull();
    expect(lineOf(locations, 3, both)).toEqual({ file: 'a.py', line: 10 });
    expect(lineOf(locations, 4, both)).toEqual({ file: 'helpers.py', line: 3 });
    // Code of the compiler's own library belongs to the line that calls it.
    expect(lineOf(locations, 4, { 'a.py': '' })).toEqual({ file: 'a.py', line: 12 });
    expect(lineOf(locations, 4, { 'other.py': '' })).toBeNull();
  });
});
