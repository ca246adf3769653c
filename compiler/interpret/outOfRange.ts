/**
 * Gathers the accesses out of range of a launch: of its loads, and of everything that writes, what
 * the report of a GPU says (`boundsReport.ts`).
 */
import { compareLocations, locationKey } from '../ir/location';
import type { OutOfRangeError } from './memory';

/** Facts about one access. */
export interface LoggedAccess {
  /** The first element past the tensor's end, else the lowest before it. */
  readonly first: OutOfRangeError;
  /** Elements out of range: of all loads, or of all writes. */
  readonly count: number;
  /** The lowest program in which the access goes out of range. */
  readonly program: readonly [number, number, number];
}

export class OutOfRangeLog {
  readonly #accesses = new Map<string, { -readonly [K in keyof LoggedAccess]: LoggedAccess[K] }>();
  #last: { readonly location: object; readonly key: string } | null = null;

  readonly add = (error: OutOfRangeError): void => {
    const { location, programId: program } = error;
    if (this.#last?.location !== location) this.#last = { location, key: locationKey(location) };
    const key = `${this.#last.key} ${error.access} ${error.argument}`;
    const known = this.#accesses.get(key);
    if (!known) {
      this.#accesses.set(key, { first: error, count: 1, program });
      return;
    }
    known.count++;
    if (isBefore(program, known.program)) known.program = program;
    if (isNearer(error, known.first)) known.first = error;
  };

  /** Whether a load at this place (`locationKey`) went out of range. */
  has(place: string): boolean {
    return [...this.#accesses.values()].some(({ first }) => isLoadAt(first, new Set([place])));
  }

  /**
   * The first access of the loads in the text, and that of the writes; `left`: loads that do not
   * count.
   */
  found(left: ReadonlySet<string> = new Set()): LoggedAccess[] {
    return [false, true].flatMap((writes) => {
      const list = [...this.#accesses.values()]
        .filter(({ first }) => (first.access !== 'load') === writes && !isLoadAt(first, left))
        .sort((a, b) => compareLocations(a.first.location, b.first.location));
      const count = list.reduce((sum, each) => sum + each.count, 0);
      return list[0] ? [{ ...list[0], count }] : [];
    });
  }
}

function isLoadAt({ access, location }: OutOfRangeError, places: ReadonlySet<string>): boolean {
  return access === 'load' && places.has(locationKey(location));
}

/** The order of programs: x runs fastest. */
function isBefore(a: readonly number[], b: readonly number[]): boolean {
  for (const axis of [2, 1, 0]) if (a[axis] !== b[axis]) return a[axis]! < b[axis]!;
  return false;
}

/** Elements past the end come first, as for the GPU, which counts modulo 2³². */
function isNearer(a: OutOfRangeError, b: OutOfRangeError): boolean {
  const [x, y] = [a.element ?? a.address, b.element ?? b.address];
  return x < 0 === y < 0 ? x < y : y < 0;
}
