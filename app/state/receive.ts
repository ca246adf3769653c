/**
 * The one way by which events reach a record: what a worker or a server sends is folded if it has
 * an event's shape. What has none is left out, and the output says so once a run.
 */
import type { ProgramEvent } from '../events';
import { eventFrom } from '../shapes/events';
import { readableEvent } from './visibleText';
import { fold, type RunRecord } from './record';

const NOTE =
  'note: the program’s worker sent something that the page cannot read; it is left out.\n';

/** @returns the event that was folded, for what else follows from it; null for a note. */
export function receive(record: RunRecord, value: unknown): ProgramEvent | null {
  const found = eventFrom(value) ?? endOf(value);
  const event = found && readableEvent(found);
  if (event) fold(record, event);
  else if (record.unread++ === 0) fold(record, { type: 'print', stream: 'stderr', text: NOTE });
  return event;
}

/** A run whose end cannot be read has ended nevertheless: the page must not wait for another. */
function endOf(value: unknown): ProgramEvent | null {
  const ends =
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'finished';
  return ends ? { type: 'finished', outcome: 'error', milliseconds: 0 } : null;
}
