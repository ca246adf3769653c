/**
 * Every arithmetic operation and cast in every dtype, on the interpreter and on a GPU, over special
 * values (zeros, infinities, NaN, denormals, extremes) and random ones. Loads and stores of every
 * dtype are tested on the way.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../../app/cli/dawn';
import type { OpenedDevice } from '../../../app/cli/dawn';
import { Builder } from '../../ir/builder';
import { Block, Func } from '../../ir/ir';
import type { Value } from '../../ir/ir';
import { UNKNOWN_LOCATION } from '../../ir/location';
import { floatBits, roundFloat } from '../../ir/numbers';
import type { OpName } from '../../ir/ops';
import { seededRandom } from '../../ir/seededRandom';
import { bitWidth, byteSize, I1, isFloat, pointer, scalar } from '../../ir/types';
import type { DType, Type } from '../../ir/types';
import { differences, EXACT } from '../testing/differential';
import type { Tolerance } from '../testing/differential';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const N = 256;
const FLOATS = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  2.5,
  -2.5,
  3,
  1e-3,
  -7.25,
  100,
  1e4,
  65504,
  65520,
  -65504,
  1e10,
  3e38,
  -3e38,
  2 ** -14,
  2 ** -24,
  2 ** -126,
  Infinity,
  -Infinity,
  NaN,
  448,
  464,
  57344,
  61440,
];
const INTS = [
  0n,
  1n,
  -1n,
  2n,
  3n,
  -3n,
  7n,
  10n,
  127n,
  -128n,
  255n,
  256n,
  32767n,
  -32768n,
  65535n,
  2147483647n,
  -2147483648n,
  4294967295n,
  4294967296n,
  9223372036854775807n,
  -9223372036854775808n,
  1000000007n,
  0x123456789abcdefn,
];

/** Bytes of N elements. `plain` floats: no infinities, NaN or extremes. */
function operand(dtype: DType, seed: number, plain = false): Uint8Array<ArrayBuffer> {
  const random = seededRandom(seed);
  const size = byteSize(scalar(dtype));
  const view = new DataView(new ArrayBuffer(N * size));
  for (let i = 0; i < N; i++) {
    let bits: bigint;
    const pick = random();
    if (isFloat(dtype)) {
      const special = FLOATS[Math.floor(random() * FLOATS.length)]!;
      const wide = (random() - 0.5) * 2 ** Math.floor(random() * 24 - 8);
      bits = floatBits(dtype, roundFloat(dtype, plain || pick < 0.4 ? wide : special));
    } else if (dtype === 'i1') bits = pick < 0.5 ? 0n : 1n;
    else {
      const special = INTS[Math.floor(random() * INTS.length)]!;
      const wide = BigInt(Math.floor((random() - 0.5) * 2 ** (1 + random() * 52)));
      bits = BigInt.asUintN(bitWidth(dtype), pick < 0.5 ? special : wide);
    }
    for (let byte = 0; byte < size; byte++)
      view.setUint8(i * size + byte, Number((bits >> BigInt(8 * byte)) & 0xffn));
  }
  return new Uint8Array(view.buffer);
}

interface Case {
  readonly name: string;
  readonly result: Type;
  readonly build: (b: Builder, x: Value, y: Value, z: Value) => Value;
}

/** One kernel a result type: each case stores its own run of N elements. */
function makeFunc(dtype: DType, cases: readonly Case[]): Func {
  const element = scalar(dtype);
  const body = new Block();
  const inputs = ['x', 'y', 'z'].map((name) => body.addArg(pointer(element), name));
  const outs = cases.map((c, i) => body.addArg(pointer(c.result as never), `out${i}`));
  const b = new Builder(body);
  const range = b.makeRange(0, N);
  const at = (base: Value): Value => b.addptr(b.splat(base, [N]), range);
  const [x, y, z] = inputs.map((input) => b.load(at(input)));
  cases.forEach((c, i) => b.store(at(outs[i]!), c.build(b, x!, y!, z!)));
  b.return();
  const parameters = body.args.map(() => ({ divisibility: 16 }));
  return new Func('cases', parameters, body, UNKNOWN_LOCATION);
}

