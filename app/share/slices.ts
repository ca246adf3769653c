/**
 * Slice of a panel in a link (the selected pass, say): each registers how it is read and how
 * it is put back. A panel that is loaded later gets its slice when it registers.
 */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export interface Slice {
  /** Null where everything is as a fresh page has it. */
  readonly get: () => Json;
  /** Checks the value itself: it comes from a link that anybody can write. */
  readonly set: (value: Json) => void;
}

const slices = new Map<string, Slice>();
let pending: Record<string, Json> = {};

/** @param name stays for ever: links hold it. */
export function registerSlice(name: string, slice: Slice): void {
  slices.set(name, slice);
  const value = pending[name];
  if (value === undefined) return;
  delete pending[name];
  slice.set(value);
}

/** The slices that differ from a fresh page's. */
export function readSlices(): Record<string, Json> {
  const values: Record<string, Json> = { ...pending };
  for (const [name, slice] of slices) {
    const value = slice.get();
    if (value !== null) values[name] = value;
  }
  return values;
}

export function writeSlices(values: Readonly<Record<string, Json>>): void {
  pending = {};
  for (const [name, value] of Object.entries(values)) {
    const slice = slices.get(name);
    if (slice) slice.set(value);
    else pending[name] = value;
  }
}
