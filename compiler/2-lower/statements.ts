/**
 * Statements. A statement that fails is reported, what it would have assigned becomes invalid, and
 * the next one is read: several errors show at once.
 *
 * Early return: control flow is structured, so what stands after a branch that returns is moved
 * into the branch that does not. Where several branches may go on, a flag says whether one has
 * returned.
 */
import { MESSAGES } from './codes';
import { DiagnosticError } from '../diagnostics';
import { assignedNames, containsReturn } from '../1-parse/analysis';
import type { Expression, Statement } from '../1-parse/syntax';
import { Block, type Value } from '../ir/ir';
import type { Location } from '../ir/location';
import { Reported, invalid, type Context } from './context';
import { lowerFor, lowerWhile, staticRange } from './loops';
import { lowerIf, returningIf } from './branches';
import { evaluate, sanitize, staticCondition } from './expressions';
import { binary } from './operators';
import { setField } from './objects';
import { callBuiltin, builtin } from './registry';
import { truthOf } from './static';
import { toTensor } from './semantics/convert';
import { NONE, describe, isNumber, isTensor, sameType, type Val } from './values';

/** State of control after some statements. */
export type Flow =
  | { readonly kind: 'next' }
  /** `implicit`: the function's end was reached without a `return`. */
  | { readonly kind: 'return'; readonly value: Val; readonly implicit?: boolean }
  /** It has returned `value` where `flag` (an i1) says so. */
  | { readonly kind: 'maybe'; readonly flag: Value; readonly value: Val };
const NEXT: Flow = { kind: 'next' };

/**
 * A statement, the binding of an unrolled loop's variable, or the end of a block that was joined to
 * what follows it: there Triton reads on, even where the block has returned.
 */
export type Item =
  | Statement
  | {
      readonly kind: 'bind';
      readonly name: string;
      readonly value: Val;
      readonly location: Location;
    }
  | { readonly kind: 'end' };
export const END: Item = { kind: 'end' };

/** A function's body; the value it returns. */
export function runFunctionBody(cx: Context, body: readonly Statement[]): Val {
  const flow = run(cx, body, true);
  return flow.kind === 'return' ? flow.value : NONE;
}

/** `tail`: nothing follows in the function, so that reaching the end means `return None`. */
export function run(cx: Context, items: readonly Item[], tail = false): Flow {
  for (const [i, item] of items.entries()) {
    const rest = (): readonly Item[] => items.slice(i + 1);
    const flow = guarded(cx, item, () => runItem(cx, item, rest, tail));
    if (flow === 'go on') continue;
    return flow;
  }
  return tail ? { kind: 'return', value: NONE, implicit: true } : NEXT;
}

/** Reports what goes wrong in a statement and makes what it assigns invalid. */
function guarded(cx: Context, item: Item, body: () => Flow | 'go on'): Flow | 'go on' {
  if (item.kind === 'bind' || item.kind === 'end') return body();
  const outer = cx.location;
  try {
    return cx.at(item.location, body);
  } catch (error) {
    if (error instanceof DiagnosticError) cx.report(error.diagnostic);
    else if (!(error instanceof Reported)) throw error;
    for (const name of assignedNames([item])) cx.frame.scope.set(name, invalid(null));
    return 'go on';
  } finally {
    cx.builder.location = outer;
  }
}

function goOn(cx: Context, items: readonly Item[]): 'go on' {
  run(cx, items);
  return 'go on';
}