const INT_BINARY: OpName[] = [
  'arith.addi',
  'arith.subi',
  'arith.muli',
  'arith.andi',
  'arith.ori',
  'arith.xori',
  'arith.maxsi',
  'arith.maxui',
  'arith.minsi',
  'arith.minui',
];
const FLOAT_BINARY: OpName[] = [
  'arith.addf',
  'arith.subf',
  'arith.mulf',
  'arith.maximumf',
  'arith.maxnumf',
  'arith.minimumf',
  'arith.minnumf',
];

function binary(name: OpName, dtype: DType): Case {
  return { name, result: scalar(dtype), build: (b, x, y) => b.binary(name, x, y) };
}
/** Division with the undefined cases (zero divisor, overflow) taken out. */
function division(name: OpName, dtype: DType): Case {
  return {
    name,
    result: scalar(dtype),
    build: (b, x, y) => {
      const type = x.type;
      const one = b.constant(type, 1);
      const bad = b.binary(
        'arith.ori',
        b.cmp('eq', y, b.constant(type, 0)),
        b.cmp('eq', y, b.constant(type, -1)),
      );
      return b.binary(name, x, b.select(bad, one, y));
    },
  };
}
function shift(name: OpName, dtype: DType): Case {
  return {
    name,
    result: scalar(dtype),
    build: (b, x, y) =>
      b.binary(name, x, b.binary('arith.andi', y, b.constant(y.type, bitWidth(dtype) - 1))),
  };
}
function compare(predicate: string, dtype: DType): Case {
  return {
    name: `cmp ${predicate} of ${dtype}`,
    result: I1,
    build: (b, x, y) => b.cmp(predicate as 'eq', x, y),
  };
}
function cast(name: OpName, to: DType, attributes: Record<string, string> = {}): Case {
  return {
    name: `${name} to ${to} ${attributes['rounding'] ?? ''}`,
    result: scalar(to),
    build: (b, x) => {
      const type = x.type.kind === 'tensor' ? { ...x.type, element: scalar(to) } : scalar(to);
      return b.value(name, [x], type, attributes);
    },
  };
}

const WHOLE: DType[] = ['i1', 'i8', 'i16', 'i32', 'i64'];
const SMALL_FLOATS: DType[] = ['f16', 'bf16', 'f8E4M3FN', 'f8E5M2'];

function intCases(dtype: DType): Case[] {
  const cases = INT_BINARY.map((name) => binary(name, dtype));
  const predicates = ['eq', 'ne', 'slt', 'sle', 'sgt', 'sge', 'ult', 'ule', 'ugt', 'uge'];
  cases.push(...predicates.map((p) => compare(p, dtype)));
  if (dtype !== 'i1') {
    const divisions: OpName[] = ['arith.divsi', 'arith.divui', 'arith.remsi', 'arith.remui'];
    cases.push(...divisions.map((name) => division(name, dtype)));
    const shifts: OpName[] = ['arith.shli', 'arith.shrsi', 'arith.shrui'];
    cases.push(...shifts.map((name) => shift(name, dtype)));
    cases.push(cast('math.absi', dtype));
    cases.push({
      name: 'select',
      result: scalar(dtype),
      build: (b, x, y, z) => b.select(b.cmp('slt', x, y), z, x),
    });
    for (const to of WHOLE)
      if (bitWidth(to) < bitWidth(dtype)) cases.push(cast('arith.trunci', to));
  }
  cases.push(cast('math.ctlz', dtype), cast('math.ctpop', dtype), cast('math.bitreverse', dtype));
  if (dtype === 'i32' || dtype === 'i64') cases.push(binary('tt.mulhiui', dtype));
  for (const to of WHOLE) {
    if (bitWidth(to) > bitWidth(dtype))
      cases.push(cast('arith.extsi', to), cast('arith.extui', to));
  }
  for (const to of ['f32', 'f16', 'bf16'] as const)
    cases.push(cast('arith.sitofp', to), cast('arith.uitofp', to));
  return cases;
}
function floatCases(dtype: DType): Case[] {
  const cases = FLOAT_BINARY.map((name) => binary(name, dtype));
  cases.push(...['oeq', 'ogt', 'oge', 'olt', 'ole', 'une'].map((p) => compare(p, dtype)));
  cases.push({ name: 'x != x', result: I1, build: (b, x) => b.cmp('une', x, x) });
  cases.push({ name: 'x == x', result: I1, build: (b, x) => b.cmp('oeq', x, x) });
  const exact: OpName[] = [
    'arith.negf',
    'math.absf',
    'math.floor',
    'math.ceil',
    'math.trunc',
    'math.roundeven',
    'math.round',
  ];
  cases.push(...exact.map((name) => cast(name, dtype)));
  for (const propagateNan of ['none', 'all']) {
    cases.push({
      name: `clamp ${propagateNan}`,
      result: scalar(dtype),
      build: (b, x) =>
        b.value('tt.clampf', [x, b.constant(x.type, -2), b.constant(x.type, 3)], x.type, {
          propagateNan,
        }),
    });
  }
  cases.push({
    name: 'infinity',
    result: scalar(dtype),
    build: (b, x, y) => b.select(b.cmp('olt', x, y), b.constant(x.type, -Infinity), x),
  });
  return cases;
}
function conversionCases(dtype: DType): Case[] {
  const cases: Case[] = [];
  for (const to of ['f32', ...SMALL_FLOATS] as const) {
    if (to === dtype) continue;
    if (bitWidth(to) > bitWidth(dtype)) cases.push(cast('tt.fp_to_fp', to));
    else cases.push(cast('tt.fp_to_fp', to, { rounding: 'rtne' }));
    if (dtype === 'f32' && (to === 'f16' || to === 'bf16'))
      cases.push(cast('tt.fp_to_fp', to, { rounding: 'rtz' }));
  }
  cases.push(
    cast('arith.bitcast', bitWidth(dtype) === 8 ? 'i8' : bitWidth(dtype) === 16 ? 'i16' : 'i32'),
  );
  return cases;
}

