/** `if` on a run-time condition: both branches, the variables that leave them, early returns. */
import { MESSAGES } from './codes';
import { Block, type Value } from '../ir/ir';
import { assignedNames } from '../1-parse/analysis';
import type { Statement } from '../1-parse/syntax';
import { invalid, settle, type Context } from './context';
import { conditionOf } from './expressions';
import { constant, toTensor } from './semantics/convert';
import { returned, run, type Flow, type Item } from './statements';
import { I1 } from '../ir/types';
import {
  NONE,
  describe,
  flatten,
  isNumber,
  rebuild,
  sameStatic,
  sameType,
  tuple,
  type Tensor,
  type Val,
} from './values';

interface Branch {
  readonly block: Block;
  scope: Map<string, Val>;
  defined: Set<string>;
  flow: Flow;
}

function branch(cx: Context, items: readonly Item[], tail: boolean): Branch {
  const block = new Block();
  const outer = cx.frame.scope;
  const { result, scope, defined } = cx.subRegion(block, () => {
    const flow = run(cx, items, tail);
    // Counters of loops in here: they leave as values where the name had one, else not at all.
    const { scope } = cx.frame;
    for (const [name, value] of scope)
      if (value.kind === 'invalid' && value.recover && outer.get(name) !== value) {
        if (outer.has(name)) settle(cx, [name]);
        else scope.set(name, invalid(value.message));
      }
    return flow;
  });
  return { block, scope, defined, flow: result };
}
/** Reads more items at the end of a branch, with its names. */
function extend(cx: Context, into: Branch, items: readonly Item[], tail: boolean): void {
  const { frame } = cx;
  const outer = { scope: frame.scope, defined: frame.defined };
  frame.scope = into.scope;
  frame.defined = into.defined;
  try {
    into.flow = cx.builder.inside(into.block, () => run(cx, items, tail));
  } finally {
    into.scope = frame.scope;
    into.defined = frame.defined;
    frame.scope = outer.scope;
    frame.defined = outer.defined;
  }
}

function sameHandles(a: Val, b: Val): boolean {
  const [left, right] = [flatten(a), flatten(b)];
  return left.length === right.length && left.every((value, i) => value === right[i]);
}
/** Whether a branch can change the variable: Python's None and dtypes are no values of Triton. */
function isValue(v: Val): boolean {
  return v.kind !== 'none' && v.kind !== 'dtype' && v.kind !== 'invalid' && v.kind !== 'blocktype';
}

/** The variables that differ after the two branches, with their values in each. */
function changed(cx: Context, a: Branch, b: Branch): Map<string, [Val, Val]> {
  const out = new Map<string, [Val, Val]>();
  for (const [name, before] of cx.frame.scope) {
    if (!isValue(before)) continue;
    const yes = a.scope.get(name) ?? before;
    const no = b.scope.get(name) ?? before;
    if (yes.kind === 'invalid' || no.kind === 'invalid') {
      cx.frame.scope.set(name, invalid(null));
      continue;
    }
    if (sameHandles(yes, no) && (flatten(yes).length > 0 || sameType(yes, no))) continue;
    for (const [value, which] of [
      [yes, 'then'],
      [no, 'else'],
    ] as const)
      if (!sameType(value, before))
        cx.fail(
          'HC0209',
          MESSAGES.HC0209.initialValueType({
            name,
            before: describe(before),
            which,
            value: describe(value),
          }),
        );
    out.set(name, [yes, no]);
  }
  for (const name of [...a.defined].filter((n) => b.defined.has(n)).sort()) {
    if (out.has(name)) continue;
    const yes = a.scope.get(name);
    const no = b.scope.get(name);
    if (!yes || !no) continue;
    if (yes.kind === 'invalid' || no.kind === 'invalid') {
      cx.frame.scope.set(name, yes.kind === 'invalid' ? yes : no);
      continue;
    }
    if (!sameType(yes, no))
      cx.fail(
        'HC0209',
        MESSAGES.HC0209.mismatchedTypeBetween({ name, yes: describe(yes), no: describe(no) }),
      );
    out.set(name, [yes, no]);
  }
  for (const [only, other] of [
    [a, b],
    [b, a],
  ] as const)
    for (const name of only.defined)
      if (!other.defined.has(name) && !cx.frame.scope.has(name))
        cx.frame.scope.set(
          name,
          invalid(`${name} is not defined: only one branch of the "if" above assigns it`),
        );
  return out;
}

function close(cx: Context, block: Block, values: readonly Value[]): void {
  cx.builder.inside(block, () => cx.builder.create('scf.yield', values, []));
}

