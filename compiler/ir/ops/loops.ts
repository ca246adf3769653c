/**
 * Loops over i64 in doubles, which return whether every result is a safe integer. None writes −0,
 * which a conversion to a float would keep.
 */
import type { LoopArrays, WideLoop } from './definition';

const MAX = Number.MAX_SAFE_INTEGER;

export const wideSum =
  ({ a, b, o }: LoopArrays<unknown>): WideLoop =>
  (n) => {
    let [low, high] = [0, 0];
    for (let i = 0; i < n; i++) {
      const x = a[i]! + b[i]!;
      o[i] = x;
      if (x < low) low = x;
      if (x > high) high = x;
    }
    return low >= -MAX && high <= MAX;
  };
export const wideDifference =
  ({ a, b, o }: LoopArrays<unknown>): WideLoop =>
  (n) => {
    let [low, high] = [0, 0];
    for (let i = 0; i < n; i++) {
      const x = a[i]! - b[i]!;
      o[i] = x;
      if (x < low) low = x;
      if (x > high) high = x;
    }
    return low >= -MAX && high <= MAX;
  };
export const wideProduct =
  ({ a, b, o }: LoopArrays<unknown>): WideLoop =>
  (n) => {
    let [low, high] = [0, 0];
    for (let i = 0; i < n; i++) {
      const x = a[i]! * b[i]! + 0;
      o[i] = x;
      if (x < low) low = x;
      if (x > high) high = x;
    }
    return low >= -MAX && high <= MAX;
  };

/** The same number in another format; storing rounds or wraps it. */
export const copied =
  ({ a, o }: LoopArrays<unknown>) =>
  (n: number): void => {
    for (let i = 0; i < n; i++) o[i] = a[i]!;
  };
/** As `copied`, of safe integers into doubles. */
export const copiedWide =
  ({ a, o }: LoopArrays<unknown>): WideLoop =>
  (n) => {
    for (let i = 0; i < n; i++) o[i] = a[i]!;
    return true;
  };

/** A loop on the elements of a choice. */
export function chosen({ a, b, c, o }: LoopArrays<unknown>): (n: number) => void {
  return (n) => {
    for (let i = 0; i < n; i++) o[i] = a[i] ? b[i]! : c[i]!;
  };
}
