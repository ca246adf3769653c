/**
 * A tile of pointers that a loop advances by the same amount everywhere (`ptrs += BLOCK_K *
 * stride`) becomes an invariant tile of offsets and one carried pointer:
 *
 *     for … (ptrs = splat(base) + offs) { … ptrs' = ptrs + splat(step) }
 *     for … (p = base) { ptrs = splat(p) + offs; … p' = p + step }
 *
 * Loops then carry a scalar instead of a tile of addresses, and what is known of `base` and `offs`
 * (divisibility, contiguity) is known of the sum. Where the first tile is no such sum, the loop
 * carries an offset from it.
 */
import { Builder, constantOf } from '../ir/builder';
import type { Func, Operation, Value } from '../ir/ir';
import type { Uniform } from './rewrite';
import { forEachOp, isDefinedOutside, rebuild, scalarOf, uniformOf } from './rewrite';
import { I32, I64, dtypeOf, elementOf, shapeOf, withElement } from '../ir/types';

export function split_pointers(func: Func): boolean {
  let changed = false;
  forEachOp(func.body, (loop) => {
    if (loop.name !== 'scf.for') return;
    for (let i = 0, current = loop; i < current.results.length;) {
      const step = advanceOf(current, i);
      if (!step) {
        i++;
        continue;
      }
      // The carried value moves to the end, and the next one into its place.
      current = split(current, i, step);
      changed = true;
    }
  });
  return changed;
}

/** The uniform steps that lead from carried pointer `i` to its next value. */
function advanceOf(loop: Operation, i: number): Uniform[] | undefined {
  const arg = loop.region(0).args[i + 1]!;
  if (arg.type.kind !== 'tensor' || elementOf(arg.type).kind !== 'pointer') return undefined;
  const steps: Uniform[] = [];
  for (let value = loop.region(0).terminator.operand(i); value !== arg;) {
    const op = value.definition;
    if (op?.name !== 'tt.addptr' || isDefinedOutside(value, loop)) return undefined;
    const step = uniformOf(op.operand(1));
    // The sum is built at the end of the body: a step from an inner region is not visible there.
    if (!step || op.parent !== loop.region(0)) return undefined;
    steps.unshift(step);
    value = op.operand(0);
  }
  return steps.length > 0 ? steps : undefined;
}

/** The loop with carried pointer `i` replaced. */
function split(loop: Operation, i: number, steps: readonly Uniform[]): Operation {
  const body = loop.region(0);
  const arg = body.args[i + 1]!;
  const init = loop.operand(i + 3);
  const before = Builder.before(loop);
  const sum = baseAndOffset(init, before);
  const shape = shapeOf(arg.type);

  const wide = steps.some((step) => isWideStep(step));
  const offsetType = wide ? I64 : I32;
  const start = sum ? sum.base : before.constant(offsetType, 0);
  const carried = body.addArg(start.type, arg.name && `${arg.name}_base`);
  /** The tile of pointers at a carried value. */
  const rebuildTile = (scalar: Value, b: Builder): Value =>
    sum ? b.addptr(b.splat(scalar, shape), sum.offset) : b.addptr(init, b.splat(scalar, shape));

  const first = body.ops[0]!;
  const inside = Builder.before(first);
  inside.location = loop.location;
  const tile = rebuildTile(carried, inside);
  tile.name = arg.name;
  arg.replaceAllUsesWith(tile);

  const end = Builder.before(body.terminator);
  let next: Value = carried;
  for (const step of steps) {
    const element = step.kind === 'value' ? elementOf(step.value.type) : I32;
    const scalar = scalarOf(narrowStep(step), element, end);
    next = sum
      ? end.addptr(next, scalar)
      : end.binary('arith.addi', next, widen(scalar, wide, end));
  }

  // The new carried value takes the old one's place.
  const keep = loop.results.map((_, k) => k).filter((k) => k !== i);
  const yields = body.terminator.operands;
  body.terminator.operands = [...keep.map((k) => yields[k]!), next];
  body.args.splice(i + 1, 1);
  const operands = [...loop.operands.slice(0, 3), ...keep.map((k) => loop.operand(k + 3)), start];
  const types = [...keep.map((k) => loop.results[k]!.type), start.type];
  const old = loop.results[i]!;
  if (old.uses.size > 0) {
    const parent = loop.parent!;
    const after = new Builder(parent, loop.next);
    after.location = loop.location;
    // Filled in below: the result does not exist yet.
    const stand = before.splat(start, shape);
    const final = sum ? after.addptr(stand, sum.offset) : after.addptr(init, stand);
    final.name = old.name;
    old.replaceAllUsesWith(final);
    const rebuilt = rebuild(loop, operands, types, [...keep, -1]);
    const result = rebuilt.results.at(-1)!;
    const splat = Builder.before(final.definition!).splat(result, shape);
    stand.replaceAllUsesWith(splat);
    stand.definition!.erase();
    return rebuilt;
  }
  return rebuild(loop, operands, types, [...keep, -1]);
}

/** A constant step as a number: constants of i64 have bigints. */
function narrowStep(step: Uniform): Uniform {
  return step.kind === 'constant' ? { kind: 'constant', value: Number(step.value) } : step;
}
function isWideStep(step: Uniform): boolean {
  return step.kind === 'value' && dtypeOf(step.value.type) === 'i64';
}
function widen(value: Value, wide: boolean, b: Builder): Value {
  if (!wide || dtypeOf(value.type) === 'i64') return value;
  return b.cast('arith.extsi', value, I64);
}

/** The pointer tile as one pointer plus a tile of offsets, if it is such a sum. */
function baseAndOffset(
  value: Value,
  b: Builder,
): { readonly base: Value; readonly offset: Value } | undefined {
  const terms: Value[] = [];
  const base = collect(value, shapeOf(value.type), terms, b);
  if (!base || terms.length === 0) return undefined;
  const wide = terms.some((term) => dtypeOf(term.type) === 'i64');
  const same = terms.map((term) =>
    wide && dtypeOf(term.type) !== 'i64'
      ? b.value('arith.extsi', [term], withElement(term.type, I64))
      : term,
  );
  return { base, offset: same.reduce((sum, term) => b.binary('arith.addi', sum, term)) };
}
/** The base pointer, and the offsets added to it in the shape of the whole. */
function collect(
  value: Value,
  shape: readonly number[],
  terms: Value[],
  b: Builder,
): Value | undefined {
  const op = value.definition;
  switch (op?.name) {
    case 'tt.splat':
      return op.operand(0);
    case 'tt.addptr': {
      const base = collect(op.operand(0), shapeOf(value.type), terms, b);
      if (!base) return undefined;
      if (constantOf(op.operand(1)) !== 0) terms.push(op.operand(1));
      return base;
    }
    case 'tt.broadcast':
    case 'tt.expand_dims': {
      const inner: Value[] = [];
      const base = collect(op.operand(0), shapeOf(op.operand(0).type), inner, b);
      if (!base) return undefined;
      for (const term of inner)
        terms.push(
          op.name === 'tt.broadcast'
            ? b.broadcast(term, shape)
            : b.expandDims(term, Number(op.attributes['axis'])),
        );
      return base;
    }
    default:
      return undefined;
  }
}
