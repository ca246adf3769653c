/** CUDA graphs (`torch/cuda/graphs.py`) on the interpreter and on WebGPU. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Runner } from '../runtime/runner';
import { emptyRecord, fold } from '../state/record';
import { account, startLessons } from '../tutorials/testing';

const PROGRAM = readFileSync(join(import.meta.dirname, 'testdata', 'graphs.py'), 'utf8');

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

it.each(['interpreter', 'webgpu'] as const)('replays graphs on %s', async (adapter) => {
  const record = emptyRecord(1, 1, '');
  const options = { adapter, maxBytes: null, chartSeconds: 60, tuneSeconds: 1 };
  await runner.run(
    { 'main.py': PROGRAM },
    'main.py',
    { ...options, check: false, seed: 0 },
    (event) => fold(record, event),
  );
  expect(record.adapter?.kind).toBe(adapter);
  expect(record.outcome, account(record)).toBe('ok');
  const printed = record.output.map((item) => (item.kind === 'print' ? item.text : '')).join('');
  expect(printed.split('\n').at(-2)).toBe('refusals');
});
