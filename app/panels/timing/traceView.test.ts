import { expect, it } from 'vitest';
import { ticks } from './ticks';
import { totals, withPython } from './traceView';

const spans = [
  { track: 'gpu', name: 'k', start: 3, duration: 4 },
  { track: 'launch', name: 'k', start: 2, duration: 1 },
  { track: 'upload', name: '4 KiB', start: 2.5, duration: 0.25 },
  { track: 'wait', name: 'synchronize', start: 5, duration: 3 },
] as const;

it('gives Python the gaps of its thread', () => {
  const python = withPython(spans, 10).filter(({ track }) => track === 'python');
  expect(python.map(({ start, duration }) => [start, duration])).toEqual([
    [0, 2],
    [3, 2],
    [8, 2],
  ]);
});

it('sums up each track, in their order', () => {
  expect(
    totals(withPython(spans, 10)).map(({ title, count, total }) => [title, count, total]),
  ).toEqual([
    ['Python', 3, 6],
    ['Launch', 1, 1],
    ['Upload', 1, 0.25],
    ['Wait', 1, 3],
    ['GPU', 1, 4],
  ]);
});

it('has round ticks', () => {
  expect(ticks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(ticks(0.31, 0.62, 4)).toEqual([0.4, 0.5, 0.6000000000000001]);
  expect(ticks(1, 1, 4)).toEqual([]);
});