/** `'go on'`: continue with the next item; a flow: the items after this one are dealt with. */
function runItem(
  cx: Context,
  item: Item,
  rest: () => readonly Item[],
  tail: boolean,
): Flow | 'go on' {
  switch (item.kind) {
    case 'bind':
      cx.set(item.name, item.value);
      cx.observe(item.location, item.value);
      return 'go on';
    case 'end':
      return 'go on';
    case 'return': {
      if (cx.frame.loops > 0) cx.fail('HC0112', MESSAGES.HC0112.cannotReturnFrom());
      const value = item.value ? evaluate(cx, item.value) : NONE;
      const after = rest();
      const end = after.findIndex(({ kind }) => kind === 'end');
      return returned(cx, { kind: 'return', value }, end < 0 ? [] : after.slice(end), tail);
    }
    case 'if': {
      const test = evaluate(cx, item.test);
      if (!isTensor(test)) {
        if (cx.frame.callable.python) {
          const taken = truthOf(test) ? item.body : item.orelse;
          return containsReturn(taken) ? run(cx, [...taken, ...rest()], tail) : goOn(cx, taken);
        }
        const taken = staticCondition(cx, test) ? item.body : item.orelse;
        if (containsReturn(taken)) return run(cx, [...taken, END, ...rest()], tail);
        run(cx, taken);
        return 'go on';
      }
      if (!containsReturn([item])) {
        lowerIf(cx, test, item.body, item.orelse);
        return 'go on';
      }
      if (cx.frame.loops > 0) cx.fail('HC0112', MESSAGES.HC0112.cannotReturnFrom());
      return returningIf(cx, test, item.body, item.orelse, rest(), tail);
    }
    case 'for': {
      const unrolled = staticRange(cx, item);
      if (!unrolled) {
        lowerFor(cx, item);
        return 'go on';
      }
      if (containsReturn(item.body)) return run(cx, [...unrolled, ...rest()], tail);
      run(cx, unrolled);
      return 'go on';
    }
    case 'while':
      lowerWhile(cx, item);
      return 'go on';
    default:
      simple(cx, item);
      return 'go on';
  }
}

/**
 * A function has returned, and Triton reads on behind it: what stands there must be right, and what
 * it returns takes part in the type of the result. The operations are thrown away.
 */
export function returned(
  cx: Context,
  flow: Flow & { kind: 'return' },
  dead: readonly Item[],
  tail: boolean,
): Flow & { kind: 'return' } {
  if (dead.every(({ kind }) => kind === 'end')) return flow;
  const block = new Block();
  try {
    const { result } = cx.subRegion(block, () => run(cx, dead, tail));
    if (result.kind === 'next' || (result.kind === 'return' && result.implicit)) return flow;
    return { ...flow, value: commonReturn(cx, flow.value, result.value, block) };
  } finally {
    for (const op of [...block.ops].reverse()) op.erase();
  }
}

/** `value` in the type that it has in common with `other`, which was computed in `dead`. */
function commonReturn(cx: Context, value: Val, other: Val, dead: Block): Val {
  if (sameType(value, other)) return value;
  if (value.kind === 'tuple' && other.kind === 'tuple' && value.items.length === other.items.length)
    return {
      ...value,
      items: value.items.map((item, i) => commonReturn(cx, item, other.items[i]!, dead)),
    };
  const common = isNumber(value) ? toTensor(cx, value) : value;
  const wanted = isNumber(other) ? cx.builder.inside(dead, () => toTensor(cx, other)) : other;
  if (sameType(common, wanted)) return common;
  return cx.fail(
    'HC0211',
    MESSAGES.HC0211.returnTypeMismatchWhat({ value: describe(value), other: describe(other) }),
  );
}

function simple(
  cx: Context,
  node: Exclude<Statement, { kind: 'return' | 'if' | 'for' | 'while' }>,
): void {
  switch (node.kind) {
    case 'expression':
      expressionStatement(cx, node.value);
      return;
    case 'assign': {
      const [target, ...more] = node.targets;
      if (!target || more.length > 0) return cx.fail('HC0102', MESSAGES.HC0102.assignOneTarget());
      const value = evaluate(cx, node.value);
      assign(cx, target, value);
      return;
    }
    case 'augmented': {
      const right = binary(cx, node.operator, evaluate(cx, node.target), evaluate(cx, node.value));
      assign(cx, node.target, right);
      return;
    }
    case 'annotated':
      annotated(cx, node);
      return;
    case 'assert': {
      // Also of a compile-time value: without debugging an assertion says nothing.
      const test = evaluate(cx, node.test);
      const message = node.message ? [evaluate(cx, node.message)] : [];
      callBuiltin(cx, builtin('triton.language.device_assert')!, [test, ...message], new Map());
      return;
    }
    case 'pass':
      return;
    case 'break':
    case 'continue':
      return cx.fail('HC0111', MESSAGES.HC0111.notSupportedKernel({ kind: node.kind }));
    case 'function':
      return cx.fail('HC0102', MESSAGES.HC0102.nestedFunctionsNot());
    case 'class':
    case 'import':
    case 'from-import':
      return cx.fail('HC0102', MESSAGES.HC0102.tritonDoesNotCompile({ kind: node.kind }));
    case 'unsupported':
      return cx.fail('HC0102', MESSAGES.HC0102.tritonDoesNot({ what: node.what }));
    default:
      node satisfies never;
  }
}

