/** Calls: argument lists, the few functions that see their arguments unevaluated, and inlining. */
import { MESSAGES } from './codes';
import type { Expression } from '../1-parse/syntax';
import type { Location } from '../ir/location';
import type { StaticValue } from '../program';
import { dtypeNamed } from './dtypes';
import { Reported, invalid, type Context, type Frame } from './context';
import { evaluate } from './expressions';
import { showDtype } from './dtypes';
import { callableOf } from './functions';
import { callMethod } from './methods';
import { checkAnnotations } from './names';
import { makeNamedTuple, makeObject, replaceFields } from './objects';
import { bind, builtin, callBuiltin, type BuiltinParameter } from './registry';
import { GL, hint, isHardware, isOfLanguage, resolvePath, shownPath, TL } from './paths';
import { callPython } from './python';
import { callMath } from './pythonMath';
import { runFunctionBody } from './statements';
import {
  NONE,
  bool,
  describe,
  dtypeVal,
  float,
  int,
  isNumber,
  isTensor,
  show,
  type Callable,
  type Val,
} from './values';
import { fromStaticValue, toStaticValue } from './staticValues';

/** Triton inlines without a limit; a recursion must end somewhere. */
const MAX_DEPTH = 100;

const ONLY_CONSTANTS =
  ' with tensors. Make it a @triton.jit function: one of Python’s takes compile-time values only';

const HIDDEN: ReadonlySet<string> = new Set(['_semantic', '_generator', '_builder']);

type Call = Expression & { readonly kind: 'call' };

export function call(cx: Context, node: Call): Val {
  const unused = cx.unused === node;
  const callee = evaluate(cx, node.callee);
  if (callee.kind === 'triton') {
    if (callee.path === 'triton.language.static_assert') return staticAssert(cx, node);
    if (callee.path === 'triton.language.static_print') return staticPrint(cx, node);
  }
  const args: Val[] = [];
  for (const arg of node.args) {
    if (arg.kind !== 'starred') {
      args.push(evaluate(cx, arg));
      continue;
    }
    const inner = evaluate(cx, arg.value);
    if (inner.kind !== 'tuple') cx.fail('HC0107', `* takes a tuple, not ${describe(inner)}`);
    else args.push(...inner.items);
  }
  const keywords = new Map<string, Val>();
  for (const keyword of node.keywords) {
    if (keyword.name === undefined) cx.fail('HC0102', '** in a call is not supported in a kernel');
    // Python's own functions hand on what Triton gives them to build with.
    else if (!cx.frame.callable.python || !HIDDEN.has(keyword.name))
      keywords.set(keyword.name, evaluate(cx, keyword.value));
  }
  if (unused) mustBeUsed(cx, node, callee);
  return apply(cx, callee, args, keywords);
}

/** Refuses a statement that throws away what `@triton.must_use_result` guards. */
function mustBeUsed(cx: Context, node: Call, callee: Val): void {
  const words = wordsOfGuard(cx, callee);
  if (words === undefined) return;
  const name = writtenName(node.callee) ?? 'this call';
  cx.fail('HC0218', `The result of ${name} is not being used. ${words}`.trimEnd());
}
/** The condition that guards a function; undefined where it has none. */
function wordsOfGuard(cx: Context, callee: Val): string | undefined {
  if (callee.kind === 'constexpr_function') return callee.mustUse;
  if (callee.kind === 'function') return callableOf(cx, callee.id).mustUse;
  if (callee.kind !== 'method' || callee.self.kind !== 'object') return undefined;
  const method = callee.self.description.methods[callee.name];
  return method && callableOf(cx, method.function).mustUse;
}
/** `a.b.c` as it was written. */
function writtenName(node: Expression): string | undefined {
  if (node.kind === 'name') return node.id;
  const object = node.kind === 'attribute' ? writtenName(node.object) : undefined;
  return node.kind === 'attribute' && object !== undefined ? `${object}.${node.name}` : undefined;
}

