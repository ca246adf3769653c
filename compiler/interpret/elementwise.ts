/**
 * Elementwise operations as loops over typed arrays. Definitions write out the frequent ones
 * (`loops`), so that the engine compiles each to a tight loop; the others call the element function
 * of `ir/evaluate.ts`, which is also what tests compare every loop with.
 */
import type { Attribute } from '../ir/ir';
import { elementFunction } from '../ir/evaluate';
import type { ElementFunction } from '../ir/evaluate';
import { OPS, type OpName } from '../ir/ops';
import type { LoopArrays, Loops } from '../ir/ops/definition';
import { asDType, bigElements, rounderOf, settleBig, type Kernel, type Tile } from '../ir/tile';
import { SIMD_FLOATS, simdExtremum } from './simd/extremum';

type Attributes = Readonly<Record<string, Attribute>>;

export function elementwiseKernel(
  name: OpName,
  attributes: Attributes,
  inputs: readonly Tile[],
  out: Tile,
): Kernel {
  const wide = wideKernel(name, attributes, inputs, out);
  if (wide) return wide;
  const loops = loopsOf(name);
  const arrays = arraysOf(attributes, inputs, out);
  const narrow = loops?.narrow?.(arrays);
  const fast = narrow && loops?.simd ? withSimd(loops.simd, arrays, narrow) : narrow;
  const kernel = fast ?? genericKernel(name, attributes, inputs, out);
  const round = loops?.exact ? undefined : rounderOf(out.dtype, out.data);
  if (!fast || !round) return kernel;
  return (n) => {
    kernel(n);
    round(n);
  };
}

function loopsOf(name: OpName): Loops<Attributes> | undefined {
  const definition = OPS[name];
  return definition.kind === 'elementwise' ? definition.loops : undefined;
}
function arraysOf(attributes: Attributes, inputs: readonly Tile[], out: Tile): LoopArrays {
  const [a, b, c] = inputs.map((input) => input.data);
  // A loop reads only the operands that its operation has.
  const unused = out.data;
  const [from, to] = [inputs[0]!.dtype, out.dtype];
  return { attributes, from, to, a: a!, b: b ?? unused, c: c ?? unused, o: out.data };
}

/** Length from which copying the numbers to and fro costs less than SIMD instructions save. */
function withSimd(kind: 'max' | 'min', { a, b, o }: LoopArrays, loop: Kernel): Kernel {
  if (!(o instanceof Float32Array)) return loop;
  return (n) => {
    const simd = n < 32 || n % SIMD_FLOATS !== 0 ? undefined : simdExtremum();
    if (!simd) return loop(n);
    const floats = simd.floats(2 * n);
    floats.set(n === a.length ? a : a.subarray(0, n));
    floats.set(n === b.length ? b : b.subarray(0, n), n);
    simd.both(kind, 0, n, 0, n);
    o.set(floats.subarray(0, n));
  };
}

// ── any operation, one call an element
// ──────────────────────────────────────────────────────────────
function genericKernel(
  name: OpName,
  attributes: Attributes,
  inputs: readonly Tile[],
  out: Tile,
): Kernel {
  const [from, to] = [asDType(inputs[0]!.dtype), asDType(out.dtype)];
  const f = elementFunction(name, { from, to, attributes });
  if (!f) throw new Error(`${name} is not elementwise`);
  if (inputs.some((input) => input.dtype === 'i64') || out.dtype === 'i64')
    return bigKernel(f, inputs, out);
  const o = out.data;
  const [a, b, c] = inputs.map((input) => input.data);
  const call = f as (a: number, b?: number, c?: number) => number;
  if (c && b)
    return (n) => {
      for (let i = 0; i < n; i++) o[i] = call(a![i]!, b[i], c[i]);
    };
  if (b)
    return (n) => {
      for (let i = 0; i < n; i++) o[i] = call(a![i]!, b[i]);
    };
  return (n) => {
    for (let i = 0; i < n; i++) o[i] = call(a![i]!);
  };
}
function bigKernel(f: ElementFunction, inputs: readonly Tile[], out: Tile): Kernel {
  return (n) => {
    const arrays = inputs.map((input) =>
      input.dtype === 'i64' ? bigElements(input, n) : input.data,
    );
    const [a, b, c] = arrays;
    const o = out.dtype === 'i64' ? (out.big ??= new BigInt64Array(out.count)) : out.data;
    for (let i = 0; i < n; i++)
      (o as { [i: number]: number | bigint })[i] = f(a![i]!, b?.[i] ?? 0, c?.[i] ?? 0);
    if (out.dtype === 'i64') settleBig(out, n);
  };
}

// ── i64: in doubles where every result is a safe integer
// ────────────────────────────────────────────
function wideKernel(
  name: OpName,
  attributes: Attributes,
  inputs: readonly Tile[],
  out: Tile,
): Kernel | undefined {
  const touches = inputs.some((input) => input.dtype === 'i64') || out.dtype === 'i64';
  if (!touches) return undefined;
  const loop = loopsOf(name)?.wide?.(arraysOf(attributes, inputs, out));
  const exact = genericKernel(name, attributes, inputs, out);
  if (!loop) return exact;
  return (n) => {
    let safe = true;
    for (const input of inputs) if (input.wide) safe = false;
    out.wide = false;
    if (!safe || !loop(n)) exact(n);
  };
}
