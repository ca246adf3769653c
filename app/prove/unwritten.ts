/**
 * Elements of tensors that nothing had written before a launch, where others of the same tensor
 * were written: those that hold what empty memory holds, in a run, and what it holds in another run
 * that gives empty memory other values (`RunOptions.otherFill`). A program that writes an element
 * writes the same in both; what it copies from unwritten memory counts as unwritten.
 */
import { otherFill, type Fill } from '../../compiler/inspect/fill';
import type { LaunchInputs, LaunchStorage } from '../../compiler/inspect/launch';

/** Whether a launch may have such elements, so that another run decides. */
export function mayBePartlyWritten(launches: readonly LaunchInputs[]): boolean {
  return launches.some(({ storages }) => storages.some((one) => elementsLike(one, one.fill)));
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
    const storages = inputs.storages.map((storage, i): LaunchStorage => {
      const { fill } = storage;
      const here = elementsLike(storage, fill);
      const there = fill && elementsLike(other.storages[i]!, otherFill(fill));
      if (!here || !there || there.length !== here.length) return storage;
      const unwritten = here.map((one, at) => one & there[at]!);
      clearPartial(unwritten, Math.max(periodOf(fill), periodOf(otherFill(fill))));
      return unwritten.includes(1) ? { ...storage, unwritten } : storage;
    });
    return { ...inputs, storages };
  });
}

/** By byte, 1 in elements that hold the fill; undefined where none does, or nothing is written. */
function elementsLike({ contents }: LaunchStorage, fill: Fill | undefined): Uint8Array | undefined {
  if (!(contents instanceof Uint8Array) || !fill) return undefined;
  const same = contents.map((byte, at) => (byte === byteOf(fill, at) ? 1 : 0));
  clearPartial(same, periodOf(fill));
  return same.includes(1) ? same : undefined;
}

/** Clears elements of which not each byte is marked. */
function clearPartial(marks: Uint8Array, size: number): void {
  for (let at = 0; at < marks.length; at += size) {
    const element = marks.subarray(at, at + size);
    if (element.length < size || element.includes(0)) element.fill(0);
  }
}

const byteOf = ({ low, high }: Fill, at: number): number =>
  ((at & 4 ? high : low) >>> (8 * (at & 3))) & 255;

/** Bytes after which a fill repeats: those of an element, or fewer. */
function periodOf(fill: Fill): number {
  const repeats = (size: number): boolean =>
    Array.from({ length: 8 }, (_, at) => byteOf(fill, at)).every(
      (byte, at) => byte === byteOf(fill, at % size),
    );
  return [1, 2, 4].find(repeats) ?? 8;
}
