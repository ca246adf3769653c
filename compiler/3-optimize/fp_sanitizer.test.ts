/**
 * fp_sanitizer by printed IR before and after, and its arithmetic against a model in big integers
 * whose constants are those of the code that Triton 3.8.0 makes for sm_90.
 */
import { describe, expect, test } from 'vitest';
import { runInterpreter } from '../interpret/index';
import { parseFunc } from '../ir/parser';
import { payloadFormat, payloadOf } from '../ir/payloads';
import { verify } from '../ir/verifier';
import { fp_sanitizer } from './fp_sanitizer';
import { after, normal } from './testing/equivalence';
import { kernel, stays } from './testing/passes';

const MODE = ' attributes {instrumentation = "fpsan"}';
const instrumented = (text: string): string => text.replace(') {', `)${MODE} {`);

describe('fp_sanitizer', () => {
  test('without the mode nothing changes', () =>
    stays(fp_sanitizer, kernel('%p: !tt.ptr<f32>', '%x = tt.load %p : f32\n tt.store %p, %x')));

  test('sums and products are those of payloads', () =>
    expect(
      after(
        instrumented(
          kernel(
            '%p: !tt.ptr<f32>',
            `%x = tt.load %p : f32
             %one = arith.constant 1.0 : f32
             %y = arith.mulf %x, %x : f32
             %z = arith.addf %y, %one : f32
             tt.store %p, %z`,
          ),
        ),
        fp_sanitizer,
      ),
    ).toBe(
      normal(
        kernel(
          '%p: !tt.ptr<i32>',
          `%0 = tt.load %p : i32
           %c922291_i32 = arith.constant 922291 : i32
           %1 = arith.muli %0, %c922291_i32 : i32
           %c2147483647_i32 = arith.constant 2147483647 : i32
           %2 = arith.andi %1, %c2147483647_i32 : i32
           %c23_i32 = arith.constant 23 : i32
           %3 = arith.shrui %2, %c23_i32 : i32
           %4 = arith.xori %2, %3 : i32
           %c0_i32 = arith.constant 0 : i32
           %5 = arith.cmpi %0, %c0_i32 {predicate = "slt"} : i1
           %c_1110447099_i32 = arith.constant -1110447099 : i32
           %c_1037036549_i32 = arith.constant -1037036549 : i32
           %6 = arith.select %5, %c_1037036549_i32, %c_1110447099_i32 : i32
           %7 = arith.muli %4, %6 : i32
           %c2147483647_i32_0 = arith.constant 2147483647 : i32
           %8 = arith.andi %7, %c2147483647_i32_0 : i32
           %c_2147483648_i32 = arith.constant -2147483648 : i32
           %9 = arith.andi %0, %c_2147483648_i32 : i32
           %x = arith.ori %8, %9 : i32
           %one = arith.constant 1 : i32
           %y = arith.muli %x, %x : i32
           %z = arith.addi %y, %one : i32
           %c0_i32_0 = arith.constant 0 : i32
           %10 = arith.cmpi %z, %c0_i32_0 {predicate = "slt"} : i1
           %c1719664845_i32 = arith.constant 1719664845 : i32
           %c427818803_i32 = arith.constant 427818803 : i32
           %11 = arith.select %10, %c427818803_i32, %c1719664845_i32 : i32
           %12 = arith.muli %z, %11 : i32
           %c2147483647_i32_1 = arith.constant 2147483647 : i32
           %13 = arith.andi %12, %c2147483647_i32_1 : i32
           %c23_i32_0 = arith.constant 23 : i32
           %14 = arith.shrui %13, %c23_i32_0 : i32
           %15 = arith.xori %13, %14 : i32
           %c60539_i32 = arith.constant 60539 : i32
           %16 = arith.muli %15, %c60539_i32 : i32
           %c2147483647_i32_2 = arith.constant 2147483647 : i32
           %17 = arith.andi %16, %c2147483647_i32_2 : i32
           %c_2147483648_i32_0 = arith.constant -2147483648 : i32
           %18 = arith.andi %z, %c_2147483648_i32_0 : i32
           %19 = arith.ori %17, %18 : i32
           tt.store %p, %19`,
        ),
      ),
    ));

  test('an operation without a meaning in the algebra is refused by name', () => {
    const text = `%x = tt.load %p : f32\n %y = tt.atomic_rmw %p, %x {kind = "fadd"} : f32`;
    const func = parseFunc(instrumented(kernel('%p: !tt.ptr<f32>', text)));
    expect(() => fp_sanitizer(func)).toThrow(
      'atomic fadd of floats has no meaning in the ring of FpSan',
    );
  });
});

type Format = 'f16' | 'bf16' | 'f32' | 'f64';
/** Width, the code of 1.0, and the last two factors in Triton's code. */
const TRITON: Record<Format, readonly [number, bigint, bigint, bigint]> = {
  f16: [16, 0x3c00n, 28213n, 4555n],
  bf16: [16, 0x3f80n, 17029n, 15739n],
  f32: [32, 0x3f800000n, 1037036549n, 1110447099n],
  f64: [64, 0x3ff0000000000000n, 4819406098537848709n, 4403965938316927099n],
};
const FORMATS = Object.keys(TRITON) as Format[];

