/**
 * One colour per line of the program, the same in the editor, the IR and the WGSL, as Compiler
 * Explorer does it. Lines that some code came from take the colours in turn, so that neighbours
 * differ.
 */
import type { Location } from '../../compiler/ir/location';
import type { CompileResult } from '../../compiler/program';
import { originOf } from '../panels/common/sourceLines';

/** How many there are: `--line-0` … in `theme/tokens.css`. */
const LINE_COLORS = 8;

export type LineColors = ReadonlyMap<string, number>;

const key = (file: string, line: number): string => `${line} ${file}`;

/** The colours of all lines of `files` that the compiled form has code of. */
export function colorLines(
  result: Extract<CompileResult, { kind: 'compiled' | 'failed' }> | null,
  files: Readonly<Record<string, string>>,
): LineColors {
  const lines = new Map<string, { file: string; line: number }>();
  // A hundred thousand lines come from a few hundred places.
  const seen = new Set<Location | null>();
  const note = (locations: readonly (Location | null)[]): void => {
    for (const location of locations) {
      if (seen.has(location)) continue;
      seen.add(location);
      const origin = originOf(location, files);
      if (origin) lines.set(key(origin.file, origin.line), origin);
    }
  };
  // Passes only move and drop what lowering made; the WGSL's own lines come on top.
  if (result) note(result.log[0]?.locations ?? []);
  if (result?.kind === 'compiled') note(result.kernel.sourceMap);
  const sorted = [...lines].sort(([, a], [, b]) => a.file.localeCompare(b.file) || a.line - b.line);
  return new Map(sorted.map(([name], index) => [name, index % LINE_COLORS]));
}

export function colorOf(colors: LineColors, file: string, line: number): number | null {
  return colors.get(key(file, line)) ?? null;
}

/** The lines of one file that have a colour. */
export function coloredLines(colors: LineColors, file: string): { line: number; color: number }[] {
  const found: { line: number; color: number }[] = [];
  for (const [name, color] of colors) {
    const space = name.indexOf(' ');
    if (name.slice(space + 1) === file) found.push({ line: Number(name.slice(0, space)), color });
  }
  return found;
}

/** For each line of generated code, its colour. */
export function colorsOfCode(
  colors: LineColors,
  locations: readonly (Location | null)[],
  files: Readonly<Record<string, string>>,
): (number | null)[] {
  const known = new Map<Location | null, number | null>();
  return locations.map((location) => {
    const before = known.get(location);
    if (before !== undefined) return before;
    const origin = originOf(location, files);
    const color = origin ? colorOf(colors, origin.file, origin.line) : null;
    known.set(location, color);
    return color;
  });
}

export interface ColorRange {
  readonly from: number;
  readonly to: number;
  readonly color: number;
}

/**
 * Runs of lines of one colour: IR of 100,000 lines has far fewer of them. 1-based, ends included.
 */
export function colorRanges(colors: readonly (number | null)[]): ColorRange[] {
  const ranges: { from: number; to: number; color: number }[] = [];
  colors.forEach((color, index) => {
    if (color === null) return;
    const last = ranges.at(-1);
    if (last && last.to === index && last.color === color) last.to = index + 1;
    else ranges.push({ from: index + 1, to: index + 1, color });
  });
  return ranges;
}