/** An `if` without `return`: merges the variables that its branches assign. */
export function lowerIf(
  cx: Context,
  test: Tensor,
  body: readonly Statement[],
  orelse: readonly Statement[],
): void {
  const condition = conditionOf(cx, test);
  settle(cx, assignedNames([...body, ...orelse]));
  const yes = branch(cx, body, false);
  const no = branch(cx, orelse, false);
  const names = changed(cx, yes, no);
  const yesValues = [...names.values()].flatMap(([value]) => flatten(value));
  const noValues = [...names.values()].flatMap(([, value]) => flatten(value));
  close(cx, yes.block, yesValues);
  close(cx, no.block, noValues);
  const op = cx.builder.create(
    'scf.if',
    [condition.handle],
    yesValues.map((value) => value.type),
    {},
    [yes.block, no.block],
  );
  const results = op.results.values();
  for (const [name, [value]] of names) cx.set(name, rebuild(value, results));
}

/** An `if` of which a branch returns; `rest` is what follows it in the same list. */
export function returningIf(
  cx: Context,
  test: Tensor,
  body: readonly Statement[],
  orelse: readonly Statement[],
  rest: readonly Item[],
  tail: boolean,
): Flow {
  const condition = conditionOf(cx, test);
  settle(cx, assignedNames([...body, ...orelse]));
  const last = tail && rest.length === 0;
  const yes = branch(cx, body, last);
  const no = branch(cx, orelse, last);
  return finish(cx, condition.handle, yes, no, rest, tail);
}

function finish(
  cx: Context,
  condition: Value,
  yes: Branch,
  no: Branch,
  rest: readonly Item[],
  tail: boolean,
): Flow {
  // One side has returned for good: what follows belongs to the other.
  for (const [gone, on] of [
    [yes, no],
    [no, yes],
  ] as const)
    if (gone.flow.kind === 'return' && on.flow.kind !== 'return') {
      if (on.flow.kind === 'next') extend(cx, on, rest, tail);
      else {
        const { flow } = on;
        if (flow.kind === 'maybe') resume(cx, on, flow, rest, tail);
      }
      return joinReturns(cx, condition, yes, no);
    }
  const joined = joinReturns(cx, condition, yes, no);
  if (joined.kind === 'return') return returned(cx, joined, rest, tail);
  if (joined.kind === 'next') return run(cx, rest, tail);
  return afterMaybe(cx, joined, rest, tail);
}

/** Goes on at the end of a branch that may have returned. */
function resume(
  cx: Context,
  on: Branch,
  flow: Flow & { kind: 'maybe' },
  rest: readonly Item[],
  tail: boolean,
): void {
  const { frame } = cx;
  const outer = { scope: frame.scope, defined: frame.defined };
  frame.scope = on.scope;
  frame.defined = on.defined;
  try {
    on.flow = cx.builder.inside(on.block, () => afterMaybe(cx, flow, rest, tail));
  } finally {
    on.scope = frame.scope;
    on.defined = frame.defined;
    frame.scope = outer.scope;
    frame.defined = outer.defined;
  }
}
/** Runs `rest` where the flag says that nothing has returned yet. */
function afterMaybe(
  cx: Context,
  flow: Flow & { kind: 'maybe' },
  rest: readonly Item[],
  tail: boolean,
): Flow {
  if (rest.length === 0 && !tail) return flow;
  const gone: Branch = {
    block: new Block(),
    scope: new Map(cx.frame.scope),
    defined: new Set(),
    flow: { kind: 'return', value: flow.value },
  };
  const on = branch(cx, rest, tail);
  return joinReturns(cx, flow.flag, gone, on);
}

/** Ends both blocks and makes the `scf.if`. */
function joinReturns(cx: Context, condition: Value, yes: Branch, no: Branch): Flow {
  const create = (yesValues: readonly Value[], noValues: readonly Value[]): Value[] => {
    close(cx, yes.block, yesValues);
    close(cx, no.block, noValues);
    const types = yesValues.map((value) => value.type);
    return cx.builder.create('scf.if', [condition], types, {}, [yes.block, no.block]).results;
  };
  if (yes.flow.kind === 'return' && no.flow.kind === 'return') {
    const implicit = sidesOf(yes.flow, no.flow);
    // Who falls off the end where others return a value, returns anything, as in Triton.
    const left = implicit === 'yes' ? standIn(cx, yes.block, no.flow.value) : yes.flow.value;
    const right = implicit === 'no' ? standIn(cx, no.block, yes.flow.value) : no.flow.value;
    const [a, b] = unify(cx, yes, left, no, right);
    const results = create(flatten(a), flatten(b));
    const value = rebuild(a, results.values());
    return yes.flow.implicit && no.flow.implicit
      ? { kind: 'return', value, implicit: true }
      : { kind: 'return', value };
  }
  // Some path goes on: a flag, the value returned (or a stand-in), and the variables.
  const sides = [yes, no] as const;
  const values = sides.map((side) => (side.flow.kind === 'next' ? undefined : side.flow.value));
  const sample = values[0] ?? values[1] ?? NONE;
  const known = values.map((value) => value ?? sample) as [Val, Val];
  const bothReturn = values[0] !== undefined && values[1] !== undefined;
  const returned = bothReturn
    ? unify(cx, yes, known[0], no, known[1])
    : sides.map((side, i) => (values[i] ? values[i] : standIn(cx, side.block, sample)));
  for (const side of sides)
    if (side.flow.kind === 'return') {
      side.scope = new Map(cx.frame.scope);
      side.defined = new Set();
    }
  const names = liveOut(cx, yes, no);
  const flags = sides.map((side) =>
    side.flow.kind === 'maybe'
      ? side.flow.flag
      : cx.builder.inside(side.block, () => cx.builder.constant(I1, side.flow.kind === 'return')),
  );
  const all = (i: 0 | 1): Value[] => [
    flags[i]!,
    ...flatten(returned[i]!),
    ...[...names.values()].flatMap((pair) => flatten(pair[i])),
  ];
  const results = create(all(0), all(1)).values();
  const flag = results.next().value!;
  const value = rebuild(returned[0]!, results);
  for (const [name, [before]] of names) cx.set(name, rebuild(before, results));
  return { kind: 'maybe', flag, value };
}

