/**
 * The kernels of a program, from its text alone: what the live page compiles before anything ran.
 * A launch made by Python has more facts (`app/python/triton`); this is a guess, marked as one.
 */
import type { Location } from '../ir/location';
import type { KernelFunction, KernelProgram, Specialization, StaticValue } from '../program';
import { guessSpecializations } from './guess';
import { isGluon, moduleScopes, staticValue, type ModuleScope } from './moduleScope';
import type { Parser } from './parser';
import {
  childExpressions,
  childStatements,
  ownExpressions,
  type Expression,
  type FunctionDef,
  type Module,
  type Statement,
} from './syntax';

export interface Outline {
  readonly name: string;
  readonly location: Location;
  readonly parameters: readonly { readonly name: string; readonly constexpr: boolean }[];
  readonly program: KernelProgram;
  /** Null where some constexpr cannot be guessed. */
  readonly guess: Specialization | null;
  /** For kernels that are not written for the sizes of `guess`, the likeliest first. */
  readonly otherGuesses: readonly Specialization[];
}

/** Every `@triton.jit` function of the files, those that a launch names first. */
export function outline(files: Readonly<Record<string, string>>, parser: Parser): Outline[] {
  const python = Object.fromEntries(Object.entries(files).filter(([name]) => name.endsWith('.py')));
  const modules = Object.entries(python).map(([file, text]) => parser.parse(file, text));
  const scopes = moduleScopes(modules);
  const functions: Record<string, KernelFunction> = {};
  for (const module of modules) {
    const scope = scopes.get(module.file)!;
    for (const [id, definition] of scope.functions)
      functions[id] = kernelFunction(id, module, definition, scope);
  }
  const called = new Set<string>();
  const found: Outline[] = [];
  for (const module of modules) {
    const scope = scopes.get(module.file)!;
    for (const [id, definition] of scope.functions) {
      for (const name of usedNames(definition)) {
        const value = scope.names.get(name);
        if (value?.kind === 'function' && value.id !== id) called.add(value.id);
      }
      const [guess = null, ...otherGuesses] = returnsValue(definition.body)
        ? []
        : guessSpecializations(definition, modules, scope);
      found.push({
        name: definition.name,
        location: definition.nameLocation,
        parameters: definition.parameters.map((p) => ({
          name: p.name,
          constexpr: isConstexpr(p.annotation),
        })),
        program: { files: python, functions, entry: id },
        guess,
        otherGuesses,
      });
    }
  }
  // Helpers, which other kernels call, come last.
  return found.sort(
    (a, b) => Number(called.has(a.program.entry)) - Number(called.has(b.program.entry)),
  );
}

/** `tl.constexpr`, however it is spelled; also as a string. */
export function isConstexpr(annotation: Expression | undefined): boolean {
  if (!annotation) return false;
  if (annotation.kind === 'name') return annotation.id === 'constexpr';
  if (annotation.kind === 'attribute') return annotation.name === 'constexpr';
  return (
    annotation.kind === 'literal' &&
    annotation.value.type === 'string' &&
    /(^|\.)constexpr$/.test(annotation.value.value)
  );
}

/** A function that returns something is a helper, no kernel: it cannot be compiled by itself. */
export function returnsValue(statements: readonly Statement[]): boolean {
  return statements.some((node) =>
    node.kind === 'return'
      ? node.value !== undefined && node.value.kind !== 'literal'
      : node.kind !== 'function' && returnsValue(childStatements(node)),
  );
}

function kernelFunction(
  id: string,
  module: Module,
  definition: FunctionDef,
  scope: ModuleScope,
): KernelFunction {
  const globals: Record<string, StaticValue> = {};
  for (const name of usedNames(definition)) {
    const value = scope.names.get(name);
    if (value) globals[name] = value;
  }
  const defaults: Record<string, StaticValue> = {};
  for (const parameter of definition.parameters) {
    const value = parameter.default && staticValue(parameter.default, scope.names);
    if (value) defaults[parameter.name] = value;
  }
  const { name, line } = definition;
  const gluon = isGluon(definition, scope) ? { gluon: true } : {};
  return { id, name, file: module.file, line, globals, defaults, ...gluon };
}

/** Every name that a function reads, itself and its annotations included. */
function usedNames(definition: FunctionDef): Set<string> {
  const names = new Set<string>();
  const expression = (node: Expression): void => {
    if (node.kind === 'name') names.add(node.id);
    childExpressions(node).forEach(expression);
  };
  const visit = (statement: Statement): void => {
    ownExpressions(statement).forEach(expression);
    childStatements(statement).forEach(visit);
  };
  visit(definition);
  return names;
}