function expressionStatement(cx: Context, node: Expression): void {
  cx.unused = node;
  const value = evaluate(cx, node);
  if (node.kind !== 'call' || value.kind !== 'aggregate' || value.type !== 'block_ptr') return;
  const name = node.callee.kind === 'attribute' ? node.callee.name : '';
  if (name === 'advance') cx.fail('HC0218', MESSAGES.HC0218.resultAdvanceNot());
}

function annotated(cx: Context, node: Statement & { kind: 'annotated' }): void {
  if (node.target.kind !== 'name') return cx.fail('HC0102', MESSAGES.HC0102.onlyNameCan());
  const name = node.target.id;
  const annotation = evaluate(cx, node.annotation);
  const isConstexpr =
    annotation.kind === 'triton' && annotation.path === 'triton.language.constexpr';
  if (!node.value) {
    if (isConstexpr) cx.frame.annotated.add(name);
    return;
  }
  if (!isConstexpr) {
    assign(cx, node.target, evaluate(cx, node.value));
    return;
  }
  const value = evaluate(cx, node.value);
  const known = cx.frame.scope.get(name);
  if (known && known.kind !== 'invalid')
    cx.fail('HC0212', MESSAGES.HC0212.alreadyDefinedConstexpr({ name }));
  cx.frame.scope.set(name, value);
  cx.observe(node.target.location, value);
}

export function assign(cx: Context, target: Expression, value: Val): void {
  switch (target.kind) {
    case 'name': {
      if (value.kind === 'header')
        return cx.fail('HC0204', MESSAGES.HC0204.headerAssigned({ value: describe(value) }));
      const keep = cx.frame.annotated.delete(target.id);
      const asIs = keep || cx.frame.callable.python;
      const kept = asIs ? value : sanitize(cx, value, target.id);
      cx.set(target.id, kept);
      cx.observe(target.location, kept);
      return;
    }
    case 'tuple':
    case 'list': {
      if (target.items.some((item) => item.kind === 'starred'))
        return cx.fail('HC0102', MESSAGES.HC0102.starredAssignmentTargets());
      if (value.kind !== 'tuple')
        return cx.fail(
          'HC0204',
          MESSAGES.HC0204.cannotUnpackInto({ value: describe(value), count: target.items.length }),
        );
      const starred = target.items.find(({ kind }) => kind === 'starred');
      if (starred) return cx.fail('HC0102', MESSAGES.HC0102.starredAssignmentTargets());
      if (value.items.length < target.items.length)
        return cx.fail(
          'HC0204',
          MESSAGES.HC0204.notEnoughValues({
            count: target.items.length,
            count2: value.items.length,
          }),
        );
      // Triton 3.8 takes the first values in silence; the versions after it refuse, as Python does.
      if (value.items.length > target.items.length)
        return cx.fail(
          'HC0204',
          MESSAGES.HC0204.tooManyValues({ count: target.items.length, count2: value.items.length }),
        );
      target.items.forEach((item, i) => assign(cx, item, value.items[i]!));
      return;
    }
    case 'subscript':
      return cx.fail('HC0102', MESSAGES.HC0102.assignmentElementTile());
    case 'attribute':
      return setField(cx, evaluate(cx, target.object), target.name, value);
    default:
      return cx.fail('HC0102', MESSAGES.HC0102.unsupportedTargetAssignment());
  }
}
