/**
 * Decisions: passes on tiles that set attributes which `lower_tiles` follows, and change no tile. A
 * wrong one shows in the thread IR only. Which one is wrong is found by taking them back, the last
 * one first, and lowering the tiles again.
 */
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import type { ThreadKernel } from '../ir/thread/kernel';

type Attributes = Operation['attributes'];
type Snapshot = ReadonlyMap<Operation, Attributes>;

interface Decision {
  /** The index of its verdict. */
  readonly check: number;
  /** The attributes before the pass. */
  readonly before: Snapshot;
  readonly lower: () => ThreadKernel;
}

export class Decisions {
  readonly #list: Decision[] = [];
  #latest: Snapshot = new Map();

  /** Notes the tiles after a pass. @param lower of a decision: lowers them as they stand */
  note(check: number, func: Func, lower: (() => ThreadKernel) | undefined): void {
    if (lower) this.#list.push({ check, before: this.#latest, lower });
    this.#latest = snapshot(func);
  }

  /**
   * The verdict's index of the decision without which the thread IR is sound; undefined where it
   * never is, or where the tiles cannot be lowered without a decision.
   */
  guilty(isSound: (kernel: ThreadKernel) => boolean): number | undefined {
    const decided = this.#latest;
    try {
      let current = decided;
      for (const { check, before, lower } of this.#list.toReversed()) {
        const changed = restore(current, before);
        current = before;
        if (changed && isSound(lower())) return check;
      }
    } finally {
      restore(undefined, decided);
    }
    return undefined;
  }
}

function snapshot(func: Func): Snapshot {
  const attributes = new Map<Operation, Attributes>();
  walk(func.body, (op) => attributes.set(op, op.attributes));
  return attributes;
}
/** @returns whether the attributes differ from the current ones. */
function restore(current: Snapshot | undefined, wanted: Snapshot): boolean {
  let changed = false;
  for (const [op, attributes] of wanted) {
    changed ||= current?.get(op) !== attributes;
    op.attributes = attributes;
  }
  return changed;
}
