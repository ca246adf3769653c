/** Names of launches. */
import { expect, it } from 'vitest';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import { launchNames, type RecordedLaunch } from './launchNames';

const launch = (
  number: number,
  grid: readonly [number, number, number],
  numWarps = 4,
): Parameters<typeof launchNames>[0][number] => ({
  launch: number,
  kernel: 'attend',
  grid,
  request: { specialization: { arguments: [], numWarps } } as unknown as LaunchInputs['request'],
});
const at = (line: number, args: readonly string[], count = 1): RecordedLaunch => ({
  line,
  arguments: args,
  count,
});

it('numbers launches, and names the arguments in which those that look the same differ', () => {
  const names = launchNames(
    [launch(7, [4, 6, 1]), launch(9, [4, 6, 1]), launch(12, [8, 1, 1])],
    new Map([
      [7, at(106, ['q: *fp32 [4, 64]', 'CAUSAL = True'])],
      [9, at(106, ['q: *fp32 [4, 64]', 'CAUSAL = False'])],
      [12, at(120, ['q: *fp32 [8, 64]', 'CAUSAL = False'], 20)],
    ]),
  );
  expect(names).toEqual([
    '#1 attend[4, 6, 1] · line 106 · CAUSAL = True',
    '#2 attend[4, 6, 1] · line 106 · CAUSAL = False',
    '#3 attend[8, 1, 1] · line 120 · first of 20',
  ]);
});

it('names the warps where only they differ, and no more than three arguments', () => {
  const grid = [1, 1, 1] as const;
  expect(launchNames([launch(1, grid, 4), launch(2, grid, 8)], new Map())).toEqual([
    '#1 attend[1, 1, 1] · num_warps = 4',
    '#2 attend[1, 1, 1] · num_warps = 8',
  ]);
  const many = (n: number): RecordedLaunch =>
    at(
      5,
      ['a', 'b', 'c', 'd'].map((x) => `${x} = ${n}`),
    );
  const recorded = new Map([
    [1, many(1)],
    [2, many(2)],
  ]);
  expect(launchNames([launch(1, grid), launch(2, grid)], recorded)[1]).toBe(
    '#2 attend[1, 1, 1] · line 5 · a = 2, b = 2, c = 2, …',
  );
});
