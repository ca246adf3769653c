/**
 * torch's operations in the ring against kernels' (`compiler/3-optimize/fp_sanitizer.ts`, in the
 * mode `prove`), which share no code: the same bits for the same inputs, whatever those bits are.
 */
import { describe, expect, it } from 'vitest';
import { fp_sanitizer } from '../../../compiler/3-optimize/fp_sanitizer';
import { runInterpreter } from '../../../compiler/interpret/index';
import { parseFunc } from '../../../compiler/ir/parser';
import { createNumerics } from '..';
import { createRing } from '.';

type Bits = Int32Array | BigInt64Array | Int16Array;
const N = 64;
const FORMATS = {
  float32: { ir: 'f32', array: Int32Array },
  float64: { ir: 'f64', array: BigInt64Array },
} as const;
type Format = keyof typeof FORMATS;

function random(format: Format, seed: number): Bits {
  const words = new Uint32Array(N * 2);
  let state = seed;
  // 0, 1, -1, infinity and a NaN are among them.
  for (let i = 0; i < words.length; i++)
    words[i] = state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
  const bits = new FORMATS[format].array(words.buffer, 0, N);
  const plain =
    format === 'float32' ? new Float32Array(bits.buffer) : new Float64Array(bits.buffer);
  plain.set([0, 1, -1, NaN, 0.5, 3]);
  return bits;
}
const bytes = (array: Bits): Uint8Array => new Uint8Array(array.buffer, 0, array.byteLength);

/** The kernel's result of an expression of %a and %b, tiles of N elements. */
function inKernel(format: Format, body: string, a: Bits, b: Bits): Bits {
  const T = FORMATS[format].ir;
  const text =
    `tt.func @k(%pa: !tt.ptr<T>, %pb: !tt.ptr<T>, %po: !tt.ptr<T>) attributes {instrumentation = "prove"} {
  %i = tt.make_range {start = 0, end = ${N}} : tensor<${N}xi32>
  %sa = tt.splat %pa : tensor<${N}x!tt.ptr<T>>
  %qa = tt.addptr %sa, %i : tensor<${N}x!tt.ptr<T>>
  %sb = tt.splat %pb : tensor<${N}x!tt.ptr<T>>
  %qb = tt.addptr %sb, %i : tensor<${N}x!tt.ptr<T>>
  %so = tt.splat %po : tensor<${N}x!tt.ptr<T>>
  %qo = tt.addptr %so, %i : tensor<${N}x!tt.ptr<T>>
  %a = tt.load %qa : tensor<${N}xT>
  %b = tt.load %qb : tensor<${N}xT>
  ${body}
  tt.store %qo, %r
  tt.return
}
`
      .replaceAll('xT>', `x${T}>`)
      .replaceAll('<T>', `<${T}>`);
  const func = parseFunc(text);
  fp_sanitizer(func);
  const out = new FORMATS[format].array(N);
  const memory = [a, b, out].map((array, i) => ({ address: 4096 * (i + 1), bytes: bytes(array) }));
  runInterpreter({ func, args: memory.map((m) => m.address), memory, grid: [1, 1, 1] });
  return out;
}

const ring = () => createRing(createNumerics());
const operand = (d: Format, s: readonly number[] = [N]) => ({
  d,
  s,
  t: s.map((_, i) => s.slice(i + 1).reduce((x, y) => x * y, 1)),
  o: 0,
});
function inTorch(format: Format, op: string, f: string, ins: readonly Bits[]): Bits {
  const out = new FORMATS[format].array(N);
  const request = { op, f, c: format, in: ins.map(() => operand(format)), out: [operand(format)] };
  ring().run(JSON.stringify(request), bytes(out), ...ins.map(bytes));
  return out;
}

const tile = `tensor<${N}xT>`;
const UNARY: Readonly<Record<string, string>> = {
  neg: 'arith.negf',
  exp: 'math.exp',
  exp2: 'math.exp2',
  sin: 'math.sin',
  cos: 'math.cos',
  log: 'math.log',
  log2: 'math.log2',
  sqrt: 'math.sqrt',
  rsqrt: 'math.rsqrt',
  erf: 'math.erf',
  floor: 'math.floor',
  ceil: 'math.ceil',
  abs: 'math.absf',
  tanh: 'math.tanh',
  expm1: 'math.expm1',
  log1p: 'math.log1p',
};
const BINARY: Readonly<Record<string, string>> = {
  add: 'arith.addf',
  sub: 'arith.subf',
  mul: 'arith.mulf',
  div: 'arith.divf',
  maximum: 'arith.maxnumf',
  minimum: 'arith.minnumf',
  pow: 'math.powf',
  atan2: 'math.atan2',
};

