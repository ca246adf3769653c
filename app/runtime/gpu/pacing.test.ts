/** Size of a submission, and of the slices of larger ones. */
import { expect, it } from 'vitest';
import type { LaunchCost } from '../../events';
import type { EngineLaunch, Unit } from '../engine';
import { Pacing } from './pacing';

const unit = (): Unit => ({
  key: 'k',
  name: 'k',
  kernel: null,
  func: null,
  addresses: 'none',
  cost: null,
});
function launch(of: Unit, programs: number, operations: number, uncertain = false): EngineLaunch {
  const cost: LaunchCost = {
    readBytes: 0,
    writtenBytes: 0,
    requestedBytes: 0,
    operations: { f64: 0, f32: 0, f16: 0, integer: operations },
    uncertain: uncertain ? 'depends on data' : null,
  };
  return {
    ...{ id: 1, unit: of, leaves: [], groups: [], arena: null, labels: [], cost },
    grid: [programs, 1, 1],
    site: { file: 'a.py', line: 1 },
  };
}

it('lets small launches through, up to what may be on its way', () => {
  const pacing = new Pacing();
  const small = Array.from({ length: 100 }, () => launch(unit(), 10, 1e6));
  const through = small.filter((each) => {
    const expected = pacing.expect(each);
    if (!pacing.fits(expected)) return false;
    pacing.add(each, expected);
    return true;
  });
  expect(through).toHaveLength(40);
  pacing.took(through[0]!, 1e5);
  expect(pacing.fits(pacing.expect(small[99]!))).toBe(true);
});

it('holds back what is long, or cannot be foreseen, until it was measured', () => {
  const pacing = new Pacing();
  const of = unit();
  const long = launch(of, 1000, 1e9);
  expect(pacing.isLong(pacing.expect(long))).toBe(true);
  expect(pacing.expect(launch(of, 1000, 1, true))).toBe(Infinity);
  expect(pacing.firstSlice(long, pacing.expect(long))).toBe(16);
  expect(pacing.nextSlice(16, 10e6)).toBe(128);
  expect(pacing.nextSlice(128, 400e6)).toBe(64);
  expect(pacing.nextSlice(1, 1e12)).toBe(1);
  pacing.took(long, 4e9);
  expect(pacing.firstSlice(long, pacing.expect(long))).toBe(50);
  // A launch below the clock's step predicts nothing about a long one.
  pacing.took(launch(of, 1, 10), 0);
  expect(pacing.expect(long)).toBe(10e9);
  pacing.took(long, 4e9);
  // A launch that computes a thousandth takes a thousandth.
  expect(pacing.fits(pacing.expect(launch(of, 1, 1e6)))).toBe(true);
});
