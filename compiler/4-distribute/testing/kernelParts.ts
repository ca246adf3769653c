/** Expressions that the test kernels share, and the function around them. */
import { Builder } from '../../ir/builder';
import { Block, Func, type Value } from '../../ir/ir';
import { UNKNOWN_LOCATION } from '../../ir/location';
import { F16, F32, pointer, type ScalarType, shapeOf, tensor, type Type } from '../../ir/types';

export type Parameter = readonly [name: string, type: Type, divisibility?: number];

export function makeFunc(
  name: string,
  parameters: readonly Parameter[],
  build: (b: Builder, args: Value[]) => void,
): Func {
  const body = new Block();
  const args = parameters.map(([parameter, type]) => body.addArg(type, parameter));
  const b = new Builder(body);
  build(b, args);
  b.return();
  const attributes = parameters.map(([, , divisibility]) => (divisibility ? { divisibility } : {}));
  return new Func(name, attributes, body, UNKNOWN_LOCATION);
}

export const P32 = pointer(F32);
export const P16 = pointer(F16);

/** `pid * size + arange(size)` */
export function blockRange(b: Builder, axis: number, size: number): Value {
  const start = b.binary('arith.muli', b.programId(axis), b.i32(size));
  return b.binary('arith.addi', b.splat(start, [size]), b.makeRange(0, size));
}
export const lessThan = (b: Builder, x: Value, n: Value): Value =>
  b.cmp('slt', x, b.splat(n, shapeOf(x.type)));
export const at = (b: Builder, base: Value, offsets: Value): Value =>
  b.addptr(b.splat(base, shapeOf(offsets.type)), offsets);
/** rows[:, None] * stride + columns[None, :] */
export function grid(b: Builder, rows: Value, columns: Value, rowStride: Value): Value {
  const shape = [shapeOf(rows.type)[0]!, shapeOf(columns.type)[0]!];
  const r = b.expandDims(rows, 1);
  const c = b.expandDims(columns, 0);
  const scaledRows = b.binary('arith.muli', r, b.splat(rowStride, shapeOf(r.type)));
  return b.binary('arith.addi', b.broadcast(scaledRows, shape), b.broadcast(c, shape));
}
export const zeros = (b: Builder, shape: readonly number[], element: ScalarType = F32): Value =>
  b.constant(tensor(shape, element), 0);
