/**
 * Numbers behind `torch` in a ring (`rings.ts`), for `hippocamp prove`: the operations of
 * `app/numerics` on floats, of which sums, products and their like are exact. A tensor holds a
 * float's bits as ever; operations that only move elements move bits. An operation without a
 * meaning in the ring throws a sentence that names it.
 */
import { computeArray, isBig, isFloat, type Dtype, type Values } from '../dtypes';
import type { Numerics, Request } from '../index';
import { count, load, loadAs, parseNumber, rowMajor, store, type Operand } from '../operands';
import { ALGEBRA32, ALGEBRA64, type Algebra } from './algebra';
import { compareBits, digestOf } from './compare';
import * as functions from './functions';
import { payloadsOf, type FloatDtype } from './rings';

/** A constant at or below it that masks an element counts as -inf: exp makes 0 of it. */
const MASK = -1e4;
/** Operations that make tensors of ordinary floats, or have none. */
const ORDINARY =
  /^(seed|rng_state|uniform|normal|integers|bernoulli|permutation|legacy_\w+|arange|linspace|tolist|summarize)$/;
/** Operations that convert their operands to the dtype `c`. */
const COMPUTES = /^(unary|binary|where|reduce|scan|softmax|matmul)$/;
/** Operations that move elements. */
const MOVES = /^(index|gather|tri|index_put|scatter)$/;
/** Operations on the order of elements, and sums of them, that are those of integers. */
const BY_INTEGERS = /^(sort|topk|index_put|scatter)$/;

/** Facts about what a program computed, for what a difference may mean. */
export interface RingUses {
  /** Functions without identities of their own. */
  readonly functions: readonly string[];
  /** Float constants other than 0, 1 and -1. */
  readonly constants: readonly number[];
  /** Bits of the narrowest format that a wider float was converted to; null without any. */
  readonly narrowest: number | null;
}

export function createRing(ordinary: Numerics): Numerics {
  const uses = new Uses();
  return {
    run(text, ...bytes) {
      const request = JSON.parse(text) as Request;
      const all = [...(request.in ?? []), ...(request.out ?? [])];
      const computes = COMPUTES.test(request.op) && isFloat(request.c ?? 'int32');
      const floats = computes || all.some(({ d }) => isFloat(d));
      const compares = request.op === 'compare';
      if (!(floats || compares) || ORDINARY.test(request.op)) return ordinary.run(text, ...bytes);
      return new Call(request, bytes, ordinary, uses).run();
    },
  };
}

class Uses {
  readonly functions = new Set<string>();
  readonly constants = new Set<number>();
  /** Whether an infinity was made: then elements that are one absorb, in every format. */
  infinities = false;
  narrowest: number | null = null;
  narrowed(from: FloatDtype, to: FloatDtype): void {
    const [wide, bits] = [payloadsOf(from).width, payloadsOf(to).width];
    if (bits < wide) this.narrowest = Math.min(bits, this.narrowest ?? bits);
  }
  constant(value: number): void {
    if (Math.abs(value) === Infinity) this.infinities = true;
    if (value !== 0 && Math.abs(value) !== 1 && Number.isFinite(value)) this.constants.add(value);
  }
  json(): RingUses {
    const { functions, constants, narrowest } = this;
    return { functions: [...functions].sort(), constants: [...constants], narrowest };
  }
}

type Row<T> = { readonly length: number; [index: number]: T };
/** Arrays of payloads. */
type Payload = Int32Array | BigInt64Array;

class Call {
  readonly #operands: readonly Operand[];
  readonly #outs: readonly Operand[];
  readonly #name: string;
  readonly #places: readonly number[];

  constructor(
    private readonly request: Request,
    private readonly bytes: readonly Uint8Array[],
    private readonly ordinary: Numerics,
    private readonly uses: Uses,
  ) {
    this.#operands = request.in ?? [];
    this.#outs = request.out ?? [];
    this.#name = request.f ?? '';
    let next = this.#outs.length;
    this.#places = this.#operands.map((operand) => (operand.v === undefined ? next++ : -1));
  }

  run(): string {
    const { op } = this.request;
    const name = this.#name;
    if (functions.WITHOUT_IDENTITIES.has(name)) this.uses.functions.add(name);
    if (op === 'compare') return this.compared();
    if (op === 'copy') return this.copy();
    if (MOVES.test(op) && !(name === 'accumulate')) return this.moved();
    const width = this.wide() ? 64 : 32;
    return width === 64 ? this.compute(ALGEBRA64) : this.compute(ALGEBRA32);
  }

