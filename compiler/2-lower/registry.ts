/**
 * The primitive operations of `triton.language`, by canonical path. A definition is a Python
 * signature and a function that emits IR; the signature also says which keywords a call may use.
 */
import { MESSAGES } from './codes';
import type { Context } from './context';
import { NONE, bool, describe, float, int, str, tuple, type Val } from './values';

export interface BuiltinParameter {
  readonly name: string;
  readonly variadic: boolean;
  readonly default?: Val;
  readonly keywordOnly: boolean;
}
export interface Builtin {
  readonly path: string;
  /** As a program would read it: `load(pointer, mask=None, …)`. */
  readonly signature: string;
  readonly parameters: readonly BuiltinParameter[];
  /** May also be called as `x.name(…)`. */
  readonly member: boolean;
  run(cx: Context, args: Arguments): Val;
}

/** The arguments of a call, by parameter name. */
export class Arguments {
  constructor(private readonly values: ReadonlyMap<string, Val>) {}
  get(name: string): Val {
    const value = this.values.get(name);
    if (!value) throw new Error(`no parameter ${name}`);
    return value;
  }
  /** The argument, or undefined where it is None. */
  optional(name: string): Val | undefined {
    const value = this.get(name);
    return value.kind === 'none' ? undefined : value;
  }
  /** The values of `*name`. */
  rest(name: string): readonly Val[] {
    const value = this.get(name);
    return value.kind === 'tuple' ? value.items : [];
  }
}

const builtins = new Map<string, Builtin>();
const members = new Map<string, Builtin>();

/** Defines operations: `define('triton.language', 'load(pointer, mask=None)', run)`. */
export function define(
  module: string,
  signature: string,
  run: Builtin['run'],
  member = false,
): void {
  const [, name, list] = /^(\w+)\((.*)\)$/s.exec(signature) ?? [];
  if (!name || list === undefined) throw new Error(`bad signature ${signature}`);
  const builtin: Builtin = {
    path: `${module}.${name}`,
    signature,
    parameters: parseParameters(list),
    member,
    run,
  };
  builtins.set(builtin.path, builtin);
  if (member) members.set(name, builtin);
}

function parseParameters(list: string): BuiltinParameter[] {
  const parameters: BuiltinParameter[] = [];
  let keywordOnly = false;
  for (const piece of list.split(/,(?![^(]*\))/).map((text) => text.trim())) {
    if (piece === '') continue;
    if (piece === '*') {
      keywordOnly = true;
      continue;
    }
    const variadic = piece.startsWith('*');
    const [name = '', fallback] = piece.replace('*', '').split('=');
    parameters.push({
      name,
      variadic,
      keywordOnly,
      ...(fallback === undefined ? {} : { default: parseDefault(fallback) }),
    });
    if (variadic) keywordOnly = true;
  }
  return parameters;
}
function parseDefault(text: string): Val {
  if (text === 'None') return NONE;
  if (text === 'True' || text === 'False') return bool(text === 'True');
  if (text === '()') return tuple([]);
  if (/^["']/.test(text)) return str(text.slice(1, -1));
  return text.includes('.') ? float(Number(text)) : int(Number(text));
}

export function hasBuiltin(path: string): boolean {
  return builtins.has(path);
}
export function builtin(path: string): Builtin | undefined {
  return builtins.get(path);
}
export function builtinNames(): Iterable<string> {
  return builtins.keys();
}
export function allBuiltins(): Iterable<Builtin> {
  return builtins.values();
}
export function memberBuiltin(name: string): Builtin | undefined {
  return members.get(name);
}
export function memberNames(): Iterable<string> {
  return members.keys();
}

/** Python's binding of a call's arguments to parameters. */
export function bind(
  cx: Context,
  what: string,
  parameters: readonly BuiltinParameter[],
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Map<string, Val> {
  const bound = new Map<string, Val>();
  let at = 0;
  for (const parameter of parameters) {
    if (parameter.variadic) {
      bound.set(parameter.name, tuple(args.slice(at)));
      at = args.length;
    } else if (!parameter.keywordOnly && at < args.length) bound.set(parameter.name, args[at++]!);
  }
  if (at < args.length) {
    const most = parameters.filter((p) => !p.keywordOnly).length;
    cx.fail('HC0107', MESSAGES.HC0107.takesPositionalArguments({ what, most, count: args.length }));
  }
  for (const [name, value] of keywords) {
    if (!parameters.some((p) => p.name === name && !p.variadic))
      cx.fail('HC0107', MESSAGES.HC0107.noArgumentNamed({ what, name }));
    if (bound.has(name)) cx.fail('HC0107', MESSAGES.HC0107.gotTwoValues({ what, name }));
    bound.set(name, value);
  }
  for (const parameter of parameters) {
    if (bound.has(parameter.name)) continue;
    if (parameter.default === undefined)
      cx.fail('HC0107', MESSAGES.HC0107.argumentMissing({ what, name: parameter.name }));
    else bound.set(parameter.name, parameter.default);
  }
  for (const [name, value] of bound)
    if (value.kind === 'header') cx.fail('HC0107', `${describe(value)} as ${name} of ${what}()`);
  return bound;
}

export function callBuiltin(
  cx: Context,
  builtin: Builtin,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  const name = builtin.path
    .replace('triton.experimental.gluon.language', 'gl')
    .replace('triton.language', 'tl');
  return builtin.run(cx, new Arguments(bind(cx, name, builtin.parameters, args, keywords)));
}
