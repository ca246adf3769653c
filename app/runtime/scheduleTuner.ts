/**
 * Tuned schedules of a run's launches: found by a search (`scheduleSearch.ts`) where nothing is
 * kept for the launch's key, and kept from run to run.
 *
 * Guarantee: the key is a digest of all that the code depends on: adapter, target, compiler
 * version, kernel text, specialization, options and grid. Python has no way to name such a key
 * (`Session.remember_tuned`), and what is kept counts only if it is made of tries: the worst
 * that a wrong text can do is a slower schedule.
 */
import { funcAfter } from '../../compiler/inspect/funcAfter';
import { areTried } from '../../compiler/4-distribute/tries';
import type { Compiler } from '../../compiler/pipeline';
import type { ProgramEvent, Timing, TunedConfiguration } from '../events';
import type { CompiledUnit } from './compileCache';
import { COMPILER_VERSION } from './compilerVersion';
import { launchCost } from './cost';
import { kernelOf, type Engine, type EngineLaunch } from './engine';
import { failedByLoss } from './engines';
import { stableJson } from './key';
import type { TuningStore } from './keptCalibration';
import { keptAs, keptTuning, type KeptTuning } from './keptTexts';
import {
  type Candidate,
  type Found,
  searchSchedule,
  textOf,
  type TunedChoices,
} from './scheduleSearch';
import type { Storage } from './storage';

type Compiled = CompiledUnit & { readonly ok: true };
type TuningEvent = Extract<ProgramEvent, { type: 'autotune' }>;

export interface TunedLaunch {
  readonly engine: Engine;
  /** The default's. */
  readonly unit: Compiled;
  readonly launch: EngineLaunch;
  /** The launch under other choices; why there is none, as a text. */
  readonly candidate: (choices: TunedChoices) => Candidate | string;
}

/** Ids of tunings in a run: those of Python's autotuner count from 1. */
const FIRST_ID = 1_000_000;

export class ScheduleTuner {
  /** Choices in effect, by kernel and grid; null: the default. */
  private readonly known = new Map<string, TunedChoices | null>();
  private ids = FIRST_ID;

  constructor(
    private readonly store: TuningStore | undefined,
    private readonly compiler: Compiler,
    private readonly seconds: number,
    private readonly send: (event: ProgramEvent) => void,
  ) {}

  /** Undefined where it must be found first. */
  of(key: string, grid: EngineLaunch['grid']): TunedChoices | null | undefined {
    return this.known.get(`${key} ${grid.join()}`);
  }

  /** Finds the schedule of a launch, and reports how. */
  async find(tuned: TunedLaunch): Promise<TunedChoices | null> {
    const { unit, launch, engine } = tuned;
    const place = await placeOf(tuned);
    const kept = await keptAs(this.store, place, keptTuning);
    const choices =
      kept?.choices && areTried(kept.choices) && typeof tuned.candidate(kept.choices) !== 'string'
        ? kept.choices
        : null;
    const report = this.reporter(launch);
    if (kept && (choices || kept.choices === null)) {
      report(rowsOf(kept), { best: choices ? 1 : 0, fromCache: true, done: true });
      return this.remember(tuned, choices);
    }
    const obstacle = obstacleOf() ?? (engine.race ? null : 'there is no GPU');
    if (obstacle !== null) {
      const row = { text: 'default', settings: {}, state: 'skipped', timing: null } as const;
      report([{ ...row, error: obstacle }], { best: 0, done: true });
      return this.remember(tuned, null);
    }
    const found = await this.search(tuned, report).catch(async (error: unknown) => {
      // The next run would lose its device in the same way.
      if (await failedByLoss(engine, error))
        this.store?.set(place, JSON.stringify({ times: {}, choices: null }));
      throw error;
    });
    // A search that was cut short goes on in the next run.
    if (found.left === null || found.choices) this.store?.set(place, JSON.stringify(keptOf(found)));
    return this.remember(tuned, found.choices);

    function obstacleOf(): string | null {
      const instrumented = unit.request.options.instrumentation ? 'it is instrumented' : null;
      return kernelObstacle(launch) ?? instrumented ?? followsItself(launch);
    }
  }

