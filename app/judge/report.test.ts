/** The judge's report of a harness's events, its floor of times, and results as texts. */
import { describe, expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import { Relay } from './relay';
import { exitCode, judgeReport, refusedTime, type JudgeReport } from './report';
import { differenceFrom, parseResult, withResult } from './result';

const FACTS = { file: 'a.py', against: 'p', seed: 3 };
const verdict = (index: number, passed: boolean, total = 2): ProgramEvent => ({
  ...{ type: 'verdict', name: `check ${index}`, index, total, passed },
  message: passed ? null : 'no',
});
const ended: ProgramEvent = { type: 'finished', outcome: 'ok', milliseconds: 1 };
const outside: ProgramEvent = {
  type: 'diagnostic',
  diagnostic: {
    code: 'HC8004',
    severity: 'warning',
    message: 'loads element 9',
    location: { file: 'a.py', line: 4, column: 1, endLine: 4, endColumn: 2 },
    notes: [],
  },
};
const outcome = (...events: ProgramEvent[]): JudgeReport['outcome'] =>
  judgeReport(FACTS, events, []).outcome;

describe('judgeReport', () => {
  it('accepts where every check held, and nothing was out of range', () => {
    expect(outcome(verdict(0, true), verdict(1, true), ended)).toBe('accepted');
    expect(outcome(verdict(0, true), verdict(1, true), outside, ended)).toBe('refused');
    expect(outcome(verdict(0, true), verdict(1, false), ended)).toBe('refused');
  });
  it('decides nothing where checks are missing, or the harness did not end', () => {
    expect(outcome(ended)).toBe('undecided');
    expect(outcome(verdict(0, true), ended)).toBe('undecided');
    expect(outcome(verdict(0, true), verdict(1, true))).toBe('undecided');
    expect(exitCode(judgeReport(FACTS, [], []))).toBe(2);
  });
  it('counts no time below the floor of memory', () => {
    expect(refusedTime({ clock: 'gpu', milliseconds: 0.5 }, 0.4)).toBeNull();
    expect(refusedTime({ clock: 'gpu', milliseconds: 0.3 }, 0.4)).toContain('below the 0.400 ms');
    expect(refusedTime({ clock: 'gpu', milliseconds: 0.3 }, null)).toContain('not measured');
    expect(refusedTime({ clock: 'cpu', milliseconds: 3 }, 0.4)).toContain('CPU');
    const measured: ProgramEvent = {
      ...{ type: 'measured', name: 'time', clock: 'gpu', milliseconds: 1, least: 1 },
      ...{ samples: 3, bytes: 2e9 },
    };
    const calibration = { adapter: 'x', bytesPerSecond: 1e12, f32PerSecond: 1, f16PerSecond: null };
    const [time] = judgeReport(
      FACTS,
      [measured, { type: 'calibration', calibration: { ...calibration, fromCache: false } }],
      [],
    ).times;
    expect(time?.floor).toBe(2);
    expect(time?.refused).toContain('below the 2.00 ms');
  });
});

describe('results', () => {
  const problem = { reference: 'r', checks: null };
  const solution = { files: { 'a.py': 'text' }, entry: 'a.py' };
  const report = judgeReport(FACTS, [verdict(0, true), verdict(1, true), ended], []);

  it('keep what a second check needs', async () => {
    const { result } = await withResult(report, problem, solution);
    const parsed = parseResult(result ?? '');
    expect(parsed).toMatchObject({ ...solution, seed: 3, outcome: 'accepted' });
    expect(differenceFrom(parsed, report)).toBeNull();
    const other = judgeReport(FACTS, [verdict(0, true), verdict(1, false), ended], []);
    expect(differenceFrom(parsed, other)).toContain('the result says accepted');
  });
  it('are no texts that were cut, changed or made of something else', async () => {
    const { result } = await withResult(report, problem, solution);
    expect(() => parseResult('hello')).toThrow('a result begins with');
    expect(() => parseResult(result!.slice(0, -4))).toThrow('cut off');
    expect(() => parseResult('hippocamp-result:1.AAAA')).toThrow('cut off');
  });
});

describe('Relay', () => {
  it('gives each side the texts of the other, in order, and an end', async () => {
    const relay = new Relay();
    const first = relay.exchange('harness', '');
    const second = relay.exchange('solution', 'loaded');
    expect(await first).toBe('loaded');
    const answer = relay.exchange('harness', 'call');
    expect(await second).toBe('call');
    relay.end('solution');
    expect(await answer).toBe('');
    expect(await relay.exchange('harness', 'more')).toBe('');
  });
});
