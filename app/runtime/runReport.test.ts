/** Events of a run: each thing once, and answers to Python to Python only. */
import { expect, it } from 'vitest';
import type { Calibration, LaunchCost, ProgramEvent, Timing } from '../events';
import type { CompiledUnit } from './compileCache';
import type { EngineLaunch } from './engine';
import { diagnostic, siteLocation } from './errors';
import { RunReport, UNREPORTED } from './runReport';
import { ADD_REQUEST } from './testing';

function run(roofs: Calibration | null = null) {
  const events: ProgramEvent[] = [];
  const report = new RunReport(
    (event) => events.push(event),
    false,
    () => roofs,
  );
  const types = (): string[] => events.map(({ type }) => type);
  return { events, report, types };
}
const SITE = { file: 'a.py', line: 3 };
const launchOf = (id: number, line = 3, cost?: LaunchCost): EngineLaunch => ({
  id,
  unit: { key: 'k', name: 'add', kernel: null, func: null, addresses: 'none', cost: null },
  leaves: [],
  groups: [],
  arena: null,
  grid: [1, 1, 1],
  site: { ...SITE, line },
  labels: [],
  cost,
});
const unitOf = (key: string): CompiledUnit => ({
  key,
  request: ADD_REQUEST,
  milliseconds: 1,
  diagnostics: [
    diagnostic('HC1', 'warning', 'slow', siteLocation(SITE)),
    diagnostic('HC2', 'error', 'wrong', siteLocation(SITE)),
  ],
  ok: false,
  response: { ok: false, kind: 'CompilationError', message: 'wrong', diagnostics: [] },
});
const TIMING: Timing = { clock: 'gpu', median: 2, low: 2, high: 2, samples: 1, quantum: 0.1 };

it('reports a specialization once, and Python its warnings once', () => {
  const { report, types } = run();
  report.compiled(unitOf('one'), performance.now());
  report.compiled(unitOf('one'), performance.now());
  expect(report.takeWarnings()).toEqual([{ message: 'slow', file: 'a.py', line: 3 }]);
  expect(report.takeWarnings()).toEqual([]);
  report.compiled(unitOf('two'), performance.now());
  expect(types()).toEqual(['compile', 'compile']);
});

it('warns once of a line, and reports an access out of range once for each line that launches', () => {
  const { report, events } = run();
  report.warn('HC8005', SITE, 'nothing to do');
  report.warn('HC8005', SITE, 'nothing to do');
  report.warn('HC8005', { ...SITE, line: 4 }, 'nothing to do');
  expect(events).toHaveLength(2);
  const found = diagnostic('HC8001', 'error', 'out of range', siteLocation({ ...SITE, line: 9 }));
  report.onDiagnostic(found, launchOf(1));
  report.onDiagnostic(found, launchOf(2));
  report.onDiagnostic(found, launchOf(3, 5));
  expect(events).toHaveLength(4);
  report.onDiagnostic({ ...found, code: 'HC8004' }, launchOf(UNREPORTED));
  expect(events).toHaveLength(4);
});

it('keeps what kernels print while Python captures it', () => {
  const { report, types } = run();
  report.print('to the page');
  expect(report.capture(true)).toBe('');
  report.print('to Python');
  expect(report.capture(true)).toBe('to Python\n');
  expect(report.capture(false)).toBe('');
  report.onPrint(launchOf(1), [], 3);
  expect(types()).toEqual(['print', 'device-print']);
});

it('drops what launches and compilations print that repeat the program’s', () => {
  const { report, types } = run();
  report.mute(true);
  report.print('of another configuration');
  report.mute(false);
  report.capture(true);
  report.onPrint({ ...launchOf(1), silent: true }, [], 3);
  expect(report.capture(false)).toBe('');
  report.onPrint({ ...launchOf(2), silent: true }, [], 3);
  expect(types()).toEqual([]);
});

it('reports rates with a time where the launch was counted, and the roof where that is known', () => {
  const operations = { f64: 0, f32: 2000, f16: 0, integer: 0 };
  const cost: LaunchCost = {
    readBytes: 1000,
    writtenBytes: 1000,
    requestedBytes: 2000,
    operations,
    uncertain: null,
  };
  const roofs: Calibration = {
    adapter: 'One',
    bytesPerSecond: 2e9,
    f32PerSecond: 4e9,
    f16PerSecond: null,
    fromCache: false,
  };
  const reported = (from: Calibration | null, launch: EngineLaunch): unknown => {
    const { report, events } = run(from);
    report.onTime(launch, TIMING);
    const [event] = events;
    return event?.type === 'launch-time' ? event.achieved : null;
  };
  expect(reported(null, launchOf(1))).toBeUndefined();
  expect(reported(null, launchOf(1, 3, cost))).toMatchObject({
    bytesPerSecond: 1e9,
    roofline: null,
  });
  expect(reported(roofs, launchOf(1, 3, cost))).toMatchObject({ roofline: 0.5, bound: 'memory' });
});

it('adds up the times of a profile, without those of a benchmark', () => {
  const { report } = run();
  report.profile.slot = 2;
  report.launched(launchOf(1), 'k', [], 'webgpu', false);
  report.launched(launchOf(2), 'k', [], 'webgpu', true);
  report.onTime(launchOf(1), TIMING);
  report.onTime(launchOf(2), TIMING);
  expect(report.profile.times()).toEqual([{ slot: 2, launches: 1, microseconds: 2, clock: 'gpu' }]);
});
