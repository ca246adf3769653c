/**
 * `npm run devices`: makes `docs/devices/README.md`, and the table of devices in the README, from
 * the device reports in `docs/devices/*.json` (`bench/deviceText.ts`). `devices.test.ts` holds both
 * to the reports.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterName } from '../app/runtime/gpu/adapterName.ts';
import { parseReport, ratioText, roofsText, type DeviceReport } from '../bench/deviceText.ts';
import { digits, rate } from '../bench/report.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join('docs', 'devices');
const BEGIN = '<!-- devices: `npm run devices` writes this table -->';
const END = '<!-- end of devices -->';

interface Kept {
  readonly file: string;
  readonly report: DeviceReport;
}

export function keptReports(root = ROOT): Kept[] {
  return readdirSync(join(root, FOLDER))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((file) => ({
      file,
      report: parseReport(readFileSync(join(root, FOLDER, file), 'utf8')),
    }));
}

/** The ratios of a report's rows, lowest first. */
const ratiosOf = ({ rows }: DeviceReport): number[] =>
  rows.flatMap(({ ratio }) => (ratio === undefined ? [] : [ratio])).sort((a, b) => a - b);

/** One row a device. `link`: of a report's file. */
function table(kept: readonly Kept[], link: (file: string) => string): string {
  const rows = kept.map(({ file, report }) => {
    const ratios = ratiosOf(report);
    const middle = ratios[Math.floor(ratios.length / 2)];
    const compared =
      middle === undefined ? '–' : `${digits(ratios[0]!)} / ${digits(middle)} of ${ratios.length}`;
    const where = report.where === 'dawn' ? 'Dawn in Node' : 'Chromium';
    return `| [${adapterName(report.adapter)}](${link(file)}) | ${where} | ${report.date} | ${roofsText(report.roofs)} | ${compared} |`;
  });
  return [
    '| Device | In | Measured | Roofs | WGSL’s time ÷ ours: least / median |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** The page of all reports. */
export function devicesPage(kept: readonly Kept[]): string {
  const details = kept.map(({ file, report }) =>
    [
      `## ${adapterName(report.adapter)}`,
      '',
      `[${file}](${file}), ${report.agent}, compiler ${report.compiler}.`,
      '',
      '| Work | Ours | WGSL’s time ÷ ours (10th … 90th percentile) |',
      '| --- | --- | --- |',
      ...report.rows.map((row) => `| ${row.name} | ${rate(row)} | ${ratioText(row)} |`),
      ...report.failures.map((failure) => `\n- Failed: ${failure}`),
    ].join('\n'),
  );
  return `${[
    '# Devices',
    '',
    'Reports on devices, as the page’s _Device report_ (`device.html`, in Settings) and',
    '`npm run bench -- --report FILE` write them. A report from another device is welcome: paste it into an issue.',
    'Quick sizes, defaults only, our bounds checks on, against hand-written WGSL on the same device in the same run.',
    'This page is made by `npm run devices` from the JSON files beside it.',
    '',
    table(kept, (file) => file),
    '',
    ...details.flatMap((text) => [text, '']),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

/** The README with the table of devices in its place. @throws where it has no place for it. */
export function withDevices(readme: string, kept: readonly Kept[]): string {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('the README has no place for the devices');
  const made = table(kept, (file) => `docs/devices/${file}`);
  return `${readme.slice(0, begin)}${BEGIN}\n\n${made}\n\n${readme.slice(end)}`;
}

if (process.argv[1] === import.meta.filename) {
  const kept = keptReports();
  writeFileSync(join(ROOT, FOLDER, 'README.md'), devicesPage(kept));
  const readme = join(ROOT, 'README.md');
  writeFileSync(readme, withDevices(readFileSync(readme, 'utf8'), kept));
}
