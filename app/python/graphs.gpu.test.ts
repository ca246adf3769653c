/** CUDA graphs (`torch/cuda/graphs.py`) on the interpreter and on WebGPU. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Runner } from '../runtime/runner';
import { emptyRecord, fold } from '../state/record';
import { account, startLessons } from '../tutorials/testing';

/** Each prints the names of its checks, of which this is the last. */
const PROGRAMS = { graphs: 'refusals', graphPrograms: 'graphed_callables' };
const CASES = (['interpreter', 'webgpu'] as const).flatMap((adapter) =>
  Object.entries(PROGRAMS).map(([name, last]) => ({ adapter, name, last })),
);

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

it.each(CASES)('$name on $adapter', async ({ adapter, name, last }) => {
  const program = readFileSync(join(import.meta.dirname, 'testdata', `${name}.py`), 'utf8');
  const record = emptyRecord(1, 1, '');
  const options = { adapter, maxBytes: null, chartSeconds: 60, tuneSeconds: 1 };
  await runner.run(
    { 'main.py': program },
    'main.py',
    { ...options, check: false, seed: 0 },
    (event) => fold(record, event),
  );
  expect(record.adapter?.kind).toBe(adapter);
  expect(record.outcome, account(record)).toBe('ok');
  const printed = record.output.map((item) => (item.kind === 'print' ? item.text : '')).join('');
  expect(printed.split('\n').at(-2)).toBe(last);
});
