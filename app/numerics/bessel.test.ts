/**
 * Bessel functions against values of tables (Abramowitz and Stegun, DLMF) and against each other.
 */
import { expect, it } from 'vitest';
import * as bessel from './bessel';

const near = (got: number, want: number): void =>
  expect(Math.abs(got - want) / Math.max(Math.abs(want), 0.01), `${got}`).toBeLessThan(1e-13);

it('agrees with tables', () => {
  near(bessel.besselJ0(5), -0.1775967713143383);
  near(bessel.besselJ1(5), -0.32757913759146523);
  near(bessel.besselY0(5), -0.30851762524903376);
  near(bessel.besselY1(5), 0.14786314339122683);
  near(bessel.besselJ0(50), 0.05581232766925181);
  near(bessel.besselY1(50), -0.05679566856201477);
  near(bessel.besselI0(2), 2.279585302336067);
  near(bessel.besselI1(2), 1.590636854637329);
  near(bessel.besselK0(2), 0.11389387274953343);
  near(bessel.besselK1(0.5), 1.656441120003301);
});

it('keeps the Wronskians, where the methods change too', () => {
  for (const x of [1e-4, 0.3, 0.999, 1, 2.5, 12, 29.99, 30, 30.01, 77, 400]) {
    const { besselJ0, besselJ1, besselY0, besselY1 } = bessel;
    near(x * (besselJ1(x) * besselY0(x) - besselJ0(x) * besselY1(x)), 2 / Math.PI);
    const { besselI0e, besselI1e, scaledBesselK0, scaledBesselK1 } = bessel;
    near(x * (besselI0e(x) * scaledBesselK1(x) + besselI1e(x) * scaledBesselK0(x)), 1);
  }
});

it('has the signs and the limits', () => {
  expect([bessel.besselJ0(-2), bessel.besselJ1(-2)]).toEqual([
    bessel.besselJ0(2),
    -bessel.besselJ1(2),
  ]);
  expect([bessel.besselY0(0), bessel.besselY1(0)]).toEqual([-Infinity, -Infinity]);
  expect([bessel.besselK0(0), bessel.besselK1(Infinity)]).toEqual([Infinity, 0]);
  expect([bessel.besselY0(-1), bessel.besselK1(-1), bessel.besselJ0(NaN)]).toEqual([NaN, NaN, NaN]);
  expect(bessel.besselI0(709)).toBeLessThan(Infinity);
  expect(bessel.besselJ1(1e-300)).toBe(5e-301);
});
