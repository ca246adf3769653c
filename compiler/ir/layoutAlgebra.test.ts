import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Layout, registerCount, threadBases } from './layout';
import {
  blockedLayout,
  classifyConversion,
  concatenated,
  coordinates,
  describeLayout,
  dropDim,
  equalLayouts,
  freeThreadMask,
  insertDim,
  isOwner,
  isWellFormed,
  joined,
  LayoutBuilder,
  locate,
  log2,
  registerRun,
  reshaped,
  restrictTo,
  rowMajor,
  sourceLaneBits,
  sourceRegister,
  type ThreadBits,
  transposed,
  withoutRegister,
} from './layoutAlgebra';

const shapes = fc
  .array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 4 })
  .map((bits) => bits.map((b) => 2 ** b))
  .filter((shape) => shape.reduce((a, b) => a * b, 1) <= 4096);
const threadBits = fc.record({
  lanes: fc.constantFrom(0, 2, 3, 5),
  subgroups: fc.integer({ min: 1, max: 4 }),
});
/** Deals the bits of a tile to registers and threads in any order. */
const layouts = fc
  .tuple(shapes, threadBits, fc.array(fc.nat(99), { minLength: 40, maxLength: 40 }))
  .map(([shape, threads, choices]) => {
    const builder = new LayoutBuilder(shape, threads);
    choices.forEach((choice) => {
      const dim = choice % shape.length;
      if (choice % 3 === 0) builder.registers(dim, 1);
      else builder.toThreads(dim, 1 + (choice % 2));
    });
    return { shape, threads, layout: builder.finish(rowMajor(shape.length)) };
  });
