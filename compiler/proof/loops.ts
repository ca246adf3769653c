/**
 * Counters of loops, and what loops carry: a value to which every iteration adds the same is what
 * it began with and so many times that. The number of the iteration is an atom.
 */
import type { Block, Operation, Value } from '../ir/ir';
import { elementOf } from '../ir/types';
import { loopsAround, typeRange, type Bound, type Evaluator, type Pointer } from './evaluator';
import { alternatives, negate, TRUE } from './formula';
import type { Indices } from './indices';
import { pathTo } from './surroundings';
import { Poly } from './polynomial';
import { Prover } from './prover';

interface Counter {
  readonly value: Poly;
  /** The number of the iteration, from 0. */
  readonly iteration: Poly;
}

/** The counter of an `scf.for`; undefined where its step may not be positive. */
export function counterOf(cx: Evaluator, loop: Operation): Counter | undefined {
  const [low, high, step] = [0, 1, 2].map((i) => cx.integer(loop.operand(i), [])) as [
    Poly,
    Poly,
    Poly,
  ];
  const { terms, prover } = cx.arithmetic;
  if (!prover.positive(step)) return undefined;
  const counter = loop.region(0).args[0]!;
  const plain = low.isZero && step.equals(Poly.ONE);
  const key = `loop ${cx.numberOf(counter)} ${low.key} ${high.key} ${step.key}`;
  const name = counter.name ?? 'a counter';
  const { poly: iteration, made } = terms.make(key, plain ? name : `iteration of ${name}`, {
    loops: [loop, ...terms.loopsOf(low, high, step)],
    low: 0,
  });
  const value = low.plus(step.times(iteration));
  if (made) terms.know(iteration, high.minus(value).plusConstant(-1));
  return { value, iteration };
}

function iterationOf(cx: Evaluator, loop: Operation): Poly | undefined {
  if (loop.name === 'scf.for') return counterOf(cx, loop)?.iteration;
  const first = loop.region(0).args[0] ?? loop.results[0];
  if (!first) return undefined;
  const name = 'iteration of a while loop';
  return cx.arithmetic.terms.make(`while ${cx.numberOf(first)}`, name, { loops: [loop], low: 0 })
    .poly;
}

type Found = Poly | Pointer | undefined;
const pointsAt = (value: Value): boolean => elementOf(value.type).kind === 'pointer';
const evaluate = (cx: Evaluator, value: Value, indices: Indices): Found =>
  pointsAt(value) ? (cx.pointer(value, indices) ?? undefined) : cx.integer(value, indices);

/** An argument of a loop's region, in terms of the number of the iteration. */
export function carriedOf(cx: Evaluator, argument: Value, indices: Indices): Found {
  const block = argument.owner as Block;
  const loop = block.parent!;
  const at = block.args.indexOf(argument);
  if (loop.name === 'scf.for')
    return progression(cx, loop, at - 1, indices, loop.operand(2 + at), block.terminator);
  if (loop.name !== 'scf.while') return undefined;
  const [before, after] = [loop.region(0), loop.region(1)];
  if (block === after) return evaluate(cx, before.terminator.operand(1 + at), indices);
  return progression(cx, loop, at, indices, loop.operand(at), after.terminator);
}

/** The carried arguments of a loop, in the order of its initial values. */
const argumentsOf = (loop: Operation): readonly Value[] =>
  loop.name === 'scf.for' ? loop.region(0).args.slice(1) : loop.region(0).args;

function progression(
  cx: Evaluator,
  loop: Operation,
  at: number,
  indices: Indices,
  initial: Value,
  end: Operation,
): Found {
  const start = evaluate(cx, initial, indices);
  const iteration = iterationOf(cx, loop);
  if (!start || !iteration) return undefined;
  const { terms } = cx.arithmetic;
  // Every carried value is one that is not known; the next one is to be it and something constant.
  const place = (value: Value): Bound<Poly | Pointer> => {
    const isPointer = pointsAt(value);
    return (indices) => {
      const { poly } = terms.make(`carried ${cx.keyOf(value, indices)}`, value.name ?? 'a value', {
        loops: [loop, ...terms.loopsOf(...indices)],
      });
      return isPointer ? { root: UNKNOWN_ROOT - cx.numberOf(value), bytes: poly } : poly;
    };
  };
  const all = argumentsOf(loop);
  const argument = all[at]!;
  const inner = cx.assuming(new Map(all.map((value) => [value, place(value)])), true);
  const from = place(argument)(indices);
  const next = evaluate(inner, end.operand(at), indices);
  const step = difference(next, from);
  if (!step) return undefined;
  if (terms.loopsOf(step).has(loop))
    return start instanceof Poly
      ? growing(cx, argument, indices, start, end.operand(at), place(argument))
      : undefined;
  const moved = step.times(iteration);
  const found =
    start instanceof Poly
      ? start.plus(moved)
      : { root: start.root, bytes: start.bytes.plus(moved) };
  // Induction: where it holds in an iteration, it holds in the next one, and nothing wraps.
  const outer = cx.assuming(new Map([[argument, onlyAt(indices, found, place(argument))]]), false);
  const after = difference(evaluate(outer, end.operand(at), indices), found);
  return after?.equals(step) ? found : undefined;
}
/** A value that no iteration makes smaller: at least what it began with. */
function growing(
  cx: Evaluator,
  argument: Value,
  indices: Indices,
  start: Poly,
  next: Value,
  other: Bound<Poly | Pointer>,
): Poly | undefined {
  const { terms } = cx.arithmetic;
  const key = `growing ${cx.keyOf(argument, indices)} from ${start.key}`;
  const { poly, made } = terms.make(key, argument.name ?? 'a value', {
    loops: [...loopsAround(argument), ...terms.loopsOf(...indices)],
    ...typeRange(argument),
  });
  // Assumed of an iteration, and below proved of the next one. Where that fails, nothing that was
  // made of the atom is used.
  if (made) terms.know(poly, poly.minus(start));
  const inner = cx.assuming(new Map([[argument, onlyAt(indices, poly, other)]]), false);
  const after = evaluate(inner, next, indices);
  if (!(after instanceof Poly)) return undefined;
  const lists = alternatives(next.definition ? pathTo(inner, next.definition) : TRUE);
  const holds = lists.every((list) => new Prover(terms, list).nonNegative(after.minus(start)));
  return holds ? poly : undefined;
}