  /** Whether a float64 takes part. */
  private wide(): boolean {
    const { c } = this.request;
    return [...this.#operands, ...this.#outs].some(({ d }) => d === 'float64') || c === 'float64';
  }

  private compute<T extends number | bigint>(a: Algebra<T>): string {
    const { op, n = [], x = [] } = this.request;
    const name = this.#name;
    const context = { a, constant: (value: number): T => this.constant(a, value) };
    switch (op) {
      case 'unary':
        this.unary(context);
        return '';
      case 'binary':
        this.binary(context);
        return '';
      case 'where': {
        const [yes, no] = [this.payloads(a, 1), this.payloads(a, 2)];
        const flags = this.flags(0);
        this.fill(a, (i) => (flags(i) ? yes(i) : no(i)));
        return '';
      }
      case 'reduce':
        return this.reduce(context, n[0]!, n[1]!, parseNumber(x[0] ?? '0'));
      case 'scan':
        return this.scan(a, n[0]!, n[1]!);
      case 'softmax':
        this.uses.functions.add(name);
        this.softmax(context, n[0]!, n[1]!);
        return '';
      case 'matmul':
        this.matmul(a, n as [number, number, number, number]);
        return '';
      case 'nonzero':
      case 'nonzero_count':
        return this.byIntegers(a);
      default:
        if (BY_INTEGERS.test(op)) {
          this.uses.functions.add(op);
          return this.byIntegers(a);
        }
        return withoutMeaning(name || op);
    }
  }

  // ── operands ──────────────────────────────────────────────────────────────────────────────────

  /** The format in which a Python number stands: that of the result, where it is a float. */
  private format(): FloatDtype {
    const dtypes = [...this.#outs, ...this.#operands.filter(({ v }) => v === undefined)];
    const found = dtypes.find(({ d }) => isFloat(d));
    return (found?.d ?? this.request.c) as FloatDtype;
  }
  private constant<T extends number | bigint>(a: Algebra<T>, value: number): T {
    this.uses.constant(value);
    return a.ring.of(payloadOfNumber(this.format(), value));
  }

  /** The payloads of an operand, row by row; a single one is repeated. */
  private payloads<T extends number | bigint>(a: Algebra<T>, i: number): (at: number) => T {
    const array = this.payloadArray(i, a.ring.width) as unknown as Row<T>;
    if (array.length !== 1) return (at) => array[at]!;
    const only = array[0]!;
    return () => only;
  }
  private payloadArray(i: number, width: 32 | 64): Payload {
    const operand = this.#operands[i]!;
    if (operand.v !== undefined && isFloat(this.request.c ?? operand.d)) {
      const given = parseNumber(operand.v);
      // A mask counts as -inf, as in kernels.
      const value = this.request.op === 'where' && given <= MASK ? -Infinity : given;
      this.uses.constant(value);
      const format = this.format();
      return this.absorbing(wordsOf([payloadOfNumber(format, value)], width), format);
    }
    const bytes = this.bytes[this.#places[i]!] ?? null;
    if (isFloat(operand.d)) return this.absorbing(payloadsOfBits(operand, bytes, width), operand.d);
    // Integers become floats first.
    const format = this.format();
    const values = loadAs(operand, bytes, format);
    return payloadsOfBits(...stored(values, format), width);
  }
  /**
   * Infinities of a narrower format become the ring's. Not in products of matrices, whose operands
   * have none, but may have a payload of 16 bits that looks like one.
   */
  private absorbing(payloads: Payload, dtype: Dtype): Payload {
    const own = payloadsOf(dtype as FloatDtype).infinity;
    const wide = payloads instanceof BigInt64Array;
    const target = payloadsOf(wide ? 'float64' : 'float32').infinity!;
    if (!this.uses.infinities || own === null || own === target || this.request.op === 'matmul')
      return payloads;
    if (wide) return payloads.map((x) => (x === own ? target : x === -own ? -target : x));
    const [from, to] = [Number(own), Number(target)];
    return (payloads as Int32Array).map((x) => (x === from ? to : x === -from ? -to : x));
  }
  private flags(i: number): (at: number) => boolean {
    const operand = this.#operands[i]!;
    const bytes = this.bytes[this.#places[i]!] ?? null;
    const values = loadAs(operand, bytes, 'bool');
    return values.length === 1 ? () => Boolean(values[0]) : (at) => Boolean(values[at]);
  }

  // ── results ───────────────────────────────────────────────────────────────────────────────────

  private fill<T extends number | bigint>(a: Algebra<T>, of: (at: number) => T, index = 0): void {
    const n = count(this.#outs[index]!.s ?? []);
    const out = (a.ring.width === 64
      ? new BigInt64Array(n)
      : new Int32Array(n)) as unknown as Row<T>;
    for (let i = 0; i < n; i++) out[i] = of(i);
    this.write(out as unknown as Payload, index);
  }
  private write(payloads: Payload, index = 0): void {
    const out = this.#outs[index]!;
    if (!isFloat(out.d)) return withoutMeaning(`${this.#name || this.request.op} to ${out.d}`);
    const dtype = bitsDtype(out.d);
    const bits = bitsOf(payloads, out.d as FloatDtype, this.uses.infinities);
    store({ ...out, d: dtype }, this.bytes[index]!, bits, dtype);
  }
  private fillTruth(of: (at: number) => boolean): void {
    const out = this.#outs[0]!;
    const n = count(out.s ?? []);
    const truth = new Uint8Array(n);
    for (let i = 0; i < n; i++) truth[i] = of(i) ? 1 : 0;
    store(out, this.bytes[0]!, truth, 'bool');
  }

  // ── operations ────────────────────────────────────────────────────────────────────────────────

  private unary<T extends number | bigint>(context: functions.Context<T>): void {
    const { a } = context;
    const name = this.#name;
    const x = this.payloads(a, 0);
    const test = functions.UNARY_TESTS[name];
    if (test) return this.fillTruth((i) => test(a, x(i)));
    const own = functions.UNARY[name];
    if (own) return this.fill(a, (i) => own(context, x(i)));
    const tagged = a.tagged(name);
    if (!tagged) return withoutMeaning(name);
    this.uses.functions.add(name);
    this.fill(a, (i) => tagged(x(i)));
  }

  private binary<T extends number | bigint>(context: functions.Context<T>): void {
    const { a } = context;
    const name = this.#name;
    const exponent = name === 'pow' ? this.#operands[1]!.v : undefined;
    const x = this.payloads(a, 0);
    if (exponent === '2' || exponent === '2.0') return this.fill(a, (i) => a.mul(x(i), x(i)));
    const y = this.payloads(a, 1);
    const test = functions.TESTS[name];
    if (test) return this.fillTruth((i) => test(a, x(i), y(i)));
    const own = functions.BINARY[name];
    if (own) return this.fill(a, (i) => own(context, x(i), y(i)));
    const tagged = a.tagged(name);
    if (!tagged) return withoutMeaning(name);
    this.uses.functions.add(name);
    this.fill(a, (i) => tagged(x(i), y(i)));
  }

  private reduce<T extends number | bigint>(
    context: functions.Context<T>,
    rows: number,
    width: number,
    extra: number,
  ): string {
    const { a } = context;
    const name = this.#name;
    if (/^(argmax|argmin)$/.test(name)) return this.byIntegers(a);
    const all = this.payloadArray(0, a.ring.width);
    const row = (r: number): Row<T> =>
      all.subarray(r * width, (r + 1) * width) as unknown as Row<T>;
    if (/^(any|all|count_nonzero)$/.test(name)) return this.byIntegers(a);
    if (name === 'norm' && extra === 2) {
      const root = a.tagged('sqrt')!;
      this.fill(a, (r) => {
        const values = row(r);
        let sum = a.zero;
        for (let i = 0; i < values.length; i++) sum = a.add(sum, a.mul(values[i]!, values[i]!));
        return root(sum);
      });
      return '';
    }
    const fold = functions.FOLDS[name];
    if (!fold) return withoutMeaning(name);
    this.fill(a, (r) => fold(context, row(r), extra));
    return '';
  }

  private scan<T extends number | bigint>(a: Algebra<T>, rows: number, width: number): string {
    const name = this.#name;
    const step = { cumsum: 'add', cumprod: 'mul', cummax: 'max', cummin: 'min' } as const;
    const method = step[name as keyof typeof step];
    if (!method) return withoutMeaning(name);
    const x = this.payloads(a, 0);
    let state: T = a.zero;
    // Elements come in order.
    this.fill(a, (i) => (state = i % width === 0 ? x(i) : a[method](state, x(i))));
    return '';
  }

  private softmax<T extends number | bigint>(
    context: functions.Context<T>,
    rows: number,
    width: number,
  ): void {
    const { a } = context;
    const all = this.payloadArray(0, a.ring.width);
    let max: T = a.zero;
    let sum: T = a.zero;
    const log = a.tagged('log')!;
    this.fill(a, (i) => {
      if (i % width === 0) {
        const row = all.subarray(i, i + width) as unknown as Row<T>;
        [max, sum] = functions.exponentials(context, row);
        sum = this.#name === 'softmax' ? a.inverse(sum) : log(sum);
      }
      const shifted = a.sub((all as unknown as Row<T>)[i]!, max);
      return this.#name === 'softmax' ? a.ring.mul(a.exp(shifted), sum) : a.sub(shifted, sum);
    });
  }

  private matmul<T extends number | bigint>(
    a: Algebra<T>,
    [batch, m, k, n]: readonly [number, number, number, number],
  ): void {
    const { ring } = a;
    const x = this.payloadArray(0, ring.width) as unknown as Row<T>;
    const y = this.payloadArray(1, ring.width) as unknown as Row<T>;
    if (ring.width === 32) {
      this.write(product32(x as Row<number>, y as Row<number>, batch, m, k, n));
      return;
    }
    this.fill(a, (at) => {
      const [row, column] = [Math.floor(at / n), at % n];
      const first = Math.floor(row / m) * k * n;
      let sum = a.zero;
      for (let l = 0; l < k; l++)
        sum = ring.add(sum, ring.mul(x[row * k + l]!, y[first + l * n + column]!));
      return sum;
    });
  }

  /** The same operation of `app/numerics` on the payloads as integers. */
  private byIntegers<T extends number | bigint>(a: Algebra<T>): string {
    const dtype: Dtype = a.ring.width === 64 ? 'int64' : 'int32';
    const as = (d: Dtype): Dtype => (isFloat(d) ? dtype : d);
    const made: Uint8Array[] = [];
    const inputs = this.#operands.map((operand, i): Operand => {
      if (!isFloat(operand.d)) {
        if (operand.v === undefined) made.push(this.bytes[this.#places[i]!]!);
        return operand;
      }
      const payloads = this.payloadArray(i, a.ring.width);
      if (operand.v !== undefined) return { d: dtype, v: String(payloads[0]) };
      made.push(new Uint8Array(payloads.buffer, payloads.byteOffset, payloads.byteLength));
      const s = operand.s ?? [];
      return { d: dtype, s, t: rowMajor(s), o: 0 };
    });
    const results = this.#outs.map((out): Payload | null => {
      const n = count(out.s ?? []);
      if (!isFloat(out.d)) return null;
      return dtype === 'int64' ? new BigInt64Array(n) : new Int32Array(n);
    });
    const outs = this.#outs.map((out, i): Operand => {
      const s = out.s ?? [];
      return results[i] ? { d: dtype, s, t: rowMajor(s), o: 0 } : out;
    });
    const buffers = results.map((result, i) =>
      result ? new Uint8Array(result.buffer) : this.bytes[i]!,
    );
    const c = as(this.request.c ?? 'float32');
    const answer = this.ordinary.run(
      JSON.stringify({ ...this.request, in: inputs, out: outs, c }),
      ...buffers,
      ...made,
    );
    results.forEach((result, i) => result && this.write(result, i));
    return answer;
  }

  /** Elements that stay what they are: their bits move, as integers. */
  private moved(): string {
    const relabel = (operand: Operand): Operand => {
      if (!isFloat(operand.d)) return operand;
      const d = bitsDtype(operand.d);
      if (operand.v === undefined) return { ...operand, d };
      const [, bytes] = stored(load(operand, null), operand.d);
      return { d, v: String(load({ d, s: [1], t: [1], o: 0 }, bytes)[0]) };
    };
    const { c = 'float32' } = this.request;
    return this.ordinary.run(
      JSON.stringify({
        ...this.request,
        in: this.#operands.map(relabel),
        out: this.#outs.map(relabel),
        c: isFloat(c) ? bitsDtype(this.format()) : c,
      }),
      ...this.bytes,
    );
  }

  private copy(): string {
    const [from, to] = [this.#operands[0]!, this.#outs[0]!];
    if (from.v !== undefined || (!isFloat(from.d) && isFloat(to.d))) {
      if (from.v !== undefined) this.uses.constant(parseNumber(from.v));
      return this.ordinary.run(JSON.stringify(this.request), ...this.bytes);
    }
    if (from.d === to.d) return this.moved();
    const width = this.wide() ? 64 : 32;
    const payloads = this.payloadArray(0, width);
    if (isFloat(to.d)) {
      this.uses.narrowed(from.d as FloatDtype, to.d as FloatDtype);
      this.write(payloads);
      return '';
    }
    if (to.d !== 'bool') {
      // Any integers serve, as long as they follow from the payloads: those of a quantized input.
      this.uses.functions.add('conversions to integers');
      const wide = width === 64 ? 'int64' : 'int32';
      store(to, this.bytes[0]!, payloads, wide);
      return '';
    }
    this.fillTruth((i) => Number(payloads[payloads.length === 1 ? 0 : i]) !== 0);
    return '';
  }

  private compared(): string {
    const [actual, expected] = this.#operands.map((operand, i) => ({
      operand,
      bytes: this.bytes[this.#places[i]!] ?? null,
    }));
    return JSON.stringify({
      ...compareBits(actual!, expected!, this.request.c ?? 'float32'),
      ring: { ...this.uses.json(), digests: [actual!, expected!].map(digestOf) },
    });
  }
}