const threadCount = (threads: ThreadBits): number => 2 ** (threads.lanes + threads.subgroups);
const all = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe('layouts', () => {
  test('reach every element, and locate finds it at its owner', () => {
    fc.assert(
      fc.property(layouts, ({ shape, threads, layout }) => {
        expect(isWellFormed(layout, shape, threads)).toBe(true);
        const seen = new Set<string>();
        for (const thread of all(threadCount(threads))) {
          for (const register of all(registerCount(layout))) {
            const at = coordinates(layout, register, thread);
            const home = locate(layout, at);
            expect(home.register).toBe(register);
            expect(home.thread).toBe(thread & ~freeThreadMask(layout));
            if (isOwner(layout, thread)) {
              expect(seen.has(at.join())).toBe(false);
              seen.add(at.join());
            }
          }
        }
        expect(seen.size).toBe(shape.reduce((a, b) => a * b, 1));
      }),
      { numRuns: 100 },
    );
  });

  test('blocked: runs first, then threads, then wrap-around', () => {
    const threads = { lanes: 2, subgroups: 1 };
    expect(blockedLayout([4, 8], threads, 2)).toEqual({
      register: [
        [0, 1],
        [2, 0],
      ],
      lane: [
        [0, 2],
        [0, 4],
      ],
      subgroup: [[1, 0]],
    });
    const small = blockedLayout([4], threads);
    expect(freeThreadMask(small)).toBe(4);
    expect(registerRun(blockedLayout([64], threads, 4), 0)).toBe(4);
    expect(describeLayout(small, [4])).toContain('each element held by 2 threads');
  });

  test('change of shape: the same registers hold the same elements', () => {
    fc.assert(
      fc.property(layouts, fc.nat(100), ({ shape, threads, layout }, pick) => {
        const rank = shape.length;
        const axis = pick % rank;
        const order = rowMajor(rank);
        const wide = insertDim(layout, axis);
        const turned = transposed(layout, order);
        const flat = reshaped(layout, shape, [shape.reduce((a, b) => a * b, 1)]);
        const back = reshaped(flat, [shape.reduce((a, b) => a * b, 1)], shape);
        expect(equalLayouts(back, layout)).toBe(true);
        expect(equalLayouts(dropDim(wide, axis), layout)).toBe(true);
        for (const thread of all(threadCount(threads))) {
          for (const register of all(registerCount(layout))) {
            const at = coordinates(layout, register, thread);
            const inserted = [...at.slice(0, axis), 0, ...at.slice(axis)];
            const index = at.reduce((sum, c, d) => sum * shape[d]! + c, 0);
            if (registerCount(layout) > 1 || threads.lanes + threads.subgroups > 0) {
              expect(coordinates(wide, register, thread)).toEqual(inserted);
              expect(coordinates(turned, register, thread)).toEqual(order.map((d) => at[d]!));
              expect(coordinates(flat, register, thread)).toEqual([index]);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('slices and restrictions keep what is left well formed', () => {
    fc.assert(
      fc.property(layouts, fc.nat(100), ({ shape, threads, layout }, pick) => {
        const axis = pick % shape.length;
        const rest = shape.filter((_, d) => d !== axis);
        if (rest.length > 0) expect(isWellFormed(dropDim(layout, axis), rest, threads)).toBe(true);
        const narrow = shape.map((size, d) => (d === axis ? 1 : size));
        expect(isWellFormed(restrictTo(layout, narrow), narrow, threads)).toBe(true);
        // A reduction that is broadcast again comes back to the operand's registers.
        if (rest.length > 0)
          expect(insertDim(dropDim(layout, axis), axis)).toEqual(restrictTo(layout, narrow));
      }),
    );
  });

  test('join, split and cat are undone', () => {
    fc.assert(
      fc.property(layouts, ({ shape, threads, layout }) => {
        const pair = joined(layout, shape.length);
        expect(isWellFormed(pair, [...shape, 2], threads)).toBe(true);
        const half = withoutRegister(pair, [...shape.map(() => 0), 1])!;
        expect(dropDim(half, shape.length)).toEqual(layout);
        const both = concatenated(layout, shape, 0);
        expect(isWellFormed(both, [shape[0]! * 2, ...shape.slice(1)], threads)).toBe(true);
        expect(
          withoutRegister(
            both,
            shape.map((size, d) => (d === 0 ? size : 0)),
          ),
        ).toEqual(layout);
      }),
    );
  });

  test('conversions without memory really find every element', () => {
    fc.assert(
      fc.property(layouts, fc.nat(1000), ({ shape, threads, layout }, seed) => {
        const other = permuted(layout, seed);
        expect(isWellFormed(other, shape, threads)).toBe(true);
        const kind = classifyConversion(layout, other);
        if (kind === 'memory') return;
        const bits = sourceLaneBits(layout, other);
        const lanes = 2 ** threads.lanes;
        for (const thread of all(threadCount(threads))) {
          const reader = thread % lanes;
          let lane = 0;
          bits.forEach((bit, i) => {
            if (bit >= 0 && (reader >> bit) & 1) lane |= 1 << i;
          });
          const holder = thread - reader + (kind === 'shuffle' ? lane : reader);
          for (const register of all(registerCount(other))) {
            const source = sourceRegister(layout, other, register);
            expect(coordinates(layout, source, holder)).toEqual(
              coordinates(other, register, thread),
            );
          }
        }
      }),
      { numRuns: 200 },
    );
    const a = blockedLayout([32], { lanes: 5, subgroups: 1 });
    const reversed = { ...a, lane: [...a.lane].reverse() };
    expect(classifyConversion(a, reversed)).toBe('shuffle');
    expect(classifyConversion(a, a)).toBe('registers');
    expect(log2(registerCount(a))).toBe(0);
    expect(threadBases(a).length).toBe(6);
  });
});

/** The same bits dealt out otherwise: within registers, within lanes, or across both. */
function permuted(layout: Layout, seed: number): Layout {
  const rotate = <T>(list: readonly T[], by: number): T[] =>
    list.map((_, i) => list[(i + by) % list.length]!);
  if (seed % 3 === 0) return { ...layout, register: rotate(layout.register, seed) };
  if (seed % 3 === 1)
    return {
      ...layout,
      register: rotate(layout.register, seed >> 2),
      lane: rotate(layout.lane, seed >> 4),
    };
  const [register, lane] = [[...layout.register], [...layout.lane]];
  if (register.length > 0 && lane.length > 0) {
    const [i, j] = [seed % register.length, seed % lane.length];
    if (lane[j]!.some((c) => c > 0)) [register[i], lane[j]] = [lane[j]!, register[i]!];
  }
  return { ...layout, register, lane };
}
