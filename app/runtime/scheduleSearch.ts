/**
 * Searches the schedule of one launch on the GPU that it runs on: the choices of `TRIES`, each
 * beside what was found to be faster before it. The launch's memory is put back before each
 * candidate and at the end.
 *
 * Guarantee: a candidate counts only if it leaves the same memory as the default, up to the order
 * and rounding of sums; one that does not is dropped, with the element. A candidate is faster only
 * if its median is below the other's by more than the spread of either, in samples taken in turn;
 * what is found is compared with the default once more, on new samples. Samples repeat a launch on
 * what it left: a kernel whose control flow may follow what it wrote is not searched. Errors of the
 * search are none of the program's, but for a lost device; errors of what the program did before
 * are thrown.
 */
import { argumentValues } from '../../compiler/inspect/launch';
import { compareMemory } from '../../compiler/interpret/checkPasses';
import type { MemoryStorage } from '../../compiler/interpret/index';
import type { Func } from '../../compiler/ir/ir';
import type { CompileRequest } from '../../compiler/program';
import { TRIES } from '../../compiler/4-distribute/tries';
import type { Timing, TunedConfiguration } from '../events';
import { timingOf } from './clock';
import { failedByLoss } from './engines';
import { kernelOf, type Engine, type EngineLaunch, type Race } from './engine';
import { inputsOf, storagesOf } from './launchInputs';
import { cpuCopy, markCpuWritten, type Storage } from './storage';

export type TunedChoices = Readonly<Record<string, number | boolean>>;

/** A launch as it would be under some choices. */
export interface Candidate {
  readonly key: string;
  readonly launch: EngineLaunch;
}

export interface Subject {
  readonly engine: Engine;
  /** Seconds for the whole search. */
  readonly seconds: number;
  readonly request: CompileRequest;
  /** The kernel's IR as lowering made it: types of what it writes. */
  readonly func: Func;
  /** The default's where there are no choices. @returns why it is none, as a text */
  readonly candidate: (choices: TunedChoices) => Candidate | string;
  /** Hears of each row; the first is the default. */
  readonly onRows: (rows: readonly TunedConfiguration[], trying: string) => void;
}

export interface Found {
  readonly rows: readonly TunedConfiguration[];
  /** The winner's row; 0 is the default. */
  readonly best: number;
  readonly choices: TunedChoices | null;
  /** Why nothing, or not everything, was tried; null otherwise. */
  readonly left: string | null;
}

/** Samples of a candidate against the fastest so far, and of what was found against the default. */
const ROUNDS = 7;
const FINAL_ROUNDS = 15;
/** Bytes that the launch may write: they are kept, and compared after each candidate. */
const MOST_BYTES = 512 * 2 ** 20;
/** Runs of the default that a candidate costs, its measuring included, and those of the end. */
const RUNS_OF_TRY = 3 * (ROUNDS + 2) + 1;
const RUNS_AT_END = 2 * (FINAL_ROUNDS + 2);
/** A candidate whose one run takes so many times the default's, and milliseconds, is dropped. */
const CLEARLY_SLOWER = 2;
const HICCUP = 200;

export async function searchSchedule(subject: Subject): Promise<Found> {
  const search = new Search(subject);
  try {
    return await search.run();
  } finally {
    await search.end();
  }
}

class Search {
  readonly #rows: TunedConfiguration[] = [];
  readonly #end: number;
  readonly #default: Candidate;
  readonly #written: readonly Storage[];
  /** Contents of what the launch writes, before it; null until they are read. */
  #before: readonly Uint8Array[] | null = null;
  /** Milliseconds of one run of the default, its results read. */
  #took = 0;

  constructor(private readonly subject: Subject) {
    this.#end = performance.now() + subject.seconds * 1e3;
    const own = subject.candidate({});
    if (typeof own === 'string') throw new Error(own);
    this.#default = own;
    this.#written = writtenBy(own.launch);
    this.#rows.push(rowOf({}, own.key));
  }

