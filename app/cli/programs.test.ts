/**
 * Whole programs in one process, on what `hippocamp run` is made of: the first five examples hold
 * their own comparisons on the GPU (a software adapter here) and on the interpreter; every bad
 * program fails as `expected.json` says. `e2e/headless.test.ts` runs some by the command itself,
 * and those that break Python.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ProgramEvent, RunOptions } from '../events';
import type { Runner } from '../runtime/runner';
import { EXAMPLES } from '../tutorials/testing';
import { tryReadProgram } from './programs';
import { createNodeRunner } from './programProcess';
import { exitCode } from './run';
import { badPrograms, expectedExit, expectHeld, expectSaid } from './testing/programs';

const ROOT = join(import.meta.dirname, '..', '..');
const OPTIONS = { maxBytes: null, check: false, seed: 0 };

/** One Python for all, until a program leaves something in it. */
let current: Runner | null = null;
afterAll(() => current?.dispose());

async function run(
  path: string,
  options: Pick<RunOptions, 'adapter' | 'chartSeconds' | 'tuneSeconds'>,
): Promise<readonly ProgramEvent[]> {
  current ??= await createNodeRunner(ROOT, () => {});
  const program = tryReadProgram(path, (text) => expect.unreachable(text))!;
  const events: ProgramEvent[] = [];
  await current.run(program.files, program.entry, { ...OPTIONS, ...options }, (event) =>
    events.push(event),
  );
  if (current.tidy().length > 0) {
    current.dispose();
    current = null;
  }
  return events;
}

describe('examples', () => {
  const gallery = JSON.parse(readFileSync(join(EXAMPLES, 'index.json'), 'utf8')) as {
    readonly file: string;
    readonly group: string;
  }[];
  // The rest of the gallery runs in `app/tutorials/gallery.gpu.test.ts`.
  const first = gallery.filter(({ group }) => group === 'Start here').map(({ file }) => file);

  it('start with five, vector add first', () => {
    expect(first).toEqual([
      'vector_add.py',
      'fused_softmax.py',
      'matmul.py',
      'layer_norm.py',
      'fused_attention.py',
    ]);
  });

  describe.each(['webgpu', 'interpreter'] as const)('on %s', (adapter) => {
    it.each(first)('%s holds its own comparisons', async (file) => {
      const events = await run(join(EXAMPLES, file), { adapter, chartSeconds: 2, tuneSeconds: 2 });
      expectHeld(events, adapter);
      expect(exitCode(events)).toBe(0);
    });
  });
});

describe('bad programs', () => {
  const failing = badPrograms().filter(({ endless, breaks }) => !endless && !breaks);

  it.each(failing)('$file says what is wrong, and where', async (program) => {
    const events = await run(program.path, { adapter: 'webgpu' });
    expect(exitCode(events)).toBe(expectedExit(program));
    expectSaid(program, events);
  });
});
