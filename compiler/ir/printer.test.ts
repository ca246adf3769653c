import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Builder, cloneFunc } from './builder';
import { Block, Func } from './ir';
import type { Attribute } from './ir';
import { UNKNOWN_LOCATION } from './location';
import { parseFunc } from './parser';
import { printFunc, printIr } from './printer';
import { randomFunc } from './testing/random';
import { F32, I32, I64, scalar, tensor } from './types';
import { verify } from './verifier';

const SMALL = `#L0 = #linear<{register = [[0, 1]], lane = [[1, 0]], subgroup = []}>
tt.func @k(%x: !tt.ptr<f32> {tt.divisibility = 16}, %n: i32) attributes {threads = 2} {
  %c0_i32 = arith.constant 0 : i32
  %c_1_i64 = arith.constant -1 : i64
  %cst = arith.constant dense<-inf> : tensor<2x2xf32, #L0>
  %cst_0 = arith.constant -0.0 : f32
  %true = arith.constant true : i1
  gpu.barrier
  %0 = tt.splat %x : tensor<4x!tt.ptr<f32>>
  %m = ttg.local_alloc {offset = 0} : !ttg.memdesc<128x16xf32, order = [0, 1], pad = 4>
  %i = scf.for %c0_i32, %n, %n, %c0_i32 : i32 {
  ^(%i_0: i32, %i_1: i32):
    scf.yield %i_1
  }
  scf.if %true {
    tt.print %i {prefix = "a<3xf", hex = false, signed = [true]}
    scf.yield
  } else {
    scf.yield
  }
  tt.return
}
`;

describe('the printed form', () => {
  test('parses back to itself', () => {
    const func = parseFunc(SMALL);
    expect(printIr(func)).toBe(SMALL);
    expect(printIr(cloneFunc(func))).toBe(SMALL);
    expect(verify(func)).toEqual([]);
  });

  test('random functions parse back to themselves and verify', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const func = randomFunc(seed);
        expect(verify(func)).toEqual([]);
        const text = printIr(func);
        const parsed = parseFunc(text);
        expect(verify(parsed)).toEqual([]);
        expect(printIr(parsed)).toBe(text);
      }),
      { numRuns: 100 },
    );
  });

  test('any attribute comes back', () => {
    const attribute = fc.letrec<{ value: Attribute }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.double(),
        fc.integer(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.boolean(),
        fc.string(),
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value'), { noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(attribute, (value) => {
        const func = new Func('k', [], new Block(), UNKNOWN_LOCATION, { value });
        new Builder(func.body).return();
        expect(parseFunc(printIr(func)).attributes['value']).toEqual(value);
      }),
    );
  });

  test('any constant comes back', () => {
    for (const [type, values] of [
      [F32, [0, -0, NaN, Infinity, -Infinity, 1e-45, 3.4028234663852886e38, 0.1]],
      [scalar('f64'), [5e-324, 1.7976931348623157e308, 0.1]],
      [I32, [-(2 ** 31), 2 ** 31 - 1]],
      [I64, [-(2n ** 63n), 2n ** 63n - 1n]],
      [tensor([4], scalar('i1')), [true, false]],
    ] as const)
      for (const value of values) {
        const func = new Func('k', [], new Block(), UNKNOWN_LOCATION);
        const builder = new Builder(func.body);
        const constant = builder.constant(type, value);
        builder.return();
        const back = parseFunc(printIr(func)).body.ops[0]!;
        expect(back.attributes['value']).toBe(constant.definition!.attributes['value']);
      }
  });

  test('one location a line', () => {
    const func = parseFunc(SMALL, 'k.ir');
    const { text, locations } = printFunc(func);
    const lines = text.split('\n');
    expect(locations.length).toBe(lines.length);
    locations.forEach((location, i) => {
      // Region headers carry the location of their operation.
      if (location && !/^\s*[\^}]/.test(lines[i]!)) expect(location.line).toBe(i + 1);
    });
  });
});

describe('the verifier', () => {
  const broken = (text: string) => verify(parseFunc(text)).map((problem) => problem.message);

  test('finds types that do not fit', () => {
    expect(
      broken(`tt.func @k(%a: i32, %b: f32) {
        %0 = arith.addi %a, %b : i32
        tt.return
      }`)[0],
    ).toMatch(/arith.addi: operand types differ/);
  });
  test('finds a wrong result type', () => {
    expect(
      broken(`tt.func @k(%a: i32) {
        %0 = tt.make_range {start = 0, end = 8} : tensor<16xi32>
        tt.return
      }`)[0],
    ).toMatch(/does not follow/);
  });
  test('finds missing terminators, unknown attributes, odd shapes', () => {
    expect(broken('tt.func @k(%a: i32) { %0 = tt.splat %a {x = 1} : tensor<3xi32> }')).toEqual([
      expect.stringMatching(/no power of two/),
      expect.stringMatching(/no attribute x/),
      expect.stringMatching(/must end in a terminator/),
      expect.stringMatching(/tt.return/),
    ]);
  });
  test('finds a use outside of the region that defines it', () => {
    const func = parseFunc(`tt.func @k(%c: i1, %n: i32) {
      scf.if %c {
        %0 = arith.addi %n, %n : i32
        scf.yield
      } else {
        scf.yield
      }
      tt.return
    }`);
    const inner = func.body.ops[0]!.regions[0]!.ops[0]!.result;
    const builder = Builder.before(func.body.ops[1]!);
    builder.addptr(func.body.args[1]!, inner);
    expect(verify(func)[0]!.message).toMatch(/used where it is not defined/);
  });
  test('finds loops whose carried types change', () => {
    expect(
      broken(`tt.func @k(%n: i32, %x: f32) {
        %0 = scf.for %n, %n, %n, %x : f32 {
        ^(%i: i32, %a: f32):
          scf.yield %n
        }
        tt.return
      }`)[0],
    ).toMatch(/scf.yield do not match/);
  });
});
