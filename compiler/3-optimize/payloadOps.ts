/**
 * Payloads of floats (`ir/payloads.ts`) computed by integer operations of tile IR. Every function
 * takes and gives a scalar or a tile of integers as wide as the float.
 */
import type { Builder, IntPredicate } from '../ir/builder';
import type { Value } from '../ir/ir';
import type { OpName } from '../ir/ops';
import {
  inverseOf,
  payloadFormat,
  payloadOf,
  SPREAD,
  tagOf,
  type PayloadFormat,
} from '../ir/payloads';
import { bitWidth, dtypeOf, type FloatType } from '../ir/types';

/** Factor between exp and exp2: the payload of log2(e) in f32, at every width. */
export const LOG2E = 594471359n;
const TAG_FACTOR = 314159n;

type Arithmetic = 'add' | 'sub' | 'mul' | 'and' | 'or' | 'xor' | 'shl' | 'shru' | 'divu';

/** Integer arithmetic on values of one type, where a bigint stands for a constant. */
export class Payloads {
  constructor(readonly builder: Builder) {}

  constant(like: Value, value: bigint): Value {
    return this.builder.constant(like.type, value);
  }
  do(name: Arithmetic, x: Value, y: Value | bigint): Value {
    const op: OpName = `arith.${name}i`;
    return this.builder.binary(op, x, typeof y === 'bigint' ? this.constant(x, y) : y);
  }
  times(x: Value, factor: bigint): Value {
    return this.do('mul', x, factor);
  }
  is(predicate: IntPredicate, x: Value, y: Value | bigint): Value {
    return this.builder.cmp(predicate, x, typeof y === 'bigint' ? this.constant(x, y) : y);
  }
  choose(condition: Value, yes: Value | bigint, no: Value): Value {
    return this.builder.select(
      condition,
      typeof yes === 'bigint' ? this.constant(no, yes) : yes,
      no,
    );
  }

  /** The payload of a float's bits. */
  embed(dtype: FloatType, bits: Value): Value {
    const { magnitude, shift, positive, negative } = payloadFormat(dtype);
    const spread = this.do('and', this.do('mul', bits, SPREAD), magnitude);
    const folded = this.do('xor', spread, this.do('shru', spread, BigInt(shift)));
    return this.scaled(bits, folded, positive, negative, magnitude);
  }

  /** The float's bits of a payload. */
  unembed(dtype: FloatType, payload: Value): Value {
    const format = payloadFormat(dtype);
    const { width, magnitude } = format;
    const factors = [format.positive, format.negative].map((each) => inverseOf(each, width));
    let bits = this.scaled(payload, payload, factors[0]!, factors[1]!, magnitude, false);
    for (let { shift } = format; shift < width; shift *= 2)
      bits = this.do('xor', bits, this.do('shru', bits, BigInt(shift)));
    const spread = this.do('mul', bits, inverseOf(SPREAD, width));
    return this.do(
      'or',
      this.do('and', spread, magnitude),
      this.do('and', payload, signOf(format)),
    );
  }

  /** `x` times the factor for the sign of `signed`, its magnitude alone or with that sign. */
  private scaled(
    signed: Value,
    x: Value,
    positive: bigint,
    negative: bigint,
    magnitude: bigint,
    keepsSign = true,
  ): Value {
    const below = this.is('slt', signed, 0n);
    const factor = this.choose(below, negative, this.constant(x, positive));
    const scaled = this.do('and', this.do('mul', x, factor), magnitude);
    return keepsSign ? this.do('or', scaled, this.do('and', signed, ~magnitude)) : scaled;
  }

  /** The inverse of an odd payload; of an even one, an even number by which division is defined. */
  inverse(x: Value): Value {
    const odd = this.do('or', x, 1n);
    let inverse = this.builder.binary('arith.subi', this.constant(x, 2n), odd);
    for (let bits = 2; bits < widthOf(x); bits *= 2) {
      const rest = this.builder.binary(
        'arith.subi',
        this.constant(x, 2n),
        this.do('mul', odd, inverse),
      );
      inverse = this.do('mul', inverse, rest);
    }
    return this.do('or', this.do('and', inverse, -2n), this.do('and', x, 1n));
  }

  /**
   * 2^k · u^-1 of 2^k · u, u odd: the inverse of a product is that of its factors, whatever they
   * are. A proof divides by it, so that a softmax is the same whatever its exponents are shifted
   * by.
   */
  multiplicativeInverse(x: Value): Value {
    const power = this.do('and', x, this.builder.binary('arith.subi', this.constant(x, 0n), x));
    // A power of two divides without a rest; 0 counts as 1.
    const divisor = this.choose(this.is('eq', power, 0n), 1n, power);
    const odd = this.do('divu', x, divisor);
    return this.do('mul', this.inverse(odd), power);
  }

  /**
   * (1 + 2^s)^x for s a quarter of the width, by the binomial theorem: of its terms those below
   * 2^(4s). So exp2(x + y) is exp2(x) · exp2(y), and exp2(0) is 1.
   */
  exp2(x: Value): Value {
    const s = BigInt(widthOf(x) / 4);
    const pairs = this.do('shru', this.do('mul', x, this.do('sub', x, 1n)), 1n);
    const low = this.do('and', x, (1n << (s + 1n)) - 1n);
    const product = this.do(
      'mul',
      this.do('mul', low, this.do('sub', low, 1n)),
      this.do('sub', low, 2n),
    );
    const triples = this.do('divu', product, 6n);
    const first = this.do('add', this.do('shl', x, s), 1n);
    const second = this.do('add', first, this.do('shl', pairs, 2n * s));
    return this.do('add', second, this.do('shl', triples, 3n * s));
  }
  exp(x: Value): Value {
    return this.exp2(this.do('mul', x, LOG2E));
  }

