/** Changes that are proposed against what limits a launch. */
import { describe, expect, it } from 'vitest';
import type { LaunchSetting, SettingRole } from '../../../compiler/language/settingValues';
import type { LaunchCost, Limit } from '../../events';
import type { Verdict } from '../../runtime/verdict';
import { adviceFor } from './advice';

const location = { file: 'a.py', line: 1, column: 1, endLine: 1, endColumn: 1 };
const setting = (name: string, role: SettingRole, value: number | null): LaunchSetting => ({
  ...{ name, role, value, location, before: '' },
});
const verdict = (limit: Limit): Verdict => ({
  ...{ limit, time: 100, memory: 10, arithmetic: 10, requested: 50, empty: 1 },
  ...{ threads: 1000, halfRateThreads: 20_000 },
});
const cost = (requested: number, registers = 20): LaunchCost => ({
  ...{ readBytes: 1e6, writtenBytes: 0, requestedBytes: requested, uncertain: null },
  operations: { f64: 0, f32: 1, f16: 0, integer: 0 },
  resources: { threads: 128, registers, workgroupBytes: 0 },
});
function advised(
  limit: Limit,
  settings: readonly LaunchSetting[],
  { requested = 1e6, loops = false, registers = 20 } = {},
): string[] {
  const of = { settings, loops, autotuned: false };
  return adviceFor(verdict(limit), cost(requested, registers), of).map(
    (each) => `${each.setting.name} ${each.from} → ${each.to}`,
  );
}
const WARPS = setting('num_warps', 'warps', null);
const STAGES = setting('num_stages', 'stages', null);

describe('the advice for a launch', () => {
  it('has at most two changes, and none against launch overhead', () => {
    const settings = [setting('BLOCK', 'block', 128), WARPS, STAGES];
    expect(advised('launch overhead', settings)).toEqual([]);
    expect(advised('bandwidth', settings)).toEqual(['BLOCK 128 → 256', 'num_warps 4 → 2']);
  });
  it('makes the tile squarer and the order grouped where bytes are asked for again', () => {
    const settings = [
      setting('BLOCK_M', 'block', 64),
      setting('BLOCK_N', 'block', 32),
      setting('GROUP_M', 'order', 4),
    ];
    expect(advised('bandwidth', settings, { requested: 9e6 })).toEqual([
      'BLOCK_N 32 → 64',
      'GROUP_M 4 → 8',
    ]);
  });
  it('makes more programs or threads against low occupancy', () => {
    expect(advised('occupancy', [setting('BLOCK', 'block', 1024), WARPS])).toEqual([
      'BLOCK 1024 → 512',
      'num_warps 4 → 8',
    ]);
    // `tl.dot` takes no less than 16.
    expect(advised('occupancy', [setting('BLOCK', 'block', 16), WARPS])).toEqual([
      'num_warps 4 → 8',
    ]);
  });
  it('prefetches against latency only where there is a loop, whose loads are not prefetched', () => {
    const one = setting('num_stages', 'stages', 1);
    expect(advised('latency', [one, WARPS], { loops: true })).toEqual([
      'num_stages 1 → 2',
      'num_warps 4 → 8',
    ]);
    // Three stages and four are the same program here.
    expect(advised('latency', [STAGES], { loops: true })).toEqual([]);
    expect(advised('latency', [one])).toEqual([]);
  });
  it('says why, with the numbers', () => {
    const of = { settings: [setting('BLOCK', 'block', 256)], loops: false, autotuned: false };
    const [first] = adviceFor(verdict('latency'), cost(1e6), of);
    expect(first?.reason).toBe(
      'each thread has twice the elements, now 2 a thread: wider loads, more of them in flight',
    );
  });
});
