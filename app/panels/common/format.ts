/** Numbers as people read them: 3–4 significant digits, always with a unit. */
import type { ProgramEvent, Timing } from '../../events';

/** `0.001234`, `12.35`, `1.5e-7`; strings (`nan`, `inf`) pass through. */
export function formatNumber(value: number | string | null, digits = 4): string {
  if (value === null) return '–';
  if (typeof value === 'string') return value;
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return '0';
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e7)
    return value.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, 'e');
  return String(Number(value.toPrecision(digits)));
}

/** A full-precision value, for two numbers that differ in the last digits. */
export function formatExact(value: number | string): string {
  if (typeof value === 'string') return value;
  return String(Number(value.toPrecision(9)));
}

function significant(value: number, digits: number): string {
  return value.toPrecision(digits).includes('e')
    ? Math.round(value).toLocaleString('en-US')
    : Number(value.toPrecision(digits)).toString();
}

export function formatMicroseconds(value: number): string {
  if (value === 0) return '0 µs';
  if (value < 1000) return `${significant(value, 3)} µs`;
  if (value < 1e6) return `${significant(value / 1000, 3)} ms`;
  return `${significant(value / 1e6, 3)} s`;
}

export function formatMilliseconds(value: number): string {
  return formatMicroseconds(value * 1000);
}

export function formatBytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${significant(value, value >= 1000 ? 4 : 3)} ${units[unit]!}`;
}

export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** A time of which the clock's step is known never reads 0. */
export function formatTiming(timing: Timing): { readonly text: string; readonly below: boolean } {
  if (timing.quantum > 0 && timing.median < timing.quantum) {
    const step = formatMicroseconds(timing.quantum);
    return { text: `below resolution (${step})`, below: true };
  }
  return { text: formatMicroseconds(timing.median), below: false };
}

export function formatSpread(timing: Timing): string {
  if (timing.samples < 2 || timing.high <= timing.low) return '';
  return `${formatMicroseconds(timing.low)} – ${formatMicroseconds(timing.high)}`;
}

export function formatShape(shape: readonly number[]): string {
  return `[${shape.join(', ')}]`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A comparison as the program has it; that of a hidden check by what it compares. */
export function comparisonTitle(event: Extract<ProgramEvent, { type: 'comparison' }>): string {
  const { call, kind, site } = event;
  if (!call) return kind;
  return site.file === '' ? call.actual : `${call.function}(${call.actual}, ${call.expected})`;
}
