/**
 * Branches and loops. Their results and the values that loops carry are variables: a branch and an
 * iteration end with assignments, one after the other (`Body.assignAll`).
 */
import type { ThreadBlock, ThreadOp } from '../ir/thread/ir';
import type { Body } from './body';
import { Text } from './expressions';
import type { Variable } from '../ir/thread/variables';

export function printIf(body: Body, op: ThreadOp): void {
  const { variables, writer } = body;
  const condition = body.name(op.operand(0));
  const [yes, no] = [op.region(0), op.region(1)];
  const elseEmpty = no.first === no.terminator;
  /** Variables that hold the value of the `else` branch already. */
  const settled = new Set<Variable>();
  op.results.forEach((result, i) => {
    const variable = variables.get(result)!;
    const otherwise = no.terminator.operand(i);
    if (variable === variables.get(otherwise)) settled.add(variable);
    if (variable.name !== undefined) return;
    body.declare(variable, elseEmpty ? body.name(otherwise) : undefined);
    if (elseEmpty) settled.add(variable);
  });
  const branch = (block: ThreadBlock): void => {
    body.block(block);
    body.assignAll(op.results, block.terminator.operands);
  };
  writer.line(`if (${condition}) {`);
  writer.indented(() => branch(yes));
  if (elseEmpty && op.results.every((result) => settled.has(variables.get(result)!)))
    return writer.end('}');
  writer.end('} else {');
  writer.indented(() => branch(no));
  writer.end('}');
}

/**
 * The head of a loop that leaves itself. Tint bounds a loop that it cannot prove finite by a
 * counter of 64 bits, and its proof takes a limit that is a constant: so no `k < trips`.
 */
const headOf = (counter: string, limit = '0xffffffffu'): string =>
  `for (var ${counter} = 0u; ${counter} < ${limit}; ${counter}++)`;

export function printFor(body: Body, op: ThreadOp): void {
  const { writer } = body;
  const [trips, ...init] = op.operands;
  body.assignAll(op.results, init);
  const counter = body.names.fresh(op.region(0).args[0]!.name ?? 'k');
  const known = trips!.definition?.name === 'thread.constant';
  const count = body.name(trips!);
  const single = op.regions.length === 1;
  const limit = known && single ? count : undefined;
  const leave = `if (${counter} >= ${count}) { break; }`;
  writer.block(headOf(counter, limit), () => {
    op.regions.forEach((region, r) => {
      if (r > 0) writer.line(`${counter}++;`);
      if (!known || !single) writer.line(leave);
      body.values.set(region.args[0]!, new Text(counter));
      body.block(region);
      body.assignAll(region.args.slice(1), region.terminator.operands);
    });
    if (op.attributes['test'] !== 'bottom' || count === '0u') return;
    const number = known ? Number(trips!.definition!.attributes['value']) : 0;
    const last = known ? `== ${number - 1}u` : `+ 1u >= ${count}`;
    writer.line(`if (${counter} ${last}) { break; }`);
  });
}

export function printWhile(body: Body, op: ThreadOp): void {
  const { writer } = body;
  const [before, after] = [op.region(0), op.region(1)];
  body.assignAll(before.args, op.operands);
  for (const result of op.results) {
    const variable = body.variables.get(result)!;
    if (variable.name === undefined) body.declare(variable);
  }
  const counter = body.names.fresh('k');
  writer.block(headOf(counter), () => {
    body.block(before);
    const [condition, ...forwarded] = before.terminator.operands;
    const go = body.name(condition!);
    writer.block(`if (!(${go}))`, () => {
      body.assignAll(op.results, forwarded);
      writer.line('break;');
    });
    after.args.forEach((arg, i) => body.values.alias(arg, forwarded[i]!));
    body.block(after);
    body.assignAll(before.args, after.terminator.operands);
  });
}
