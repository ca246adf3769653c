/** When work raises a GPU's clocks, and for how long, on a GPU that is simulated. */
import { expect, it } from 'vitest';
import { ClockRamp } from './clockRamp';

/** A GPU whose runs take `slow` ms until it has worked for `ramp` ms, then `fast` ms. */
function simulated(slow: number, fast: number, ramp: number) {
  let [clock, worked] = [0, 0];
  const time = (runs: number): Promise<number> => {
    let taken = 0;
    for (let i = 0; i < runs; i++) taken += worked + taken < ramp ? slow : fast;
    worked += taken;
    clock += taken;
    return Promise.resolve(taken * 1e6);
  };
  return { time, now: () => clock, idle: (ms: number) => (clock += ms) };
}

it('ends soon after the clocks went up', async () => {
  const gpu = simulated(6, 1.3, 400);
  const ramp = new ClockRamp(true, gpu.now);
  expect(ramp.low).toBe(true);
  expect(await ramp.raise(gpu.time, 1000)).toBeCloseTo(1.3e6);
  expect(gpu.now()).toBeGreaterThan(500);
  expect(gpu.now()).toBeLessThan(600);
  expect(ramp.low).toBe(false);
  gpu.idle(900);
  expect(ramp.low).toBe(false);
  gpu.idle(200);
  expect(ramp.low).toBe(true);
});

it('works for 0.6 s where nothing changes, and for a long run once', async () => {
  const gpu = simulated(2, 2, 0);
  expect(await new ClockRamp(true, gpu.now).raise(gpu.time, 1000)).toBeCloseTo(2e6);
  expect(gpu.now()).toBeGreaterThanOrEqual(600);
  expect(gpu.now()).toBeLessThan(650);
  const long = simulated(3000, 3000, 0);
  expect(await new ClockRamp(true, long.now).raise(long.time, 1000)).toBeCloseTo(3e9);
  expect(long.now()).toBe(3000);
});

it('has nothing to raise on a processor', () => {
  expect(new ClockRamp(false).low).toBe(false);
});
