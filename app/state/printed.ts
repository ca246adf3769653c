/**
 * How prints become items of a run's output. Guarantees: an item is short enough to be drawn, all
 * items of a run fit in the page's memory whatever is printed, and what is left out is counted.
 */
import type { OutputItem, RunRecord } from './record';

/**
 * A print grows to about so many characters before another item goes on: long items scroll badly.
 */
const PRINT_CHARACTERS = 4000;
/** The most of an item, which has a line that is longer: its end stays. */
const MAX_PRINT_CHARACTERS = 20_000;
/** All prints that a run keeps, in characters. */
export const MAX_OUTPUT_CHARACTERS = 20_000_000;

type Printed = OutputItem & { readonly kind: 'print' };

/**
 * Prints go on in the item before; a new one begins at a line. A line that has not ended goes on
 * after launches, as in a terminal: they stand below it.
 */
export function foldPrint(
  record: RunRecord,
  { stream, text }: { readonly stream: Printed['stream']; readonly text: string },
  push: (item: Printed) => void,
): void {
  for (let at = 0; at < text.length;) {
    let item = lastPrint(record.output);
    if (item?.stream !== stream || isFull(item)) {
      item = { kind: 'print', stream, text: '', omitted: 0 };
      push(item);
    }
    const room = Math.max(0, PRINT_CHARACTERS - item.text.length);
    const line = text.length - at <= room ? -1 : text.indexOf('\n', at + room);
    const end = line < 0 ? text.length : line + 1;
    append(item, text.slice(at, end));
    record.characters += end - at;
    at = end;
  }
  if (record.characters > MAX_OUTPUT_CHARACTERS) dropOldest(record);
}

/** The last item, or the line that was left open before the launches that are last. */
function lastPrint(output: readonly OutputItem[]): Printed | undefined {
  const item = output.findLast(({ kind }) => kind !== 'launch');
  if (item?.kind !== 'print') return undefined;
  return item === output.at(-1) || !item.text.endsWith('\n') ? item : undefined;
}

const isFull = ({ text }: Printed): boolean =>
  text.length >= PRINT_CHARACTERS && text.endsWith('\n');

function append(item: Printed, text: string): void {
  const length = item.text.length + text.length;
  // Cut seldom: each cut copies the whole item.
  if (length <= 2 * MAX_PRINT_CHARACTERS) {
    item.text += text;
    return;
  }
  item.text = (item.text + text).slice(-MAX_PRINT_CHARACTERS);
  item.omitted += length - MAX_PRINT_CHARACTERS;
}

/** Leaves out the oldest items, until four fifths of the characters that are kept remain. */
function dropOldest(record: RunRecord): void {
  const { output } = record;
  const sizes = output.map((item) => (item.kind === 'print' ? item.text.length : 0));
  let kept = sizes.reduce((sum, size) => sum + size, 0);
  let count = 0;
  while (kept > MAX_OUTPUT_CHARACTERS * 0.8 && count < output.length - 1) kept -= sizes[count++]!;
  output.splice(0, count);
  record.dropped += count;
  record.characters = kept;
}
