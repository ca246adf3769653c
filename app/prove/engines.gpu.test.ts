/**
 * Programs in the ring have the same bits on the interpreter and on the software adapter: what each
 * comparison of a program of the gallery, or of a lesson's solution, found on both sides, else what
 * it prints. A fast set always, `ENGINES=all` all of them, `ENGINES=fft,13-backward` those; a
 * Vulkan driver in VK_ICD_FILENAMES for another adapter. A program that ends in the ring ends on
 * both at one place.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromToday, skipIfLate } from '../../scripts/budget';
import type { ProgramEvent, RunOptions } from '../events';
import type { Runner } from '../runtime/runner';
import {
  EXAMPLES,
  galleryData,
  galleryFiles,
  readLessons,
  startLessons,
} from '../tutorials/testing';

/** One of each kind, of those that are fast. */
const FAST = ['vector_add', 'matmul', 'fused_softmax', 'grouped_gemm', 'selective_scan', 'sort']
  .concat(['04-online-softmax', '07-flash-attention', '12-low-precision', '13-backward'])
  .concat(['p08-running-sum', 'p12-quantized-matmul']);

interface Program {
  readonly name: string;
  readonly text: string;
  /** The file of the gallery, whose data it opens. */
  readonly file: string | null;
}
const programs: readonly Program[] = [
  ...galleryFiles().map((file) => {
    const text = readFileSync(join(EXAMPLES, file), 'utf8');
    return { name: file.replace('.py', ''), text, file };
  }),
  ...readLessons().map(({ slug, solution }) => ({ name: slug, text: solution, file: null })),
];
const wanted = process.env['ENGINES'];
const chosen = fromToday(programs).filter(({ name }) =>
  wanted === 'all' ? true : (wanted?.split(',') ?? FAST).includes(name),
);

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

/** A program's comparisons in the ring, and where it ends before its own end. */
interface Found {
  readonly adapter: string | undefined;
  readonly compared: readonly { readonly line: number; readonly digests: readonly string[] }[];
  readonly end: string | null;
  readonly printed: string;
}
async function inRing({ text, file }: Program, adapter: RunOptions['adapter']): Promise<Found> {
  const events: ProgramEvent[] = [];
  const options: RunOptions = {
    ...{ adapter, maxBytes: null, check: false, seed: 0, ring: true, measures: false },
    ...(file ? { data: runner.takeData(galleryData(file)) } : {}),
  };
  await runner.run({ 'main.py': text }, 'main.py', options, (event) => void events.push(event));
  runner.tidy();
  const started = events.find((event) => event.type === 'started');
  const printed = events.map((event) => (event.type === 'print' ? event.text : '')).join('');
  const failed = events.find(
    (event) => event.type === 'diagnostic' && event.diagnostic.severity === 'error',
  );
  return {
    adapter: started?.adapter.kind,
    printed,
    compared: events.flatMap((event) =>
      event.type === 'comparison' && event.ring
        ? [{ line: event.site.line, digests: event.ring.digests }]
        : [],
    ),
    end:
      failed?.type === 'diagnostic'
        ? `${failed.diagnostic.location.line}: ${failed.diagnostic.message}`
        : null,
  };
}

it.for(chosen)('$name has the same bits', { timeout: 600_000 }, async (program, { skip }) => {
  skipIfLate(skip);
  const [here, there] = [await inRing(program, 'interpreter'), await inRing(program, 'webgpu')];
  expect([here.adapter, there.adapter]).toEqual(['interpreter', 'webgpu']);
  expect(there.compared).toEqual(here.compared);
  expect(there.end).toEqual(here.end);
  if (process.env['ENGINES']) console.log(`${program.name}: ${here.compared.length}, ${here.end}`);
  // A program that compares nothing prints its results.
  if (here.compared.length === 0) expect(there.printed).toBe(here.printed);
  expect(here.compared.length + here.printed.length).toBeGreaterThan(0);
});
