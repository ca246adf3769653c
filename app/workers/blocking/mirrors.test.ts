import { expect, it } from 'vitest';
import { Mirrors } from './mirrors';

it('copies only what is stale, and sends only what was written', () => {
  const there = new Map<number, Uint8Array>([[1, new Uint8Array(4)]]);
  const calls: string[] = [];
  const mirrors = new Mirrors({
    read: (storage, into) => {
      calls.push(`read ${storage}`);
      new Uint8Array(into).set(there.get(storage)!);
    },
    write: (storage, from, bytes) => {
      calls.push(`write ${storage}`);
      there.set(storage, new Uint8Array(from.slice(0, bytes)));
    },
  });
  mirrors.add(1, 4);
  mirrors.add(2, 2);
  const view = mirrors.read(1);
  view.set([1, 2, 3, 4]);
  mirrors.written(1);
  expect(calls).toEqual([]);
  mirrors.flush();
  mirrors.flush();
  expect(calls).toEqual(['write 1']);
  expect([...there.get(1)!]).toEqual([1, 2, 3, 4]);
  // A kernel wrote it.
  there.set(1, Uint8Array.of(9, 9, 9, 9));
  mirrors.forget();
  expect([...mirrors.read(1)]).toEqual([9, 9, 9, 9]);
  expect(mirrors.read(1)).toBe(view);
  expect(calls).toEqual(['write 1', 'read 1']);
  mirrors.remove(2);
  expect(() => mirrors.read(2)).toThrow('no storage 2');
});
