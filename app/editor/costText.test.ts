/** The cost of a line in words. */
import { expect, it } from 'vitest';
import type { LineCost, LineCosts } from '../../compiler/inspect/lineCosts';
import { changes, lineText, marginText } from './costText';

const line = (more: Partial<LineCost>): LineCost => ({
  ...{ file: 'a.py', line: 3, bytes: 0, flops: 0, instructions: 0, barriers: 0, exchanged: 0 },
  ...{ conflicts: 0, registers: 0, widest: 0, divisions: 0, shuffles: 0, loops: false },
  ...more,
});
const total = line({ bytes: 4096, flops: 100, instructions: 1000, registers: 80, barriers: 4 });

it('is a share in the margin, of registers a number, and nothing where there is none', () => {
  expect(marginText(line({ bytes: 1024 }), total, 'bytes')).toBe('25 %');
  expect(marginText(line({ instructions: 3 }), total, 'instructions')).toBe('<1 %');
  expect(marginText(line({ registers: 17 }), total, 'registers')).toBe('17');
  expect(marginText(line({}), total, 'conflicts')).toBe('');
});

it('has each measure a program, of the programs that were counted', () => {
  const costs: LineCosts = {
    ...{ lines: [], elsewhere: line({}), total, sampled: 4, programs: 40, cut: false },
  };
  expect(lineText(line({ bytes: 4096, registers: 12, widest: 16 }), costs).split('  \n')).toEqual([
    '**Bytes** 100 %: 1 KiB a program',
    '**Registers** 12 a thread, of 80 at most',
  ]);
});

it('says what would change it, only where that matters', () => {
  const said = (of: Partial<LineCost>): string => changes(line(of), total).join();
  expect(said({ bytes: 4096, widest: 4 })).toContain('moves 4 bytes at once');
  expect(said({ bytes: 100, widest: 4 })).toBe('');
  expect(said({ bytes: 4096, widest: 16 })).toBe('');
  expect(said({ barriers: 2, loops: true })).toContain('barriers stand in a loop');
  expect(said({ barriers: 2 })).toBe('');
  expect(said({ shuffles: 2, loops: true })).toContain('reduced once behind the loop');
  expect(said({ conflicts: 1 })).toContain('banks of shared memory');
  expect(said({ divisions: 1 })).toContain('by a constexpr');
  expect(said({ registers: 80 })).toContain('most registers are alive');
  expect(said({ registers: 79 })).toBe('');
});
