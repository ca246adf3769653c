/** Floats of 16 and 8 bits: their codes, and rounding to them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { floatBits, floatFromBits, roundFloat } from './numbers';
import { DTYPES, bitWidth, isFloat, type FloatType } from './types';

describe('small floats', () => {
  const small = DTYPES.filter((d) => isFloat(d) && bitWidth(d) <= 16) as FloatType[];
  test.each(small)('%s: every code comes back', (dtype) => {
    for (let code = 0; code < 1 << bitWidth(dtype); code++) {
      const x = floatFromBits(dtype, BigInt(code));
      if (!Number.isFinite(x)) continue;
      if (Object.is(x, -0) && floatBits(dtype, 0) === BigInt(code)) continue;
      // Conversions to float8e4b15 end at 1.75; its two codes beyond are only read.
      if (dtype === 'f8E4M3B11FNUZ' && Math.abs(x) > 1.75) continue;
      if (Number(floatBits(dtype, x)) !== code || !Object.is(roundFloat(dtype, x), x))
        throw new Error(`${dtype} code ${code}: ${x}`);
    }
  });
  test('rounding is to nearest even', () => {
    fc.assert(
      fc.property(fc.float(), fc.constantFrom(...small), (x, dtype) => {
        // Triton's own way of rounding to this one is by halves away from zero.
        if (dtype === 'f8E4M3B11FNUZ') return;
        const r = roundFloat(dtype, x);
        if (!Number.isFinite(r) || !Number.isFinite(x) || Math.abs(x) > 2 * Math.abs(r)) return;
        if (r === 0 && x !== 0 && floatFromBits(dtype, 1n) < 2 * Math.abs(x)) throw new Error('0');
        // No neighbour in the format is nearer; a tie goes to the even code.
        const code = Number(floatBits(dtype, r));
        for (const other of [code - 1, code + 1]) {
          const y = floatFromBits(dtype, BigInt(other & ((1 << bitWidth(dtype)) - 1)));
          if (!Number.isFinite(y)) continue;
          const [mine, its] = [Math.abs(r - x), Math.abs(y - x)];
          expect(mine < its || (mine === its && (code & 1) === 0) || r === y).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
