/**
 * A report on one device as data, and as the text that a person pastes into an issue and
 * `docs/devices/` keeps: its form, and both ways between them.
 */
// With extensions: Node runs `scripts/devices.ts` as it is.
import { adapterName } from '../app/runtime/gpu/adapterName.ts';
import type { Target } from '../compiler/target.ts';
import { digits, rate, type Row } from './report.ts';

export const DEVICE_REPORT_VERSION = 1;

/** Rates of an adapter's best kernels: bytes and operations a second. */
export interface Roofs {
  readonly bytesPerSecond: number;
  readonly f32PerSecond: number;
  /** Null: it has no halves. */
  readonly f16PerSecond: number | null;
}

export interface DeviceReport {
  readonly version: typeof DEVICE_REPORT_VERSION;
  /** Day of the measurement, YYYY-MM-DD. */
  readonly date: string;
  /** The compiler's digest (`app/runtime/compilerVersion.ts`). */
  readonly compiler: string;
  readonly where: 'chromium' | 'dawn';
  /** The browser by its own words, or Node's version and platform. */
  readonly agent: string;
  readonly adapter: {
    readonly vendor: string;
    readonly architecture: string;
    readonly device: string;
    readonly description: string;
  };
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  /** The compiler's view of the device: limits, probes, profile. */
  readonly target: Target;
  /** Step of the clock in nanoseconds; null without timestamps. */
  readonly quantum: number | null;
  /** Null where they could not be measured. */
  readonly roofs: Roofs | null;
  readonly rows: readonly Row[];
  /** Measurements that failed, and why. */
  readonly failures: readonly string[];
  readonly stopped: boolean;
}

/** `142 GB/s`, `1.23 TFLOP/s`. */
function rateText(value: number, unit: string): string {
  return value >= 1e12 ? `${digits(value / 1e12)} T${unit}` : `${digits(value / 1e9)} G${unit}`;
}
export function roofsText(roofs: Roofs | null): string {
  if (!roofs) return 'not measured';
  const { bytesPerSecond, f32PerSecond, f16PerSecond } = roofs;
  return [
    `copy ${rateText(bytesPerSecond, 'B/s')}`,
    `f32 ${rateText(f32PerSecond, 'FLOP/s')}`,
    ...(f16PerSecond === null ? [] : [`f16 ${rateText(f16PerSecond, 'FLOP/s')}`]),
  ].join(', ');
}

/** The report as Markdown: what a person reads first, and all of it as JSON below. */
export function reportText(report: DeviceReport): string {
  const { adapter, target, rows, failures, quantum } = report;
  const facts: readonly (readonly [string, string])[] = [
    ['Adapter', adapterName(adapter)],
    ['Browser', report.agent],
    ['Date, compiler', `${report.date}, ${report.compiler}`],
    ['Computes on', target.machine?.computesOn ?? 'gpu'],
    ['Subgroups', String(target.subgroupSize)],
    ['f16', target.f16 ? 'yes' : 'no'],
    ['Subgroup matrices', target.subgroupMatrices.length > 0 ? 'yes' : 'no'],
    ['Workgroup memory', `${target.maxWorkgroupBytes} B`],
    ['Clock', quantum === null ? 'no timestamps' : `steps of ${quantum} ns`],
    ['Roofs', roofsText(report.roofs)],
  ];
  const lines = [
    `### Device report: ${adapterName(adapter)}`,
    '',
    '| | |',
    '| --- | --- |',
    ...facts.map(([name, value]) => `| ${name} | ${cell(value)} |`),
    '',
  ];
  if (rows.length > 0)
    lines.push(
      'Hand-written WGSL’s time ÷ ours, with bounds checks: 1 is parity, more is better.' +
        (rows.some(({ note }) => note?.includes('CPU time')) ? ' By CPU time of all cores.' : ''),
      '',
      '| work | ours | ratio |',
      '| --- | --- | --- |',
      ...rows.map((row) => `| ${row.name} | ${rate(row)} | ${ratioText(row)} |`),
      '',
    );
  for (const failure of failures) lines.push(`- Failed: ${failure}`);
  if (report.stopped) lines.push('- Stopped before all was measured.');
  lines.push(
    '',
    '<details><summary>All of it, as JSON</summary>',
    '',
    '```json',
    JSON.stringify(report),
    '```',
    '',
    '</details>',
  );
  return `${lines.join('\n')}\n`;
}
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function ratioText({ against, ratio, low, high, failure }: Row): string {
  if (against === 'nothing') return 'nothing to compare with';
  if (ratio === undefined) return cell(failure ?? 'fails');
  return `${digits(ratio)} (${digits(low ?? NaN)} … ${digits(high ?? NaN)})`;
}

/** The report in a text that somebody pasted: the JSON itself, or Markdown around it. @throws */
export function parseReport(text: string): DeviceReport {
  const json = /```json\n([^]*?)\n```/.exec(text)?.[1] ?? text;
  const parsed = JSON.parse(json) as Partial<DeviceReport> | null;
  if (parsed?.version !== DEVICE_REPORT_VERSION || !parsed.target || !Array.isArray(parsed.rows))
    throw new Error(`this is no device report of version ${DEVICE_REPORT_VERSION}`);
  return parsed as DeviceReport;
}
