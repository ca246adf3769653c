/**
 * Says what is wrong with a function, or that nothing is: operand and result counts, attributes and
 * types by the operations' definitions, definitions before uses, use sets true, terminators where
 * they belong, shapes powers of two. `4-distribute/testing/checkContract.ts` checks what holds
 * after distribution.
 */
import { isFormAttribute } from './registerForm';
import type { Block, Func, Operation, Value } from './ir';
import type { Location } from './location';
import { threadBases } from './layout';
import { formatLocation } from './location';
import { OPS, hasTrait } from './ops';
import type { OpName } from './ops';
import { printType } from './printer';
import { checkTypes } from './typeRules';
import type { Type } from './types';
import { shapeOf } from './types';

export interface VerifierProblem {
  readonly message: string;
  readonly location: Location;
}

/** The most elements that a tile may have, as in Triton. */
const MAX_TILE_ELEMENTS = 1 << 20;

/** Every problem found; empty where the function is well formed. */
export function verify(func: Func): VerifierProblem[] {
  const problems: VerifierProblem[] = [];
  const visible = new Set<Value>();
  const report = (op: Operation, message: string) =>
    problems.push({ message: `${op.name}: ${message}`, location: op.location });

  const verifyBlock = (block: Block, owner: Operation | undefined): void => {
    if (block.parent !== owner)
      problems.push({ message: 'a block has the wrong parent', location: func.location });
    const defined: Value[] = [];
    const define = (value: Value) => {
      visible.add(value);
      defined.push(value);
    };
    block.args.forEach(define);
    block.ops.forEach((op, i) => {
      if (op.parent !== block) report(op, 'has the wrong parent block');
      verifyOperation(op);
      const last = i === block.ops.length - 1;
      if (hasTrait(op.name, 'terminator') !== last)
        report(op, last ? 'a block must end in a terminator' : 'stands in the middle of a block');
      op.results.forEach(define);
    });
    if (block.ops.length === 0)
      problems.push({ message: 'an empty block', location: owner?.location ?? func.location });
    for (const value of defined) visible.delete(value);
  };

  const verifyOperation = (op: Operation): void => {
    let sound = true;
    for (const [i, operand] of op.operands.entries()) {
      if (!visible.has(operand)) {
        report(op, `operand ${i} (${operand.name ?? 'unnamed'}) is used where it is not defined`);
        sound = false;
      }
      if (!operand.uses.has(op)) report(op, `operand ${i} does not know of this use`);
    }
    for (const result of op.results) {
      for (const user of result.uses) {
        if (!user.operands.includes(result)) report(op, `claims a use by ${user.name}`);
      }
      const problem = checkShape(result.type);
      if (problem) report(op, problem);
    }
    const structure = checkStructure(op);
    if (structure) report(op, structure);
    for (const region of op.regions) verifyBlock(region, op);
    if (structure || !sound || op.regions.some((region) => region.ops.length === 0)) return;
    const problem = checkTypes(
      op.name,
      op.operands.map((value) => value.type),
      op.attributes,
      op.regions,
      op.results.map((value) => value.type),
    );
    if (problem) {
      const types = op.operands.map((value) => printType(value.type)).join(', ');
      const results = op.results.map((value) => printType(value.type)).join(', ');
      report(op, `${problem}: (${types}) -> (${results})`);
    }
  };

  verifyBlock(func.body, undefined);
  if (func.parameters.length !== func.body.args.length)
    problems.push({ message: 'parameters and arguments differ', location: func.location });
  if (func.body.ops.at(-1)?.name !== 'tt.return')
    problems.push({ message: 'the body must end in tt.return', location: func.location });
  return problems;
}

/** Throws with every problem listed. */
export function assertValid(func: Func, after: string): void {
  const problems = verify(func);
  if (problems.length === 0) return;
  const list = problems.map((p) => `  ${formatLocation(p.location)}: ${p.message}`);
  throw new Error(`invalid IR after ${after}:\n${list.join('\n')}`);
}

function checkShape(type: Type): string | undefined {
  const shape = shapeOf(type);
  if (type.kind === 'tensor' && shape.length === 0) return 'a tile needs a dimension';
  let count = 1;
  for (const size of shape) {
    if (size < 1 || (size & (size - 1)) !== 0) return `dimension ${size} is no power of two`;
    count *= size;
  }
  const { layout = null } = type.kind === 'tensor' ? type : {};
  for (const basis of layout ? [...layout.register, ...threadBases(layout)] : [])
    if (basis.length !== shape.length || basis.some((c, d) => c >= shape[d]!))
      return `the layout's vector [${basis.join(', ')}] lies outside of the tile`;
  return count > MAX_TILE_ELEMENTS ? `a tile of ${count} elements` : undefined;
}

interface Arity {
  readonly least: number;
  readonly most: number;
  readonly required: readonly string[];
}
const arities = new Map<OpName, Arity>();
function arityOf(name: OpName): Arity {
  let arity = arities.get(name);
  if (!arity) {
    const { operands, attributes } = OPS[name];
    arity = {
      least: operands.filter((o) => !/[?*]$/.test(o)).length,
      most: operands.some((o) => o.endsWith('*')) ? Infinity : operands.length,
      required: Object.keys(attributes).filter((a) => !attributes[a]!.optional),
    };
    arities.set(name, arity);
  }
  return arity;
}

function checkStructure(op: Operation): string | undefined {
  const { results, attributes, ...definition } = OPS[op.name];
  const regions = ('regions' in definition && definition.regions) || [];
  const { least, most, required } = arityOf(op.name);
  if (op.operands.length < least || op.operands.length > most)
    return `${op.operands.length} operands`;
  if (results !== '*' && op.results.length !== results) return `${op.results.length} results`;
  if (op.regions.length !== regions.length) return `${op.regions.length} regions`;
  for (const name of required)
    if (op.attributes[name] === undefined) return `attribute ${name} is missing`;
  for (const [name, value] of Object.entries(op.attributes)) {
    // Facts that a program states (tt.divisibility …) and forms stand on whatever makes the value.
    if (name.startsWith('tt.') || isFormAttribute(name, value)) continue;
    const kind = attributes[name];
    if (!kind) return `no attribute ${name} is known`;
    if (!kind.fits(value)) return `attribute ${name} must be ${kind.what}`;
  }
  return undefined;
}
