/**
 * Elementwise operations as loops over typed arrays. The frequent ones are written out (`fastLoops.ts`, `wideLoops.ts`),
 * so that the engine compiles each to a tight loop; the others call the element function of `ir/evaluate.ts`,
 * which is also what tests compare every loop with.
 */
import type { Attribute } from '../ir/ir';
import { elementFunction } from '../ir/evaluate';
import type { ElementFunction } from '../ir/evaluate';
import type { OpName } from '../ir/ops';
import { fastKernel } from './fastLoops';
import { asDType, bigElements, rounderOf, settleBig, type Kernel, type Tile } from './tile';
import { wideLoop } from './wideLoops';

export function elementwiseKernel(
  name: OpName,
  attributes: Readonly<Record<string, Attribute>>,
  inputs: readonly Tile[],
  out: Tile,
): Kernel {
  const wide = wideKernel(name, attributes, inputs, out);
  if (wide) return wide;
  const data = inputs.map((input) => input.data);
  const fast = fastKernel(name, attributes, inputs[0]!.dtype, data, out) ?? undefined;
  const kernel = fast ?? genericKernel(name, attributes, inputs, out);
  const round = EXACT.has(name) ? undefined : rounderOf(out.dtype, out.data);
  if (!fast || !round) return kernel;
  return (n) => {
    kernel(n);
    round(n);
  };
}

/** What gives numbers of the format without rounding; it must not round, where a format's largest codes
 * are only read (float8e4b15). */
const EXACT = new Set<OpName>([
  'arith.negf',
  'math.absf',
  'arith.select',
  'arith.bitcast',
  'arith.extf',
]);

// ── any operation, one call an element ──────────────────────────────────────────────────────────────
function genericKernel(
  name: OpName,
  attributes: Readonly<Record<string, Attribute>>,
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

// ── i64: in doubles where every result is a safe integer ────────────────────────────────────────────
function wideKernel(
  name: OpName,
  attributes: Readonly<Record<string, Attribute>>,
  inputs: readonly Tile[],
  out: Tile,
): Kernel | undefined {
  const touches = inputs.some((input) => input.dtype === 'i64') || out.dtype === 'i64';
  if (!touches) return undefined;
  const loop = wideLoop(name, attributes, inputs, out);
  const exact = genericKernel(name, attributes, inputs, out);
  if (!loop) return exact;
  return (n) => {
    let safe = true;
    for (const input of inputs) if (input.wide) safe = false;
    out.wide = false;
    if (!safe || !loop(n)) exact(n);
  };
}
