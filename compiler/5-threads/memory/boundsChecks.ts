/**
 * The accesses of a kernel that are checked: their numbers in the bounds report, how each tests its
 * range, and which evaluation of a rematerialized load counts its elements out of range. The tests
 * are made in `bounds.ts`.
 */
import type { Operation } from '../../ir/ir';
import type { BoundsAccess } from '../../program';
import type { Bounds } from './bounds';

export class BoundsChecks {
  readonly #accesses: BoundsAccess[] = [];
  readonly #numbers = new Map<Operation, number>();
  readonly #bounds = new Map<Operation, Bounds>();
  /** The place at which each rematerialized load was evaluated first. */
  readonly #countedIn = new Map<Operation, object>();
  #guards = 0;

  /** Adds an access that several operations make. @returns its number. */
  add(access: BoundsAccess, ops: readonly Operation[] = []): number {
    const index = this.#accesses.push(access) - 1;
    for (const op of ops) this.#numbers.set(op, index);
    return index;
  }
  /** By number. */
  get accesses(): readonly BoundsAccess[] {
    return this.#accesses;
  }
  /** The number of an operation's access. */
  numberOf(op: Operation): number {
    const number = this.#numbers.get(op);
    if (number === undefined) throw new Error(`${op.name} is not among the kernel's accesses`);
    return number;
  }
  /** How an operation tests runs of so many elements, made once in a row. */
  bounds(op: Operation, vector: number, make: (access: number) => Bounds): Bounds {
    const known = this.#bounds.get(op);
    if (known?.vector === vector) return known;
    const bounds = make(this.numberOf(op));
    this.#bounds.set(op, bounds);
    return bounds;
  }
  /** A number for the guards of an operation. */
  nextGuard(): number {
    return this.#guards++;
  }

  /** Whether this place counts a rematerialized load; the first one that evaluates it does. */
  countsIn(load: Operation, place: object): boolean {
    return this.#countedIn.get(load) === place;
  }
  /** Notes that a load is evaluated at a place with tests; the first place is kept. */
  evaluatedIn(load: Operation, place: object): void {
    if (!this.#countedIn.has(load)) this.#countedIn.set(load, place);
  }
  /** Begins anew: the load is lowered again, in another body. */
  forgetEvaluations(load: Operation): void {
    this.#countedIn.delete(load);
  }
}
