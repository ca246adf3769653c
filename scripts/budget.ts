/**
 * How long a step of `npm run nightly` may take: passed to what it runs, as seconds in
 * NIGHTLY_SECONDS. Tests that come after that are skipped, which their count says. Without it
 * nothing is ever late.
 */
const seconds = Number(process.env['NIGHTLY_SECONDS'] ?? Infinity);
const began = performance.now();

export const timeIsUp = (): boolean => performance.now() - began > seconds * 1000;

/** Begins a test that is skipped where its turn comes after that. */
export const skipIfLate = (skip: (late: boolean, note: string) => void): void =>
  skip(timeIsUp(), 'no time is left');

/**
 * Share of the time there is, for one of several parts, in milliseconds; undefined where there is
 * no end.
 */
export const timeFor = (part: number): number | undefined =>
  Number.isFinite(seconds) ? Math.max(1, Math.round(seconds * part * 1000)) : undefined;

const DAY = 86_400_000;

/** The list; where there may be no time for all of it, it begins elsewhere every day. */
export function fromToday<T>(list: readonly T[], today = Date.now()): T[] {
  if (!Number.isFinite(seconds) || list.length === 0) return [...list];
  return rotated(list, Math.floor(today / DAY));
}

/**
 * Steps of 7 come to every place of a list, and far from the day before, unless it divides by 7.
 */
export function rotated<T>(list: readonly T[], day: number): T[] {
  const step = list.length % 7 === 0 ? 1 : 7;
  const at = (day * step) % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

/**
 * Time of the next step out of the rest: by weight, so what one leaves over is the
 * later ones'.
 * @param weights of the steps that are left, the next one first
 */
export function shareOf(left: number, weights: readonly number[]): number {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return all > 0 ? (left * (weights[0] ?? 0)) / all : 0;
}
