/**
 * tt.dot from workgroup memory: each thread keeps its block of the accumulator in registers and
 * walks along K, reading a column of `a` and a row of `b` as vectors where their order allows.
 * Products are fused multiply-adds of whole vectors along N.
 */
import type { Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount, threadBases } from '../../ir/layout';
import type { ThreadValue } from '../../ir/thread/ir';
import { number } from '../../ir/thread/types';
import type { NumberType } from '../../ir/thread/types';
import type { MemdescType } from '../../ir/types';
import { elementOf } from '../../ir/types';
import { layoutOf, numberAttribute, refuse } from '../context';
import type { Lowering } from '../context';
import { readPlace, sharedEntry, sharedWord } from '../communication/scratch';
import { plus, registerCoordinate, threadSum } from '../layouts';
import { memdescOf, stridesOf, wordOffset } from './local';
import type { DotLowering } from './lowering';

export const fma: DotLowering = { lower };

function lower(t: Lowering, op: Operation): void {
  const { b } = t;
  const acc = op.operand(2);
  const layout = layoutOf(acc);
  const element = t.typeOf(elementOf(acc.type));
  const { scalar } = element;
  if (scalar !== 'f32' && scalar !== 'i32')
    refuse(op, 'HC0506', `a dot that accumulates in ${scalar} was not widened`);
  const [left, right] = [memdescOf(op.operand(0)), memdescOf(op.operand(1))];
  const rank = left.shape.length;
  const [m, n] = [rank - 2, rank - 1];
  const depth = left.shape[rank - 1]!;
  const unroll = Math.min(depth, numberAttribute(op, 'unroll') ?? 4);
  const rows = operand(t, layout, left, wordOffset(op.operand(0)), m, element);
  const columns = operand(t, layout, right, wordOffset(op.operand(1)), n, element);
  const [aStep, bStep] = [stridesOf(left)[rank - 1]!, stridesOf(right)[rank - 2]!];

  const width = alongN(layout, n) ? 4 : 1;
  const groups = registerCount(layout) / width;
  const start = t.registers(acc);
  const hint = t.hint(op.result);
  const first = Array.from({ length: groups }, (_, g) =>
    b.vector(start.slice(width * g, width * g + width)),
  );
  /** One step of K: `k` counts steps of `unroll`. */
  const step = (k: ThreadValue | undefined, inner: number, sums: readonly ThreadValue[]) => {
    const x = rows(k, inner, aStep, unroll);
    const y = columns(k, inner, bStep, unroll);
    return sums.map((sum, g) => {
      const [row, line] = [x(g * width, 1), y(g * width, width)];
      return t.let(hint, multiplyAdd(t, row, line, sum));
    });
  };
  let sums: readonly ThreadValue[] = first;
  if (unroll >= depth) for (let i = 0; i < depth; i++) sums = step(undefined, i, sums);
  else
    sums = b.for(
      b.u32(depth / unroll),
      first,
      (k, carried) => {
        let next = carried;
        for (let i = 0; i < unroll; i++) next = step(k, i, next);
        return next;
      },
      { hints: first.map(() => hint) },
    );
  t.setRegisters(
    op.result,
    sums.flatMap((sum) => b.components(sum)),
  );
}

/** `sum + x * y`: fused for floats; `x` is a scalar, `y` and `sum` scalars or vectors. */
export function multiplyAdd(
  t: Lowering,
  x: ThreadValue,
  y: ThreadValue,
  sum: ThreadValue,
): ThreadValue {
  const type = sum.type as NumberType;
  if (type.scalar !== 'f32') return t.x`${sum} + ${x} * ${y}`;
  const whole = type.size === 1 ? x : t.b.splat(x, type.size);
  return t.x`fma(${whole}, ${y}, ${sum})`;
}

/** Whether four registers in a row are neighbours along N. */
function alongN(layout: Layout, n: number): boolean {
  const [one, two] = layout.register;
  const steps = (basis: readonly number[] | undefined, by: number): boolean =>
    basis?.every((c, d) => c === (d === n ? by : 0)) === true;
  return steps(one, 1) && steps(two, 2);
}

/**
 * The registers' elements of one operand at one step of K: a vector of `count` from register `r`
 * on.
 */
type Reader = (r: number, count: number) => ThreadValue;
type Operand = (k: ThreadValue | undefined, inner: number, step: number, unroll: number) => Reader;

/** `dim`: the dimension of the accumulator, and of the operand, that is not K. */
function operand(
  t: Lowering,
  layout: Layout,
  type: MemdescType,
  first: number,
  dim: number,
  element: NumberType,
): Operand {
  const strides = stridesOf(type);
  const rank = strides.length;
  // The batch dimensions in front, and the one of the two last that the accumulator has too.
  const weight = (coordinate: (d: number) => number): number => {
    let sum = strides[dim]! * coordinate(dim);
    for (let d = 0; d < rank - 2; d++) sum += strides[d]! * coordinate(d);
    return sum;
  };
  const weights = threadBases(layout).map((basis) => weight((d) => basis[d] ?? 0));
  const offsets = Array.from({ length: registerCount(layout) }, (_, r) =>
    weight((d) => registerCoordinate(layout, r, d)),
  );
  const known = new Set(offsets);
  const vectors =
    weights.every((w) => w % 4 === 0) &&
    first % 4 === 0 &&
    strides.every((stride, d) => (stride === 1 ? d === dim : stride % 4 === 0)) &&
    offsets.every((o) => [0, 1, 2, 3].every((i) => known.has(o - (o % 4) + i)));
  const unit = vectors ? 4 : 1;
  const base = threadSum(
    t,
    weights.map((w) => w / unit),
  );
  return (k, inner, step, unroll) => {
    /** Values read so far, by their first element. */
    const read = new Map<number, ThreadValue>();
    const at = (constant: number): ThreadValue => {
      const moved = k === undefined ? base : t.x`${base} + ${k} * ${(unroll * step) / unit}u`;
      return plus(t, moved, (first + constant + inner * step) / unit);
    };
    const take = (o: number): ThreadValue => {
      if (!vectors) return t.b.bitcast(readPlace(t, sharedWord(t, at(o))), element);
      const four = t.b.bitcast(readPlace(t, sharedEntry(t, at(o))), number(element.scalar, 4));
      return t.let('x', four);
    };
    const elementAt = (offset: number): ThreadValue => {
      const aligned = offset - (offset % unit);
      let found = read.get(aligned);
      if (!found) read.set(aligned, (found = take(aligned)));
      return vectors ? t.b.extract(found, offset % unit) : found;
    };
    return (r, count) => {
      const list: ThreadValue[] = [];
      for (let i = 0; i < count; i++) list.push(elementAt(offsets[r + i]!));
      return t.b.vector(list);
    };
  };
}
