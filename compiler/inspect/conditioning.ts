/**
 * How far rounding may move the results of a launch, found by trying: its programs are interpreted
 * again with inputs of which each float is moved by its last bit at random, and what that changes
 * in a result is what one rounding of each input changes. A sum that cancels moves far, beside its
 * own size; a product does not.
 */
import { argumentOf, readAll } from '../interpret/checkPasses';
import type { MemoryStorage } from '../interpret/index';
import { elementAt, tileDType, type TileDType } from '../ir/tile';
import type { Func } from '../ir/ir';
import type { ElementType } from '../ir/types';
import { byteSize, isFloat } from '../ir/types';
import { argumentValues, memoryOf, type LaunchInputs } from './launch';

/** Times that the inputs are moved: of fewer, one may happen to leave a result where it is. */
const TRIES = 3;
/** Times the largest move that a result may be off: a sum rounds more often than it has inputs. */
const MARGIN = 8;

/** A move of the float32 that kernels compute in, for a move of a float's last bit. */
const LAST_BIT: Partial<Record<TileDType, number>> = {
  f64: 1,
  f32: 1,
  f16: 2 ** -13,
  bf16: 2 ** -16,
};

/** For each storage, how far each of its elements may be off; null where none holds floats. */
export type Slack = readonly (Float64Array | null)[];

/**
 * @param run interprets the launch's programs; null where that did not end
 * @param random numbers from 0 up to 1
 * @returns null where it was not found
 */
export function roundingSlack(
  func: Func,
  inputs: LaunchInputs,
  expected: readonly MemoryStorage[],
  run: (inputs: LaunchInputs) => readonly MemoryStorage[] | null,
  random: () => number,
): Slack | null {
  const args = argumentValues(inputs);
  const elements = inputs.storages.map(({ address, byteLength }) => {
    const { element } = argumentOf(func, args, { address, byteLength });
    const dtype = tileDType(element);
    return dtype !== 'pointer' && isFloat(dtype) ? element : null;
  });
  const slack = elements.map((element, i) =>
    element ? new Float64Array(Math.floor(expected[i]!.bytes.length / byteSize(element))) : null,
  );
  // Floats of one dtype at a time: the last bit of a narrow one is far more than a rounding.
  for (const dtype of new Set(
    elements.flatMap((element) => (element ? [tileDType(element)] : [])),
  )) {
    const share = LAST_BIT[dtype];
    if (share === undefined) continue;
    for (let i = 0; i < TRIES; i++) {
      const moved = memoryOf(inputs).map((storage, at) => {
        const element = elements[at];
        if (element && tileDType(element) === dtype) moveLastBits(element, storage, random);
        return storage.bytes;
      });
      const storages = inputs.storages.map((one, at) => ({ ...one, contents: moved[at]! }));
      const got = run({ ...inputs, storages });
      if (!got) return null;
      for (const [at, element] of elements.entries())
        if (element) widen(slack[at]!, element, expected[at]!, got[at]!, share * MARGIN);
    }
  }
  for (const each of slack) if (each) atLeastUsual(each);
  return slack;
}

function moveLastBits(element: ElementType, storage: MemoryStorage, random: () => number): void {
  const size = byteSize(element);
  const count = Math.floor(storage.bytes.length / size);
  const values = readAll(element, storage, count);
  // The last bit of an infinity would make it NaN.
  for (let i = 0; i < count; i++)
    if (random() < 0.5 && Number.isFinite(elementAt(values, i))) storage.bytes[i * size]! ^= 1;
}

function widen(
  slack: Float64Array,
  element: ElementType,
  before: MemoryStorage,
  after: MemoryStorage,
  times: number,
): void {
  const [a, b] = [before, after].map((each) => readAll(element, each, slack.length));
  for (let i = 0; i < slack.length; i++) {
    const move = Math.abs((elementAt(a!, i) as number) - (elementAt(b!, i) as number)) * times;
    if (move > slack[i]!) slack[i] = Number.isFinite(move) ? move : 0;
  }
}

/** An element that did not move, by chance, gets what the median of those that did has. */
function atLeastUsual(slack: Float64Array): void {
  const moved = slack.filter((one) => one > 0).sort();
  const usual = moved[moved.length >> 1] ?? 0;
  for (let i = 0; i < slack.length; i++) slack[i] = Math.max(slack[i]!, usual);
}
