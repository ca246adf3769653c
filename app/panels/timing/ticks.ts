/** Round steps for an axis: 1, 2 or 5 times a power of ten, at most `most` of them. */
export function ticks(from: number, to: number, most: number): number[] {
  const raw = (to - from) / Math.max(1, most);
  if (!(raw > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw * 0.999) ?? raw;
  const out: number[] = [];
  // Rounding errors of an end that is a tick itself are ignored.
  for (let i = Math.ceil(from / step); i * step <= to + step * 1e-9; i++) out.push(i * step);
  return out;
}

/** Pixels that the label of a tick takes. */
const TICK = 48;

/**
 * Ticks at the sizes that a benchmark measured: as many as have room for their labels, from the
 * last one down.
 * @param width pixels of the chart, axis and margins included.
 */
export function ticksOf(xs: readonly number[], width: number, log: boolean): number[] {
  const scale = (x: number): number => (log ? Math.log2(x) : x);
  const sorted = xs.toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [sorted[0], sorted.at(-1)].map((x) => scale(x ?? 1));
  const room = TICK / Math.max(1, width - 80);
  const ticks: number[] = [];
  for (const x of sorted.toReversed()) {
    const before = ticks.at(-1);
    const apart = before === undefined || scale(before) - scale(x) >= room * (last - first);
    if (apart) ticks.push(x);
  }
  return ticks.toReversed();
}