  async run(): Promise<Found> {
    const { engine } = this.subject;
    const none = (left: string): Found => ({ rows: this.#rows, best: 0, choices: null, left });
    const bytes = this.#written.reduce((sum, storage) => sum + storage.bytes, 0);
    if (bytes > MOST_BYTES) return none('what it writes is too large to be compared');
    this.subject.onRows(this.#rows, 'the default');
    // Throws what earlier launches of the program did wrong.
    await engine.synchronize();
    try {
      const found = await this.#searched();
      return typeof found === 'string' ? none(found) : found;
    } catch (error) {
      if (await failedByLoss(engine, error)) throw error;
      return none(`the search failed: ${messageOf(error)}`);
    }
  }

  /** Why nothing was tried, as a text. */
  async #searched(): Promise<Found | string> {
    this.#before = await this.#contents();
    await this.subject.engine.prepare(this.#default.launch.unit);
    const start = performance.now();
    const expected = await this.#results(this.#default);
    this.#took = performance.now() - start;
    if (this.#ends(RUNS_OF_TRY))
      return `one launch takes ${(this.#took / 1e3).toPrecision(2)} s of the time for tuning`;
    const again = this.#difference(expected, await this.#results(this.#default));
    if (again !== null) return `two runs of the default differ: ${again}`;
    const found = await this.#tries(expected);
    return found === 'untimed' ? 'this adapter has no clock of the GPU' : found;
  }

  /** Whether the time is up before so many runs of the default, and those of the end. */
  #ends(runs: number): boolean {
    return performance.now() + this.#took * (runs + RUNS_AT_END) > this.#end;
  }

  /** Leaves the launch's memory as it was, and no error of the search behind. */
  async end(): Promise<void> {
    const { engine } = this.subject;
    try {
      await engine.synchronize();
    } catch (error) {
      if (await failedByLoss(engine, error)) throw error;
    } finally {
      this.restore();
    }
  }

  /** Puts back what the launch writes. */
  restore(): void {
    if (this.#before) restoreAll(this.#written, this.#before);
  }

  async #tries(expected: readonly Uint8Array[]): Promise<Found | 'untimed'> {
    const codes = new Map([[codeOf(this.#default), 0]]);
    let best = { row: 0, choices: {} as TunedChoices, made: this.#default };
    let left: string | null = null;
    for (const [at, tried] of TRIES.entries()) {
      if (this.#ends(RUNS_OF_TRY)) {
        left = `${TRIES.length - at} of ${TRIES.length} tries were left: the time was up`;
        break;
      }
      const choices = { ...best.choices, ...(tried as TunedChoices) };
      const made = this.subject.candidate(choices);
      if (typeof made === 'string') continue;
      const code = codeOf(made);
      if (codes.has(code)) continue;
      codes.set(code, this.#rows.length);
      const row = this.#rows.push(rowOf(choices, made.key)) - 1;
      this.subject.onRows(this.#rows, textOf(tried as TunedChoices));
      const race = await this.#raced(row, made, best.made, expected);
      if (race === 'untimed') return race;
      if (!race) continue;
      const [own = [], other = [], base = other] = race.samples;
      this.#time(row, own, race.quantum, base);
      if (this.#rows[0]!.timing === null) this.#time(0, base, race.quantum);
      if (isFaster(own, other, race.quantum)) best = { row, choices, made };
    }
    const nothing: Found = { rows: this.#rows, best: 0, choices: null, left };
    if (best.row === 0) return nothing;
    // One of many candidates looks fastest by luck: new samples decide.
    this.subject.onRows(this.#rows, 'what was found against the default');
    this.restore();
    const last = await this.subject.engine.race!(
      [best.made.launch, this.#default.launch],
      FINAL_ROUNDS,
    );
    if (!last) return 'untimed';
    const [own = [], other = []] = last.samples;
    this.#time(best.row, own, last.quantum, other);
    this.#time(0, other, last.quantum);
    if (!isFaster(own, other, last.quantum)) return nothing;
    return { rows: this.#rows, best: best.row, choices: best.choices, left };
  }

  /** Null where the candidate is dropped; its row states why. */
  async #raced(
    row: number,
    made: Candidate,
    against: Candidate,
    expected: readonly Uint8Array[],
  ): Promise<Race | 'untimed' | null> {
    const { engine } = this.subject;
    const failed = (error: string): null => {
      this.#rows[row] = { ...this.#rows[row]!, state: 'failed', error };
      return null;
    };
    try {
      await engine.prepare(made.launch.unit);
      const start = performance.now();
      const results = await this.#results(made);
      const took = performance.now() - start;
      const difference = this.#difference(expected, results);
      if (difference !== null) return failed(`dropped: its results differ, ${difference}`);
      if (took > this.#took * CLEARLY_SLOWER + HICCUP)
        return failed(`dropped: one run took ${(took / 1e3).toPrecision(2)} s`);
      this.restore();
      const others = against === this.#default ? [against] : [against, this.#default];
      const launches = [made, ...others].map(({ launch }) => launch);
      return (await engine.race?.(launches, ROUNDS)) ?? 'untimed';
    } catch (error) {
      if (await failedByLoss(engine, error)) throw error;
      return failed(messageOf(error));
    }
  }

  /** @param base samples of the default in the same rounds */
  #time(row: number, samples: readonly number[], quantum: number, base?: readonly number[]): void {
    const timing: Timing = timingOf(samples, 'gpu', quantum);
    const reference = base && { reference: timingOf(base, 'gpu', quantum).median };
    this.#rows[row] = { ...this.#rows[row]!, state: 'measured', timing, ...reference };
  }

  async #contents(): Promise<Uint8Array[]> {
    const { engine } = this.subject;
    const contents: Uint8Array[] = [];
    for (const storage of this.#written) {
      await engine.read(storage);
      contents.push(cpuCopy(storage).slice());
    }
    return contents;
  }

  /** The memory that the launch writes, behind it. */
  async #results(made: Candidate): Promise<Uint8Array[]> {
    this.restore();
    await this.subject.engine.launch(made.launch);
    await this.subject.engine.synchronize();
    return this.#contents();
  }

  /** The first element beyond rounding, in words; null where there is none. */
  #difference(expected: readonly Uint8Array[], got: readonly Uint8Array[]): string | null {
    const { func, request } = this.subject;
    const { launch } = this.#default;
    const args = argumentValues(inputsOf(launch, request, storagesOf(launch), false));
    const memory = (all: readonly Uint8Array[]): MemoryStorage[] =>
      this.#written.map(({ address }, i) => ({ address, bytes: all[i]! }));
    const { verdict, first } = compareMemory(func, { args }, memory(expected), memory(got));
    if (verdict !== 'different') return null;
    return first
      ? `${first.argument}[${first.index}] is ${first.after}, ${first.before} by the default`
      : 'in memory of no argument';
  }
}

/** Puts back what storages held. */
export function restoreAll(storages: readonly Storage[], before: readonly Uint8Array[]): void {
  storages.forEach((storage, i) => {
    cpuCopy(storage).set(before[i]!);
    markCpuWritten(storage);
  });
}

/** Storages that the launch's kernel writes, each once. */
export function writtenBy(launch: EngineLaunch): Storage[] {
  const { bindings } = kernelOf(launch.unit);
  const groups = bindings.flatMap(({ group, access }) =>
    access === 'read_write' && group !== 'shared' ? [...(launch.groups[group] ?? [])] : [],
  );
  return [...new Set(groups)];
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function codeOf({ launch: { unit } }: Candidate): string {
  const { wgsl, workgroupSize, programs } = kernelOf(unit);
  return `${workgroupSize} ${programs} ${wgsl}`;
}

export function textOf(choices: TunedChoices): string {
  const parts = Object.entries(choices).map(([name, value]) => `${name}: ${value}`);
  return parts.length > 0 ? parts.join(', ') : 'default';
}

function rowOf(choices: TunedChoices, specialization: string): TunedConfiguration {
  const text = textOf(choices);
  return { text, settings: choices, state: 'waiting', specialization, timing: null, error: null };
}

/** Whether the median is lower by more than both spreads (quantiles 0.1 to 0.9). */
export function isFaster(
  own: readonly number[],
  other: readonly number[],
  quantum: number,
): boolean {
  const [a, b] = [timingOf(own, 'gpu', quantum), timingOf(other, 'gpu', quantum)];
  const spread = Math.max(a.high - a.low, b.high - b.low);
  return own.length > 0 && other.length > 0 && b.median - a.median > spread;
}
