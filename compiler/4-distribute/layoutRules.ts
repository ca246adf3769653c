/**
 * How layouts pass through operations (points 2, 3 and 5 of the backend contract), by their
 * definitions' layout rules: which pairs of values of an operation are the same registers under
 * other coordinates, and which operations are cheap enough to be computed again in a second layout
 * instead of being converted.
 */
import { linearOf, parseLayout, refitted } from '../ir/authoredLayout';
import { type Func, type Operation, type Value, walk } from '../ir/ir';
import type { Layout } from '../ir/layout';
import type { ThreadBits } from '../ir/layoutAlgebra';
import { shapeOf } from '../ir/types';
import { OPS, type OpName } from '../ir/ops';
import { sameLayout, unrelated, type LayoutRule } from '../ir/ops/layouts';

export const isTile = (value: Value): boolean => value.type.kind === 'tensor';
export const layoutOf = (value: Value): Layout | undefined =>
  value.type.kind === 'tensor' ? value.type.layout : undefined;
export function setLayout(value: Value, layout: Layout): void {
  if (value.type.kind === 'tensor') value.type = { ...value.type, layout };
}

/** The layout that the program's author gave an operation; undefined where it gave none. */
export function authoredOf(op: Operation, threads: ThreadBits): Layout | undefined {
  const text = op.attributes['layout'];
  if (typeof text !== 'string') return undefined;
  const tile = [...op.results, ...op.operands].find(isTile);
  return tile && refitted(linearOf(parseLayout(text), shapeOf(tile.type)), threads);
}
/** Whether the author of the program gave any of its tiles a layout. */
export function hasAuthoredLayouts(func: Func): boolean {
  let found = false;
  walk(func.body, (op) => (found ||= typeof op.attributes['layout'] === 'string'));
  return found;
}

/**
 * Whether a reduction's partial results go through workgroup memory: its axis runs over subgroups.
 */
export function crossesSubgroups(op: Operation): boolean {
  const axis = Number(op.attributes['axis'] ?? 0);
  return layoutOf(op.operand(0))?.subgroup.some((basis) => (basis[axis] ?? 0) !== 0) ?? false;
}

/** Does it compute nothing: a thread has its part of the result already, or can derive it? */
export function isFree(name: OpName): boolean {
  const definition = OPS[name];
  return definition.kind === 'tile' && definition.free === true;
}
/** Can it be done twice: is it elementwise, and cheap? */
function isCheapElementwise(name: OpName): boolean {
  const definition = OPS[name];
  return definition.kind === 'elementwise' ? !definition.costly : definition.kind === 'address';
}

/** Values that are recomputed in any layout: functions of ranges, constants and scalars. */
export class CheapValues {
  readonly #known = new Map<Value, boolean>();
  has(value: Value): boolean {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const op = value.definition;
    const cheap =
      op !== undefined &&
      op.results.length === 1 &&
      (isFree(op.name) || isCheapElementwise(op.name)) &&
      op.operands.every((operand) => !isTile(operand) || this.has(operand));
    this.#known.set(value, cheap);
    return cheap;
  }
  add(value: Value): void {
    this.#known.set(value, true);
  }
}

const ELEMENTWISE = sameLayout('result');
const NONE = unrelated('given');
/** The layout rule of an operation; loops and branches have none. */
export function layoutRuleOf(name: OpName): LayoutRule {
  const definition = OPS[name];
  if ('layout' in definition) return definition.layout;
  const elementwise = definition.kind === 'elementwise' || definition.kind === 'address';
  return elementwise ? ELEMENTWISE : NONE;
}

/** Two values of which one's layout determines the other's. */
export interface Relation {
  readonly from: Value;
  readonly to: Value;
  readonly forward: (layout: Layout) => Layout | undefined;
  readonly backward: (layout: Layout) => Layout | undefined;
}

const same = (layout: Layout): Layout => layout;
function pair(from: Value | undefined, to: Value | undefined): Relation[] {
  return from && to && isTile(from) && isTile(to)
    ? [{ from, to, forward: same, backward: same }]
    : [];
}

/** All relations that an operation makes, control flow included. */
export function relationsOf(op: Operation): Relation[] {
  const definition = OPS[op.name];
  if (definition.kind === 'control')
    return definition.flow(op).flatMap(({ from, to }) => pair(from, to));
  const { operand: backward, result: forward, shared } = layoutRuleOf(op.name);
  const relations: Relation[] = [];
  op.operands.forEach((operand, index) => {
    if (!isTile(operand)) return;
    for (const result of op.results) {
      if (!isTile(result)) continue;
      relations.push({
        from: operand,
        to: result,
        forward: (layout) => forward(op, index, layout),
        backward: (layout) => backward(op, index, layout),
      });
    }
    if (shared !== undefined && index !== shared)
      relations.push(...pair(op.operand(shared), operand));
  });
  return relations;
}
