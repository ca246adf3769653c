/**
 * Programs that are threads of one workgroup (`CompiledKernel.programs`), on a software adapter:
 * rows of 1000 in tiles of 1024, a grid of three axes whose programs do not fill the last
 * workgroup, what is not finite, and what is out of range.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn, type OpenedDevice } from '../../app/cli/dawn';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import type { Func } from '../ir/ir';
import { readReport } from '../boundsReport';
import { differences } from './testing/differential';
import { lowerSigned } from './testing/lowerSigned';
import { compileFunc, launchKernel } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const ROWS = `import triton
import triton.language as tl

@triton.jit
def kernel(out, sums, x, stride, columns, BLOCK: tl.constexpr):
    plane = tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)
    row = plane * tl.num_programs(0) + tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    v = tl.load(x + row * stride + at, mask=mask, other=-float("inf"))
    high = tl.max(v, axis=0)
    low = tl.min(tl.where(mask, v, float("inf")), axis=0)
    tl.store(sums + row, tl.sum(tl.where(mask, v - high, 0.0), axis=0) + low)
    tl.store(out + row * stride + at, v - high, mask=mask)
`;
const GRID = [3, 5, 2] as const;
const COUNT = 30;
const [STRIDE, COLUMNS] = [1008, 1000];

const bytes = (from: Float32Array): Uint8Array<ArrayBuffer> => new Uint8Array(from.slice().buffer);

/** Rows with NaN in one place, in all, infinities, zeros of both signs, and ordinary numbers. */
function rows(): Float32Array {
  const x = Float32Array.from({ length: COUNT * STRIDE }, (_, i) => ((i * 7919) % 2003) / 64 - 9);
  x[17] = NaN;
  x.fill(NaN, STRIDE, 2 * STRIDE);
  x.fill(-Infinity, 2 * STRIDE, 3 * STRIDE);
  x[3 * STRIDE + 999] = Infinity;
  x.fill(-0, 4 * STRIDE, 5 * STRIDE);
  return x;
}

describe.skipIf(software.kind === 'missing')('programs as threads', () => {
  let gpu: OpenedDevice;
  let parser: Parser;
  beforeAll(async () => {
    gpu = await openDawn();
    parser = await testParser();
  });
  const make = (): Func => {
    const tensors = { out: '*fp32', sums: '*fp32', x: '*fp32' };
    return lowerSigned(parser, ROWS, { ...tensors, stride: 'i32', columns: 'i32', BLOCK: 1024 });
  };
  const many = { options: { manyPrograms: true } };
  const poison = (count: number): Uint8Array<ArrayBuffer> =>
    bytes(new Float32Array(count).fill(-7));

  it.each([COLUMNS, STRIDE, 1])(
    'are what the interpreter computes, %i columns',
    async (columns) => {
      const args = [poison(COUNT * STRIDE), poison(COUNT), bytes(rows()), [STRIDE], [columns]];
      const there = { device: gpu.device, target: gpu.target };
      const near = { ulps: 64, absolute: 1e-3 };
      expect(await differences(there, make, args, GRID, near, many)).toEqual([]);
      const kernel = compileFunc(make(), gpu.target, many);
      expect(kernel.programs).toBe(gpu.target.subgroupSize);
      expect(kernel.workgroupSize).toBe(gpu.target.subgroupSize);
      expect(compileFunc(make(), gpu.target).programs).toBe(1);
    },
  );

  it('report the program that reaches out of range, and change nothing there', async () => {
    const func = make();
    const kernel = compileFunc(func, gpu.target, many);
    // The last row, of program [2, 4, 1], is not there.
    const args = [poison((COUNT - 1) * STRIDE), poison(COUNT), bytes(rows()), [STRIDE], [COLUMNS]];
    const { buffers, report } = await launchKernel(gpu.device, func, kernel, args, GRID, many);
    const found = readReport(report, kernel.boundsReport!.accesses);
    const access = { kind: 'store', argument: [0] };
    const [program, distance] = [COUNT - 1, (COUNT - 1) * STRIDE];
    expect(found).toMatchObject([{ access, count: COLUMNS, program, distance }]);
    const out = new Float32Array(buffers[0]!.buffer);
    const gap = (row: number): Float32Array =>
      out.slice(row * STRIDE + COLUMNS, (row + 1) * STRIDE);
    for (let row = 0; row < COUNT - 1; row++)
      expect(gap(row)).toEqual(new Float32Array(8).fill(-7));
    expect(out[5 * STRIDE]).not.toBe(-7);
  });
});
