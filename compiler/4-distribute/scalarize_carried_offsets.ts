/**
 * A pointer or index tile that a loop moves by the same amount everywhere (`a_ptrs += BLOCK_K`) is
 * carried as its first value and one scalar offset. The tile then costs no registers from iteration
 * to iteration, and what it starts from stays cheap to compute in any layout.
 */
import { Builder } from '../ir/builder';
import { type Func, Operation, type Value, walk } from '../ir/ir';
import { dtypeOf, shapeOf } from '../ir/types';
import { eraseDead } from './eraseDead';

interface Carried {
  /** Which carried value. */
  readonly index: number;
  readonly name: 'tt.addptr' | 'arith.addi';
  /** The scalar that is added each time, known in the loop's body. */
  readonly step: Value | { readonly constant: number | bigint; readonly like: Value };
}

export function scalarize_carried_offsets(func: Func): boolean {
  const loops: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'scf.for') loops.push(op);
  });
  let changed = false;
  for (const loop of loops) {
    const carried = loop.results.flatMap((_, index) => moves(loop, index) ?? []);
    if (carried.length === 0) continue;
    rebuild(loop, carried);
    changed = true;
  }
  if (changed) eraseDead(func.body);
  return changed;
}

/** How carried tile `index` moves, if it moves by one scalar. */
function moves(loop: Operation, index: number): Carried | undefined {
  const body = loop.region(0);
  const arg = body.args[index + 1]!;
  if (arg.type.kind !== 'tensor') return undefined;
  const op = body.terminator.operand(index).definition;
  if (!op || (op.name !== 'tt.addptr' && op.name !== 'arith.addi') || op.operand(0) !== arg)
    return undefined;
  const by = op.operand(1);
  const definition = by.definition;
  if (definition?.name === 'tt.splat') return { index, name: op.name, step: definition.operand(0) };
  const value = definition?.name === 'arith.constant' ? definition.attributes['value'] : undefined;
  const dtype = dtypeOf(by.type);
  const whole = typeof value === 'number' || typeof value === 'bigint';
  if (whole && (dtype === 'i32' || dtype === 'i64'))
    return { index, name: op.name, step: { constant: value, like: by } };
  return undefined;
}

function rebuild(loop: Operation, carried: readonly Carried[]): void {
  const body = loop.region(0);
  const before = Builder.before(loop);
  const start = Builder.before(body.ops[0]!);
  const end = Builder.before(body.terminator);
  const inits: Value[] = [...loop.operands];
  const offsets: [index: number, next: Value][] = [];
  for (const { index, name, step } of carried) {
    const element = 'constant' in step ? dtypeOf(step.like.type) : dtypeOf(step.type);
    const zero = before.constant({ kind: 'scalar', dtype: element ?? 'i32' }, 0);
    const arg = body.args[index + 1]!;
    const init = loop.operand(index + 3);
    // The argument becomes the scalar; the tile is computed from it where the body starts.
    const type = arg.type;
    const shape = shapeOf(type);
    arg.type = zero.type;
    const tile = new Operation('tt.splat', [arg], [spread(zero, shape)], {}, [], loop.location);
    const moved = new Operation(name, [init, tile.result], [type], {}, [], loop.location);
    moved.result.name = arg.name;
    for (const user of [...arg.uses]) if (user !== tile) user.replaceOperand(arg, moved.result);
    start.insert(tile);
    start.insert(moved);
    inits[index + 3] = zero;
    const by = 'constant' in step ? end.constant(zero.type, step.constant) : step;
    offsets.push([index, end.binary('arith.addi', arg, by)]);
  }
  for (const [index, next] of offsets) body.terminator.setOperand(index, next);

  loop.regions = [];
  const types = inits.slice(3).map((value) => value.type);
  const slim = new Operation('scf.for', inits, types, loop.attributes, [body], loop.location);
  loop.parent!.insertBefore(loop, slim);
  const after = Builder.before(loop);
  loop.results.forEach((result, i) => {
    slim.results[i]!.name = result.name;
    const one = carried.find((c) => c.index === i);
    if (!one) return result.replaceAllUsesWith(slim.results[i]!);
    if (result.uses.size === 0) return;
    const offset = after.splat(slim.results[i]!, shapeOf(result.type));
    const last = after.value(one.name, [loop.operand(i + 3), offset], result.type);
    result.replaceAllUsesWith(last);
  });
  loop.erase();
}

function spread(scalar: Value, shape: readonly number[]): Value['type'] {
  const element = scalar.type.kind === 'scalar' ? scalar.type : undefined;
  if (!element) throw new Error('an offset is a number');
  return { kind: 'tensor', shape, element };
}
