/** Round steps for an axis: 1, 2 or 5 times a power of ten, at most `most` of them. */
export function ticks(from: number, to: number, most: number): number[] {
  const raw = (to - from) / Math.max(1, most);
  if (!(raw > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw * 0.999) ?? raw;
  const out: number[] = [];
  // What rounding leaves of an end that is a tick itself is not held against it.
  for (let i = Math.ceil(from / step); i * step <= to + step * 1e-9; i++) out.push(i * step);
  return out;
}
