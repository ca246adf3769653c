/**
 * Floats that are made of integers' bits. Such a float may well be a denormal: dequantization
 * shifts a narrow float's bits into place and scales the result. Other denormals come from
 * arithmetic alone, and are too small to matter to a sum.
 */
import { accessKind, rootOf } from './access';
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
  if (!op) return carriedFrom(value);
  const at = op.results.indexOf(value);
  switch (op.name) {
    case 'scf.if':
      return op.regions.flatMap((region) => region.terminator.operands[at] ?? []);
    case 'scf.for':
      return [op.operand(3 + at), op.region(0).terminator.operand(at)];
    case 'scf.while':
      return [op.region(0).terminator.operand(1 + at)];
    default:
      return MOVES.test(op.name) ? op.operands : [];
  }
}

/** The values that a loop carries into an argument of its body. */
function carriedFrom(value: Value): readonly Value[] {
  const { owner } = value;
  if (!('args' in owner)) return [];
  const loop = owner.parent;
  const at = owner.args.indexOf(value);
  if (loop?.name === 'scf.for' && at > 0)
    return [loop.operand(2 + at), owner.terminator.operand(at - 1)];
  if (loop?.name !== 'scf.while') return [];
  const [before, after] = [loop.region(0), loop.region(1)];
  return owner === before
    ? [loop.operand(at), after.terminator.operand(at)]
    : [before.terminator.operand(1 + at)];
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
