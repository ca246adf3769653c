/**
 * Text of others as the page shows it: characters that reorder what follows them (bidi controls),
 * and those that draw nothing, are named instead of obeyed, so that what is read is what is there.
 */
import type { ProgramEvent } from '../events';

const REORDERING = '\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069';

/**
 * Draw nothing wherever they stand: soft hyphens, fillers, zero-width spaces, invisible operators,
 * shorthand controls, tags. Not the joiners and variation selectors, which scripts and emoji need.
 */
export const HIDDEN =
  '\\u00AD\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180E\\u200B\\u2060-\\u2065\\u206A-\\u206F\\u3164' +
  '\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E007F}';

const NAMED = new RegExp(`[${REORDERING}${HIDDEN}]`, 'gu');
const ANY = new RegExp(NAMED.source, 'u');

export function visibleText(text: string): string {
  return text.replace(
    NAMED,
    (one) => `[U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

/** Source text, what the page compares with it, and bytes: no view shows them as they are. */
const RAW = new Set(['request', 'program', 'image', 'data', 'key', 'specialization', 'kernel']);

/**
 * The event as panels show it: every name and label in it visible, so that no view has to think of
 * it. A print stays as it is, because what is copied and saved is what was printed; its view calls
 * `visibleText`.
 */
export const readableEvent = (event: ProgramEvent): ProgramEvent =>
  event.type === 'print' ? event : (visible(event) as ProgramEvent);

/** The value itself where nothing in it changes. */
function visible(value: unknown): unknown {
  if (typeof value === 'string') return ANY.test(value) ? visibleText(value) : value;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    // Contents of a tensor.
    if (typeof value[0] === 'number') return value;
    const all = value.map(visible);
    return all.every((one, at) => one === value[at]) ? value : all;
  }
  let same = true;
  const entries = Object.entries(value).map(([name, one]) => {
    const shown = RAW.has(name) ? one : visible(one);
    const label = ANY.test(name) ? visibleText(name) : name;
    same &&= shown === one && label === name;
    return [label, shown];
  });
  return same ? value : Object.fromEntries(entries);
}
