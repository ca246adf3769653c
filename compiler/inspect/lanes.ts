/**
 * Elements that two lanes of one store write, with different values: which of them stays is left
 * open, as between programs. Lanes that write the same value do no harm.
 */

/**
 * The values of a store as the interpreter holds them; one stands for all lanes where there is one.
 */
export type StoredValues = ArrayLike<number | bigint>;

export class LaneConflicts {
  /** For each element: the store that wrote it last, counted from 1, and its lane. */
  readonly #store: Int32Array;
  readonly #lane: Int32Array;
  #stores = 0;

  constructor(elements: number) {
    this.#store = new Int32Array(elements);
    this.#lane = new Int32Array(elements);
  }

  /** A store begins. */
  begin(): void {
    this.#stores++;
  }

  /** @returns whether another lane of this store wrote another value to the element. */
  write(element: number, lane: number, values: StoredValues): boolean {
    const before = this.#store[element] === this.#stores ? this.#lane[element]! : -1;
    this.#store[element] = this.#stores;
    this.#lane[element] = lane;
    if (before < 0 || values.length === 1) return false;
    return !Object.is(values[before], values[lane]);
  }
}

/** Whether an element of a storage, counted from a view's first one, is one of the view's. */
export function isInView(
  element: number,
  shape: readonly number[],
  strides: readonly number[],
): boolean {
  const order = shape.map((_, d) => d).sort((a, b) => strides[b]! - strides[a]!);
  if (element < 0 || shape.some((size) => size === 0)) return false;
  let rest = element;
  for (const d of order) {
    const stride = strides[d]!;
    if (stride <= 0) continue;
    rest -= Math.min(shape[d]! - 1, Math.floor(rest / stride)) * stride;
  }
  return rest === 0;
}