/** The found value for this element; nothing is known of others. */
function onlyAt(
  indices: Indices,
  found: Poly | Pointer,
  other: Bound<Poly | Pointer>,
): Bound<Poly | Pointer> {
  const keyOf = (list: Indices): string => list.map(({ key }) => key).join();
  const key = keyOf(indices);
  return (asked) => (keyOf(asked) === key ? found : other(asked));
}

/** Roots of pointers that a proof about a loop assumes are below this. */
const UNKNOWN_ROOT = -1;

function difference(next: Found, from: Found): Poly | undefined {
  if (next instanceof Poly) return from instanceof Poly ? next.minus(from) : undefined;
  if (!next || !from || from instanceof Poly || next.root !== from.root) return undefined;
  return next.bytes.minus(from.bytes);
}

/** A result of a loop or a branch. */
export function resultOf(cx: Evaluator, op: Operation, at: number, indices: Indices): Found {
  switch (op.name) {
    case 'scf.if':
      return branchResult(cx, op, at, indices);
    case 'scf.for':
      return loopResult(cx, op, at, indices);
    case 'scf.while': {
      const found = evaluate(cx, op.region(0).terminator.operand(1 + at), indices);
      return isInvariant(cx, op, found) ? found : undefined;
    }
    default:
      return undefined;
  }
}

function isInvariant(cx: Evaluator, loop: Operation, found: Found): boolean {
  const poly = found instanceof Poly ? found : found?.bytes;
  return poly !== undefined && !cx.arithmetic.terms.loopsOf(poly).has(loop);
}

function branchResult(cx: Evaluator, op: Operation, at: number, indices: Indices): Found {
  const [yes, no] = op.regions.map((region) => region.terminator.operand(at)) as [Value, Value];
  const [a, b] = [evaluate(cx, yes, indices), evaluate(cx, no, indices)];
  const condition = cx.truth(op.operand(0), []);
  const choice = (x: Poly, y: Poly): Poly => {
    if (x.equals(y)) return x;
    const cases = [
      ...alternatives(condition).map((facts) => ({ value: x, facts })),
      ...alternatives(negate(condition)).map((facts) => ({ value: y, facts })),
    ];
    if (cases.length === 1) return cases[0]!.value;
    const key = cx.keyOf(op.results[at]!, indices);
    const loops = [...loopsAround(op.results[at]!), ...cx.arithmetic.terms.loopsOf(...indices)];
    return cx.arithmetic.choice(key, op.results[at]!.name ?? 'a choice', cases, loops);
  };
  if (a instanceof Poly) return b instanceof Poly ? choice(a, b) : undefined;
  if (!a || !b || b instanceof Poly || a.root !== b.root) return undefined;
  return { root: a.root, bytes: choice(a.bytes, b.bytes) };
}

/** After the last iteration: as many steps as there were iterations. */
function loopResult(cx: Evaluator, op: Operation, at: number, indices: Indices): Found {
  const argument = op.region(0).args[at + 1]!;
  const inside = carriedOf(cx, argument, indices);
  const iteration = iterationOf(cx, op);
  if (!inside || !iteration) return undefined;
  if (isInvariant(cx, op, inside)) return inside;
  const [low, high, step] = [0, 1, 2].map((i) => cx.integer(op.operand(i), [])) as [
    Poly,
    Poly,
    Poly,
  ];
  const length = high.minus(low);
  if (!cx.arithmetic.isNonNegative(length)) return undefined;
  const rounded = length.plus(step).plusConstant(-1);
  const count = cx.arithmetic.floorDivide(rounded, step)?.quotient;
  if (!count) return undefined;
  const last = (poly: Poly): Poly =>
    poly.substitute((atom) => (atom === iteration.atoms[0] ? count : undefined));
  return inside instanceof Poly ? last(inside) : { root: inside.root, bytes: last(inside.bytes) };
}
