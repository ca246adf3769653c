/**
 * A driver's algebra of floats, which Triton never does: compensated sums, magic numbers, f16 and
 * back, NaN of infinities. On Mesa's drivers (`VK_ICD_FILENAMES` of lavapipe) the results fail
 * without what is tested here as text.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import { parseFunc } from '../ir/parser';
import { BASELINE_TARGET } from '../target';
import { differences, EXACT } from './testing/differential';
import { compileFunc } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const floats = (n: number, f: (i: number) => number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Float32Array.from({ length: n }, (_, i) => f(i)).buffer);

/** z = f(x, y), one tile of 64. */
const kernel = (body: string): string => `
tt.func @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0, end = 64} : tensor<64xi32>
  %xs = tt.splat %x : tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<64x!tt.ptr<f32>>
  %zs = tt.splat %z : tensor<64x!tt.ptr<f32>>
  %zp = tt.addptr %zs, %r : tensor<64x!tt.ptr<f32>>
  %a = tt.load %xp : tensor<64xf32>
  %b = tt.load %yp : tensor<64xf32>
${body}
  tt.store %zp, %o
  tt.return
}`;

const CASES: readonly (readonly [string, string])[] = [
  [
    'the part of b that a + b kept',
    `  %s = arith.addf %a, %b : tensor<64xf32>
  %o = arith.subf %s, %a : tensor<64xf32>`,
  ],
  [
    'the same, of a difference with its sign turned',
    `  %s = arith.subf %b, %a : tensor<64xf32>
  %n = arith.negf %s : tensor<64xf32>
  %m = arith.negf %n : tensor<64xf32>
  %t = arith.addf %a, %b : tensor<64xf32>
  %u = arith.subf %b, %t : tensor<64xf32>
  %o = arith.addf %u, %m : tensor<64xf32>`,
  ],
  [
    'a whole number, by a magic one',
    `  %c = arith.constant dense<12582912.0> : tensor<64xf32>
  %s = arith.addf %a, %c : tensor<64xf32>
  %o = arith.subf %s, %c : tensor<64xf32>`,
  ],
  [
    'NaN of an infinity without itself',
    `  %i = arith.divf %b, %a : tensor<64xf32>
  %o = arith.subf %i, %i : tensor<64xf32>`,
  ],
  [
    'NaN of an infinity times 0, and the sign of -0',
    `  %c = arith.constant dense<0.0> : tensor<64xf32>
  %i = arith.divf %b, %a : tensor<64xf32>
  %o = arith.mulf %i, %c : tensor<64xf32>`,
  ],
  [
    'a quotient by 0',
    `  %c = arith.constant dense<0.0> : tensor<64xf32>
  %o = arith.divf %a, %c : tensor<64xf32>`,
  ],
  [
    'the overflow of a product that is divided again',
    `  %c = arith.constant dense<3.0e38> : tensor<64xf32>
  %s = arith.mulf %a, %c : tensor<64xf32>
  %o = arith.divf %s, %c : tensor<64xf32>`,
  ],
  [
    'the rounding that a comparison sees',
    `  %c = arith.constant dense<1.0e9> : tensor<64xf32>
  %s = arith.addf %a, %c : tensor<64xf32>
  %p = arith.cmpf %s, %c {predicate = "ogt"} : tensor<64xi1>
  %o = arith.select %p, %a, %b : tensor<64xf32>`,
  ],
];
const ROUND_TRIP = kernel(`  %h = arith.truncf %a : tensor<64xf16>
  %o = arith.extf %h : tensor<64xf32>`);
const ROUND_AND_STORE = ROUND_TRIP.replace('%z: !tt.ptr<f32>', '%z: !tt.ptr<f16>')
  .replaceAll(
    '%zs = tt.splat %z : tensor<64x!tt.ptr<f32>>',
    '%zs = tt.splat %z : tensor<64x!tt.ptr<f16>>',
  )
  .replace(
    '%zp = tt.addptr %zs, %r : tensor<64x!tt.ptr<f32>>',
    '%zp = tt.addptr %zs, %r : tensor<64x!tt.ptr<f16>>',
  )
  .replace('  %o = arith.extf %h : tensor<64xf32>\n', '')
  .replace('tt.store %zp, %o', 'tt.store %zp, %h');

describe.skipIf(software.kind === 'missing')(
  'floats that a driver could compute by algebra',
  () => {
    let gpu: OpenedDevice;
    beforeAll(async () => {
      gpu = await openDawn();
    });
    const args = (): Uint8Array<ArrayBuffer>[] => [
      floats(64, (i) => (i === 5 ? 0 : i === 6 ? -0 : 3.7 * i - 100.3)),
      floats(64, (i) => 1e-5 * (i + 0.3)),
      floats(64, () => NaN),
    ];

    it.each(CASES)('keeps %s', async (_, body) => {
      const make = () => parseFunc(kernel(body));
      expect(compileFunc(make(), BASELINE_TARGET).wgsl).toMatch(/\^ args\./);
      const found = await differences(gpu, make, args(), [1, 1, 1], EXACT);
      expect(found.slice(0, 5)).toEqual([]);
    });

    it('leaves other sums alone', () => {
      const sum = kernel(`  %s = arith.addf %a, %b : tensor<64xf32>
  %o = arith.addf %s, %s : tensor<64xf32>`);
      expect(compileFunc(parseFunc(sum), BASELINE_TARGET).wgsl).not.toContain('^ args.');
    });

    it('gives NaN for functions that have no value', async () => {
      const functions = ['exp', 'exp2', 'log', 'log2'].map((name) =>
        kernel(`  %c = arith.constant dense<0.0> : tensor<64xf32>
  %i = arith.divf %c, %a : tensor<64xf32>
  %s = arith.addf %i, %a : tensor<64xf32>
  %f = math.${name} %s : tensor<64xf32>
  %p = arith.cmpf %f, %f {predicate = "une"} : tensor<64xi1>
  %o = arith.select %p, %a, %b : tensor<64xf32>`),
      );
      for (const text of functions) {
        const found = await differences(gpu, () => parseFunc(text), args(), [1, 1, 1], EXACT);
        expect(found.slice(0, 5)).toEqual([]);
      }
    });

    it('rounds to f16 and back', async () => {
      const found = await differences(gpu, () => parseFunc(ROUND_TRIP), args(), [1, 1, 1], EXACT);
      expect(found.slice(0, 5)).toEqual([]);
    });

    it('rounds in integers where the driver folds casts, but not what is only stored', () => {
      const exact = { ...BASELINE_TARGET, f16: true, f16RoundsToNearest: true };
      const folds = { ...exact, f16CastsElided: true };
      const wgsl = (text: string, target: typeof exact): string =>
        compileFunc(parseFunc(text), target).wgsl;
      expect(wgsl(ROUND_TRIP, exact)).toMatch(/[^<]f16\(/);
      expect(wgsl(ROUND_TRIP, folds)).toContain('f16_bits(');
      expect(wgsl(ROUND_AND_STORE, folds)).not.toContain('f16_bits(');
    });
  },
);
