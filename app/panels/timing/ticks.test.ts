import { expect, it } from 'vitest';
import { ticksOf } from './ticks';

it('puts ticks at the measured sizes', () => {
  expect(ticksOf([128, 256, 512, 1024], 600, true)).toEqual([128, 256, 512, 1024]);
  expect(ticksOf([512, 128, 256], 600, false)).toEqual([128, 256, 512]);
  expect(ticksOf([4096], 600, true)).toEqual([4096]);
});

it('leaves out those without room, from the first one up', () => {
  // On a linear axis the small sizes stand within a label of each other.
  expect(ticksOf([128, 256, 384, 4096, 8192], 400, false)).toEqual([384, 4096, 8192]);
  const many = Array.from({ length: 31 }, (_, i) => 128 * (i + 2));
  const ticks = ticksOf(many, 500, false);
  expect(ticks.length).toBeGreaterThan(4);
  expect(ticks.length).toBeLessThan(10);
  expect(many).toEqual(expect.arrayContaining(ticks));
});
