/**
 * Keeps sums of dots in subgroup matrices for as long as nothing but dots touches them: a sum that
 * a loop carries is read back once, after the loop, and one dot's sum goes on in the next one's
 * matrices.
 *
 *     for (acc = init) { yield acc + read(dot(a, b, 0)) }
 *     for (f = 0) { yield dot(a, b, f) }; read(f) + init
 */
import { Builder, constantOf } from '../ir/builder';
import { type Func, type Operation, type Value, walk } from '../ir/ir';
import { sameTypeIgnoringLayout } from '../ir/sameType';
import { eraseDead } from './eraseDead';

export function keep_accumulators_in_fragments(func: Func): boolean {
  const reads: Operation[] = [];
  const loops: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'ttg.read_fragments') reads.push(op);
    if (op.name === 'scf.for') loops.push(op);
  });
  if (reads.length === 0) return false;
  let changed = false;
  for (const read of reads) changed = chain(read) || changed;
  for (const loop of loops)
    for (let i = 0; i < loop.results.length; i++) changed = carry(loop, i) || changed;
  if (changed) eraseDead(func.body);
  return changed;
}

/**
 * `read(x) + rest`: the operation that adds, and the rest; where the read stands alone, only
 * itself.
 */
interface Sum {
  readonly read: Operation;
  readonly rest: Value | undefined;
}
function sumOf(value: Value): Sum | undefined {
  const op = value.definition;
  if (op?.name === 'ttg.read_fragments') return { read: op, rest: undefined };
  if (op?.name !== 'arith.addf' && op?.name !== 'arith.addi') return undefined;
  const [x, rest] = [op.operand(0), op.operand(1)];
  const read = x.definition;
  if (read?.name !== 'ttg.read_fragments' || !read.result.hasOneUse) return undefined;
  return { read, rest };
}

/**
 * The operand of the first dot of a chain where the sum starts: a zero; undefined if it is none.
 */
function startOf(fragments: Value): { dot: Operation; start: Value } | undefined {
  let found: { dot: Operation; start: Value } | undefined;
  for (let op = fragments.definition; op?.name === 'tt.dot'; op = op.operand(2).definition) {
    if (!op.result.hasOneUse) return undefined;
    found = { dot: op, start: op.operand(2) };
  }
  return found && constantOf(found.start) === 0 ? found : undefined;
}

/** `read(dots from 0) + (read(g) + rest)`, in one block, becomes `read(dots from g) + rest`. */
function chain(read: Operation): boolean {
  const [add] = read.result.uses;
  if (!add || !read.result.hasOneUse || (add.name !== 'arith.addf' && add.name !== 'arith.addi'))
    return false;
  if (add.operand(0) !== read.result || !add.operand(1).hasOneUse) return false;
  const before = sumOf(add.operand(1));
  const start = startOf(read.operand(0));
  if (!before || !start || before.read.parent !== start.dot.parent) return false;
  const earlier = before.read.operand(0);
  if (!sameTypeIgnoringLayout(earlier.type, start.start.type) || !earlier.hasOneUse) return false;
  start.dot.setOperand(2, earlier);
  if (before.rest) add.setOperand(1, before.rest);
  else add.result.replaceAllUsesWith(read.result);
  return true;
}

/** Carries a loop's sum in matrices, where all that the loop does with it is to add dots. */
function carry(loop: Operation, index: number): boolean {
  const body = loop.region(0);
  const argument = body.args[index + 1]!;
  const yielded = body.terminator.operand(index);
  const sum = sumOf(yielded);
  if (!sum || sum.rest !== argument || !argument.hasOneUse || !yielded.hasOneUse) return false;
  const fragments = sum.read.operand(0);
  const start = startOf(fragments);
  if (!start || start.dot.parent !== body || sum.read.parent !== body) return false;

  const outside = Builder.before(loop);
  const init = loop.operand(index + 3);
  const result = loop.results[index]!;
  const tile = result.type;
  const adding = yielded.definition!;
  loop.setOperand(index + 3, outside.constant(fragments.type, 0));
  start.dot.setOperand(2, argument);
  body.terminator.operands = body.terminator.operands.map((value, i) =>
    i === index ? fragments : value,
  );
  adding.erase();
  argument.type = fragments.type;

  const users = [...result.uses];
  result.type = fragments.type;
  const after = loop.next ? Builder.before(loop.next) : new Builder(loop.parent!);
  after.location = adding.location;
  const read = after.value('ttg.read_fragments', [result], tile);
  const total = constantOf(init) === 0 ? read : after.binary(adding.name, read, init);
  total.name ??= result.name;
  for (const user of users) user.replaceOperand(result, total);
  return true;
}
