/**
 * The first elements of each row in order, by insertion: what a stable sort of the row begins with,
 * NaN being the largest.
 */
import { isBig } from './dtypes';
import type { BigArray, NumberArray, Values } from './dtypes';

interface Found {
  readonly values: Values;
  readonly indices: BigInt64Array;
}

/** @param k at most `width`. */
export function topk(x: Values, rows: number, width: number, k: number, largest: boolean): Found {
  const values = x.slice(0, rows * k);
  const indices = new BigInt64Array(rows * k);
  const places = new Int32Array(k);
  const row = isBig(x) ? null : new Float64Array(width);
  for (let r = 0; r < rows; r++) {
    const from = x.subarray(r * width, (r + 1) * width);
    if (row) {
      row.set(from as NumberArray);
      firstNumbers(row, places, largest);
    } else if (largest) largestBig(from as BigArray, places);
    else smallestBig(from as BigArray, places);
    for (let i = 0; i < k; i++) {
      (values as Float32Array)[r * k + i] = (from as Float32Array)[places[i]!]!;
      indices[r * k + i] = BigInt(places[i]!);
    }
  }
  return { values, indices };
}

/** Whether `a` comes before `b` where both are not equal. */
function before(a: number, b: number, largest: boolean): boolean {
  if (largest) return a !== a ? b === b : a > b;
  return b !== b ? a === a : a < b;
}

function firstNumbers(x: Float64Array, places: Int32Array, largest: boolean): void {
  const k = places.length;
  let found = 0;
  for (let i = 0; i < x.length; i++) {
    const value = x[i]!;
    if (found === k && !before(value, x[places[k - 1]!]!, largest)) continue;
    let at = found < k ? found++ : k - 1;
    while (at > 0 && before(value, x[places[at - 1]!]!, largest)) {
      places[at] = places[at - 1]!;
      at--;
    }
    places[at] = i;
  }
}

function largestBig(x: BigArray, places: Int32Array): void {
  const k = places.length;
  let found = 0;
  for (let i = 0; i < x.length; i++) {
    if (found === k && !(x[i]! > x[places[k - 1]!]!)) continue;
    let at = found < k ? found++ : k - 1;
    while (at > 0 && x[i]! > x[places[at - 1]!]!) {
      places[at] = places[at - 1]!;
      at--;
    }
    places[at] = i;
  }
}

function smallestBig(x: BigArray, places: Int32Array): void {
  const k = places.length;
  let found = 0;
  for (let i = 0; i < x.length; i++) {
    if (found === k && !(x[i]! < x[places[k - 1]!]!)) continue;
    let at = found < k ? found++ : k - 1;
    while (at > 0 && x[i]! < x[places[at - 1]!]!) {
      places[at] = places[at - 1]!;
      at--;
    }
    places[at] = i;
  }
}
