/**
 * Floats that are made of integers' bits. Such a float may well be a denormal: dequantization
 * shifts a narrow float's bits into place and scales the result. Other denormals come from
 * arithmetic alone, and are too small to matter to a sum.
 */
import { accessKind, carriedFrom, rootOf } from './access';
import { walk } from './ir';
import type { Func, Operation, Value } from './ir';
import type { Location } from './location';
import { elementOf } from './types';

/** Operations that move a float, change its sign alone, or convert it exactly. */
const MOVES =
  /^(arith\.(select|negf|extf|truncf)|math\.absf|tt\.(splat|broadcast|expand_dims|reshape|trans|join|split|cat|gather)|ttg\.convert_layout)$/;
/** Operations that compute with floats or compare them. */
const COMPUTES = /^(arith|math)\.|^tt\.(dot|reduce|scan|clampf|sort|topk)$/;

const dtypeOf = (value: Value): string => {
  const element = elementOf(value.type);
  return element.kind === 'pointer' ? 'pointer' : element.dtype;
};
/** Formats whose denormals are f32's: those of narrower ones are ordinary f32s. */
const hasDenormalsOfF32 = (value: Value): boolean => /^(f32|bf16)$/.test(dtypeOf(value));

/** Whether a value is a float made of an integer's bits, through moves, branches and loops. */
export function isMadeOfBits(value: Value, seen = new Set<Value>()): boolean {
  if (seen.has(value) || !hasDenormalsOfF32(value)) return false;
  seen.add(value);
  const op = value.definition;
  if (op?.name === 'arith.bitcast') return dtypeOf(op.operand(0)).startsWith('i');
  return sourcesOf(value).some((source) => isMadeOfBits(source, seen));
}

/** The values that a moved or carried value may be. */
function sourcesOf(value: Value): readonly Value[] {
  const op = value.definition;
  return op && MOVES.test(op.name) ? op.operands : carriedFrom(value);
}

/** How a kernel uses floats that it makes of bits. */
export interface FloatBits {
  /**
   * The first operation that computes with one, but for f32 products, which are computed in
   * integers where an adapter flushes denormals (`5-threads/arithmetic/denormals.ts`).
   */
  readonly computed: Location | undefined;
  /** The arguments through which it stores some, as `rootOf` counts them. */
  readonly stored: ReadonlySet<number>;
}

export function findFloatBits({ body }: Func): FloatBits {
  let computed: Location | undefined;
  const stored = new Set<number>();
  walk(body, (op) => {
    if (accessKind(op) === 'store' && isMadeOfBits(op.operand(1)))
      stored.add(rootOf(op.operand(0), body.args));
    if (!computed && computes(op) && op.operands.some((operand) => isMadeOfBits(operand)))
      computed = op.location;
  });
  return { computed, stored };
}

function computes(op: Operation): boolean {
  if (!COMPUTES.test(op.name) || MOVES.test(op.name) || op.name === 'arith.bitcast') return false;
  return op.name !== 'arith.mulf' || dtypeOf(op.result) !== 'f32';
}
