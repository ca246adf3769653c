/**
 * Times of the launches of a profile (Python's `triton.profiler`), added up by its slots: one for
 * each kernel in each scope. Times arrive later than launches; what was reported before
 * `synchronize` is complete.
 */
import type { Timing } from '../events';
import type { ProfiledTime } from '../workers/bridge';

export class ProfileTimes {
  /** Number from which launches are counted here; -1: nowhere. */
  slot = -1;
  /** The slots of launches whose time is not known yet. */
  private readonly open = new Map<number, number>();
  private readonly sums = new Map<number, ProfiledTime>();

  launched(launch: number): void {
    if (this.slot >= 0) this.open.set(launch, this.slot);
  }

  add(launch: number, { median, clock }: Timing): void {
    const slot = this.open.get(launch);
    if (slot === undefined) return;
    this.open.delete(launch);
    const known = this.sums.get(slot);
    this.sums.set(slot, {
      slot,
      launches: (known?.launches ?? 0) + 1,
      microseconds: (known?.microseconds ?? 0) + median,
      clock,
    });
  }

  times(): readonly ProfiledTime[] {
    return [...this.sums.values()];
  }
}
