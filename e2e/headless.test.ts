/**
 * The headless runner on whole programs: the five examples hold their own comparisons on the GPU (a
 * software adapter here) and on the interpreter; every bad program fails as `expected.json` says.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../compiler/diagnostics';
import type { ProgramEvent } from '../app/events';

const ROOT = join(import.meta.dirname, '..');
const RUNNER = join(ROOT, 'app', 'cli', 'hippocamp.mjs');
const EXAMPLES = join(ROOT, 'public', 'examples');
const GOOD = join(import.meta.dirname, 'programs', 'good');
const BAD = join(import.meta.dirname, 'programs', 'bad');

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

function ofType<T extends ProgramEvent['type']>(
  events: readonly ProgramEvent[],
  type: T,
): Extract<ProgramEvent, { type: T }>[] {
  return events.filter((event) => event.type === type) as Extract<ProgramEvent, { type: T }>[];
}

/** Everything a run complained about, from its own events and from its compilations. */
function diagnosticsOf(events: readonly ProgramEvent[]): Diagnostic[] {
  return events.flatMap((event) =>
    event.type === 'diagnostic'
      ? [event.diagnostic]
      : event.type === 'compile'
        ? event.diagnostics
        : [],
  );
}

describe('examples', () => {
  const all = JSON.parse(readFileSync(join(EXAMPLES, 'index.json'), 'utf8')) as {
    file: string;
    group: string;
  }[];
  // The rest of the gallery runs in `app/tutorials/gallery.gpu.test.ts`, in one process.
  const index = all.filter(({ group }) => group === 'Start here');

  it('start with five, vector add first', () => {
    expect(index.map((example) => example.file)).toEqual([
      'vector_add.py',
      'fused_softmax.py',
      'matmul.py',
      'layer_norm.py',
      'fused_attention.py',
    ]);
  });

  describe.concurrent.each(['webgpu', 'interpreter'])('on %s', (adapter) => {
    it.each(index)('$file holds its own comparisons', async ({ file }) => {
      const limits = ['--chart-seconds', '2', '--tune-seconds', '2'];
      const { code, events, stderr } = await run(
        join(EXAMPLES, file),
        ...['--adapter', adapter, ...limits],
      );
      const complaints = diagnosticsOf(events).filter(({ severity }) => severity === 'error');
      expect(complaints, stderr).toEqual([]);
      const comparisons = ofType(events, 'comparison');
      expect(comparisons.length).toBeGreaterThan(0);
      expect(comparisons.filter((comparison) => !comparison.passed)).toEqual([]);
      const launches = ofType(events, 'launch');
      expect(launches.length).toBeGreaterThan(0);
      expect(new Set(launches.map((launch) => launch.device))).toEqual(new Set([adapter]));
      expect(ofType(events, 'benchmark').some((chart) => chart.done)).toBe(true);
      expect(code).toBe(0);
    });
  });
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
    expect(kernels).toEqual(new Set(['triton_per_fused_softmax_0', 'triton_red_fused_argmax_1']));
    expect(code).toBe(0);
  });
});

interface Expectation {
  /** Text of the line that the diagnostic stands at. */
  readonly line?: string;
  readonly words?: readonly string[];
  readonly succeeds?: boolean;
  readonly endless?: boolean;
}

describe.concurrent('bad programs', () => {
  const expected = JSON.parse(readFileSync(join(BAD, 'expected.json'), 'utf8')) as Record<
    string,
    Expectation
  >;

  const all = Object.entries(expected).map(([file, expectation]) => ({ file, ...expectation }));
  const endless = all.filter((one) => one.endless);
  const failing = all.filter((one) => !one.endless);

  it.each(failing)('$file says what is wrong, and where', async (program) => {
    const { code, events, stderr } = await run(join(BAD, program.file));
    expect(code, stderr).toBe(program.succeeds ? 0 : 1);
    const lines = readFileSync(join(BAD, program.file), 'utf8').split('\n');
    const places = [
      ...diagnosticsOf(events).map(({ location, message, notes }) => ({
        line: location.line,
        text: [message, ...notes.map((note) => note.message)].join('\n'),
      })),
    ];
    const right = places.filter(({ line }) => lines[line - 1]?.includes(program.line ?? ''));
    expect(right, JSON.stringify(places)).not.toEqual([]);
    for (const word of program.words ?? []) {
      expect(right.map(({ text }) => text).join('\n')).toContain(word);
    }
  });

  it.each(endless)('$file ends at the time limit', async ({ file }) => {
    const { code, events, seconds } = await run(join(BAD, file), '--timeout', '8');
    expect(code).toBe(1);
    expect(ofType(events, 'finished').at(-1)?.outcome).not.toBe('ok');
    expect(seconds).toBeLessThan(40);
  });
});
