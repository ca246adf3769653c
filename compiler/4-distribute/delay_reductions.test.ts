/** Reductions that move behind a loop's last dot. */
import { expect, test } from 'vitest';
import { F16 } from '../ir/types';
import { attention } from './testing/kernels';
import { changeBy, SMALL_MATRICES } from './testing/passes';

const lines = (change: string): string[] =>
  change.split('\n').map((line) => line.replace(/ : .*/, ''));

test('the sum of probabilities moves, their maximum stays', () => {
  const change = changeBy(
    'delay_reductions',
    attention(16, 16, 16, F16),
    { delayReductions: true, prefetchRegisters: 0, rowsInSubgroup: true },
    SMALL_MATRICES,
  );
  expect(lines(change)).toMatchInlineSnapshot(`
    [
      "      %v61 = math.exp2 %v60",
      "-     %v64 = tt.reduce %v59 {axis = 1}",
      "-     ^(%v62: f32, %v63: f32):",
      "-       %v65 = arith.addf %v62, %v63",
      "-       tt.reduce.return %v65",
      "-     }",
      "      %v76 = tt.dot %v74, %v75, %v73 {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8], unroll = 8}",
      "+     %v64 = tt.reduce %v59 {axis = 1}",
      "+     ^(%v62: f32, %v63: f32):",
      "+       %v65 = arith.addf %v62, %v63",
      "+       tt.reduce.return %v65",
      "+     }",
    ]
  `);
});

test('nothing changes where the choice is off', () => {
  const choices = { delayReductions: false };
  const kernel = attention(16, 16, 16, F16);
  expect(changeBy('delay_reductions', kernel, choices, SMALL_MATRICES)).toBe('');
});
