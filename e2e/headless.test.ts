/**
 * The headless runner on whole programs: the first example holds its own comparisons on the GPU (a
 * software adapter here) and on the interpreter; programs that break Python, and some that only
 * fail, are reported as `expected.json` says. `app/cli/programs.test.ts` runs all others in one
 * process.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  badPrograms,
  expectedExit,
  expectHeld,
  expectSaid,
  ofType,
} from '../app/cli/testing/programs';
import type { ProgramEvent } from '../app/events';

const ROOT = join(import.meta.dirname, '..');
const RUNNER = join(ROOT, 'app', 'cli', 'hippocamp.mjs');
const EXAMPLES = join(ROOT, 'public', 'examples');
const GOOD = join(import.meta.dirname, 'programs', 'good');

interface Outcome {
  readonly code: number | null;
  readonly events: readonly ProgramEvent[];
  readonly stderr: string;
  readonly seconds: number;
}

async function run(file: string, ...options: string[]): Promise<Outcome> {
  const start = performance.now();
  const child = spawn(process.execPath, [RUNNER, 'run', file, '--json', ...options], { cwd: ROOT });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const seconds = (performance.now() - start) / 1000;
  let events: readonly ProgramEvent[];
  try {
    events = (JSON.parse(stdout) as { events: ProgramEvent[] }).events;
  } catch {
    throw new Error(`no JSON from ${file}: exit ${code}\n${stdout.slice(0, 2000)}\n${stderr}`);
  }
  return { code, events, stderr, seconds };
}

describe.concurrent('the first example', () => {
  it.each(['webgpu', 'interpreter'] as const)(
    'holds its own comparisons on %s',
    async (adapter) => {
      const limits = ['--chart-seconds', '2', '--tune-seconds', '2'];
      const { code, events, stderr } = await run(
        join(EXAMPLES, 'vector_add.py'),
        ...['--adapter', adapter, ...limits],
      );
      expectHeld(events, adapter, stderr);
      expect(code).toBe(0);
    },
  );
});

describe.concurrent('a program that TorchInductor wrote', () => {
  it.each(['webgpu', 'interpreter'])('runs as it is on %s', async (adapter) => {
    const file = join(GOOD, 'inductor_output.py');
    const { code, events, stderr } = await run(file, '--adapter', adapter);
    expect(
      ofType(events, 'comparison').map(({ passed }) => passed),
      stderr,
    ).toEqual([true, true, true, true]);
    const kernels = new Set(ofType(events, 'launch').map(({ kernel }) => kernel));
    // Its benchmark times operations of torch, too, on a GPU by kernels of `torch/_eager`.
    const own = [...kernels].filter((kernel) => !kernel.startsWith('torch_'));
    expect(new Set(own)).toEqual(
      new Set(['triton_per_fused_softmax_0', 'triton_red_fused_argmax_1']),
    );
    expect(code).toBe(0);
  });
});

describe.concurrent('a program in Gluon', () => {
  it.each(['webgpu', 'interpreter'])('runs as it is on %s', async (adapter) => {
    const { code, events, stderr } = await run(join(GOOD, 'gluon.py'), '--adapter', adapter);
    const comparisons = ofType(events, 'comparison');
    expect(comparisons.length, stderr).toBe(23);
    expect(comparisons.every(({ passed }) => passed)).toBe(true);
    expect(code).toBe(0);
  });
});

describe.concurrent('bad programs', () => {
  const all = badPrograms();
  const endless = all.filter((one) => one.endless);
  // One of each kind: an error of Python's, a diagnostic, a warning, a comparison.
  const kinds = ['host_exception', 'wrong_shape', 'out_of_range_store', 'failing_comparison'];
  const failing = all.filter(({ file, breaks }) => breaks || kinds.includes(file.slice(0, -3)));

  it.each(failing)('$file says what is wrong, and where', async (program) => {
    const { code, events, stderr } = await run(program.path);
    expect(code, stderr).toBe(expectedExit(program));
    expectSaid(program, events);
  });

  it.each(endless)('$file ends at the time limit', async ({ path }) => {
    const { code, events, seconds } = await run(path, '--timeout', '8');
    expect(code).toBe(1);
    expect(ofType(events, 'finished').at(-1)?.outcome).not.toBe('ok');
    expect(seconds).toBeLessThan(40);
  });
});