  private async search(tuned: TunedLaunch, report: Report): Promise<Found> {
    const { unit, launch, engine, candidate } = tuned;
    const lowered = funcAfter(this.compiler, unit.request, ({ index }) => index === 0);
    if (!lowered.ok) throw new Error(`${unit.unit.name} does not compile again`);
    const start = performance.now();
    const found = await searchSchedule({
      ...{ engine, seconds: this.seconds, request: unit.request, func: lowered.func, candidate },
      onRows: (rows, trying) => {
        const spent = (performance.now() - start) / 1e3;
        const text = `tuning ${launch.unit.name}: ${trying}`;
        this.send({ type: 'progress', text, fraction: Math.min(1, spent / this.seconds) });
        report(rows, { best: null, done: false });
      },
    });
    this.send({ type: 'progress', text: '', fraction: null });
    const seconds = (performance.now() - start) / 1e3;
    const [first, ...rest] = found.rows;
    const rows = [{ ...first!, error: found.left }, ...rest].map((row): TunedConfiguration =>
      row.state === 'waiting' ? { ...row, state: 'skipped' } : row,
    );
    report(rows, { best: found.best, done: true, seconds });
    return found;
  }

  private remember({ unit, launch }: TunedLaunch, choices: TunedChoices | null) {
    this.known.set(`${unit.key} ${launch.grid.join()}`, choices);
    return choices;
  }

  private reporter({ unit, grid, site }: EngineLaunch): Report {
    const id = this.ids++;
    return (configurations, { best, done, fromCache = false, seconds = 0 }) => {
      const facts = { id, kernel: unit.name, key: `grid ${grid.join(' × ')}`, site };
      const outcome = { best, fromCache, seconds, done, schedule: true } as const;
      this.send({ type: 'autotune', ...facts, configurations: [...configurations], ...outcome });
    };
  }
}

type Report = (
  rows: readonly TunedConfiguration[],
  outcome: Pick<TuningEvent, 'best' | 'done'> & Partial<Pick<TuningEvent, 'fromCache' | 'seconds'>>,
) => void;

async function placeOf({ engine, unit, launch }: TunedLaunch): Promise<string> {
  const { name, vendor, architecture } = engine.info;
  const adapter = { name, vendor, architecture };
  const facts = { adapter, compiler: COMPILER_VERSION, request: unit.request, grid: launch.grid };
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(stableJson(facts)));
  const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0'));
  return `schedule-${hex.join('')}`;
}

/** Why a launch's kernel is not repeated. */
export function kernelObstacle({ unit, arena }: EngineLaunch): string | null {
  const { oneByOne, debugSites, boundsReport } = kernelOf(unit);
  if (arena !== null) return 'it follows addresses, which may lead anywhere';
  if (oneByOne || boundsReport?.accesses.some(({ kind }) => kind === 'wait'))
    return 'its programs wait for each other';
  return debugSites ? 'it prints or asserts' : null;
}

/**
 * Why repeated runs of the launch may do other work than the first: it reads memory that it writes,
 * and its control flow may depend on data. A loop up to a number that each run doubles never ends.
 */
export function followsItself(launch: EngineLaunch): string | null {
  const { unit, leaves } = launch;
  const { read, written } = unit.cost?.accessed ?? { read: new Set([-1]), written: new Set([-1]) };
  const storages = (through: ReadonlySet<number>): readonly Storage[] =>
    leaves.flatMap((leaf, i) =>
      leaf.kind === 'pointer' && (through.has(i) || through.has(-1)) ? [leaf.storage] : [],
    );
  const own = new Set(storages(written));
  if (!storages(read).some((storage) => own.has(storage))) return null;
  const cost = launchCost(launch);
  if (!cost) return 'what it reads is not known';
  const [reason] = cost.uncertain?.split(';') ?? [];
  return reason === undefined ? null : `it reads what it writes, and ${reason}`;
}

const DEFAULT = 'default';

/** The default and the winner, in milliseconds. */
function keptOf({ rows, best, choices }: Found): KeptTuning {
  const kept = (row: TunedConfiguration): KeptTuning['times'] => {
    const { timing } = row;
    if (!timing) return {};
    const { median, low, high, samples, clock, quantum } = timing;
    const quantiles = [median, low, high].map((time) => time / 1e3);
    const text = row.text === DEFAULT ? DEFAULT : 'tuned';
    return { [text]: { quantiles, samples, clock, quantum: quantum / 1e3, dropped: false } };
  };
  return { times: { ...kept(rows[0]!), ...kept(rows[best]!) }, choices };
}

function rowsOf({ times, choices }: KeptTuning): TunedConfiguration[] {
  const timingOf = (name: string): Timing | null => {
    const time = times[name];
    if (!time) return null;
    const [median = 0, low = 0, high = 0] = time.quantiles.map((each) => each * 1e3);
    const { clock, samples, quantum } = time;
    return { clock, median, low, high, samples, quantum: quantum * 1e3 };
  };
  const row = (name: string, settings: TunedChoices): TunedConfiguration => {
    const timing = timingOf(name);
    const state = timing ? 'measured' : 'skipped';
    return { text: textOf(settings), settings, state, timing, error: null };
  };
  return [row(DEFAULT, {}), ...(choices ? [row('tuned', choices)] : [])];
}
