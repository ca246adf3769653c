/**
 * Loops that work on the tiles they load, on a software adapter, with tiles prefetched by an
 * iteration: rows of no, one, two and six blocks, full and not, some by a table, and rows that are
 * cut short.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn, type OpenedDevice } from '../../app/cli/dawn';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import type { Choices } from '../4-distribute/index';
import { REPORT_WRITES } from '../boundsReport';
import { lowerSigned } from './testing/lowerSigned';
import { compileFunc, launchKernel } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const LENGTHS = [0, 1, 63, 64, 65, 128, 333];
const ROW = 384;
const BLOCK = 64;
const SOURCE = `
import triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, places_ptr, lengths_ptr, out_ptr, BLOCK: tl.constexpr, ROW: tl.constexpr):
    row = tl.program_id(0)
    length = tl.load(lengths_ptr + row)
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    highest = tl.full((BLOCK,), -1.0e30, dtype=tl.float32)
    for start in range(0, length, BLOCK):
        inside = start + at < length
        x = tl.load(x_ptr + row * ROW + start + at, mask=inside, other=-1.0e30)
        place = tl.load(places_ptr + start + at, mask=inside, other=0)
        weight = tl.load(x_ptr + place, mask=inside, other=0.0)
        highest = tl.maximum(highest, x)
        total = total * 0.5 + weight
    tl.store(out_ptr + row * 2, tl.max(highest, axis=0))
    tl.store(out_ptr + row * 2 + 1, tl.sum(total, axis=0))
`;
const x = Float32Array.from({ length: LENGTHS.length * ROW }, (_, i) => ((i * 37) % 256) / 4 - 32);
const places = Int32Array.from({ length: ROW }, (_, i) => (i * 5 + 3) % ROW);

/**
 * Sums of quarters, halved six times at most: exact in any order. What is missing reads as 0,
 * whatever masks leave out.
 */
function expected(rows: number, words: number): number[] {
  const read = (at: number): number => (at < words ? x[at]! : 0);
  return Array.from({ length: rows }, (_, row) => {
    const length = LENGTHS[row]!;
    const total = new Float64Array(BLOCK);
    let highest = -1e30;
    for (let start = 0; start < length; start += BLOCK)
      for (let i = 0; i < BLOCK; i++) {
        const inside = start + i < length;
        if (inside) highest = Math.max(highest, read(row * ROW + start + i));
        total[i] = total[i]! * 0.5 + (inside ? read(places[start + i]!) : 0);
      }
    return [Math.fround(highest), total.reduce((sum, each) => sum + each, 0)];
  }).flat();
}

describe.skipIf(software.kind === 'missing')(
  'tiles prefetched before a loop that works on them',
  () => {
    let gpu: OpenedDevice;
    let parser: Parser;
    beforeAll(async () => {
      gpu = await openDawn();
      parser = await testParser();
    });
    const prefetch = { prefetchUnstaged: true, prefetchRegisters: 64 };
    const some: Partial<Choices>[] = [
      { prefetchUnstaged: false },
      prefetch,
      { ...prefetch, predicatedPrefetch: true },
      { ...prefetch, mergeBoundsGuards: true },
      { ...prefetch, indirectPrefetch: true },
      { ...prefetch, predicatedPrefetch: true, clusterLoads: true },
    ];
    it.each(some)('are what they were: %j', async (choices) => {
      const func = lowerSigned(parser, SOURCE, {
        x_ptr: '*fp32',
        places_ptr: '*i32',
        lengths_ptr: '*i32',
        out_ptr: '*fp32',
        BLOCK,
        ROW,
      });
      for (const pass of OPTIMIZE_PASSES) pass.run(func);
      const kernel = compileFunc(func, gpu.target, { choices });
      const loop = kernel.wgsl.indexOf('for (', kernel.wgsl.indexOf('fn main('));
      // The first tile is loaded before the loop.
      expect(kernel.wgsl.slice(0, loop).includes('load_1')).toBe(choices.prefetchUnstaged === true);
      for (const missing of [0, 400]) {
        const words = x.length - missing;
        const args = [
          new Uint8Array(x.slice(0, words).buffer),
          ...[places, Int32Array.from(LENGTHS)].map((each) => new Uint8Array(each.slice().buffer)),
          new Uint8Array(new Float32Array(2 * LENGTHS.length).fill(NaN).buffer),
        ];
        const grid = [LENGTHS.length, 1, 1] as const;
        const { buffers, report } = await launchKernel(gpu.device, func, kernel, args, grid);
        expect([report[0]! > 0, report[REPORT_WRITES]]).toEqual([missing > 0, 0]);
        const out = [...new Float32Array(buffers.at(-1)!.buffer)];
        expect(out).toEqual(expected(LENGTHS.length, words));
      }
    });
  },
);
