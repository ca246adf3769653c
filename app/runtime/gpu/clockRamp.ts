/**
 * Whether a GPU computes at its full clocks, and work that raises them. One NVIDIA H100 (Vulkan,
 * 27 November 2026) that had idled for 2 to 8 s took 4.5 times as long for each run until it had
 * worked for 0.25 to 0.45 s, and then went to full speed at once; after a second of idling or less
 * it kept its clocks. A processor that computes has none of this.
 */

/** Milliseconds without measured work after which the clocks may be low. */
const IDLE = 1000;
/** Milliseconds of work that raise the clocks of every GPU that was measured. */
const LONGEST = 600;
/** Milliseconds of a piece of that work. */
const PIECE = 25;
/** A run that takes less than this part of the first ones is one at raised clocks. */
const RAISED = 2 / 3;
/** Milliseconds of work after a rise: clocks may rise in several steps. */
const SETTLING = 100;

export class ClockRamp {
  private busy = -Infinity;

  /** @param lowers whether the adapter lowers its clocks: false for a processor */
  constructor(
    private readonly lowers: boolean,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get low(): boolean {
    return this.lowers && this.now() - this.busy > IDLE;
  }
  /** Work at full clocks ends now. */
  worked(): void {
    this.busy = this.now();
  }

  /**
   * Works until the clocks are up, for 0.6 s at most, or for a run.
   * @param time works so many runs; answers their nanoseconds
   * @returns nanoseconds of a run, at the end
   */
  async raise(time: (runs: number) => Promise<number>, mostRuns: number): Promise<number> {
    let end = this.now() + LONGEST;
    let [runs, first, one] = [1, 0, 0];
    do {
      const taken = await time(runs);
      one = taken / runs;
      // The first runs fill caches: no piece yet.
      if (first === 0 && taken >= (PIECE / 2) * 1e6) first = one;
      if (one < first * RAISED) [end, first] = [Math.min(end, this.now() + SETTLING), 0];
      const wanted = taken > 0 ? Math.ceil((PIECE * 1e6) / one) : runs * 4;
      runs = Math.min(mostRuns, Math.max(1, wanted));
    } while (this.now() < end);
    this.worked();
    return one;
  }
}
