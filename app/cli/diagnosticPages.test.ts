/**
 * The examples of diagnostics that are whole programs: run on the interpreter, each gives its code.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPages } from '../../scripts/diagnostics';
import type { ProgramEvent } from '../events';
import type { Runner } from '../runtime/runner';
import { createNodeRunner } from './programProcess';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAM = /A whole program:\n\n```python\n(.*?)```/s;
const pages = readPages().flatMap(({ code, text }) => {
  const program = PROGRAM.exec(text)?.[1];
  return program === undefined ? [] : [{ code, program }];
});

describe('the example of', () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await createNodeRunner(ROOT, () => {});
  });
  afterAll(() => runner.dispose());

  it('there are some', () => expect(pages.length).toBeGreaterThan(5));

  it.each(pages)('$code gives it, where it says so', async ({ code, program }) => {
    const events: ProgramEvent[] = [];
    const options = { adapter: 'interpreter', maxBytes: null, check: false, seed: 0 } as const;
    await runner.run({ 'main.py': program }, 'main.py', options, (event) => events.push(event));
    const marked = program.split('\n').findIndex((line) => line.endsWith(`# ${code}`)) + 1;
    const reported = events.flatMap((event) =>
      event.type === 'diagnostic' ? event.diagnostic : [],
    );
    expect(reported.map((d) => `${d.code} at line ${d.location.line}`)).toEqual([
      `${code} at line ${marked}`,
    ]);
  });
});
