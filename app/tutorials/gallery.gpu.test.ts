/**
 * Programs of the gallery hold their own comparisons on the interpreter and on the software adapter: a
 * fast set always, `GALLERY=all` all of them, `GALLERY=fft,sort` those. One process runs them in turn.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromToday, skipIfLate } from '../../scripts/budget';
import type { Runner } from '../runtime/runner';
import { account, playFiles, startLessons } from './testing';

const FOLDER = join(import.meta.dirname, '..', '..', 'public', 'examples');
/** One of each kind. */
const FAST = ['dropout', 'cross_entropy', 'embedding', 'stream_k_matmul', 'grouped_gemm']
  .concat(['int4_matmul', 'attention_variants', 'paged_attention', 'selective_scan', 'sort', 'fft'])
  .map((name) => `${name}.py`);

const all = JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')) as { file: string }[];
const wanted = process.env['GALLERY'];
const chosen = fromToday(all)
  .map(({ file }) => file)
  .filter((file) => {
    if (wanted === 'all') return true;
    return wanted ? wanted.split(',').includes(file.replace('.py', '')) : FAST.includes(file);
  });

/** A kernel that was not tuned, or in part. */
const TUNING = ['HC0901', 'HC0902'];

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

describe.each(chosen)('%s', (file) => {
  it.for(['interpreter', 'webgpu'] as const)('holds on %s', async (adapter, { skip }) => {
    skipIfLate(skip);
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const record = await playFiles(runner, { [file]: text }, file, adapter);
    expect(record.outcome, account(record)).toBe('ok');
    expect(record.adapter?.kind).toBe(adapter);
    expect(record.comparisons.length).toBeGreaterThan(0);
    expect(record.comparisons.filter((comparison) => !comparison.passed)).toEqual([]);
    expect(record.groups.length).toBeGreaterThan(0);
    // No warning either: a load out of range gives 0 here, and anything on CUDA. Only what is said of a
    // tuning that slow adapters get no time for may stand.
    const others = record.diagnostics.filter(({ code }) => !TUNING.includes(code));
    expect(others, account(record)).toEqual([]);
  });
});
