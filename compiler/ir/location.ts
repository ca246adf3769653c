/**
 * Where something stands in the user's program. Every IR operation, diagnostic and WGSL line carries
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
