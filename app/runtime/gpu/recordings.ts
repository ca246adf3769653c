/**
 * Recordings of launches for benchmarks, one inside the other: what is measured may itself tune a
 * kernel.
 *
 * Guarantee: a recording is given back only if launches are all that happened in it, so that a
 * replay does what was recorded.
 */
import type { EngineLaunch } from '../engine';
import type { RecordedLaunch } from './replay';

interface Recording {
  readonly launches: RecordedLaunch[];
  broken: boolean;
}

export class Recordings {
  /** The innermost last. */
  private readonly open: Recording[] = [];
  private readonly of = new WeakMap<EngineLaunch, RecordedLaunch>();

  get recording(): boolean {
    return this.open.length > 0;
  }

  begin(): void {
    this.breakOff();
    this.open.push({ launches: [], broken: false });
  }

  /** Ends the innermost. @returns its launches; null where it cannot be replayed. */
  end(): readonly RecordedLaunch[] | null {
    const { launches, broken } = this.open.pop() ?? { launches: [], broken: true };
    return broken || launches.length === 0 ? null : launches;
  }

  /** Something else than a launch happens. */
  breakOff(): void {
    const last = this.open.at(-1);
    if (last) last.broken = true;
  }

  add(made: RecordedLaunch): void {
    this.open.at(-1)?.launches.push(made);
    this.of.set(made.launch, made);
  }

  /** The launch is encoded anew: what was recorded of it does not count. */
  again(launch: EngineLaunch): void {
    const launches = this.open.at(-1)?.launches;
    if (launches?.at(-1)?.launch === launch) launches.pop();
  }

  /** Time of the launch, where it was recorded. */
  took(launch: EngineLaunch, nanoseconds: number | null): void {
    const recorded = this.of.get(launch);
    if (recorded) recorded.nanoseconds = nanoseconds;
  }
}
