/**
 * The schedule of a kernel, as the passes that decide it record it: what was chosen, why, and what
 * the next best was. Plain data beside the code (`CompileResult.schedule`), for the page and the
 * command line.
 *
 * Guarantee: a decision is recorded where it takes effect. Nothing computes it a second time.
 */
import type { Location } from './ir/location';

export const SCHEDULE_FIELDS = [
  'threads',
  'dot path',
  'accumulator tile',
  'warp grid',
  'K slice',
  'stages',
  'unroll',
  'epilogue',
] as const;
export type ScheduleField = (typeof SCHEDULE_FIELDS)[number];

/** Why a value was chosen, and what stands in its place otherwise: sentences without an end. */
export interface Reason {
  /** The fact of the target, of the layout or of the program that decided. */
  readonly why: string;
  /** The next best, and what speaks against it; null where there is no other. */
  readonly next: string | null;
}

export interface ScheduleDecision extends Reason {
  readonly field: ScheduleField;
  readonly chosen: string;
  /** The dot or the loop; null for the kernel as a whole. */
  readonly location: Location | null;
}

/** The decisions of one compilation; a later one about the same thing replaces the earlier. */
export class Schedule {
  readonly #kernel = new Map<ScheduleField, ScheduleDecision>();
  readonly #places = new Map<object, Map<ScheduleField, ScheduleDecision>>();

  /** @param of the dot or the loop as the pass found it; null for the kernel as a whole */
  decide(
    field: ScheduleField,
    of: { readonly location: Location } | null,
    chosen: string,
    { why, next }: Reason,
  ): void {
    const decision = { field, chosen, why, next, location: of?.location ?? null };
    if (!of) {
      this.#kernel.set(field, decision);
      return;
    }
    const own = this.#places.get(of) ?? new Map<ScheduleField, ScheduleDecision>();
    this.#places.set(of, own.set(field, decision));
  }

  /** The kernel's own first, then place by place in the order of the decisions. */
  decisions(): readonly ScheduleDecision[] {
    const places = [...this.#places.values()].flatMap((own) => [...own.values()]);
    return [...this.#kernel.values(), ...places];
  }
}
