/** The workgroup and subgroup sizes, within the limits of targets. */
import { describe, expect, test } from 'vitest';
import { choose_threads } from './choose_threads';
import { COPY, SMALL, after } from './testing/passes';

describe('choose_threads', () => {
  test('writes the workgroup and subgroup size', () => {
    expect(after(COPY, [choose_threads]).split('\n')[0]).toMatchInlineSnapshot(
      `"tt.func @copy(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32>) attributes {threads = 32, subgroupSize = 4} {"`,
    );
  });
  test.each([
    [
      'a workgroup smaller than a subgroup has no lanes',
      { subgroupSize: 128, maxInvocations: 64 },
      64,
      0,
    ],
    ['at least a subgroup', { subgroupSize: 64 }, 64, 64],
    ['no subgroups', { subgroupSize: 'none' }, 32, 0],
  ] as const)('%s', (_, limits, threads, subgroupSize) => {
    const text = after(COPY, [choose_threads], {}, { ...SMALL, ...limits });
    expect(text).toContain(`{threads = ${threads}, subgroupSize = ${subgroupSize}}`);
  });
});