describe.each(['float32', 'float64'] as const)('in the ring of %s', (format) => {
  const [a, b] = [random(format, 1), random(format, 77)];

  it.each(Object.entries(UNARY))('%s is %s', (name, op) =>
    expect(inTorch(format, 'unary', name, [a])).toEqual(
      inKernel(format, `%r = ${op} %a : ${tile}`, a, b),
    ),
  );
  it.each(Object.entries(BINARY))('%s is %s', (name, op) =>
    expect(inTorch(format, 'binary', name, [a, b])).toEqual(
      inKernel(format, `%r = ${op} %a, %b : ${tile}`, a, b),
    ),
  );

  it('a sigmoid is what its formula computes, in both forms', () => {
    const one = `%one = arith.constant dense<1.0> : ${tile}\n`;
    const first = `${one}%n = arith.negf %a : ${tile}\n%e = math.exp %n : ${tile}
      %d = arith.addf %one, %e : ${tile}\n%r = arith.divf %one, %d : ${tile}`;
    const second = `${one}%e = math.exp %a : ${tile}\n%d = arith.addf %one, %e : ${tile}
      %r = arith.divf %e, %d : ${tile}`;
    const expected = inTorch(format, 'unary', 'sigmoid', [a]);
    expect(inKernel(format, first, a, b)).toEqual(expected);
    expect(inKernel(format, second, a, b)).toEqual(expected);
  });

  it('a softmax is the same whatever is subtracted', () => {
    const out = new FORMATS[format].array(N);
    const request = {
      op: 'softmax',
      f: 'softmax',
      c: format,
      in: [operand(format)],
      out: [operand(format)],
      n: [1, N],
    };
    ring().run(JSON.stringify(request), bytes(out), bytes(a));
    const sum = `%s = tt.reduce %e {axis = 0} : T {
      ^(%x: T, %y: T):
        %z = arith.addf %x, %y : T
        tt.reduce.return %z
      }
      %t = tt.splat %s : ${tile}
      %r = arith.divf %e, %t : ${tile}`.replaceAll(/\bT\b/g, FORMATS[format].ir);
    const plain = `%e = math.exp %a : ${tile}\n${sum}`;
    const shifted = `%c = arith.constant dense<0.7> : ${tile}\n%d = arith.subf %a, %c : ${tile}
      %e = math.exp %d : ${tile}\n${sum}`;
    expect(inKernel(format, plain, a, b)).toEqual(out);
    expect(inKernel(format, shifted, a, b)).toEqual(out);
  });
});

describe('the ring', () => {
  const format = 'float32';
  const values = (list: readonly number[]): Bits => new Int32Array(Float32Array.from(list).buffer);

  it('takes -inf for no part of a softmax', () => {
    const softmax = (list: readonly number[]): number[] => {
      const n = list.length;
      const out = new Int32Array(n);
      const of = operand(format, [n]);
      const request = { op: 'softmax', f: 'softmax', c: format, in: [of], out: [of], n: [1, n] };
      ring().run(JSON.stringify(request), bytes(out), bytes(values(list)));
      return [...out];
    };
    const whole = softmax([0.3, -2, 5, -Infinity, -Infinity]);
    expect(whole).toEqual([...softmax([0.3, -2, 5]), 0, 0]);
  });

  it('multiplies matrices exactly, in any order of the sum', () => {
    const a = random(format, 5);
    const product = (x: Bits): Bits => {
      const out = new Int32Array(64);
      const of = operand(format, [8, 8]);
      const request = { op: 'matmul', c: format, in: [of, of], out: [of], n: [1, 8, 8, 8] };
      ring().run(JSON.stringify(request), bytes(out), bytes(x), bytes(x));
      return out;
    };
    const reversed = (x: Bits): Bits => (x.slice() as Int32Array).reverse();
    // Reversing rows and columns of both factors reverses those of the product.
    expect(product(reversed(a))).toEqual(reversed(product(a)));
    expect(product(a)).not.toEqual(reversed(product(a)));
  });

  it('refuses by name what has no meaning in it', () => {
    expect(() => inTorch(format, 'unary', 'erfinv', [random(format, 1)])).toThrow(
      'erfinv of floats has no meaning in the ring',
    );
    expect(() => inTorch(format, 'linalg', 'solve', [random(format, 1)])).toThrow(
      'solve of floats has no meaning in the ring',
    );
  });

  it('moves the bits of NaNs unchanged', () => {
    const x = new Int32Array(N).map((_, i) => 0x7f800001 + i);
    expect(inTorch(format, 'copy', '', [x])).toEqual(x);
  });

  it('compares integers as such', () => {
    const run = (y: readonly number[]): unknown =>
      JSON.parse(
        ring().run(
          JSON.stringify({
            op: 'compare',
            c: 'int64',
            in: [
              { d: 'int32', s: [3], t: [1], o: 0 },
              { d: 'int64', s: [3], t: [1], o: 0 },
            ],
            out: [],
            n: [1, 3],
            x: ['0', '0'],
          }),
          bytes(Int32Array.of(1, -2, 3)),
          bytes(BigInt64Array.from(y, BigInt)),
        ),
      );
    expect(run([1, -2, 3])).toMatchObject({ mismatches: 0 });
    expect(run([1, 2, 3])).toMatchObject({ mismatches: 1, first: 1, firstActual: -2 });
  });

  it('compares bits, and lists what keeps no identities', () => {
    const own = ring();
    const of = operand(format);
    const a = random(format, 3);
    const out = new Int32Array(N);
    own.run(
      JSON.stringify({
        op: 'binary',
        f: 'div',
        c: format,
        in: [of, { d: format, v: '2.5' }],
        out: [of],
      }),
      bytes(out),
      bytes(a),
    );
    const compare = (x: Bits, y: Bits) =>
      JSON.parse(
        own.run(
          JSON.stringify({
            op: 'compare',
            c: format,
            in: [of, of],
            out: [],
            n: [8, 8],
            x: ['0', '0'],
          }),
          bytes(x),
          bytes(y),
        ),
      ) as {
        mismatches: number;
        first: number;
        ring: { functions: string[]; constants: number[]; digests: string[] };
      };
    const same = compare(a, a.slice());
    expect(same.mismatches).toBe(0);
    expect(same.ring.functions).toEqual(['div']);
    expect(same.ring.constants).toEqual([2.5]);
    const other = a.slice() as Int32Array;
    other[9] = other[9]! ^ 1;
    const differs = compare(a, other);
    expect([differs.mismatches, differs.first]).toEqual([1, 9]);
    expect(differs.ring.digests[0]).not.toBe(differs.ring.digests[1]);
  });
});
