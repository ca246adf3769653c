/**
 * A place in the user's program. Every IR operation, diagnostic and WGSL line carries
 * one. Lines and columns are 1-based; columns count UTF-16 units, as Monaco and tree-sitter do; the
 * end is exclusive.
 */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** The call that inlined this code, outermost last. */
  readonly inlinedAt?: Location;
}

export const UNKNOWN_LOCATION: Location = {
  file: '<unknown>',
  line: 1,
  column: 1,
  endLine: 1,
  endColumn: 1,
};

/** `file.py:12:5` */
export function formatLocation(location: Location): string {
  return `${location.file}:${location.line}:${location.column}`;
}

/** From the outermost call to where the code stands. */
function chainOf(location: Location): Location[] {
  const chain: Location[] = [];
  for (let at: Location | undefined = location; at; at = at.inlinedAt) chain.unshift(at);
  return chain;
}

/** The order of the text, calls before what they inline. */
export function compareLocations(a: Location, b: Location): number {
  const [x, y] = [chainOf(a), chainOf(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = x[i]!.line - y[i]!.line || x[i]!.column - y[i]!.column;
    if (order !== 0) return order;
  }
  return x.length - y.length;
}

/** The same for the same place, reached through the same calls. */
export function locationKey(location: Location): string {
  return chainOf(location).map(formatLocation).join(' ');
}