/** Calls a value. */
export function apply(
  cx: Context,
  callee: Val,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val> = new Map(),
): Val {
  switch (callee.kind) {
    case 'function':
      if (callee.id.startsWith('lib:')) checkLanguage(cx, `triton.language.${callee.id.slice(4)}`);
      return callFunction(cx, callableOf(cx, callee.id), args, keywords);
    case 'constexpr_function':
      return callConstexprFunction(cx, callee.id, callee.name, args, keywords);
    case 'namedtuple':
      return makeNamedTuple(cx, callee, args, keywords);
    case 'class':
      return makeObject(cx, callee.description, args, keywords);
    case 'method':
      return callMethod(cx, callee.self, callee.name, args, keywords);
    case 'builtin':
      return callPython(cx, callee.name, args, keywords);
    case 'triton': {
      const operation = builtin(callee.path);
      if (operation) checkLanguage(cx, callee.path);
      if (operation) return callBuiltin(cx, operation, args, keywords);
      // One that came as an argument goes by its path in Python.
      const known = resolvePath(callee.path);
      if (known && (known.kind !== 'triton' || known.path !== callee.path))
        return apply(cx, known, args, keywords);
      if (callee.path === 'triton.language.constexpr') {
        const [value] = args;
        if (args.length !== 1 || !value)
          return cx.fail('HC0107', MESSAGES.HC0107.constexprTakesOne());
        if (isTensor(value))
          return cx.fail('HC0201', MESSAGES.HC0201.constexprRunTime({ value: describe(value) }));
        return value;
      }
      if (callee.path === 'triton.language.constexpr_type' && args[0])
        return { kind: 'constexpr_type', value: args[0] };
      if (callee.path === 'triton.language.aggregate_replace')
        return replaceFields(cx, args, keywords);
      if (callee.path === 'triton.language.dtype' && args[0]?.kind === 'string') {
        const dtype = dtypeNamed(args[0].value);
        if (dtype) return dtypeVal(dtype);
      }
      if (callee.path === 'triton.language.tuple') return callPython(cx, 'tuple', args, keywords);
      if (isHardware(callee.path))
        return cx.fail('HC0222', MESSAGES.HC0222.hardware({ name: shownPath(callee.path) }));
      return cx.fail('HC0106', `${callee.path.replace('triton.language', 'tl')} cannot be called`);
    }
    default: {
      const called = callObject(cx, callee, args, keywords);
      if (called) return called;
      const foreign =
        callee.kind === 'other' && /(?:function|method|ufunc|type) (<?\w+>?)$/.exec(callee.type);
      return cx.fail(
        'HC0107',
        foreign
          ? MESSAGES.HC0107.foreignFunction({
              name: foreign[1]!,
              more: hint(foreign[1]!) || (callee.reference === undefined ? '' : ONLY_CONSTANTS),
            })
          : MESSAGES.HC0107.notCallable({ callee: describe(callee) }),
      );
    }
  }
}

/** Refuses what Triton’s front end refuses in a kernel of the other language. */
function checkLanguage(cx: Context, path: string): void {
  if (cx.frame.callable.library || isOfLanguage(path, cx.isGluon)) return;
  const name = shownPath(path);
  const [language, decorator] = cx.isGluon ? ['Triton', '@gluon.jit'] : ['Gluon', '@triton.jit'];
  const own = path.replace(TL, GL);
  const instead = cx.isGluon && builtin(own) ? `. Use ${shownPath(own)}` : '';
  cx.fail('HC0222', MESSAGES.HC0222.languages({ name, language, decorator, instead }));
}

function parametersOf(cx: Context, callable: Callable): BuiltinParameter[] {
  return callable.definition.parameters.map((parameter) => {
    if (parameter.kind === 'kwargs')
      return cx.fail('HC0102', `**${parameter.name} is not supported in a @triton.jit function`);
    let fallback = callable.defaults[parameter.name];
    if (!fallback && parameter.default) {
      const { default: node } = parameter;
      fallback = withFrame(cx, callable, undefined, () => evaluate(cx, node));
    }
    return {
      name: parameter.name,
      variadic: parameter.kind === 'varargs',
      keywordOnly: parameter.kind === 'keyword-only',
      ...(fallback ? { default: fallback } : {}),
    };
  });
}

export function hiddenParameter(name: string): Val {
  return invalid(
    `${name} is not defined: a @triton.jit function does not see parameters after * that are ` +
      'keyword-only. Take the * away',
  );
}

function withFrame<T>(
  cx: Context,
  callable: Callable,
  inlinedAt: Location | undefined,
  body: (frame: Frame) => T,
): T {
  const outer = cx.frame;
  const location = cx.builder.location;
  cx.frame = {
    callable,
    inlinedAt,
    scope: new Map(),
    defined: new Set(),
    annotated: new Set(),
    loops: 0,
    depth: (outer?.depth ?? 0) + 1,
  };
  try {
    return body(cx.frame);
  } finally {
    cx.frame = outer;
    cx.builder.location = location;
  }
}

