/**
 * Classes of the program: named tuples and `@triton.aggregate`. An instance of the latter is its
 * fields, in order; its methods are inlined like functions. Plain methods of Python run while
 * compiling: they see the same values, and numbers in them stay Python's.
 */
import { MESSAGES } from './codes';
import type { AggregateClass } from '../program';
import { callFunction } from './calls';
import type { Context } from './context';
import { callableOf } from './functions';
import { bind, type BuiltinParameter } from './registry';
import { describe, isTensor, tuple, type ObjectVal, type Static, type Val } from './values';
import { fromStaticValue } from './staticValues';

type NamedTupleClass = Static & { readonly kind: 'namedtuple' };

function parametersOf(
  fields: readonly string[],
  defaults: NamedTupleClass['defaults'],
): BuiltinParameter[] {
  return fields.map((name) => {
    const fallback = defaults[name];
    return {
      name,
      variadic: false,
      keywordOnly: false,
      ...(fallback ? { default: fromStaticValue(fallback) } : {}),
    };
  });
}

export function makeNamedTuple(
  cx: Context,
  type: NamedTupleClass,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  const bound = bind(cx, type.name, parametersOf(type.fields, type.defaults), args, keywords);
  return tuple(
    type.fields.map((name) => bound.get(name)!),
    type.fields,
  );
}

/** `Class(…)`: through its `__init__`, or field by field where it has none. */
export function makeObject(
  cx: Context,
  description: AggregateClass,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  const { name, fields, defaults, methods } = description;
  const values: Record<string, Val> = {};
  const init = methods['__init__'];
  if (init) {
    const self: ObjectVal = { kind: 'object', description, fields: values, building: true };
    const callable = callableOf(cx, init.function);
    if (!callable.python) cx.fail('HC0102', `${name}.__init__ cannot be a @triton.jit function`);
    callFunction(cx, callable, [self, ...args], keywords);
  } else {
    const parameters = parametersOf(
      fields.map((field) => field.name),
      defaults,
    );
    for (const [field, value] of bind(cx, name, parameters, args, keywords))
      values[field] = checkedField(cx, description, field, value);
  }
  // In the order of the class, whatever order they were written in.
  const ordered = fields.map(({ name: field }) => {
    const value = values[field];
    if (value) return [field, value] as const;
    return cx.fail('HC0107', MESSAGES.HC0107.constructorDidNot({ name, field }));
  });
  return { kind: 'object', description, fields: Object.fromEntries(ordered), building: false };
}

/** The value of a field, if it is of the annotated kind. */
function checkedField(cx: Context, of: AggregateClass, name: string, value: Val): Val {
  const field = of.fields.find((f) => f.name === name);
  if (!field) return cx.fail('HC0109', MESSAGES.HC0109.typeLacks({ type: of.name, name }));
  const { type } = field;
  const matches =
    type === 'tensor'
      ? isTensor(value)
      : type === 'tuple'
        ? value.kind === 'tuple'
        : type === 'constexpr'
          ? !isTensor(value) && value.kind !== 'object' && value.kind !== 'aggregate'
          : type === 'tensor_descriptor'
            ? value.kind === 'aggregate'
            : value.kind !== 'object' || value.description.name === type || type === 'base_value';
  if (matches) return value;
  return cx.fail(
    'HC0204',
    MESSAGES.HC0204.got({ name: of.name, name2: name, type, value: describe(value) }),
  );
}

/** `self.name = value`, which only `__init__` may do. */
export function setField(cx: Context, object: Val, name: string, value: Val): void {
  if (object.kind !== 'object' || !cx.frame.callable.python)
    return cx.fail('HC0102', MESSAGES.HC0102.assignmentAttributeNot());
  if (!object.building)
    return cx.fail(
      'HC0102',
      MESSAGES.HC0102.cannotAssignField({ name, name2: object.description.name }),
    );
  object.fields[name] = checkedField(cx, object.description, name, value);
}

/** `object.name`: a field, or a method not yet called. */
export function objectAttribute(object: ObjectVal, name: string): Val | undefined {
  const field = object.fields[name];
  if (field) return field;
  const method = object.description.methods[name];
  if (!method) return undefined;
  return method.isStatic
    ? { kind: 'function', id: method.function }
    : { kind: 'method', self: object, name };
}

export function callObjectMethod(
  cx: Context,
  self: ObjectVal,
  name: string,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  const method = self.description.methods[name];
  if (!method)
    return cx.fail('HC0109', MESSAGES.HC0109.typeLacks({ type: self.description.name, name }));
  const given = method.isStatic ? args : [self, ...args];
  return callFunction(cx, callableOf(cx, method.function), given, keywords);
}

/** `tl.aggregate_replace(object, field=value, …)`. */
export function replaceFields(
  cx: Context,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  const [object] = args;
  if (object?.kind !== 'object' || args.length !== 1)
    return cx.fail('HC0107', MESSAGES.HC0107.aggregateReplaceTakes());
  const fields = new Map(Object.entries(object.fields));
  for (const [name, value] of keywords) {
    if (!fields.has(name))
      cx.fail('HC0109', MESSAGES.HC0109.noField({ name: object.description.name, name2: name }));
    fields.set(name, value);
  }
  return makeObject(cx, object.description, [], fields);
}