function withoutMeaning(name: string): never {
  throw new Error(`${name} of floats has no meaning in the ring`);
}

function product32(
  x: Row<number>,
  y: Row<number>,
  batch: number,
  m: number,
  k: number,
  n: number,
): Int32Array {
  const out = new Int32Array(batch * m * n);
  for (let row = 0; row < batch * m; row++) {
    const first = Math.floor(row / m) * k * n;
    const to = row * n;
    for (let l = 0; l < k; l++) {
      const [value, from] = [x[row * k + l]!, first + l * n];
      for (let j = 0; j < n; j++) out[to + j] = out[to + j]! + Math.imul(value, y[from + j]!);
    }
  }
  return out;
}

/** The integer dtype of a float's bits. */
export function bitsDtype(dtype: Dtype): 'int8' | 'int16' | 'int32' | 'int64' {
  const names = { 8: 'int8', 16: 'int16', 32: 'int32', 64: 'int64' } as const;
  return names[payloadsOf(dtype as FloatDtype).width as 8 | 16 | 32 | 64];
}

/** Payloads of an operand's elements, row by row. */
export function payloadsOfBits(
  operand: Operand,
  bytes: Uint8Array | null,
  width: 32 | 64,
): Payload {
  const payloads = payloadsOf(operand.d as FloatDtype);
  const bits = load({ ...operand, d: bitsDtype(operand.d) }, bytes);
  if (width === 32) {
    const embed = payloads.embedWord;
    return Int32Array.from(bits as Int32Array, (each) => embed(each));
  }
  if (isBig(bits))
    return BigInt64Array.from(bits as BigInt64Array, (each) =>
      payloads.embed(BigInt.asUintN(64, each)),
    );
  return BigInt64Array.from(bits as Int32Array as Iterable<number>, (each) =>
    BigInt(payloads.embedWord(each)),
  );
}
function bitsOf(given: Payload, dtype: FloatDtype, infinities: boolean): Values {
  const payloads = payloadsOf(dtype);
  const array = infinities ? narrowed(given, payloads.infinity) : given;
  const out = computeArray(bitsDtype(dtype), array.length);
  if (isBig(out)) {
    const from = array as BigInt64Array;
    for (let i = 0; i < from.length; i++)
      out[i] = BigInt.asIntN(64, payloads.unembed(BigInt(from[i]!)));
    return out;
  }
  const cut = 32 - payloads.width;
  for (let i = 0; i < array.length; i++) {
    const word =
      typeof array[i] === 'bigint'
        ? Number(BigInt.asIntN(32, array[i] as bigint))
        : Number(array[i]);
    (out as Int32Array)[i] = payloads.unembedWord((word << cut) >> cut);
  }
  return out;
}
/** The ring's infinities as those of a narrower format. */
function narrowed(array: Payload, own: bigint | null): Payload {
  const wide = array instanceof BigInt64Array;
  const infinity = payloadsOf(wide ? 'float64' : 'float32').infinity!;
  if (own === null || own === infinity) return array;
  if (wide) return array.map((x) => (x === infinity ? own : x === -infinity ? -own : x));
  const [from, to] = [Number(infinity), Number(own)];
  return (array as Int32Array).map((x) => (x === from ? to : x === -from ? -to : x));
}
function wordsOf(payloads: readonly bigint[], width: 32 | 64): Payload {
  return width === 64
    ? BigInt64Array.from(payloads)
    : Int32Array.from(payloads, (each) => Number(BigInt.asIntN(32, each)));
}

/** Values as they are stored, with the operand that describes them. */
function stored(values: Values, dtype: Dtype): [Operand, Uint8Array] {
  const operand: Operand = { d: dtype, s: [values.length], t: [1], o: 0 };
  const bytes = new Uint8Array(8 * values.length);
  store(operand, bytes, values, dtype);
  return [operand, bytes];
}
/** The payload of a Python number, rounded to a format. */
function payloadOfNumber(dtype: FloatDtype, value: number): bigint {
  const array = computeArray(dtype, 1);
  (array as Float32Array)[0] = value;
  const [operand, bytes] = stored(array, dtype);
  return BigInt(payloadsOfBits(operand, bytes, payloadsOf(dtype).width === 64 ? 64 : 32)[0]!);
}
