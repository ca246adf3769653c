/**
 * tt.dot from workgroup memory: each thread keeps its block of the accumulator in registers and walks
 * along K, reading a column of `a` and a row of `b` as vectors where their order allows. Products are
 * fused multiply-adds of whole vectors along N.
 */
import type { Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount, threadBases } from '../../ir/layout';
import { elementOf } from '../../ir/types';
import type { MemdescType } from '../../ir/types';
import { layoutOf, numberAttribute, refuse } from '../emission';
import type { Emission } from '../emission';
import { registerCoordinate, threadSum } from '../layouts';
import { memdescOf, stridesOf, wordOffset } from './local';
import { components, vectorOf } from './pack';
import { sharedVector, sharedWord } from '../exchange/scratch';

export function emitDot(e: Emission, op: Operation): void {
  const acc = op.operand(2);
  const layout = layoutOf(acc);
  const element = e.typeOf(elementOf(acc.type));
  if (element !== 'f32' && element !== 'i32')
    refuse(op, 'HC0506', `a dot that accumulates in ${element} was not widened`);
  const [a, b] = [memdescOf(op.operand(0)), memdescOf(op.operand(1))];
  const rank = a.shape.length;
  const [m, n] = [rank - 2, rank - 1];
  const depth = a.shape[rank - 1]!;
  const unroll = Math.min(depth, numberAttribute(op, 'unroll') ?? 4);

  const left = operand(e, layout, a, wordOffset(op.operand(0)), m, m);
  const right = operand(e, layout, b, wordOffset(op.operand(1)), n, n);
  const aStep = stridesOf(a)[rank - 1]!;
  const bStep = stridesOf(b)[rank - 2]!;

  const count = registerCount(layout);
  const start = e.registers(acc);
  const [one, two] = layout.register;
  const alongN =
    count >= 4 &&
    one?.every((c, d) => c === (d === n ? 1 : 0)) === true &&
    two?.every((c, d) => c === (d === n ? 2 : 0)) === true;
  const out: string[] = [];
  const vectors: string[] = [];
  for (let r = 0; r < count; r += alongN ? 4 : 1) {
    const hint = e.hint(op.result);
    if (alongN) {
      const name = e.variable(hint, `vec4<${element}>`, vectorOf(element, start.slice(r, r + 4)));
      vectors.push(name);
      out.push(...components(name));
    } else out.push(e.variable(hint, element, start[r]!));
  }

  const step = (k: string | undefined, inner: number): void => {
    const x = left.reader(e, k, inner, aStep, unroll, element);
    const y = right.reader(e, k, inner, bStep, unroll, element);
    for (let r = 0; r < count; r += alongN ? 4 : 1) {
      const [row] = x(r, 1);
      if (alongN) {
        const line = vectorOf(element, y(r, 4));
        const sum = vectors[r / 4]!;
        e.writer.line(
          element === 'f32'
            ? `${sum} = fma(vec4<f32>(${row}), ${line}, ${sum});`
            : `${sum} += ${row} * ${line};`,
        );
      } else {
        const [column] = y(r, 1);
        const sum = out[r]!;
        e.writer.line(
          element === 'f32'
            ? `${sum} = fma(${row}, ${column}, ${sum});`
            : `${sum} += ${row} * ${column};`,
        );
      }
    }
  };
  if (unroll >= depth) {
    for (let i = 0; i < depth; i++) e.writer.block('', () => step(undefined, i));
  } else {
    const k = e.names.fresh('k');
    e.writer.block(`for (var ${k} = 0u; ${k} < ${depth / unroll}u; ${k}++)`, () => {
      for (let i = 0; i < unroll; i++) step(k, i);
    });
  }
  e.setRegisters(op.result, out);
}

/** Gives the registers' elements of one operand at one step of K: `count` from register `r` on. */
type Reader = (r: number, count: number) => string[];

interface Operand {
  reader(
    e: Emission,
    k: string | undefined,
    inner: number,
    step: number,
    unroll: number,
    element: string,
  ): Reader;
}

/** `dim`: the dimension of the accumulator, and of the operand, that is not K. */
function operand(
  e: Emission,
  layout: Layout,
  type: MemdescType,
  first: number,
  dim: number,
  own: number,
): Operand {
  const strides = stridesOf(type);
  const rank = strides.length;
  // The batch dimensions in front, and the one of the two last that the accumulator has too.
  const weight = (coordinate: (d: number) => number): number => {
    let sum = strides[own]! * coordinate(dim);
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
    strides.every((stride, d) => (stride === 1 ? d === own : stride % 4 === 0)) &&
    offsets.every((o) => [0, 1, 2, 3].every((i) => known.has(o - (o % 4) + i)));
  const base = threadSum(e, vectors ? weights.map((w) => w / 4) : weights);
  return {
    reader(_, k, inner, step, unroll, element) {
      const named = new Map<number, string[]>();
      const at = (constant: number, unit: number): string => {
        const terms = [
          ...(base === '0u' ? [] : [base]),
          ...(k === undefined ? [] : [`${k} * ${(unroll * step) / unit}u`]),
        ];
        const total = (first + constant + inner * step) / unit;
        if (total !== 0 || terms.length === 0) terms.push(`${total}u`);
        return terms.join(' + ');
      };
      const one = (o: number): string => {
        if (!vectors) {
          let found = named.get(o);
          if (!found) {
            found = [e.let('x', `bitcast<${element}>(${sharedWord(e, at(o, 1))})`)];
            named.set(o, found);
          }
          return found[0]!;
        }
        const aligned = o - (o % 4);
        let found = named.get(aligned);
        if (!found) {
          const text = `bitcast<vec4<${element}>>(${sharedVector(e, at(aligned, 4))})`;
          found = components(e.let('x', text));
          named.set(aligned, found);
        }
        return found[o % 4]!;
      };
      return (r, count) => Array.from({ length: count }, (__, i) => one(offsets[r + i]!));
    },
  };
}
