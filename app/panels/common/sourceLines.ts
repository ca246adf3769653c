/** Between lines of generated code and lines of the program, both ways. All numbers are 1-based. */
import type { Location } from '../../../compiler/ir/location';

/** Lines of generated code that come from a line of the program, inlined helpers included. */
export function linesFrom(
  locations: readonly (Location | null)[],
  file: string,
  line: number,
): number[] {
  const found: number[] = [];
  locations.forEach((location, index) => {
    for (let at: Location | undefined = location ?? undefined; at; at = at.inlinedAt)
      if (at.file === file && at.line <= line && line <= Math.max(at.line, lastLine(at))) {
        found.push(index + 1);
        return;
      }
  });
  return found;
}
/** An end in the first column belongs to the line before. A whole function is not one line. */
function lastLine(location: Location): number {
  const { line, endLine, endColumn } = location;
  const last = endColumn <= 1 ? endLine - 1 : endLine;
  return last - line > 8 ? line : last;
}

/**
 * The innermost line of the program's own files: what the compiler's library does is its caller's.
 */
export function originOf(
  location: Location | null | undefined,
  files: Readonly<Record<string, string>>,
): { readonly file: string; readonly line: number } | null {
  for (let at = location ?? undefined; at; at = at.inlinedAt)
    if (Object.hasOwn(files, at.file)) return { file: at.file, line: at.line };
  return null;
}

/** Source line of a line of generated code, in the program's own files. */
export function lineOf(
  locations: readonly (Location | null)[],
  generated: number,
  files: Readonly<Record<string, string>>,
): { readonly file: string; readonly line: number } | null {
  return originOf(locations[generated - 1], files);
}
