/**
 * Colours of what happened to an element; every one has a shape beside it where cells are large
 * enough.
 */
import { ATOMIC, MASKED, OUTSIDE, RACE, READ, WRITTEN } from '../../../compiler/inspect/constants';

export interface Palette {
  readonly read: string;
  readonly written: string;
  readonly both: string;
  readonly atomic: string;
  readonly masked: string;
  readonly outside: string;
  readonly race: string;
  readonly empty: string;
  readonly line: string;
  readonly surface: string;
  readonly text: string;
}

export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(name).trim() || '#888888';
  return {
    read: color('--series-3'),
    written: color('--series-1'),
    both: color('--series-5'),
    atomic: color('--series-4'),
    masked: color('--text-faint'),
    outside: color('--fail'),
    race: color('--series-2'),
    empty: color('--sunken'),
    line: color('--line'),
    surface: color('--surface'),
    text: color('--text'),
  };
}

/** The one that matters most wins. */
export function colorOfFlags(flags: number, palette: Palette): string | null {
  if (flags & OUTSIDE) return palette.outside;
  if (flags & RACE) return palette.race;
  if (flags & ATOMIC) return palette.atomic;
  if (flags & READ && flags & WRITTEN) return palette.both;
  if (flags & WRITTEN) return palette.written;
  if (flags & READ) return palette.read;
  if (flags & MASKED) return palette.masked;
  return null;
}

export function describeFlags(flags: number): string {
  const words = [
    flags & READ ? 'read' : '',
    flags & WRITTEN ? 'written' : '',
    flags & ATOMIC ? 'updated atomically' : '',
    flags & MASKED ? 'masked off' : '',
    flags & OUTSIDE ? 'out of range' : '',
  ].filter((word) => word !== '');
  return words.join(', ') || 'not touched';
}
