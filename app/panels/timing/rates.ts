/** Rates as people read them: `12.3 GB/s`, `1.85 TFLOP/s`; decimal prefixes, as rates have. */
const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P'] as const;

export function formatRate(value: number, unit: string): string {
  if (!(value > 0)) return `0 ${unit}`.trim();
  const index = Math.min(PREFIXES.length - 1, Math.max(0, Math.floor(Math.log10(value) / 3)));
  const scaled = Number((value / 1000 ** index).toPrecision(3));
  // 999.9 rounds up into the next prefix.
  if (scaled >= 1000 && index < PREFIXES.length - 1)
    return `1 ${PREFIXES[index + 1]!}${unit}`.trim();
  return `${scaled} ${PREFIXES[index]!}${unit}`.trim();
}