  /**
   * Cosine and sine: powers of (-3 + 4i) / 5, a number of modulus 1, bit by bit of the exponent. So
   * the identities of sums of angles hold.
   */
  cosineAndSine(x: Value): readonly [Value, Value] {
    const { builder } = this;
    const width = widthOf(x);
    const fifth = inverseOf(5n, width);
    const [re, im] = [-3n * fifth, 4n * fifth];
    const zero = this.constant(x, 0n);
    const start = [this.constant(x, 1n), zero, x];
    const powers = builder.forLoop(
      builder.i32(0),
      builder.i32(width),
      builder.i32(1),
      start,
      (_, [c, s, rest]) => {
        const cos = this.do('sub', this.do('mul', c!, c!), this.do('mul', s!, s!));
        const sin = this.do('mul', this.do('mul', c!, s!), 2n);
        const nextCos = this.do('sub', this.do('mul', cos, re), this.do('mul', sin, im));
        const nextSin = this.do('add', this.do('mul', sin, re), this.do('mul', cos, im));
        // The highest bit of what is left of the exponent.
        const bit = this.is('slt', rest!, 0n);
        return [
          builder.select(bit, nextCos, cos),
          builder.select(bit, nextSin, sin),
          this.do('shl', rest!, 1n),
        ];
      },
    );
    return [powers[0]!, powers[1]!];
  }

  /** A function known by its number alone: an invertible mixture of the payload and its tag. */
  tagged(x: Value, id: number): Value {
    const mixed = this.do('xor', this.do('mul', x, TAG_FACTOR), tagOf(id, widthOf(x)));
    return this.do('mul', mixed, TAG_FACTOR);
  }

  /** A function known by its symbol alone, of any number of operands. */
  symbol(operands: readonly Value[], tag: bigint): Value {
    const rotated = operands.map((x, i) => (i === 0 ? x : this.rotated(x, BigInt(i))));
    const sum = rotated.reduce((all, each) => this.do('add', all, each));
    return this.do('xor', sum, tag);
  }
  private rotated(x: Value, by: bigint): Value {
    const rest = BigInt(widthOf(x)) - by;
    return this.do('or', this.do('shl', x, by), this.do('shru', x, rest));
  }

  /** Whether a float's bits are a NaN. */
  isNan(dtype: FloatType, bits: Value): Value | undefined {
    const { magnitude } = payloadFormat(dtype);
    const most = largestNumber(dtype);
    if (most === 'none') return undefined;
    if (most === 'unsigned zero') return this.is('eq', bits, ~magnitude);
    return this.is('sgt', this.do('and', bits, magnitude), most);
  }

  /** Whether a payload is that of -inf, and of +inf. */
  infinities(dtype: FloatType, x: Value): readonly [Value, Value] {
    const [below, above] = [-Infinity, Infinity].map((each) =>
      this.is('eq', x, BigInt(payloadOf(dtype, each))),
    );
    return [below!, above!];
  }
  isInfinite(dtype: FloatType, x: Value): Value {
    return this.builder.binary('arith.ori', ...this.infinities(dtype, x));
  }
  /** A payload as an integer whose order puts -inf below and +inf above all others. */
  orderWithInfinities(dtype: FloatType, x: Value): Value {
    const [below, above] = this.infinities(dtype, x);
    const { magnitude } = payloadFormat(dtype);
    return this.choose(below, ~magnitude, this.choose(above, magnitude, x));
  }

  /** An integer that orders floats as IEEE does, by their bits; both zeros are 0. */
  order(dtype: FloatType, bits: Value): Value {
    const { magnitude } = payloadFormat(dtype);
    const below = this.is('slt', bits, 0n);
    const mirrored = this.builder.binary('arith.subi', this.constant(bits, ~magnitude), bits);
    return this.choose(below, mirrored, bits);
  }
}

/** The code above which a magnitude is a NaN: that of infinity, or of the largest number. */
function largestNumber(dtype: FloatType): bigint | 'none' | 'unsigned zero' {
  switch (dtype) {
    case 'f16':
      return 0x7c00n;
    case 'bf16':
      return 0x7f80n;
    case 'f32':
      return 0x7f800000n;
    case 'f64':
      return 0x7ff0000000000000n;
    case 'f8E5M2':
      return 0x7cn;
    case 'f8E4M3FN':
      return 0x7en;
    case 'f8E4M3FNUZ':
    case 'f8E5M2FNUZ':
      return 'unsigned zero';
    case 'f8E4M3B11FNUZ':
      return 'none';
    default:
      return unreachable(dtype);
  }
}

function signOf({ magnitude }: PayloadFormat): bigint {
  return ~magnitude;
}
function widthOf(x: Value): number {
  const dtype = dtypeOf(x.type);
  if (!dtype) throw new Error('a payload is a number');
  return bitWidth(dtype);
}
function unreachable(never: never): never {
  throw new Error(`unknown format ${String(never)}`);
}