/** The side that reached the end without a `return`, where the other has a value. */
function sidesOf(
  yes: Flow & { kind: 'return' },
  no: Flow & { kind: 'return' },
): 'yes' | 'no' | undefined {
  if (yes.implicit && !no.implicit && no.value.kind !== 'none') return 'yes';
  return no.implicit && !yes.implicit && yes.value.kind !== 'none' ? 'no' : undefined;
}

/** Variables after branches of which one may have returned: there, any value does. */
function liveOut(cx: Context, yes: Branch, no: Branch): Map<string, [Val, Val]> {
  const gone = yes.flow.kind === 'return' ? yes : no.flow.kind === 'return' ? no : undefined;
  if (!gone) return changed(cx, yes, no);
  const on = gone === yes ? no : yes;
  const out = new Map<string, [Val, Val]>();
  for (const [name, value] of on.scope) {
    const before = cx.frame.scope.get(name);
    if (before && sameHandles(before, value) && sameStatic(before, value)) continue;
    if (
      before &&
      before.kind === value.kind &&
      sameHandles(before, value) &&
      sameType(before, value)
    )
      continue;
    if (flatten(value).length === 0) {
      cx.frame.scope.set(name, value);
      continue;
    }
    const other = before && sameType(before, value) ? before : tryStandIn(cx, gone.block, value);
    if (!other) {
      cx.frame.scope.set(name, invalid(`${name} is not defined on every path`));
      continue;
    }
    out.set(name, gone === yes ? [other, value] : [value, other]);
  }
  return out;
}

/** Zeros of a value's type, for a path on which nobody reads it. */
function standIn(cx: Context, block: Block, like: Val): Val {
  return (
    tryStandIn(cx, block, like) ??
    cx.fail('HC0106', MESSAGES.HC0106.returningHere({ like: describe(like) }))
  );
}
function tryStandIn(cx: Context, block: Block, like: Val): Val | undefined {
  switch (like.kind) {
    case 'tensor': {
      const { dtype, shape } = like;
      if (dtype.kind === 'pointer') return undefined;
      return cx.builder.inside(block, () => constant(cx, 0, dtype, shape));
    }
    case 'tuple': {
      const items = like.items.map((item) => tryStandIn(cx, block, item));
      return items.every((item) => item !== undefined) ? { ...like, items } : undefined;
    }
    case 'aggregate':
      return undefined;
    default:
      return like;
  }
}

/** Return values of one type: constants that differ become tensors. */
function unify(cx: Context, aSide: Branch, a: Val, bSide: Branch, b: Val): [Val, Val] {
  if (sameType(a, b)) return [a, b];
  if (a.kind === 'tuple' && b.kind === 'tuple' && a.items.length === b.items.length) {
    const pairs = a.items.map((item, i) => unify(cx, aSide, item, bSide, b.items[i]!));
    return [
      tuple(
        pairs.map(([x]) => x),
        a.fields,
      ),
      tuple(
        pairs.map(([, y]) => y),
        b.fields,
      ),
    ];
  }
  const convert = (side: Branch, v: Val): Val =>
    isNumber(v) ? cx.builder.inside(side.block, () => toTensor(cx, v)) : v;
  const [x, y] = [convert(aSide, a), convert(bSide, b)];
  if (sameType(x, y)) return [x, y];
  const { nameLocation } = cx.frame.callable.definition;
  return cx.fail('HC0211', MESSAGES.HC0211.returnTypeMismatch({ a: describe(a), b: describe(b) }), {
    // Position of `def`.
    at: cx.locate({ ...nameLocation, column: Math.max(1, nameLocation.column - 4) }),
  });
}
