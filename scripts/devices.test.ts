/** The tables of devices are those of the kept reports, and a pasted report is read back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseReport, reportText } from '../bench/deviceText';
import { devicesPage, keptReports, withDevices } from './devices';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
/** Prettier pads the cells of tables. */
const plain = (text: string): string => text.replace(/ {2,}/g, ' ').replace(/-{3,}/g, '---');

it('shows the kept reports (`npm run devices`)', () => {
  const kept = keptReports();
  expect(kept.length).toBeGreaterThan(0);
  expect(plain(read('docs/devices/README.md'))).toBe(plain(devicesPage(kept)));
  const readme = read('README.md');
  expect(plain(readme)).toBe(plain(withDevices(readme, kept)));
});

it('reads a report back from the text that was pasted', () => {
  for (const { report } of keptReports()) {
    expect(parseReport(reportText(report))).toEqual(report);
    expect(parseReport(JSON.stringify(report))).toEqual(report);
  }
  expect(() => parseReport('{"version": 7}')).toThrow('no device report of version 1');
  expect(() => parseReport('hello')).toThrow(SyntaxError);
});

it('says what failed, and that it was stopped', () => {
  const [{ report }] = keptReports() as [ReturnType<typeof keptReports>[0]];
  const text = reportText({ ...report, failures: ['f16 matmul: is wrong by 3'], stopped: true });
  expect(text).toContain('- Failed: f16 matmul: is wrong by 3');
  expect(text).toContain('Stopped before all was measured.');
});
