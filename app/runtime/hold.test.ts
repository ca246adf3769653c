import { describe, expect, it } from 'vitest';
import type { HoldRequest } from '../workers/bridge';
import { denseCopy, LimitedHolder } from './hold';

const request = (over: Partial<HoldRequest>): HoldRequest => ({
  storage: 1,
  dtype: 'int16',
  shape: [2, 3],
  strides: [3, 1],
  offset: 0,
  budget: 'tensor',
  ...over,
});
const words = new Int16Array([0, 1, 2, 3, 4, 5, 6, 7]);
const copy = (over: Partial<HoldRequest>): number[] => [
  ...new Int16Array(denseCopy(request(over), new Uint8Array(words.buffer)).buffer),
];

describe('a dense copy', () => {
  it('is of the window, in row-major order', () => {
    expect(copy({ offset: 1 })).toEqual([1, 2, 3, 4, 5, 6]);
    expect(copy({ shape: [3, 2], strides: [1, 3] })).toEqual([0, 3, 1, 4, 2, 5]);
    expect(copy({ strides: [0, 2], offset: 1 })).toEqual([1, 3, 5, 1, 3, 5]);
    expect(copy({ shape: [], strides: [], offset: 7 })).toEqual([7]);
  });
  it('keeps 64-bit integers', () => {
    const wide = new BigInt64Array([1n, 2n ** 62n + 1n]);
    const made = denseCopy(
      request({ dtype: 'int64', shape: [2], strides: [-1], offset: 1 }),
      new Uint8Array(wide.buffer),
    );
    expect([...new BigInt64Array(made.buffer)]).toEqual([2n ** 62n + 1n, 1n]);
  });
});

describe('the holder', () => {
  it('gives each purpose its share, and all of it again to the next run', () => {
    const sent: string[] = [];
    let cleared = 0;
    const holder = new LimitedHolder(
      20,
      'a',
      (id) => sent.push(id),
      () => cleared++,
    );
    const [passed, failed] = [request({ budget: 'passed' }), request({ budget: 'failed' })];
    holder.begin();
    expect(holder.hasRoom(passed)).toBe(true);
    expect(holder.hold(passed, new Uint8Array(12))).toBe('a1');
    expect(holder.hasRoom(passed)).toBe(false);
    expect(holder.hasRoom(failed)).toBe(true);
    holder.hold(failed, new Uint8Array(12));
    expect(sent).toEqual(['a1', 'a2']);
    holder.begin();
    expect(holder.hasRoom(passed)).toBe(true);
    expect(cleared).toBe(2);
  });
});
