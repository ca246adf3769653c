/**
 * Programs of the gallery hold their own comparisons on the interpreter and on the software
 * adapter, and their tolerances are no looser than what is reached: a fast set always,
 * `GALLERY=all` all of them, `GALLERY=fft,sort` those. One process runs them in turn.
 * `TOLERANCES=1` prints what was reached.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromToday, skipIfLate } from '../../scripts/budget';
import type { Runner } from '../runtime/runner';
import { account, EXAMPLES, galleryFiles, playFiles, startLessons } from './testing';
import { Reached } from './tolerances';

/** One of each kind. */
const FAST = ['dropout', 'cross_entropy', 'embedding', 'stream_k_matmul', 'grouped_gemm']
  .concat(['int4_matmul', 'attention_variants', 'paged_attention', 'selective_scan', 'sort', 'fft'])
  .concat(['fused_attention'])
  .map((name) => `${name}.py`);

const wanted = process.env['GALLERY'];
const chosen = fromToday(galleryFiles()).filter((file) => {
  if (wanted === 'all') return true;
  return wanted ? wanted.split(',').includes(file.replace('.py', '')) : FAST.includes(file);
});

/** A kernel that was not tuned, or in part; hints without effect. */
const NOTES = ['HC0901', 'HC0902', 'HC0906'];

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

describe.each(chosen)('%s', (file) => {
  const reached = new Reached(file);

  it.for(['interpreter', 'webgpu'] as const)('holds on %s', async (adapter, { skip }) => {
    skipIfLate(skip);
    const text = readFileSync(join(EXAMPLES, file), 'utf8');
    const record = await playFiles(runner, { [file]: text }, file, adapter);
    if (record.adapter) reached.addAll(record.comparisons, record.adapter);
    expect(record.outcome, account(record)).toBe('ok');
    expect(record.adapter?.kind).toBe(adapter);
    expect(record.comparisons.length).toBeGreaterThan(0);
    expect(record.comparisons.filter((comparison) => !comparison.passed)).toEqual([]);
    expect(record.groups.length).toBeGreaterThan(0);
    // No warning either: a load out of range gives 0 here, and anything on CUDA. Only notes may
    // stand: of a tuning that slow adapters get no time for, of hints for CUDA.
    const others = record.diagnostics.filter(({ code }) => !NOTES.includes(code));
    expect(others, account(record)).toEqual([]);
    // Its Python may run it again, and the page says that it replaced nothing.
    expect(runner.tidy()).toEqual([]);
  });

  it('has tolerances that fit what is reached', ({ skip }) => {
    skipIfLate(skip);
    if (process.env['TOLERANCES']) console.log(reached.table());
    expect(reached.tooLoose()).toEqual([]);
  });
});