const failures = (found: Awaited<ReturnType<typeof differences>>, cases: readonly Case[]) =>
  found
    .slice(0, 8)
    .map((d) => `${cases[d.argument - 3]?.name}[${d.element}] ${d.expected} got ${d.got}`);

describe.skipIf(software.kind === 'missing')('elementwise', () => {
  let gpu: OpenedDevice;
  beforeAll(async () => {
    gpu = await openDawn();
  });

  /** Buffers are limited: a few cases at a time. */
  async function check(
    dtype: DType,
    all: readonly Case[],
    tolerance: Tolerance = EXACT,
    plain = false,
  ): Promise<void> {
    const room = gpu.target.maxStorageBuffers - 4;
    const problems: string[] = [];
    for (let i = 0; i < all.length; i += room) {
      const cases = all.slice(i, i + room);
      const args = [1, 2, 3].map((seed) => operand(dtype, seed * 31 + i, plain));
      for (const c of cases) args.push(new Uint8Array(N * byteSize(c.result as never)).fill(0xa5));
      const found = await differences(
        gpu,
        () => makeFunc(dtype, cases),
        args,
        [1, 1, 1],
        tolerance,
        {
          numWarps: 1,
        },
      );
      const bytesOf = (argument: number, element: number): string => {
        const size = byteSize(scalar(dtype));
        return [...args[argument]!.slice(element * size, element * size + size)]
          .reverse()
          .map((byte) => byte.toString(16).padStart(2, '0'))
          .join('');
      };
      failures(found, cases).forEach((text, k) => {
        const { element } = found[k]!;
        problems.push(`${text} of ${bytesOf(0, element)} ${bytesOf(1, element)}`);
      });
    }
    expect(problems).toEqual([]);
  }

  it.each(WHOLE)('%s', async (dtype) => check(dtype, intCases(dtype)));
  it.each(['f32', 'f16', 'bf16'] as const)('%s', async (dtype) =>
    check(dtype, floatCases(dtype), { ulps: 0, absolute: dtype === 'f16' ? 0 : 1.2e-38 }),
  );
  it.each(['f32', ...SMALL_FLOATS] as const)('conversions of %s', async (dtype) =>
    check(dtype, conversionCases(dtype), { ulps: 0, absolute: dtype === 'f32' ? 1.2e-38 : 0 }),
  );
  it('floats to integers', async () => {
    const cases = (['i8', 'i16', 'i32', 'i64'] as const).map((to) => cast('arith.fptosi', to));
    // A number that does not fit is undefined.
    const small: Case[] = cases.map((c) => ({
      ...c,
      build: (b, x, y, z) =>
        c.build(
          b,
          b.value('tt.clampf', [x, b.constant(x.type, -100), b.constant(x.type, 100)], x.type, {
            propagateNan: 'none',
          }),
          y,
          z,
        ),
    }));
    await check('f32', small, EXACT, true);
  });
});
