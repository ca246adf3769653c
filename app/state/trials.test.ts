/** Numbers of a launch changed in the text, and what a run with them says. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ProgramEvent, Timing } from '../events';
import type { ProgramMessage } from '../workers/protocol';
import { useDocument } from './document';
import { useSession } from './session';
import { changeSettings } from './settings';
import {
  changedFiles,
  findTrial,
  keepTrial,
  outcomeOf,
  stopTrials,
  subjectOf,
  tryChanges,
  useTrials,
  useTrying,
  type Change,
} from './trials';

/** Hosts of workers that the trials opened; each run waits until the test answers it. */
const hosts = vi.hoisted(
  (): { listener: (message: ProgramMessage) => void; runs: number; ended: boolean }[] => [],
);
vi.mock('../workers/programHost', () => ({
  ProgramHost: class {
    readonly host;
    constructor(listener: (message: ProgramMessage) => void) {
      this.host = { listener, runs: 0, ended: false };
      hosts.push(this.host);
    }
    static ofFewRuns(listener: (message: ProgramMessage) => void): unknown {
      return new this(listener);
    }
    run(): void {
      this.host.runs++;
    }
    end(): void {
      this.host.ended = true;
    }
  },
}));

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

describe('runs of trials', () => {
  const opened = (): void => {
    const files = { 'a.py': 'x = 1\nf[g](x, BLOCK=128)\n' };
    useDocument.setState({ files, entry: 'a.py', identity: 'p', revision: 1 });
    useSession.setState({ phase: 'ready' });
  };
  const states = (): string[] => useTrials.getState().trials.map(({ state }) => state);
  const running = (count: number): Promise<void> =>
    vi.waitFor(() => expect(hosts.at(-1)?.runs).toBe(count));
  const finished: ProgramMessage = {
    ...{ type: 'event', run: 1 },
    event: { type: 'finished', outcome: 'error', milliseconds: 1 },
  };
  afterEach(async () => {
    stopTrials();
    await vi.waitFor(() => expect(useTrying.getState().program).toBeNull());
    useTrials.setState({ text: null, trials: [] });
    hosts.length = 0;
  });

  it('begin again at once after a stop', async () => {
    opened();
    tryChanges([{ subject, changes: [block] }]);
    stopTrials();
    expect(states()).toEqual(['left', 'left']);
    // The run that was stopped has not returned yet.
    expect(useTrying.getState().program).toBe('p');
    tryChanges([{ subject, changes: [block] }]);
    await running(1);
    expect(states()).toEqual(['running', 'waiting']);
  });

  it('report a worker that does not start, and open another one', async () => {
    opened();
    tryChanges([{ subject, changes: [block] }]);
    await running(1);
    const [first] = hosts;
    first!.listener(finished);
    first!.listener({ type: 'failed', message: 'no Python' });
    await vi.waitFor(() => expect(hosts).toHaveLength(2));
    expect(first!.ended).toBe(true);
    expect(useTrials.getState().trials[0]!.outcome?.error).toBe('no Python');
    await running(1);
    expect(states()).toEqual(['done', 'running']);
  });

  it('are gone when what they were measured with changes', async () => {
    opened();
    tryChanges([{ subject, changes: [] }]);
    await running(1);
    changeSettings({ theme: 'dark' });
    expect(states()).toEqual(['running']);
    changeSettings({ adapter: 'interpreter' });
    expect(states()).toEqual([]);
    changeSettings({ adapter: 'webgpu', theme: 'system' });
  });

  it('keep the numbers of a trial in one edit of the file', () => {
    opened();
    const own: Change = { ...block, location: at(2, 15, 18) };
    const more: Change = { ...warps, location: at(2, 18) };
    keepTrial({ subject, changes: [own, more], state: 'done', outcome: null });
    expect(useDocument.getState().files['a.py']).toBe('x = 1\nf[g](x, BLOCK=256, num_warps=8)\n');
    expect(useDocument.getState().revision).toBe(2);
  });
});