/** The payload of a float's bits, and back. */
class Model {
  readonly width: number;
  readonly #one: bigint;
  readonly #factors: readonly [bigint, bigint];
  constructor(format: Format) {
    const [width, one, positive, negative] = TRITON[format];
    this.width = width;
    this.#one = one;
    this.#factors = [positive, negative];
  }
  get #magnitude(): bigint {
    return 2n ** BigInt(this.width - 1) - 1n;
  }
  embed(bits: bigint): bigint {
    const magnitude = this.#magnitude;
    const shift = BigInt(this.#one.toString(2).replace(/^1+/, '').length);
    const y = ((bits & magnitude) * 922291n) & magnitude;
    const z = y ^ (y >> shift);
    // In Triton's code the factors are odd numbers of which 31 bits count, for f32.
    const factor = this.#factors[bits > magnitude ? 0 : 1];
    return ((z * -factor) & magnitude) | (bits & ~magnitude);
  }
  wrap(x: bigint): bigint {
    return BigInt.asUintN(this.width, x);
  }
}

/** Runs the instrumented kernel on two inputs; all as bits. */
function run(format: Format, body: string, inputs: readonly [bigint, bigint]): bigint {
  const text = kernel(
    `%px: !tt.ptr<${format}>, %py: !tt.ptr<${format}>, %po: !tt.ptr<${format}>`,
    `%a = tt.load %px : ${format}\n%b = tt.load %py : ${format}\n${body}\ntt.store %po, %r`,
  ).replaceAll('T', format);
  const func = parseFunc(instrumented(text));
  fp_sanitizer(func);
  expect(verify(func)).toEqual([]);
  const [width] = TRITON[format];
  const memory = [...inputs, 0n].map((bits, i) => {
    const words = new BigUint64Array([bits]);
    const bytes = new Uint8Array(words.buffer, 0, width / 8);
    return { address: 4096 * (i + 1), bytes };
  });
  runInterpreter({ func, args: memory.map(({ address }) => address), memory, grid: [1, 1, 1] });
  const out = new Uint8Array(8);
  out.set(memory[2]!.bytes);
  return new DataView(out.buffer).getBigUint64(0, true);
}

/** Bits that a generator of 64-bit numbers gives, among them 0, 1, -1, infinity and a NaN. */
function* samples(format: Format): Generator<bigint> {
  const [width, one] = TRITON[format];
  const sign = 2n ** BigInt(width - 1);
  yield* [0n, sign, one, one | sign, one << 1n, sign - 1n, 1n];
  let state = 88172645463325252n;
  for (let i = 0; i < 12; i++) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    yield BigInt.asUintN(width, state ^ (state >> 29n));
  }
}

describe.each(FORMATS)('payloads of %s', (format) => {
  const model = new Model(format);
  const each = (check: (a: bigint, b: bigint) => void): void => {
    const all = [...samples(format)];
    all.forEach((a, i) => check(a, all[(i * 7 + 3) % all.length]!));
  };

  test('keep 0, 1 and -1', () => {
    expect([0, 1, -1].map((x) => Number(payloadOf(format, x)))).toEqual([0, 1, -1]);
  });
  test('have the factors of Triton', () => {
    const { magnitude, positive, negative } = payloadFormat(format);
    const [, , first, second] = TRITON[format];
    expect([-negative & magnitude, -positive & magnitude]).toEqual([
      first & magnitude,
      second & magnitude,
    ]);
  });
  test.each([
    ['addf', (a: bigint, b: bigint) => a + b],
    ['subf', (a: bigint, b: bigint) => a - b],
    ['mulf', (a: bigint, b: bigint) => a * b],
  ])('%s is exact', (name, compute) =>
    each((a, b) => {
      const out = run(format, `%r = arith.${name} %a, %b : T`, [a, b]);
      expect(model.embed(out)).toBe(model.wrap(compute(model.embed(a), model.embed(b))));
    }),
  );
  test('negation twice is nothing', () =>
    each((a, b) =>
      expect(run(format, '%n = arith.negf %a : T\n%r = arith.negf %n : T', [a, b])).toBe(a),
    ));
  test('division by an odd payload and multiplication by it are nothing', () =>
    each((a, b) => {
      if (!(model.embed(b) & 1n)) return;
      const body = '%q = arith.divf %a, %b : T\n%r = arith.mulf %q, %b : T';
      expect(run(format, body, [a, b])).toBe(a);
    }));
  test('the inverse of the inverse is the payload, odd or even', () =>
    each((a, b) => {
      const one = '%one = arith.constant 1.0 : T';
      const body = `${one}\n%q = arith.divf %one, %a : T\n%r = arith.divf %one, %q : T`;
      expect(run(format, body, [a, b])).toBe(a);
    }));
  test('comparisons are those of IEEE', () => {
    const one = '%one = arith.constant 1.0 : T\n%zero = arith.constant 0.0 : T';
    const compare = (predicate: string, a: bigint, b: bigint): boolean =>
      run(
        format,
        `${one}\n%c = arith.cmpf %a, %b {predicate = "${predicate}"} : i1
         %r = arith.select %c, %one, %zero : T`,
        [a, b],
      ) !== 0n;
    each((a, b) => {
      const [x, y] = [value(format, a), value(format, b)];
      expect(
        ['oeq', 'une', 'ogt', 'oge', 'olt', 'ole'].map((predicate) => compare(predicate, a, b)),
      ).toEqual([x === y, x !== y, x > y, x >= y, x < y, x <= y]);
    });
  });
  test('an absolute value clears the sign', () =>
    each((a, b) => {
      const magnitude = 2n ** BigInt(model.width - 1) - 1n;
      expect(run(format, '%r = math.absf %a : T', [a, b])).toBe(a & magnitude);
    }));
});

