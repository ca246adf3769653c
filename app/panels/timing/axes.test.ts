/** Values of two settings, and the best of the trials. */
import { expect, it } from 'vitest';
import type { LaunchSetting, SettingRole } from '../../../compiler/language/settingValues';
import type { Trial } from '../../state/trials';
import { bestOf, cellChanges, valuesOf } from './axes';

const location = { file: 'a.py', line: 1, column: 1, endLine: 1, endColumn: 1 };
const setting = (name: string, role: SettingRole, value: number | null): LaunchSetting => ({
  ...{ name, role, value, location, before: '' },
});
const trial = (median: number, failed = 0): Trial => ({
  subject: { kernel: 'f', site: { file: 'a.py', line: 1 }, tensors: '' },
  ...{ changes: [], state: 'done' },
  outcome: {
    timing: { clock: 'gpu', median, low: median, high: median, samples: 15, quantum: 1 },
    ...{ failed, compared: 1, error: null },
  },
});

it('has values beside the text’s own that Triton takes', () => {
  expect(valuesOf(setting('BLOCK', 'block', 32))).toEqual([16, 32, 64, 128]);
  expect(valuesOf(setting('num_warps', 'warps', null))).toEqual([1, 2, 4, 8, 16]);
  expect(valuesOf(setting('num_stages', 'stages', 1))).toEqual([1, 2]);
  expect(valuesOf(setting('num_stages', 'stages', null))).toEqual([1, 3]);
});

it('changes only what differs from the text', () => {
  const [block, warps] = [setting('BLOCK', 'block', 32), setting('num_warps', 'warps', null)];
  expect(
    cellChanges([
      [block, 32],
      [warps, 4],
    ]),
  ).toEqual([]);
  expect(
    cellChanges([
      [block, 64],
      [warps, 4],
    ]).map(({ name, to }) => [name, to]),
  ).toEqual([['BLOCK', 64]]);
});

it('takes the fastest whose comparisons hold', () => {
  const [slow, fast, wrong] = [trial(50), trial(20), trial(5, 1)];
  expect(bestOf([slow, null, wrong, fast])).toBe(fast);
  expect(bestOf([wrong, null])).toBeNull();
});
