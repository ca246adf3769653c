/**
 * A launch's specialization, guessed from the text: from `kernel[grid](…)` calls, autotune
 * configurations, defaults, and what names of parameters usually mean.
 */
import type { ArgumentSpec, Specialization, StaticValue } from '../program';
import { staticValue, type ModuleScope } from './moduleScope';
import { isConstexpr } from './outline';
import {
  childExpressions,
  childStatements,
  ownExpressions,
  type Expression,
  type FunctionDef,
  type Module,
  type Statement,
} from './syntax';

type Call = Expression & { readonly kind: 'call' };

/** Block sizes by how many a kernel has: what tutorials take. */
const ONE_BLOCK = 1024;
const SEVERAL_BLOCKS = 64;

/** Null where some constexpr cannot be guessed. */
export function guessSpecialization(
  kernel: FunctionDef,
  modules: readonly Module[],
  scope: ModuleScope,
): Specialization | null {
  const { specs, option } = guessArguments(kernel, modules, scope);
  if (!specs.every((spec) => spec !== null)) return null;
  return {
    arguments: specs,
    numWarps: option('num_warps', 4),
    numStages: option('num_stages', 3),
    numCtas: option('num_ctas', 1),
  };
}

/** As far as the text tells: null for a constexpr of which nothing is known. */
export function guessArguments(
  kernel: FunctionDef,
  modules: readonly Module[],
  scope: ModuleScope,
): {
  specs: (ArgumentSpec | null)[];
  /** An option of the launch or configuration, like num_warps. */
  option: (name: string, fallback: number) => number;
} {
  const launches = modules.flatMap((module) => launchesOf(module, kernel.name));
  const given = new Map<string, StaticValue>();
  const note = (name: string | undefined, node: Expression): void => {
    const value = staticValue(node, scope.names);
    if (name && value && !given.has(name)) given.set(name, value);
  };
  for (const launch of launches) {
    launch.keywords.forEach((keyword) => note(keyword.name, keyword.value));
    launch.args.forEach((arg, i) => note(kernel.parameters[i]?.name, arg));
  }
  const options = new Map<string, StaticValue>();
  for (const decorator of kernel.decorators) readConfig(decorator, scope, given, options);

  const pointers = pointerNames(kernel);
  const tables = tableNames(kernel);
  const constexprs = kernel.parameters.filter((p) => isConstexpr(p.annotation));
  const blocks = constexprs.filter((p) => /block|tile|size/i.test(p.name)).length;
  let group = 0;
  const specs = kernel.parameters.map((parameter): ArgumentSpec | null => {
    const value =
      given.get(parameter.name) ??
      (parameter.default && staticValue(parameter.default, scope.names));
    if (isConstexpr(parameter.annotation)) {
      const guess = value ?? guessConstexpr(parameter.name, blocks);
      return guess ? { kind: 'constexpr', value: guess } : null;
    }
    if (value?.kind === 'none') return { kind: 'constexpr', value };
    if (pointers.has(parameter.name) || /(^|_)(ptr|pointer|ptrs)$/i.test(parameter.name))
      return {
        kind: 'pointer',
        dtype: tables.has(parameter.name) ? 'int64' : pointerDtype(parameter.name),
        divisibleBy16: true,
        group: group++,
      };
    if (value?.kind === 'int' && value.value === '1') return { kind: 'constexpr', value };
    const isFloat =
      value?.kind === 'float' ||
      (!value &&
        /eps|scale|alpha|beta|gamma|^p$|prob|momentum|slope|^lr$|decay/i.test(parameter.name));
    return isFloat
      ? { kind: 'scalar', dtype: 'float32', divisibleBy16: false }
      : {
          kind: 'scalar',
          dtype: 'int32',
          divisibleBy16: /stride|^n_|_n$|^[MNK]$/i.test(parameter.name),
        };
  });
  const option = (name: string, fallback: number): number => {
    const value = given.get(name) ?? options.get(name);
    return value?.kind === 'int' ? Number(value.value) : fallback;
  };
  return { specs, option };
}

/** The calls `name[grid](…)` in a file. */
function launchesOf(module: Module, name: string): Call[] {
  const found: Call[] = [];
  const expression = (node: Expression): void => {
    if (
      node.kind === 'call' &&
      node.callee.kind === 'subscript' &&
      node.callee.object.kind === 'name' &&
      node.callee.object.id === name
    )
      found.push(node);
    childExpressions(node).forEach(expression);
  };
  const visit = (statement: Statement): void => {
    ownExpressions(statement).forEach(expression);
    childStatements(statement).forEach(visit);
  };
  module.body.forEach(visit);
  return found;
}

