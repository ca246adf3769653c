/**
 * Elements of tensors that nothing had written before a launch, where others of the same tensor
 * were written: those that hold what empty memory holds, in a run, and what it holds in another run
 * that gives empty memory other values (`RunOptions.otherFill`). A program that writes an element
 * writes the same in both; what it copies from unwritten memory counts as unwritten.
 */
import { otherFill, ZERO, type Fill } from '../../compiler/inspect/fill';
import type { LaunchInputs, LaunchStorage } from '../../compiler/inspect/launch';

/** Whether a launch may have such elements, so that another run decides. */
export function mayBePartlyWritten(launches: readonly LaunchInputs[]): boolean {
  return launches.some(({ storages }) => storages.some(holdsItsFill));
}

/**
 * The launches, with the elements that hold what empty memory holds in both runs. A launch that the
 * other run does not have, or has with other arguments, stays as it is.
 */
export function withUnwritten(
  launches: readonly LaunchInputs[],
  others: readonly LaunchInputs[],
): LaunchInputs[] {
  return launches.map((inputs) => {
    const other = others.find(({ launch }) => launch === inputs.launch);
    if (!other || other.key !== inputs.key || other.storages.length !== inputs.storages.length)
      return inputs;
    const pairs = inputs.storages.map((storage, i) => pairOf(storage, other.storages[i]!));
    const storages = inputs.storages.map((storage, i): LaunchStorage => {
      const pair = pairs[i];
      if (!pair) return storage;
      // Random booleans, which differ from run to run, may hold both fills by chance.
      if (pair.size === 1 && pairs.some((one) => one && drawsOthers(one))) return storage;
      const unwritten = unwrittenIn(pair);
      return unwritten ? { ...storage, unwritten } : storage;
    });
    return { ...inputs, storages };
  });
}

/** One storage in two runs. */
interface Pair {
  readonly here: Uint8Array;
  readonly there: Uint8Array;
  /** Of 8 bytes. */
  readonly fills: readonly [Uint8Array, Uint8Array];
  /** Bytes of an element, or a part of them, after which both fills repeat. */
  readonly size: number;
}

/** Undefined where contents were not kept. */
function pairOf(one: LaunchStorage, other: LaunchStorage): Pair | undefined {
  const { contents: here, fill = ZERO } = one;
  const { contents: there } = other;
  if (!(here instanceof Uint8Array) || !(there instanceof Uint8Array)) return undefined;
  if (here.length !== there.length) return undefined;
  const fills = [fillBytes(fill), fillBytes(otherFill(fill))] as const;
  return { here, there, fills, size: Math.max(...fills.map(periodOf)) };
}

/** By byte, 1 in elements that hold the fill in both runs; undefined where none does. */
function unwrittenIn({ here, there, fills: [fill, other], size }: Pair): Uint8Array | undefined {
  if (isZero(fill)) return undefined;
  let marks: Uint8Array | undefined;
  for (let at = 0; at + size <= here.length; at += size) {
    if (!holds(here, at, fill, size) || !holds(there, at, other, size)) continue;
    marks ??= new Uint8Array(here.length);
    marks.fill(1, at, at + size);
  }
  return marks;
}

/** Whether the program wrote other numbers in the other run. */
function drawsOthers({ here, there, fills: [fill, other], size }: Pair): boolean {
  for (let at = 0; at + size <= here.length; at += size) {
    let isSame = true;
    for (let i = at; i < at + size; i++) isSame &&= here[i] === there[i];
    if (isSame) continue;
    if (isZero(fill) || !holds(here, at, fill, size) || !holds(there, at, other, size)) return true;
  }
  return false;
}

function holdsItsFill({ contents, fill = ZERO }: LaunchStorage): boolean {
  if (!(contents instanceof Uint8Array)) return false;
  const bytes = fillBytes(fill);
  if (isZero(bytes)) return false;
  const size = periodOf(bytes);
  for (let at = 0; at + size <= contents.length; at += size)
    if (holds(contents, at, bytes, size)) return true;
  return false;
}

function holds(contents: Uint8Array, at: number, fill: Uint8Array, size: number): boolean {
  for (let i = at; i < at + size; i++) if (contents[i] !== fill[i & 7]) return false;
  return true;
}

function fillBytes({ low, high }: Fill): Uint8Array {
  return Uint8Array.from(
    { length: 8 },
    (_, at) => ((at & 4 ? high : low) >>> (8 * (at & 3))) & 255,
  );
}
const isZero = (fill: Uint8Array): boolean => fill.every((byte) => byte === 0);

/** Bytes after which a fill repeats: those of an element, or fewer. */
function periodOf(fill: Uint8Array): number {
  const repeats = (size: number): boolean => fill.every((byte, at) => byte === fill[at % size]);
  return [1, 2, 4].find(repeats) ?? 8;
}
