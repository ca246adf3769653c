import { expect, it } from 'vitest';
import { ZERO } from '../../../compiler/inspect/fill';
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
  mirrors.add(1, 4, ZERO);
  mirrors.add(2, 2, ZERO);
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

it('holds a new storage’s fill without asking for it', () => {
  const refuse = (): never => {
    throw new Error('requested');
  };
  const mirrors = new Mirrors({ read: refuse, write: refuse });
  mirrors.add(1, 12, { low: 0x7fc00000, high: 0x7fc00000 });
  mirrors.add(2, 8, { low: 0, high: 0x7ff80000 });
  const [a, b] = [mirrors.read(1), mirrors.read(2)];
  expect([...new Float32Array(a.buffer as ArrayBuffer, a.byteOffset, 3)]).toEqual([NaN, NaN, NaN]);
  expect([...new Float64Array(b.buffer as ArrayBuffer, b.byteOffset, 1)]).toEqual([NaN]);
  mirrors.flush();
});
