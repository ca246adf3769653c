/**
 * Statements of random kernels that update memory atomically. What is left in memory never depends
 * on the order of threads: each element has a place of its own, or the updates of a place commute,
 * or all of them store the same number; and what such a place held before goes nowhere.
 */
import { F32, I1, isFloatKind, isIntKind, total } from '../kernelText';
import type { KernelDtype, Variable } from '../kernelText';
import type { KernelMaker, Output } from '../randomKernel';

/** Programs with atomics of 64 bits run one at a time: more elements than this take too long. */
const WIDE_LIMIT = 64;

const ORDERED = ['atomic_add', 'atomic_max', 'atomic_min'];
const BITWISE = ['atomic_and', 'atomic_or', 'atomic_xor'];

/** Updates that the dtype has, and whose results all adapters agree on. */
function updates(k: KernelMaker, dtype: KernelDtype): readonly string[] {
  if (isIntKind(dtype)) return dtype.bits < 32 ? [] : [...ORDERED, ...BITWISE, 'atomic_xchg'];
  if (!isFloatKind(dtype) || k.wild) return [];
  if (k.ring) return dtype === F32 ? ['atomic_xchg'] : [];
  return dtype === F32 ? [...ORDERED, 'atomic_xchg'] : ['atomic_add'];
}

export function atomic(k: KernelMaker): void {
  const { t } = k;
  const fitting = k.outputs.filter((o) => !o.inexact && updates(k, o.dtype).length > 0);
  if (fitting.length === 0) return;
  const output = t.pick(fitting);
  const { dtype } = output;
  const x = k.some(dtype, k.shape());
  if (dtype.bits === 64 && total(x.shape) > WIDE_LIMIT) return;
  const form = t.int(10);
  if (form < 3 && x.shape.length > 0 && (isIntKind(dtype) || dtype === F32))
    return toFewPlaces(k, output, x);
  if (form < 5 && isIntKind(dtype)) return compareAndSwap(k, output, x);
  if (form < 6) return sameForAll(k, output, x.shape);
  const mask = t.chance(0.4) ? `, mask=${k.mask(x.shape)}` : '';
  const at = k.placeBelow(output, x.shape) ?? k.place(output, x.shape);
  if (!at) return;
  // The old value is poison; only integers' is a number that may go on.
  const name = t.pick(updates(k, dtype));
  if (isIntKind(dtype) && !mask && t.chance(0.5))
    t.let(dtype, x.shape, `tl.${name}(${at}, ${x.name}${mask})`);
  else t.line(`tl.${name}(${at}, ${x.name}${mask})`);
}

/** All elements to a few places: the order does not show, so the old values must not. */
function toFewPlaces(k: KernelMaker, output: Output, x: Variable): void {
  const { t } = k;
  const start = k.reserve(output, 4);
  if (!start) return;
  if (k.ring && !isIntKind(x.dtype)) return;
  // Sums of floats round in one order or another.
  const commute = isIntKind(x.dtype) ? [...ORDERED, ...BITWISE] : ORDERED.slice(1);
  const mask = t.chance(0.4) ? `, mask=${k.mask(x.shape)}` : '';
  t.line(`tl.${t.pick(commute)}(${start} + (${k.flat(x.shape)}) % 4, ${x.name}${mask})`);
}

/** Elements that are compared with what was stored there just before, or with something else. */
function compareAndSwap(k: KernelMaker, output: Output, x: Variable): void {
  const { t } = k;
  const { dtype, shape } = x;
  const [y, other] = [k.some(dtype, shape), k.some(dtype, shape)];
  const matches = k.some(I1, shape);
  const at = k.placeBelow(output, shape) ?? k.place(output, shape);
  if (!at) return;
  const p = t.fresh('p');
  t.line(`${p} = ${at}`);
  // The threads that hold an element may be others for each of the updates.
  t.line('tl.debug_barrier()');
  t.line(`tl.atomic_xchg(${p}, ${x.name})`);
  t.line('tl.debug_barrier()');
  const compared = t.let(
    dtype,
    shape,
    `tl.where(${matches.name}, ${x.name}, ${other.name}).to(${dtype.tl})`,
  );
  t.let(dtype, shape, `tl.atomic_cas(${p}, ${compared.name}, ${y.name})`);
  t.line('tl.debug_barrier()');
}

/** All elements put the same number into a few places, and may swap it for another one. */
function sameForAll(k: KernelMaker, output: Output, shape: readonly number[]): void {
  const { t } = k;
  const { dtype } = output;
  if (!updates(k, dtype).includes('atomic_xchg')) return;
  const start = k.reserve(output, 4);
  if (!start) return;
  const places = shape.length === 0 ? start : `${start} + (${k.flat(shape)}) % 4`;
  const filled = (value: string): string =>
    `tl.full(${JSON.stringify(shape)}, ${value}, ${dtype.tl})`;
  const scalar = (value: Variable): string =>
    shape.length === 0 ? value.name : `tl.broadcast_to(${value.name}, ${JSON.stringify(shape)})`;
  const [p, x, y] = [t.fresh('p'), k.some(dtype, []), k.some(dtype, [])];
  t.line(`${p} = ${places}`);
  t.line('tl.debug_barrier()');
  t.line(`tl.atomic_xchg(${p}, ${scalar(x)})`);
  t.line('tl.debug_barrier()');
  if (!isIntKind(dtype)) return;
  const compared = t.chance(0.6) ? scalar(x) : filled(k.literal(dtype));
  t.line(`tl.atomic_cas(${p}, ${compared}, ${scalar(y)})`);
  t.line('tl.debug_barrier()');
}