function value(format: Format, bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  if (format === 'f64') view.setBigUint64(0, bits);
  else if (format === 'f32') view.setUint32(0, Number(bits));
  else if (format === 'bf16') view.setUint16(0, Number(bits));
  if (format === 'f64') return view.getFloat64(0);
  if (format !== 'f16') return view.getFloat32(0);
  const [sign, exponent, mantissa] = [
    bits >> 15n,
    Number((bits >> 10n) & 31n),
    Number(bits & 1023n),
  ];
  const size =
    exponent === 31
      ? mantissa
        ? NaN
        : Infinity
      : exponent === 0
        ? mantissa * 2 ** -24
        : (1 + mantissa / 1024) * 2 ** (exponent - 15);
  return sign ? -size : size;
}

describe.each(['f32', 'f64'] as const)('functions of %s', (format) => {
  const model = new Model(format);
  const all = [...samples(format)];
  const pairs = all.map((a, i) => [a, all[(i * 5 + 2) % all.length]!] as const);
  const equal = (left: string, right: string): void => {
    for (const pair of pairs) expect(run(format, left, pair)).toBe(run(format, right, pair));
  };
  const sum = '%s = arith.addf %a, %b : T\n';

  test.each(['exp', 'exp2'])('%s of a sum is the product', (name) =>
    equal(
      `${sum}%r = math.${name} %s : T`,
      `%x = math.${name} %a : T\n%y = math.${name} %b : T\n%r = arith.mulf %x, %y : T`,
    ),
  );
  test('exp is exp2 of the product with log2(e)', () =>
    equal(
      '%r = math.exp %a : T',
      `%c = arith.constant 1.4426950408889634 : f32
       %d = tt.fp_to_fp %c : T
       %x = arith.mulf %a, %d : T
       %r = math.exp2 %x : T`,
    ));
  test('sine and cosine of a sum are those of the angles', () => {
    const parts = ['a', 'b'].map((x) => `%s${x} = math.sin %${x} : T\n%c${x} = math.cos %${x} : T`);
    equal(
      `${sum}%r = math.sin %s : T`,
      `${parts.join('\n')}\n%x = arith.mulf %sa, %cb : T\n%y = arith.mulf %ca, %sb : T\n%r = arith.addf %x, %y : T`,
    );
    equal(
      `${sum}%r = math.cos %s : T`,
      `${parts.join('\n')}\n%x = arith.mulf %ca, %cb : T\n%y = arith.mulf %sa, %sb : T\n%r = arith.subf %x, %y : T`,
    );
  });
  test('a square root has the tag of Triton', () => {
    if (format !== 'f32') return;
    for (const [a, b] of pairs) {
      const out = run(format, '%r = math.sqrt %a : T', [a, b]);
      const mixed = model.wrap(model.embed(a) * 314159n) ^ model.wrap(-948157069n);
      expect(model.embed(out)).toBe(model.wrap(mixed * 314159n));
    }
  });
});

describe('between formats', () => {
  test('a wider float and back is the same', () => {
    for (const bits of samples('f16'))
      expect(run('f16', '%w = arith.extf %a : f32\n%r = arith.truncf %w : T', [bits, 0n])).toBe(
        bits,
      );
  });
  test('a sum may be narrowed before or after', () => {
    const all = [...samples('f32')];
    const narrow = (x: string, y: string) => `%${y} = arith.truncf %${x} : f16\n`;
    all.forEach((a, i) => {
      const pair = [a, all[(i + 4) % all.length]!] as const;
      const after = `%s = arith.addf %a, %b : T\n${narrow('s', 'n')}%r = arith.extf %n : T`;
      const before = `${narrow('a', 'x')}${narrow('b', 'y')}%n = arith.addf %x, %y : f16\n%r = arith.extf %n : T`;
      expect(run('f32', after, pair)).toBe(run('f32', before, pair));
    });
  });
});
