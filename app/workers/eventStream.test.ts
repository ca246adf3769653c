import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProgramEvent } from '../events';
import { EventStream } from './eventStream';

const time = (id: number): ProgramEvent => ({
  type: 'launch-time',
  id,
  timing: { clock: 'gpu', median: 1, low: 1, high: 1, samples: 1, quantum: 0.001 },
});
const print: ProgramEvent = { type: 'print', stream: 'stdout', text: 'x' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stream(): { sent: ProgramEvent[][]; events: EventStream } {
  const sent: ProgramEvent[][] = [];
  return { sent, events: new EventStream((events) => void sent.push([...events])) };
}

test('launches wait for one another, and for nothing else', () => {
  const { sent, events } = stream();
  events.send(time(1));
  events.send(time(2));
  expect(sent).toEqual([]);
  events.send(print);
  expect(sent).toEqual([[time(1), time(2), print]]);
});

test('what waits goes after a moment, or when there is much of it', () => {
  const { sent, events } = stream();
  events.send(time(1));
  vi.advanceTimersByTime(50);
  expect(sent).toEqual([[time(1)]]);
  for (let i = 0; i < 600; i++) events.send(time(i));
  expect(sent.slice(1).map((each) => each.length)).toEqual([256, 256]);
  events.flush();
  expect(sent.flat()).toHaveLength(601);
  events.flush();
  expect(sent.at(-1)).toHaveLength(88);
});
