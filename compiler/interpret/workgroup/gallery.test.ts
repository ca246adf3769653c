/**
 * The gallery's kernels by workgroups, and by tiles: memory is the same afterwards, and nothing is
 * found. And each of their barriers left out in turn: the run then finds a hazard.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../../1-parse/parser';
import { testParser } from '../../1-parse/testing/testParser';
import { requestFor } from '../../inspect/testing/launches';
import type { CompileRequest } from '../../program';
import type { Target } from '../../target';
import { galleryKernels, KINDS, lowerToThreads } from '../../testing/gallery';
import type { LoweredKernel } from '../../testing/gallery';
import { galleryLaunch } from '../../testing/galleryLaunch';
import { compareMemory } from '../checkPasses';
import { runInterpreter } from '../index';
import { barriersOf, fresh, redundantBarriers, runThreads } from './testing/barriers';
import type { Launch } from './testing/barriers';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

/** A sum, and what came before each element, of a tensor whose address is loaded. */
const ARENA = `def table_kernel(address_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x_ptr = tl.load(address_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, tl.cumsum(x, axis=0) / tl.sum(tl.abs(x), axis=0))
`;
const arena = (target: Target): CompileRequest =>
  requestFor(
    parser,
    ARENA,
    { address_ptr: '*i64:16', out_ptr: '*fp32:16', n: 'i32', BLOCK: 256 },
    target,
  );

const lowered = new Map<Target, ReadonlyMap<string, LoweredKernel>>();
/**
 * By file and name: the gallery's kernels, one with an arena, and those that run a program a lane.
 */
function kernelsOf(target: Target): ReadonlyMap<string, LoweredKernel> {
  let found = lowered.get(target);
  if (found) return found;
  const entries = galleryKernels(parser, target).flatMap(({ file, name, request }) => {
    const own: [string, LoweredKernel] = [`${file}: ${name}`, lowerToThreads(parser, request)];
    if (!target.sharedMemoryInStorage) return [own];
    // As a launch of many programs is compiled on a software adapter.
    const options = { ...request.options, manyPrograms: true };
    const many = lowerToThreads(parser, { ...request, options });
    return many.threads.programs > 1 ? [own, [`${own[0]}, by lanes`, many] as const] : [own];
  });
  found = new Map([...entries, ['arena', lowerToThreads(parser, arena(target))]]);
  lowered.set(target, found);
  return found;
}

/**
 * Barriers that are redundant, as `redundantBarriers` shows on both launches. Known: of the two
 * between an attention's loops and at the second one's start either suffices, as that loop has one
 * iteration; in a loop that ends when all threads are done the test has a barrier; the scan of
 * totals converts a layout to and fro, and a thread stores the words that it has read itself; where
 * a tensor is read and written, a barrier of storage comes with each.
 */
const ATTENTION = { 'fused_attention.py: attention_kernel': 2 };
const MANDELBROT = { 'mandelbrot.py: mandelbrot_kernel': 1 };
const SCAN = 'prefix_sum.py: total_kernel';
const REDUNDANT: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  SwiftShader: { ...ATTENTION, [SCAN]: 1 },
  'subgroup matrices': { ...ATTENTION, ...MANDELBROT, [SCAN]: 4 },
  'WebGPU baseline': { ...ATTENTION, ...MANDELBROT, [SCAN]: 5 },
};
/** Barriers of all kernels, at least. */
const LEAST: Readonly<Record<string, number>> = {
  SwiftShader: 150,
  'subgroup matrices': 180,
  'WebGPU baseline': 300,
};

/** A short launch, and the last program of a longer one, whose loops have more iterations. */
const launchesOf = ({ tiles }: LoweredKernel): readonly Launch[] => [
  galleryLaunch(tiles, [1, 1, 1]),
  { ...galleryLaunch(tiles, [4, 1, 1], 161), range: { first: 3, end: 4 } },
];

describe('the workgroup interpreter', () => {
  it.each(KINDS)('agrees with the interpreter of tiles on $name', (target) => {
    const kernels = kernelsOf(target);
    for (const [name, kernel] of kernels) {
      const { tiles, threads } = kernel;
      const launch = galleryLaunch(tiles, [threads.programs > 1 ? 6 : 2, 1, 1]);
      const [expected, got] = [fresh(launch), fresh(launch)];
      runInterpreter({ func: tiles, ...expected, onOutOfRange: () => undefined });
      const { findings } = runThreads(kernel, got);
      const verdict = compareMemory(tiles, launch, expected.memory, got.memory);
      expect({ name, ...verdict }).toMatchObject({
        verdict: /same|rounding/.exec(verdict.verdict)?.[0],
      });
      expect(findings.map(({ message }) => `${name}: ${message}`)).toEqual([]);
      // The kernel did something.
      const changed = compareMemory(tiles, launch, launch.memory, got.memory);
      expect({ name, ...changed }).toMatchObject({ verdict: 'different' });
    }
    const all = [...kernels.values()];
    expect(all.length).toBeGreaterThanOrEqual(50);
    expect(kernels.get('arena')!.request.specialization.arena).toBeDefined();
    const lanes = all.filter(({ threads }) => threads.programs > 1).length;
    if (target.sharedMemoryInStorage) expect(lanes).toBeGreaterThan(5);
  });

  it.each(KINDS)('finds what each barrier is for on $name', (target) => {
    const redundant: Record<string, number> = {};
    let count = 0;
    for (const [name, kernel] of kernelsOf(target)) {
      count += barriersOf(kernel).length;
      const found = redundantBarriers(kernel, launchesOf(kernel)).length;
      if (found > 0) redundant[name] = found;
    }
    expect(redundant).toEqual(REDUNDANT[target.name]);
    expect(count).toBeGreaterThan(LEAST[target.name]!);
  });
});
