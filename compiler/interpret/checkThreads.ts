/**
 * The check mode of the passes on threads: thread IR is interpreted by workgroups. A race, a word
 * that nobody wrote, or threads that part before a barrier count as failures, whatever the results
 * are. Bounded: after `threadSteps` no other program begins, and `programs` states how many ran.
 */
import type { OutOfRange } from '../boundsReport';
import type { Func } from '../ir/ir';
import { formatLocation } from '../ir/location';
import type { ThreadKernel } from '../ir/thread/kernel';
import type { Specialization } from '../program';
import type { CheckedLaunch, Outcome } from './checkOutcome';
import { interpretTiles, rangeOf } from './checkOutcome';
import { Stopped } from './index';
import { runWorkgroups } from './workgroup/index';
import type { WorkgroupResult } from './workgroup/index';

/** `threadSteps` where the launch states none: about a second. */
const ENOUGH = 50_000_000;
/** Steps before a program is given up. */
const MOST = 1_000_000_000;

type ThreadCheckOptions = CheckedLaunch & { readonly specialization: Specialization };

export class ThreadPasses {
  /** One past the last program that is run. */
  #end: number | undefined;
  #reference: Outcome | undefined;

  constructor(
    private readonly options: ThreadCheckOptions,
    /** The kernel in tiles, as it was lowered to threads. */
    private readonly tiles: Func,
  ) {}

  /**
   * Runs the kernel on a copy of the memory; after the first time as many programs as then.
   * @param inStep subgroups are in step, also where the target runs one after the other
   */
  interpret(kernel: ThreadKernel, inStep = false): Outcome {
    const { args, grid, specialization, shouldStop, threadSteps = ENOUGH } = this.options;
    const memory = this.options.memory.map(({ address, bytes }) => ({
      address,
      bytes: bytes.slice(),
    }));
    const { first, end } = rangeOf(this.options);
    try {
      const result = runWorkgroups({
        kernel,
        parameters: this.tiles.body.args,
        specialization,
        args,
        memory,
        grid,
        range: { first, end: this.#end ?? end },
        budget: MOST,
        inStep,
        ...(this.#end === undefined ? { enough: threadSteps } : {}),
        ...(shouldStop && { shouldStop }),
      });
      if (this.#end === undefined && result.end < end) this.#shorten(first, result.end);
      this.#end ??= result.end;
      return this.#failure(kernel, result) ?? { ok: true, memory };
    } catch (error) {
      if (error instanceof Stopped) throw error;
      const message = error instanceof Error ? error.message : String(error);
      return { ok: false, message, outOfRange: false };
    }
  }
  /** How many programs are run: all, or those that began before the limit. */
  get programs(): number {
    const { first, end } = rangeOf(this.options);
    return (this.#end ?? end) - first;
  }
  /** Results of tiles for the programs that threads are run for. */
  shortened(all: Outcome | undefined): Outcome | undefined {
    const outcome = this.#reference ?? all;
    this.#reference = undefined;
    return outcome;
  }
  #shorten(first: number, end: number): void {
    this.#reference = interpretTiles(this.tiles, { ...this.options, range: { first, end } }, true);
  }

  #failure(kernel: ThreadKernel, result: WorkgroupResult): Outcome | undefined {
    const { findings, outOfRange, failed } = result;
    const [finding] = findings;
    if (finding) {
      const message = `${formatLocation(finding.location)}: ${finding.message}`;
      return { ok: false, message, outOfRange: false };
    }
    const [range] = outOfRange;
    if (range) return { ok: false, message: this.#describe(range), outOfRange: true };
    const site = failed[0] && kernel.debugSites[failed[0].site];
    if (site?.kind !== 'assert') return undefined;
    const message = `${formatLocation(site.location)}: ${site.message}`;
    return { ok: false, message, outOfRange: false };
  }
  #describe({ access, program, distance }: OutOfRange): string {
    const [x, y] = this.options.grid;
    const id = [program % x, Math.floor(program / x) % y, Math.floor(program / (x * y))];
    const at = `${formatLocation(access.location)}: ${access.kind} out of range`;
    return `${at} at element ${distance | 0} in program (${id.join(', ')})`;
  }
}
