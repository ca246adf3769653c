/**
 * Errors that cross into Python. `name` is the Python exception's name; `diagnostics` are what the
 * page shows. Codes HC80xx are the runtime's.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { Location } from '../../compiler/ir/location';
import type { CallSite } from '../events';

export type PythonErrorName = 'MemoryError' | 'RuntimeError' | 'IndexError' | 'ValueError';

export class RuntimeFault extends Error {
  override readonly name: PythonErrorName;

  constructor(
    name: PythonErrorName,
    message: string,
    readonly diagnostics: readonly Diagnostic[] = [],
  ) {
    super(message);
    this.name = name;
  }
}

/** Place of what no line of the program caused; who knows the line that waited puts it there. */
export const NO_SITE: CallSite = { file: '<program>', line: 1 };

/** A whole line of the user's program. */
export function siteLocation(site: CallSite): Location {
  return {
    file: site.file,
    line: site.line,
    column: 1,
    endLine: site.line + 1,
    endColumn: 1,
  };
}

export function diagnostic(
  code: string,
  severity: Diagnostic['severity'],
  message: string,
  location: Location,
  notes: readonly (string | { message: string; location: Location })[] = [],
): Diagnostic {
  return {
    code,
    severity,
    message,
    location,
    notes: notes.map((note) => (typeof note === 'string' ? { message: note } : note)),
  };
}

/** `1.5 GiB`, `96 MiB`, `512 bytes`: at most one decimal. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number(value.toFixed(1))} ${units[unit]}`;
}
