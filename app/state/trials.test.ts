/** Numbers of a launch changed in the text, and what a run with them says. */
import { describe, expect, it } from 'vitest';
import type { ProgramEvent, Timing } from '../events';
import { changedFiles, findTrial, outcomeOf, subjectOf, type Change } from './trials';

const at = (line: number, column: number, endColumn = column): Change['location'] => ({
  ...{ file: 'a.py', line, column, endLine: line, endColumn },
});
const block: Change = { name: 'BLOCK', to: 256, location: at(2, 14, 17), before: '' };
const warps: Change = { name: 'num_warps', to: 8, location: at(2, 17), before: ', num_warps=' };

describe('changed files', () => {
  it('have each number in its place, and are else the same', () => {
    const files = { 'a.py': '# 128\nf[g](x, BLOCK=128)\n', 'b.py': 'x' };
    const own: Change = { ...block, location: at(2, 15, 18) };
    const more: Change = { ...warps, location: at(2, 18) };
    expect(changedFiles(files, [own, more])).toEqual({
      'a.py': '# 128\nf[g](x, BLOCK=256, num_warps=8)\n',
      'b.py': 'x',
    });
    expect(changedFiles(files, [])).toEqual(files);
  });
});

const site = { file: 'a.py', line: 2 };
const timing = (median: number, samples: number): Timing => ({
  ...{ clock: 'gpu', median, low: median, high: median, samples, quantum: 1 },
});
const launch = (id: number, tensor: string, benchmark = false): ProgramEvent => ({
  ...{ type: 'launch', id, kernel: 'f', grid: [4, 1, 1], key: 'k', site, benchmark },
  ...{ arguments: [`x: *fp32 ${tensor}`, `n = ${id}`], device: 'webgpu', values: [] },
});
const time = (id: number, median: number, samples: number): ProgramEvent => ({
  ...{ type: 'launch-time', id, timing: timing(median, samples) },
});
const subject = subjectOf(launch(1, '[64]') as ProgramEvent & { type: 'launch' });

describe('the outcome of a trial', () => {
  it('is the time of the sampled launch of the same shapes', () => {
    const events = [launch(1, '[64]'), launch(2, '[9]'), time(1, 50, 15), time(1, 90, 1)];
    const found = outcomeOf([...events, time(2, 7, 15)], subject);
    expect(found).toEqual({ timing: timing(50, 15), failed: 0, compared: 0, error: null });
    expect(outcomeOf([launch(1, '[64]', true), time(1, 50, 15)], subject).timing).toBeNull();
  });
  it('has the comparisons that failed, and the first error', () => {
    const comparison = (passed: boolean): ProgramEvent =>
      ({ type: 'comparison', passed }) as ProgramEvent;
    const location = { file: 'a.py', line: 1, column: 1, endLine: 1, endColumn: 1 };
    const error: ProgramEvent = {
      type: 'diagnostic',
      diagnostic: { code: 'HC8001', severity: 'error', message: 'no', location, notes: [] },
    };
    expect(outcomeOf([comparison(true), comparison(false), error], subject)).toEqual({
      ...{ timing: null, failed: 1, compared: 2, error: 'no' },
    });
  });
});

it('is found for its text alone', () => {
  const trial = { subject, changes: [block], state: 'done', outcome: null } as const;
  const state = { text: 'a', trials: [trial] };
  expect(findTrial(state, 'a', { subject, changes: [block] })).toBe(trial);
  expect(findTrial(state, 'b', { subject, changes: [block] })).toBeNull();
  expect(findTrial(state, 'a', { subject, changes: [] })).toBeNull();
});
