/** For tests: both sides of a check in this process, in two Pythons that outlive a check. */
import { join } from 'node:path';
import type { Diagnostic } from '../../compiler/diagnostics';
import { readHarness } from '../cli/problems';
import { createNodeRunner } from '../cli/programProcess';
import { runInProcess } from '../cli/run';
import type { ProgramEvent, RunOptions } from '../events';
import type { Runner } from '../runtime/runner';
import { harnessProgram, solutionProgram, type Problem, type WorkerProgram } from './files';
import { Relay } from './relay';

const ROOT = join(import.meta.dirname, '..', '..');
const HARNESS = readHarness(ROOT);

export interface Judges {
  /** Runs programs by themselves, too. */
  readonly program: Runner;
  readonly harness: Runner;
  /** The relay of the check that runs; `last` resolves when it has ended. */
  readonly sides: { relay: Relay; last: Promise<void> };
  dispose(): void;
}

export async function startJudges(): Promise<Judges> {
  const sides = { relay: new Relay(), last: Promise.resolve() };
  const start = (side: 'harness' | 'solution'): Promise<Runner> =>
    createNodeRunner(
      ROOT,
      () => {},
      undefined,
      undefined,
      (text) => sides.relay.exchange(side, text),
    );
  const program = await start('solution');
  const harness = await start('harness');
  const dispose = (): void => {
    program.dispose();
    harness.dispose();
  };
  return { program, harness, sides, dispose };
}

/** In a process with the walls of `hippocamp run`. */
function runApart(
  served: WorkerProgram,
  adapter: RunOptions['adapter'],
  hear: (event: ProgramEvent) => void,
  exchange: (text: string) => Promise<string>,
): Promise<void> {
  // The process is one of the command's.
  process.argv[1] = join(ROOT, 'app', 'cli', 'hippocamp.mjs');
  const limits = { timeout: 60, maxMemory: null, maxBytes: null, chartSeconds: 1, tuneSeconds: 1 };
  const command = { ...limits, adapter, seed: 0, allowNode: false, check: false };
  const take = (event: ProgramEvent): number => {
    hear(event);
    return 0;
  };
  return runInProcess(
    ROOT,
    command,
    served,
    take,
    () => {},
    {},
    () => {},
    exchange,
  );
}

/** Events of the harness's run, and the errors of the program's. */
export interface Judged {
  readonly harness: readonly ProgramEvent[];
  readonly errors: readonly Diagnostic[];
}

/**
 * @param apart run the program in a process of its own, as the command does: what a cheat patches
 *   must not reach another one
 * @param more Python that is appended to the harness's entry
 */
export function judgeHere(judges: Judges, ...check: Check): Promise<Judged> {
  // A test that ran out of time leaves its check behind, whose texts are none of the next one's.
  const judged = judges.sides.last.then(() => judgeNow(judges, ...check));
  judges.sides.last = judged.then(
    () => {},
    () => {},
  );
  return judged;
}

type Check = readonly [
  problem: Problem,
  text: string,
  adapter: RunOptions['adapter'],
  seed?: number,
  how?: {
    readonly name?: string;
    readonly more?: string;
    readonly apart?: boolean;
    readonly measures?: boolean;
  },
];

async function judgeNow(
  { program, harness, sides }: Judges,
  ...[problem, text, adapter, seed = 0, how = {}]: Check
): Promise<Judged> {
  const { name = 'program.py', more = '', apart = false, measures = false } = how;
  const options: RunOptions = {
    adapter,
    maxBytes: null,
    chartSeconds: 1,
    tuneSeconds: 1,
    check: false,
    seed: 0,
  };
  const solution = { files: { [name]: text }, entry: name };
  const relay = (sides.relay = new Relay());
  const served = solutionProgram(HARNESS, solution);
  const judged = harnessProgram(HARNESS, problem, solution, seed, measures);
  const files = { ...judged.files, [judged.entry]: `${judged.files[judged.entry]}${more}` };
  const errors: Diagnostic[] = [];
  const events: ProgramEvent[] = [];
  const hear = (event: ProgramEvent): void => {
    if (event.type === 'diagnostic' && event.diagnostic.severity === 'error')
      errors.push(event.diagnostic);
  };
  const run = apart
    ? runApart(served, adapter, hear, (said) => relay.exchange('solution', said))
    : program.run(served.files, served.entry, options, hear);
  await Promise.all([
    run.finally(() => relay.end('solution')),
    harness
      .run(files, judged.entry, options, (event) => void events.push(event))
      .finally(() => relay.end('harness')),
  ]);
  return { harness: events, errors };
}
