import { expect, test } from 'vitest';
import { merged } from './merge';

const row = (against: string, ratio: number) =>
  JSON.stringify({
    name: 'softmax 8×8', against, ratio, low: ratio, high: ratio, ours: 1e-3, theirs: ratio * 1e-3,
    where: 'dawn', adapter: 'x', toggles: 'default', error: 0, bytes: 1e9, flops: 1,
  }); // prettier-ignore
const line = (name: string, by: string, ms: number) =>
  `noise BENCH ${JSON.stringify({ name, by, ms, low: ms, high: ms })}`;

test('GPU time alone stands behind the ratio of wall clocks', () => {
  const text = merged([JSON.stringify({ ...(JSON.parse(row('tfjs', 4)) as object), gpu: 2.5 })]);
  expect(text.split('\n')[2]).toBe(
    '| softmax 8×8 | dawn | 1.00 TB/s | 4.00 (4.00 … 4.00), GPU 2.50 |',
  );
});

test('works of several runs meet by name, and what has no counterpart is said', () => {
  const text = merged([
    `${row('wgsl', 1.25)}\n`,
    [
      line('softmax 8×8', 'triton', 0.9),
      line('softmax 8×8', 'torch', 2),
      line('f16 x', 'triton', 3),
    ].join('\n'),
  ]);
  expect(text.split('\n')).toEqual([
    '| work | in | ours | wgsl | triton | torch |',
    '| --- | --- | --- | --- | --- | --- |',
    '| softmax 8×8 | dawn | 1.00 TB/s | 1.25 (1.25 … 1.25) | 0.900 (0.900 … 0.900) | 2.00 (2.00 … 2.00) |',
    '',
    '- f16 x: triton 3.00 ms; ours was not measured',
  ]);
});

test('what Triton is compared with is never the wall clock of a library’s row', () => {
  const wall = JSON.stringify({ ...(JSON.parse(row('tfjs', 4)) as object), ours: 2e-3 });
  const alone = merged([wall, line('softmax 8×8', 'triton', 1)]);
  expect(alone).toContain('- softmax 8×8: triton 1.00 ms; ours was not measured');
  const both = merged([wall, row('nothing', NaN), line('softmax 8×8', 'triton', 1)]);
  expect(both.split('\n')[2]).toBe(
    '| softmax 8×8 | dawn | 1.00 TB/s | 4.00 (4.00 … 4.00) | 1.00 (1.00 … 1.00) |',
  );
});
