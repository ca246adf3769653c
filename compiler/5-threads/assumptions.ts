/**
 * Facts that hold where code is being lowered, because it stands behind a test of them: accesses
 * that are unmasked and in range, and masks that are true. They are known while a callback runs;
 * after it, only those are known that were known before.
 */
import type { Operation, Value } from '../ir/ir';
import type { ThreadValue } from '../ir/thread/ir';

export interface Tested {
  readonly accesses: readonly Operation[];
  /**
   * The index of the vector that the thread's first register begins, for an access in whole
   * vectors. It is computed where the accesses before it are already known to be in range.
   */
  readonly firstVector?: (access: Operation) => ThreadValue | undefined;
  readonly masks?: readonly Value[];
}

export class Assumptions {
  #inRange: ReadonlyMap<Operation, ThreadValue | undefined> = new Map();
  #masks: ReadonlySet<Value> = new Set();

  /** Lowers `body` where the tests hold. */
  where<T>({ accesses, firstVector, masks = [] }: Tested, body: () => T): T {
    const outside = { inRange: this.#inRange, masks: this.#masks };
    try {
      const inRange = new Map(outside.inRange);
      this.#inRange = inRange;
      for (const access of accesses) inRange.set(access, firstVector?.(access));
      this.#masks = new Set([...this.#masks, ...masks]);
      return body();
    } finally {
      this.#inRange = outside.inRange;
      this.#masks = outside.masks;
    }
  }
  /** Whether all elements of an access are unmasked and in range. */
  inRange(access: Operation): boolean {
    return this.#inRange.has(access);
  }
  /** The index of the vector that its first register begins, where it is in whole vectors. */
  firstVector(access: Operation): ThreadValue | undefined {
    return this.#inRange.get(access);
  }
  /** Whether all elements of a mask are true. */
  isTrue(mask: Value): boolean {
    return this.#masks.has(mask);
  }
}
