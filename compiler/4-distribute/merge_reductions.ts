/**
 * Reductions of one shape and layout that do not need each other's results become one of several
 * inputs: their partial results then cross subgroups together, in one trip through workgroup memory
 * with one pair of barriers. Each keeps its own region and its own tree, so no bit of a result
 * changes. Reductions that stay within subgroups have nothing to share, and stay as they are.
 */
import { Block, type Func, Operation, type Value, walk } from '../ir/ir';
import { equalLayouts } from '../ir/layoutAlgebra';
import { hasTrait } from '../ir/ops';
import { shapeOf } from '../ir/types';
import { crossesSubgroups, layoutOf } from './layoutRules';
import { wordBytes } from './allocate_shared_memory';

/** Words that a thread may lay down at once for the inputs of one reduction. */
const MOST_WORDS = 4;

export function merge_reductions(func: Func): boolean {
  const blocks = new Set<Block>();
  walk(func.body, (op) => {
    if (op.name === 'tt.reduce') blocks.add(op.parent!);
  });
  let changed = false;
  for (const block of blocks) changed = mergeIn(block) || changed;
  return changed;
}

function mergeIn(block: Block): boolean {
  let changed = false;
  let open = block.ops.filter((op) => op.name === 'tt.reduce' && crossesSubgroups(op));
  while (open.length > 1) {
    const [first, ...others] = open as [Operation, ...Operation[]];
    const partner = others.find((other) => areAlike(first, other) && bringTogether(first, other));
    open = others;
    if (!partner) continue;
    changed = true;
    // The merged one stands where the later one stood, and may take another in.
    open = [merge(first, partner), ...others.filter((other) => other !== partner)];
  }
  return changed;
}

function areAlike(a: Operation, b: Operation): boolean {
  const [x, y] = [a.operand(0), b.operand(0)];
  const words = [...a.operands, ...b.operands].reduce((sum, v) => sum + wordBytes(v.type) / 4, 0);
  return (
    a.attributes['axis'] === b.attributes['axis'] &&
    words <= MOST_WORDS &&
    shapeOf(x.type).join() === shapeOf(y.type).join() &&
    equalLayouts(layoutOf(x)!, layoutOf(y)!)
  );
}

/**
 * Brings the second reduction up to the first one, or what depends on the first behind the second,
 * where that neither reads nor writes. False, and nothing moved, where neither can be.
 */
function bringTogether(first: Operation, second: Operation): boolean {
  const between = new Set<Operation>();
  const dependents = new Set<Operation>();
  for (let op: Operation | undefined = first; op && op !== second; op = op.next) {
    between.add(op);
    if (op === first || uses(op, dependents)) dependents.add(op);
  }
  if (uses(second, dependents)) return false;
  const block = second.parent!;
  if (!uses(second, between)) {
    block.remove(second);
    block.insertAfter(first, second);
    return true;
  }
  dependents.delete(first);
  if ([...dependents].some((op) => !hasTrait(op.name, 'pure') || op.regions.length > 0))
    return false;
  let after = second;
  for (const op of dependents) {
    block.remove(op);
    block.insertAfter(after, op);
    after = op;
  }
  return true;
}

/** Whether it uses a result of one of these, in a region of its own too. */
function uses(op: Operation, others: ReadonlySet<Operation>): boolean {
  const used = (value: Value): boolean =>
    value.definition !== undefined && others.has(value.definition);
  if (op.operands.some(used)) return true;
  return op.regions.some((region) => region.ops.some((inner) => uses(inner, others)));
}

/**
 * One reduction in place of two, where the second one stands. Its regions run one behind the other.
 */
function merge(a: Operation, b: Operation): Operation {
  const region = new Block();
  // The left sides of both, then the right sides.
  for (const side of [0, 1])
    for (const op of [a, b]) {
      const count = op.operands.length;
      for (const arg of op.region(0).args.slice(side * count, (side + 1) * count))
        arg.replaceAllUsesWith(region.addArg(arg.type, arg.name));
    }
  const results: Value[] = [];
  for (const op of [a, b]) {
    const own = op.region(0);
    const end = own.terminator;
    results.push(...end.operands);
    end.erase();
    for (const inner of own.ops) {
      own.remove(inner);
      region.append(inner);
    }
  }
  region.append(new Operation('tt.reduce.return', results, [], {}, [], b.location));
  const both = [...a.results, ...b.results];
  const merged = new Operation(
    'tt.reduce',
    [...a.operands, ...b.operands],
    both.map(({ type }) => type),
    { ...a.attributes },
    [region],
    a.location,
  );
  b.parent!.insertBefore(b, merged);
  both.forEach((old, i) => {
    merged.results[i]!.name = old.name;
    old.replaceAllUsesWith(merged.results[i]!);
  });
  for (const op of [b, a]) op.erase();
  return merged;
}
