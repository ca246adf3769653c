/**
 * Says what is wrong with a function in thread IR, or that nothing is: operands and results by the
 * rules of `ops.ts`; definitions before uses, use sets true; attributes, memory and regions by
 * `rules.ts`; and uniform control flow around what threads do together (`uniformity.ts`).
 */
import { walk } from '../ir';
import { formatLocation } from '../location';
import type { VerifierProblem } from '../verifier';
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from './ir';
import { hasThreadTrait, THREAD_OPS } from './ops';
import type { ThreadOpSpec } from './ops/spec';
import {
  attributeProblem,
  groupProblem,
  memoryProblem,
  parameterProblem,
  regionProblem,
  sameTypes,
} from './rules';
import { printThreadType } from './types';
import { analyzeUniformity, uniformityProblem } from './uniformity';

/** Every problem found; empty where the function is well formed. */
export function verifyThreads(func: ThreadFunc): VerifierProblem[] {
  const verifier = new Verifier(func);
  verifier.parameters();
  verifier.block(func.body, undefined);
  // An analysis of what is not even well formed would stumble.
  if (verifier.problems.length === 0) verifier.uniformity();
  return verifier.problems;
}
/** Throws with every problem listed. */
export function assertValidThreads(func: ThreadFunc, after: string): void {
  const problems = verifyThreads(func);
  if (problems.length === 0) return;
  const list = problems.map((p) => `  ${formatLocation(p.location)}: ${p.message}`);
  throw new Error(`invalid thread IR after ${after}:\n${list.join('\n')}`);
}

/** Numbers of operands and regions, and attributes that must be there. */
interface Shape {
  readonly spec: ThreadOpSpec;
  readonly least: number;
  readonly most: number;
  /** At least one, as many as there are. */
  readonly manyRegions: boolean;
  readonly regions: number;
  readonly needed: readonly string[];
}
/** Read from the names once: the verifier runs behind each pass over tens of thousands of them. */
const SHAPES = new Map<string, Shape>(
  Object.entries(THREAD_OPS).map(([name, spec]) => {
    const { operands, regions = [], attributes = [] } = spec;
    const shape: Shape = {
      spec,
      least: operands.filter((each) => !/[?*]$/.test(each)).length,
      most: operands.some((each) => each.endsWith('*')) ? Infinity : operands.length,
      manyRegions: regions.some((each) => each.endsWith('*')),
      regions: regions.length,
      needed: attributes.filter((each) => !each.endsWith('?')),
    };
    return [name, shape];
  }),
);

class Verifier {
  readonly problems: VerifierProblem[] = [];
  readonly #visible = new Set<ThreadValue>();

  constructor(private readonly func: ThreadFunc) {}

  #report(op: ThreadOp | undefined, message: string): void {
    const location = op?.location ?? this.func.location;
    this.problems.push({ message: op ? `${op.name}: ${message}` : message, location });
  }

  parameters(): void {
    const { body, parameters } = this.func;
    if (body.args.length !== parameters.length) this.#report(undefined, 'parameters are missing');
    body.args.forEach((arg, i) => {
      const problem = parameterProblem(this.func, i);
      if (problem) this.#report(undefined, `${arg.name ?? `argument ${i}`}: ${problem}`);
    });
    if (body.ops.length > 0 && body.terminator.name !== 'thread.return')
      this.#report(body.terminator, 'a function ends in thread.return');
  }
  uniformity(): void {
    const uniformity = analyzeUniformity(this.func);
    walk(this.func.body, (op) => {
      const problem = uniformityProblem(uniformity, op);
      if (problem) this.#report(op, problem);
    });
  }

  block(block: ThreadBlock, owner: ThreadOp | undefined): void {
    if (block.parent !== owner) this.#report(owner, 'a block has the wrong parent');
    const defined: ThreadValue[] = [];
    const define = (value: ThreadValue): void => {
      this.#visible.add(value);
      defined.push(value);
    };
    block.args.forEach(define);
    const { ops } = block;
    ops.forEach((op, i) => {
      this.#operation(op, block);
      const last = i === ops.length - 1;
      if (hasThreadTrait(op.name, 'terminator') !== last)
        this.#report(op, last ? 'a block must end in a terminator' : 'stands inside a block');
      op.results.forEach(define);
    });
    if (ops.length === 0) this.#report(owner, 'an empty block');
    for (const value of defined) this.#visible.delete(value);
  }

  #operation(op: ThreadOp, block: ThreadBlock): void {
    if (op.parent !== block) this.#report(op, 'has the wrong parent block');
    const { operands } = op;
    for (let i = 0; i < operands.length; i++) {
      const operand = operands[i]!;
      if (!this.#visible.has(operand))
        this.#report(
          op,
          `operand ${i} (${operand.name ?? 'unnamed'}) is used before its definition`,
        );
      if (!operand.uses.has(op)) this.#report(op, `operand ${i} does not list this use`);
    }
    const shape = SHAPES.get(op.name)!;
    const problem =
      structureProblem(op, shape) ??
      typeProblem(op, shape.spec) ??
      attributeProblem(op) ??
      memoryProblem(this.func, op) ??
      groupProblem(this.func, op) ??
      regionProblem(op);
    if (problem) {
      const types = operands.map(({ type }) => printThreadType(type)).join(', ');
      this.#report(op, `${problem}: (${types})`);
    }
    for (const region of op.regions) this.block(region, op);
  }
}

function structureProblem(op: ThreadOp, shape: Shape): string | undefined {
  const { length } = op.operands;
  if (length < shape.least || length > shape.most) return `${length} operands`;
  const regions = op.regions.length;
  if (shape.manyRegions ? regions === 0 : regions !== shape.regions) return `${regions} regions`;
  const missing = shape.needed.find((name) => !(name in op.attributes));
  return missing && `attribute ${missing} is missing`;
}

function typeProblem(op: ThreadOp, spec: ThreadOpSpec): string | undefined {
  const own = op.results.map(({ type }) => type);
  const types = spec.types(
    op.operands.map(({ type }) => type),
    op.attributes,
    own,
  );
  if (typeof types === 'string') return types;
  return sameTypes(types, own) ? undefined : `gives ${own.map(printThreadType).join(', ')}`;
}