/** Inlines a `@triton.jit` function. */
export function callFunction(
  cx: Context,
  callable: Callable,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val> = new Map(),
): Val {
  if (cx.frame.depth >= MAX_DEPTH)
    return cx.fail(
      'HC0219',
      MESSAGES.HC0219.callsNestedDeep({ limit: MAX_DEPTH, name: callable.definition.name }),
    );
  const name = callable.definition.name;
  const bound = bind(cx, name, parametersOf(cx, callable), args, keywords);
  if (callable.noinline)
    for (const [parameter, value] of bound)
      if (isTensor(value) && value.shape.some((size) => size !== 1))
        cx.fail(
          'HC0107',
          MESSAGES.HC0107.functionMarkedNoinline({ name, parameter, value: describe(value) }),
        );
  return withFrame(cx, callable, cx.location, (frame) => {
    for (const { name, kind, location } of callable.definition.parameters) {
      // Triton binds these and never shows them to the body.
      const value = kind === 'keyword-only' ? hiddenParameter(name) : bound.get(name)!;
      frame.scope.set(name, value);
      frame.defined.add(name);
      if (!callable.definition.location.file.startsWith('triton/')) cx.note(name, value);
      cx.observe(location, value);
    }
    const { errors } = cx.reports;
    checkAnnotations(cx);
    const result = runFunctionBody(cx, callable.definition.body);
    // A statement inside failed and was reported: there is no result to go on with.
    if (cx.reports.errors > errors) throw new Reported();
    return result;
  });
}

function callConstexprFunction(
  cx: Context,
  id: string,
  name: string,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  const known = (arg: Val): StaticValue =>
    toStaticValue(arg) ??
    cx.fail('HC0201', MESSAGES.HC0201.takesCompileTime({ name, arg: describe(arg) }));
  const values = args.map(known);
  const named = Object.fromEntries([...keywords].map(([key, value]) => [key, known(value)]));
  if (!cx.services.callConstexpr)
    return cx.fail('HC0106', MESSAGES.HC0106.tritonConstexprFunction({ name }));
  try {
    return fromStaticValue(cx.services.callConstexpr(id, values, named));
  } catch (error) {
    return cx.fail('HC0214', `${name} failed: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Calls an object of Python's with compile-time values, as Triton does: a function of `math`, a
 * lambda given for a constexpr. Undefined where it cannot be called, or a tensor is among the
 * arguments.
 */
function callObject(
  cx: Context,
  callee: Val,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val | undefined {
  if (callee.kind !== 'other' && callee.kind !== 'module') return undefined;
  const { reference } = callee;
  if (reference === undefined) return undefined;
  if (![...args, ...keywords.values()].every((arg) => toStaticValue(arg))) return undefined;
  const name = callee.kind === 'other' ? callee.type.replace(/^.* /, '') : callee.name;
  if (reference.startsWith('math.') && keywords.size === 0 && args.every(isNumber)) {
    const numbers = args.map((arg) => (arg.kind === 'float' ? arg.value : BigInt(arg.value)));
    try {
      const found = callMath(reference.slice('math.'.length), numbers);
      if (typeof found === 'boolean') return bool(found);
      if (found !== undefined) return typeof found === 'bigint' ? int(found) : float(found);
    } catch (error) {
      return cx.fail('HC0214', `${reference} failed: ${(error as Error).message}`);
    }
  }
  return callConstexprFunction(cx, reference, name, args, keywords);
}

function staticAssert(cx: Context, node: Call): Val {
  const [test, message, ...more] = node.args;
  if (!test || more.length > 0 || node.keywords.length > 0)
    return cx.fail('HC0107', MESSAGES.HC0107.staticAssertTakes());
  const passed = evaluate(cx, test);
  if (isTensor(passed)) return cx.fail('HC0201', MESSAGES.HC0201.conditionStaticAssertNot());
  if (passed.kind !== 'bool')
    return cx.fail('HC0201', MESSAGES.HC0201.conditionStaticAssert({ passed: describe(passed) }));
  if (passed.value) return NONE;
  const said = message ? show(evaluate(cx, message), false) : '';
  return cx.fail('HC0213', said ? `static_assert failed: ${said}` : 'static_assert failed');
}

function staticPrint(cx: Context, node: Call): Val {
  const parts = node.args.map((arg) => {
    const value = evaluate(cx, arg);
    if (!isTensor(value)) return show(value, false);
    // As Python prints Triton's own tensors: `int32[constexpr[128]]`.
    return `${showDtype(value.dtype)}[${value.shape.map((size) => `constexpr[${size}]`).join(', ')}]`;
  });
  cx.services.print?.(parts.join(' '), cx.userLocation(cx.location));
  return NONE;
}
