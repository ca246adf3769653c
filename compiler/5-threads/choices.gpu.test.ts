/**
 * Tuning never changes a result beyond rounding: every choice that the tuner may make, and every
 * num_warps, on a software adapter. What is compiled to the same WGSL runs once. Dots take a second
 * each to compile there, so each tries a third of the variants, and all of them together each;
 * `CHOICES=all`: each tries all.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn, type OpenedDevice } from '../../app/cli/dawn';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import type { Choices } from '../4-distribute/index';
import { readReport, REPORT_WRITES } from '../boundsReport';
import { machineOf } from '../target';
import { compileFunc, launchKernel } from './testing/run';
import { lowerTuned, notBeside, TUNED_KERNELS, type TunedKernel } from './testing/tunedKernels';
import { tunerVariants, type Variant } from './testing/tunerChoices';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

describe.skipIf(software.kind === 'missing')('what the tuner chooses', () => {
  let gpu: OpenedDevice;
  let parser: Parser;
  beforeAll(async () => {
    gpu = await openDawn();
    parser = await testParser();
  });

  const tried = (kernel: TunedKernel): Variant[] => {
    const all = tunerVariants();
    if (!kernel.dot || process.env['CHOICES'] === 'all') return all;
    const turn = TUNED_KERNELS.filter(({ dot }) => dot).indexOf(kernel);
    return all.filter((_, i) => i % 3 === turn % 3);
  };

  it.each(TUNED_KERNELS)('leaves $name as it is', async (kernel) => {
    const known = new Set<string>();
    let first: readonly (Uint8Array | undefined)[] | undefined;
    for (const { text, numWarps, choices } of [
      { text: 'default', choices: {} } as Variant,
      ...tried(kernel),
    ]) {
      const func = lowerTuned(parser, kernel);
      for (const pass of OPTIMIZE_PASSES) pass.run(func);
      // An adapter whose barriers are costly follows no number of warps.
      const machine = { ...machineOf(gpu.target), costlyBarriers: false };
      const target = numWarps === undefined ? gpu.target : { ...gpu.target, machine };
      const compiled = compileFunc(func, target, { numWarps, choices });
      if (known.has(compiled.wgsl)) continue;
      known.add(compiled.wgsl);
      const { device } = gpu;
      const { buffers, report } = await launchKernel(
        device,
        func,
        compiled,
        kernel.args,
        kernel.grid,
      );
      expect([report[0], report[REPORT_WRITES]]).toEqual([0, 0]);
      first ??= buffers;
      // Also the first beside itself: NaN, as it was poisoned, is beside nothing.
      expect(`${text}: ${notBeside(kernel, first, buffers)}`).toBe(`${text}: `);
    }
    expect(known.size).toBeGreaterThan(1);
  });

  const prefetch = { prefetchRegisters: 64 };
  const early: Partial<Choices>[] = [
    prefetch,
    { ...prefetch, mergeBoundsGuards: true },
    { ...prefetch, predicatedPrefetch: true },
    { ...prefetch, loopUnroll: 2 },
    { ...prefetch, loopUnroll: 2, indirectPrefetch: true, delayReductions: true },
  ];
  // The text behind the missing operand is not the operand's.
  it.each([
    ['the last rows of the left operand', 400],
    ['all of it', Infinity],
  ])('reads 0 for %s, and reports so, however early a load is issued', async (_, bytes) => {
    const kernel = TUNED_KERNELS.find(({ name }) => name.startsWith('matmul 33'))!;
    const [a, ...others] = kernel.args as [Uint8Array<ArrayBuffer>, ...typeof kernel.args];
    const left = a.slice(0, Math.max(0, a.byteLength - bytes));
    const results: string[] = [];
    for (const choices of [{ prefetchRegisters: 0 }, ...early]) {
      const func = lowerTuned(parser, kernel);
      for (const pass of OPTIMIZE_PASSES) pass.run(func);
      const compiled = compileFunc(func, gpu.target, { choices });
      const args = [left, ...others];
      const launched = await launchKernel(gpu.device, func, compiled, args, kernel.grid);
      const { report } = launched;
      const [found] = readReport(report, compiled.boundsReport!.accesses);
      expect(found!.distance).toBe(left.byteLength / 4);
      const out = new Float32Array(launched.buffers[2]!.buffer);
      expect(out.some((x) => Number.isNaN(x))).toBe(false);
      expect(out.at(-1)).toBe(0);
      const { access, program } = found!;
      const what = `argument ${access.argument[0]} in ${access.location.line}`;
      results.push(`${out.join()} ${what}, program ${program}`);
    }
    expect(new Set(results).size).toBe(1);
  });

  it('checks the range of loads through pointers that move, and reports the same', async () => {
    const kernel = TUNED_KERNELS.find(({ name }) => name.startsWith('matmul 20'))!;
    const [a, ...others] = kernel.args as [Uint8Array<ArrayBuffer>, ...typeof kernel.args];
    const args = [a.slice(0, a.byteLength - 400), ...others];
    const results: string[] = [];
    const staged = { prefetchRegisters: 64, direct: false };
    for (const choices of [
      { ...staged, prefetchRegisters: 0 },
      staged,
      { ...staged, mergeBoundsGuards: true },
    ]) {
      const func = lowerTuned(parser, kernel);
      for (const pass of OPTIMIZE_PASSES) pass.run(func);
      const compiled = compileFunc(func, gpu.target, { choices });
      expect(compiled.wgsl.includes('room_')).toBe('mergeBoundsGuards' in choices);
      const launched = await launchKernel(gpu.device, func, compiled, args, kernel.grid);
      const [found] = readReport(launched.report, compiled.boundsReport!.accesses);
      const out = new Float32Array(launched.buffers[2]!.buffer);
      expect(out.some((x) => Number.isNaN(x))).toBe(false);
      expect(out.at(-1)).toBe(0);
      results.push(`${out.join()} ${found!.distance} ${found!.program}`);
    }
    expect(new Set(results).size).toBe(1);
  });
});