/** The first `triton.Config({...}, num_warps=…)` in a decorator: its numbers are spelled out there. */
function readConfig(
  decorator: Expression,
  scope: ModuleScope,
  given: Map<string, StaticValue>,
  options: Map<string, StaticValue>,
): void {
  let done = false;
  const visit = (node: Expression): void => {
    if (done) return;
    if (node.kind === 'call' && node.callee.kind === 'attribute' && node.callee.name === 'Config') {
      done = true;
      for (const keyword of node.keywords) {
        const value = staticValue(keyword.value, scope.names);
        if (keyword.name && value) options.set(keyword.name, value);
      }
      const [meta] = node.args;
      if (meta?.kind === 'unsupported')
        for (const [name, value] of Object.entries(meta.entries ?? {})) {
          const known = staticValue(value, scope.names);
          if (known && !given.has(name)) given.set(name, known);
        }
      return;
    }
    childExpressions(node).forEach(visit);
  };
  visit(decorator);
}

function guessConstexpr(name: string, blocks: number): StaticValue | undefined {
  if (/num_stages/i.test(name)) return { kind: 'int', value: '3' };
  if (/num_warps/i.test(name)) return { kind: 'int', value: '4' };
  if (/group/i.test(name)) return { kind: 'int', value: '8' };
  if (/stage/i.test(name)) return { kind: 'int', value: '1' };
  if (/block|tile|size|dim/i.test(name))
    return { kind: 'int', value: String(blocks > 1 ? SEVERAL_BLOCKS : ONE_BLOCK) };
  if (/^(is|has|use|with|causal|even|do|return|store)_?/i.test(name))
    return { kind: 'bool', value: false };
  if (/activation|mode|kind|type/i.test(name)) return { kind: 'string', value: '' };
  return undefined;
}
function pointerDtype(name: string): string {
  if (/lock|count|index|indices|idx|seed|sizes|lens|(^|_)lds|offsets/i.test(name)) return 'int32';
  if (/mask/i.test(name)) return 'int32';
  return 'float32';
}

/** Parameters whose elements become pointers: `tl.load(table + i).to(tl.pointer_type(…))`. */
function tableNames(kernel: FunctionDef): Set<string> {
  const found = new Set<string>();
  const loaded = new Map<string, string>();
  /** The name that a load starts from, if the expression is one, or names one. */
  const source = (node: Expression): string | undefined => {
    if (node.kind === 'name') return loaded.get(node.id);
    if (node.kind !== 'call' || calleeName(node) !== 'load') return undefined;
    let base = node.args[0];
    while (base?.kind === 'binary') base = base.left;
    return base?.kind === 'name' ? base.id : undefined;
  };
  const expression = (node: Expression): void => {
    childExpressions(node).forEach(expression);
    if (node.kind !== 'call' || calleeName(node) !== 'to') return;
    const [type] = node.args;
    if (type?.kind !== 'call' || calleeName(type) !== 'pointer_type') return;
    const name = node.callee.kind === 'attribute' ? source(node.callee.object) : undefined;
    if (name !== undefined) found.add(name);
  };
  const visit = (statement: Statement): void => {
    ownExpressions(statement).forEach(expression);
    if (statement.kind === 'assign' && statement.targets[0]?.kind === 'name') {
      const name = source(statement.value);
      if (name !== undefined) loaded.set(statement.targets[0].id, name);
    }
    childStatements(statement).forEach(visit);
  };
  kernel.body.forEach(visit);
  return found;
}

/** Parameters whose values reach the address of a load, store or atomic. */
function pointerNames(kernel: FunctionDef): Set<string> {
  const sources = new Map<string, Set<string>>();
  const addresses = new Set<string>();
  /** The names that an expression's address can start from: those that a sum is made of. */
  const roots = (node: Expression | undefined, out: Set<string>): void => {
    if (node?.kind === 'name') out.add(node.id);
    else if (node?.kind === 'binary' && (node.operator === '+' || node.operator === '-')) {
      // `base + offsets`: the base stands on the left, nearly always.
      roots(node.left, out);
    } else if (
      node?.kind === 'call' &&
      /^(multiple_of|max_contiguous|make_block_ptr|advance)$/.test(calleeName(node))
    )
      roots(node.args[0] ?? node.keywords.find((k) => k.name === 'base')?.value, out);
  };
  const expression = (node: Expression): void => {
    if (
      node.kind === 'call' &&
      /^(load|store|atomic_\w+|make_block_ptr|make_tensor_descriptor)$/.test(calleeName(node))
    )
      roots(
        node.args[0] ?? node.keywords.find((k) => /base|pointer/.test(k.name ?? ''))?.value,
        addresses,
      );
    childExpressions(node).forEach(expression);
  };
  const visit = (statement: Statement): void => {
    ownExpressions(statement).forEach(expression);
    if (statement.kind === 'assign' && statement.targets[0]?.kind === 'name') {
      const { id } = statement.targets[0];
      const set = sources.get(id) ?? new Set<string>();
      roots(statement.value, set);
      sources.set(id, set);
    }
    childStatements(statement).forEach(visit);
  };
  kernel.body.forEach(visit);
  const parameters = new Set(kernel.parameters.map((p) => p.name));
  const reached = new Set<string>();
  const follow = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    sources.get(name)?.forEach(follow);
  };
  addresses.forEach(follow);
  return new Set([...reached].filter((name) => parameters.has(name)));
}
function calleeName(node: Call): string {
  if (node.callee.kind === 'attribute') return node.callee.name;
  return node.callee.kind === 'name' ? node.callee.id : '';
}
