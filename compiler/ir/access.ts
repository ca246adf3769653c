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

/** Whether an access leaves out a lane; one element of a mask stands for all lanes. */
export function isMaskedOff(mask: ArrayLike<number> | null | undefined, lane: number): boolean {
  return !!mask && mask[mask.length === 1 ? 0 : lane] === 0;
}

/**
 * Index of the function's argument that a pointer comes from; -1 where it is chosen at run time,
 * also by a loop that exchanges pointers.
 */
export function rootOf(pointer: Value, parameters: readonly Value[]): number {
  const seen = new Set<Value>();
  const open = [pointer];
  const roots = new Set<number>();
  for (let value = open.pop(); value; value = open.pop()) {
    if (seen.has(value)) continue;
    seen.add(value);
    const own = parameters.indexOf(value);
    const origins = own < 0 ? originsOf(value) : [];
    if (origins.length === 0) roots.add(own);
    open.push(...origins);
  }
  const [root = -1] = roots;
  return roots.size === 1 ? root : -1;
}

/**
 * Number of the memory that a pointer points into: equal for arguments that share a tensor; -1
 * where it is chosen at run time.
 */
export function memoryOf(pointer: Value, { body, parameters }: Func): number {
  const root = rootOf(pointer, body.args);
  const tensor = parameters[root]?.tensor;
  return tensor === undefined ? root : parameters.findIndex((each) => each.tensor === tensor);
}

/** The memory that a function writes. */
export class WrittenMemory {
  readonly #written = new Set<number>();

  constructor(private readonly func: Func) {
    walk(func.body, (op) => {
      if (accessKind(op) !== null && op.name !== 'tt.load')
        this.#written.add(memoryOf(op.operand(0), func));
    });
  }

  /** Whether the function may write what is read through the pointer. */
  has(pointer: Value): boolean {
    const memory = memoryOf(pointer, this.func);
    return (
      this.#written.has(memory) || this.#written.has(-1) || (memory < 0 && this.#written.size > 0)
    );
  }
}

/** The pointers that a pointer is computed from, or that a loop or a branch may make it. */
function originsOf(value: Value): readonly Value[] {
  const op = value.definition;
  if (op && pointsIntoOperand(op.name)) return [op.operand(0)];
  return carriedFrom(value);
}

/** The values that a loop or a branch makes one of its arguments or results; none of others. */
export function carriedFrom(value: Value): readonly Value[] {
  const op = value.definition;
  if (op) {
    const at = op.results.indexOf(value);
    switch (op.name) {
      case 'scf.if':
        return op.regions.flatMap((region) => region.terminator.operands[at] ?? []);
      case 'scf.for':
        return [op.operand(3 + at), op.region(0).terminator.operand(at)];
      case 'scf.while':
        return [op.region(0).terminator.operand(1 + at)];
      default:
        return [];
    }
  }
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
/** Does the result, a pointer, point into the same storage as the first operand? */
export function pointsIntoOperand(name: OpName): boolean {
  const definition = OPS[name];
  return isRearrangement(name) || (definition.kind === 'address' && definition.pointsInto === true);
}
