/**
 * A proof of a program, wherever it runs: `hippocamp prove` and the page's panel make the same runs
 * of it, and have the same report of them. The runs are the caller's to make; what follows of them
 * needs the compiler alone.
 */
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { Compiler } from '../../compiler/pipeline';
import type { ProgramEvent, RunOptions } from '../events';
import { adapterOf, errorsOf } from '../passed';
import { algebraSection, type Run } from './algebra';
import { kernelUses } from './kernelUses';
import { launchSections } from './launches';
import type { ProofReport } from './report';
import { roundingSections } from './rounding';
import { sweepSections } from './sweeps';
import { unexercisedOf } from './unexercised';
import { mayBePartlyWritten, withUnwritten } from './unwritten';

/** A run that is to be made: with these options beside the caller's. */
export interface RunRequest {
  readonly adapter: RunOptions['adapter'];
  readonly options: Partial<RunOptions>;
  /** `in the ring on the interpreter`. */
  readonly text: string;
  /** The run's number, from 1, of at most so many. */
  readonly number: number;
  readonly of: number;
}

/** Results of a run; `interrupted`: it was stopped, and no other one is made. */
export interface RunResult {
  readonly events: readonly ProgramEvent[];
  /** Empty where the run keeps none. */
  readonly launches: readonly LaunchInputs[];
  readonly interrupted: boolean;
}

/** The runs of a proof, with no event that it does not look at. Plain data. */
export interface ProofRuns {
  readonly file: string;
  readonly ordinary: Run;
  readonly rings: readonly Run[];
  readonly launches: readonly LaunchInputs[];
  readonly milliseconds: number;
}

/** Runs by what they compute with. */
const RUNS = {
  ring: { text: 'in the ring', options: { ring: true, compareConfigurations: true } },
  ordinary: {
    text: 'with ordinary floats',
    options: { keepInputs: true, keepEvery: true, compareConfigurations: true },
  },
  otherFill: {
    text: 'with other values in empty memory',
    options: { keepInputs: true, keepEvery: true, otherFill: true },
  },
} as const;

/** Events that a proof looks at. */
const NEEDED: ReadonlySet<ProgramEvent['type']> = new Set([
  'started',
  'compile',
  'launch',
  'comparison',
  'sweep',
  'diagnostic',
]);

/**
 * The runs of a program: in the ring on the interpreter, with ordinary floats and, where that was
 * on a GPU, in the ring there; where a launch may have had a tensor that was written in part, once
 * more with other values in empty memory.
 * @returns the report of a proof that was interrupted, with its errors and nothing else.
 */
export async function runForProof(
  file: string,
  adapter: RunOptions['adapter'],
  run: (request: RunRequest) => Promise<RunResult>,
): Promise<ProofRuns | ProofReport> {
  const start = performance.now();
  let stopped: readonly ProgramEvent[] | null = null;
  let number = 0;
  const of = adapter === 'interpreter' ? 2 : 3;
  const make = async (
    on: RunOptions['adapter'],
    kind: keyof typeof RUNS,
  ): Promise<Run & RunResult> => {
    const place = on === 'interpreter' ? 'interpreter' : 'GPU';
    const text = `${RUNS[kind].text} on the ${place}`;
    const options = { check: false, measures: false, ...RUNS[kind].options };
    number++;
    const request = { adapter: on, options, text, number, of: Math.max(number, of) };
    const result = await run(request);
    if (result.interrupted) stopped ??= result.events;
    const events = result.events.filter(({ type }) => NEEDED.has(type));
    return { ...result, events, engine: engineOf(events) };
  };
  const rings = [await make('interpreter', 'ring')];
  const ordinary = stopped ? rings[0]! : await make(adapter, 'ordinary');
  const isOnGpu = adapterOf(ordinary.events)?.kind === 'webgpu';
  if (isOnGpu && !stopped) rings.push(await make(adapter, 'ring'));
  let { launches } = ordinary;
  if (!stopped && mayBePartlyWritten(launches))
    launches = withUnwritten(launches, (await make(adapter, 'otherFill')).launches);
  if (stopped) {
    const errors = errorsOf(stopped);
    return { version: 1, file, adapter: null, sections: [], unexercised: [], errors };
  }
  const milliseconds = performance.now() - start;
  return { file, ordinary: asRun(ordinary), rings: rings.map(asRun), launches, milliseconds };
}

const asRun = ({ engine, events }: Run): Run => ({ engine, events });

/** @param progress hears what is analysed, as text. */
export function reportOf(
  { file, ordinary, rings, launches, milliseconds }: ProofRuns,
  compiler: Compiler,
  progress: (text: string) => void,
): ProofReport {
  const usesOf = kernelUses(rings[0]!.events, compiler);
  const ran = new Map<string, number>();
  for (const event of ordinary.events)
    if (event.type === 'launch' && !event.benchmark)
      ran.set(event.key, (ran.get(event.key) ?? 0) + 1);
  const ofLaunches = launchSections(launches, compiler, progress, ran);
  return {
    version: 1,
    file,
    adapter: adapterOf(ordinary.events),
    sections: [
      algebraSection({ ordinary, rings, usesOf, milliseconds }),
      ...ofLaunches,
      ...roundingSections(ordinary),
      ...sweepSections(ordinary),
    ],
    unexercised: unexercisedOf(launches, compiler, progress),
    errors: errorsOf(ordinary.events),
  };
}

function engineOf(events: readonly ProgramEvent[]): string {
  const info = adapterOf(events);
  return !info || info.kind === 'interpreter' ? 'the interpreter' : info.name;
}
