/**
 * Operations on lists of components, by their `evaluate` and `whole` in the
 * operation table. Floats are rounded to the type of the result.
 */
import { roundFloat } from '../../ir/numbers';
import type { ThreadOpName } from '../../ir/thread/ops';
import { THREAD_OPS } from '../../ir/thread/ops';
import type { ScalarFunction } from '../../ir/thread/ops/spec';
import type { NumberType, ScalarName } from '../../ir/thread/types';

/** The components of a value; truth values are 0 and 1. */
export type Components = readonly number[];

const same = (x: number): number => x;
/** The nearest half. */
export const roundHalf = (x: number): number => roundFloat('f16', x);
/** Rounds a number to a type that holds it. */
export function rounder(scalar: ScalarName): (x: number) => number {
  return scalar === 'f32' ? Math.fround : scalar === 'f16' ? roundHalf : same;
}

export function typeAfter(
  name: ThreadOpName,
  operands: readonly NumberType[],
  to: NumberType | undefined,
): NumberType {
  const types = THREAD_OPS[name].types(operands, {}, to ? [to] : []);
  if (typeof types === 'string') throw new Error(`${name}: ${types}`);
  return types[0] as NumberType;
}
/** The function of one component, unrounded; undefined where the operation has none. */
export function scalarFunction(
  name: ThreadOpName,
  operands: readonly NumberType[],
  result: NumberType,
): ScalarFunction | undefined {
  return THREAD_OPS[name].evaluate?.(operands[0]?.scalar ?? result.scalar, result.scalar);
}

/** An operation that works component by component; scalars count as vectors of equal components. */
export function componentFunction(
  name: ThreadOpName,
  operands: readonly NumberType[],
  to?: NumberType,
): {
  readonly type: NumberType;
  readonly run: (x: Components, y: Components, z: Components) => Components;
} {
  const type = typeAfter(name, operands, to);
  const evaluate = scalarFunction(name, operands, type);
  if (!evaluate) throw new Error(`${name} has no value`);
  const round = rounder(type.scalar);
  const { size } = type;
  if (size === 1) return { type, run: (x, y, z) => [round(evaluate(x[0]!, y[0]!, z[0]!))] };
  const [sx, sy, sz] = operands.map((operand) => (operand.size === 1 ? 0 : 1));
  return {
    type,
    run: (x, y, z) => {
      const out: number[] = [];
      for (let i = 0; i < size; i++)
        out.push(round(evaluate(x[i * (sx ?? 0)]!, y[i * (sy ?? 0)]!, z[i * (sz ?? 0)]!)));
      return out;
    },
  };
}
/** An operation whose result's components are not those of the operand one to one. */
export function wholeFunction(
  name: ThreadOpName,
  x: NumberType,
  to?: NumberType,
): { readonly type: NumberType; readonly run: (x: Components) => Components } | undefined {
  const { whole } = THREAD_OPS[name];
  if (!whole) return undefined;
  const type = typeAfter(name, [x], to);
  return { type, run: whole(x, type) };
}
