/**
 * The operations on global memory: what kind each is, which of its operands is the mask, and which
 * of the function's arguments it goes through.
 */
import { type Func, type Operation, type Value, walk } from './ir';
import { OPS, isRearrangement, type OpName } from './ops';

export type AccessKind = 'load' | 'store' | 'atomic';

const accessOf = ({ name }: Operation) => {
  const definition = OPS[name];
  return definition.kind === 'effect' ? definition.access : undefined;
};
/** Null of other operations. */
export function accessKind(op: Operation): AccessKind | null {
  return accessOf(op)?.kind ?? null;
}
/** The mask of an access; undefined where every element takes part. */
export function maskOf(op: Operation): Value | undefined {
  const mask = accessOf(op)?.mask;
  return mask === undefined ? undefined : op.operands[mask];
}

/**
 * Index of the function's argument that a pointer comes from; -1 where it is chosen at run time.
 */
export function rootOf(pointer: Value, parameters: readonly Value[]): number {
  const seen = new Set<Value>();
  for (let at: Value | undefined = pointer; at && !seen.has(at);) {
    seen.add(at);
    const known = parameters.indexOf(at);
    if (known >= 0) return known;
    at = originOf(at);
  }
  return -1;
}

/** The arguments that the function writes through, as `rootOf` counts them. */
export function writtenRoots({ body }: Func): Set<number> {
  const written = new Set<number>();
  walk(body, (op) => {
    if (accessKind(op) !== null && op.name !== 'tt.load')
      written.add(rootOf(op.operand(0), body.args));
  });
  return written;
}

function originOf(value: Value): Value | undefined {
  const op = value.definition;
  if (!op) {
    // A carried pointer starts as its initial value, and stays in that tensor.
    const { owner } = value;
    if (!('args' in owner)) return undefined;
    const loop = owner.parent;
    const index = owner.args.indexOf(value);
    if (loop?.name === 'scf.for') return loop.operands[2 + index];
    return loop?.name === 'scf.while' ? loop.operands[index] : undefined;
  }
  if (op.name === 'scf.for') return op.operands[3 + op.results.indexOf(value)];
  if (op.name === 'scf.while') return op.operands[op.results.indexOf(value)];
  return pointsIntoOperand(op.name) ? op.operands[0] : undefined;
}
/** Does the result, a pointer, point into the same storage as the first operand? */
export function pointsIntoOperand(name: OpName): boolean {
  const definition = OPS[name];
  return isRearrangement(name) || (definition.kind === 'address' && definition.pointsInto === true);
}
