import { expect, it, vi } from 'vitest';
import type { ProgramEvent, TraceSpan } from '../events';
import { numericName, Trace } from './trace';

function traced(fill: (trace: Trace, origin: number) => void): {
  spans: TraceSpan[];
  dropped: number;
} {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const events: ProgramEvent[] = [];
  const trace = new Trace((event) => events.push(event));
  now.mockRestore();
  fill(trace, 1000);
  trace.finish();
  const pieces = events.flatMap((event) => (event.type === 'trace' ? [event] : []));
  return {
    spans: pieces.flatMap(({ spans }) => [...spans]),
    dropped: pieces.at(-1)?.dropped ?? 0,
  };
}

it('puts spans of the GPU where the CPU can have seen them end', () => {
  const { spans } = traced((trace) => {
    trace.span('launch', 'k', 1010, 1011, 1);
    // GPU clock: 5 ms at our 1020 at the latest, 9 ms at our 1022.
    trace.pass('k', 1, 4e6, 5e6, 1020);
    trace.pass('k', 2, 8e6, 9e6, 1022);
  });
  expect(spans).toEqual([
    { track: 'launch', name: 'k', start: 10, duration: 1, launch: 1 },
    { track: 'gpu', name: 'k', start: 17, duration: 1, launch: 1 },
    { track: 'gpu', name: 'k', start: 21, duration: 1, launch: 2 },
  ]);
});

it('counts what it leaves out, and leaves out the short ones of torch', () => {
  const { spans, dropped } = traced((trace, origin) => {
    trace.span('torch', 'add', origin, origin + 0.01);
    for (let i = 0; i < 20_010; i++) trace.span('launch', 'k', origin + i, origin + i + 1);
    trace.pass('k', 1, 0, 1, origin);
  });
  expect(spans).toHaveLength(20_000);
  expect(dropped).toBe(11);
});

it('follows a promise to its end, also a broken one', async () => {
  const events: ProgramEvent[] = [];
  const trace = new Trace((event) => events.push(event));
  await expect(trace.over('wait', 'w', () => Promise.reject(new Error('lost')))).rejects.toThrow();
  expect(trace.over('compile', 'c', () => 7)).toBe(7);
  trace.finish();
  expect(events).toMatchObject([{ spans: [{ track: 'wait' }, { track: 'compile' }] }]);
});

it('reports nothing of a wait for what is there already', () => {
  const { spans } = traced((trace) => trace.over('pipeline', 'k', () => {}));
  expect(spans).toEqual([]);
});

it('names operations of torch', () => {
  expect(numericName('{"op":"binary","f":"add","c":"float32"')).toBe('binary add');
  expect(numericName('{"op":"matmul","f":"","c":"float32"')).toBe('matmul');
});
