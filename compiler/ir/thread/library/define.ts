/**
 * Definition of a function of the runtime library: its WGSL for a module, and what it computes for
 * the interpreter. Signature and callees are data, so no code reads the text; a test runs both on
 * the same arguments (`library.gpu.test.ts`).
 */
import type { DType } from '../../types';
import { printThreadType } from '../types';
import type { MemoryType, NumberType } from '../types';
import type { Components, Decoded, Kind, Representation } from './representations';

/** A function of the module; `LibraryFunction`s call it. */
export interface Routine {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly result: NumberType;
  readonly wgsl: Wgsl;
  /** The same without unsigned comparisons, for `MachineFacts.signedVectorsOnly`. */
  readonly signed?: Wgsl;
}
export interface Parameter {
  readonly name: string;
  readonly type: NumberType | MemoryType;
}
/** A function that thread IR may call. */
export interface LibraryFunction extends Routine {
  readonly parameters: readonly NumberParameter[];
  /** The type of the number that it computes. */
  readonly dtype: DType;
  readonly evaluate: (args: readonly Components[]) => Components;
}
export interface NumberParameter extends Kind {
  readonly name: string;
}

/** The body of a function, braces included, and the functions that it calls. */
export interface Wgsl {
  readonly text: string;
  readonly callees: readonly Routine[];
}
/** WGSL with callees, constants and other text in its holes. */
export function wgsl(
  strings: TemplateStringsArray,
  ...holes: readonly (Routine | string | number | boolean)[]
): Wgsl {
  const callees = new Set<Routine>();
  let text = strings[0]!;
  holes.forEach((hole, i) => {
    if (typeof hole === 'object') callees.add(hole);
    text += (typeof hole === 'object' ? hole.name : String(hole)) + strings[i + 1]!;
  });
  return { text, callees: [...callees] };
}

/** Parameters by name, in their order. */
type Signature = Readonly<Record<string, Decoded<unknown>>>;
type Arguments<S extends Signature> = {
  readonly [K in keyof S]: S[K] extends Decoded<infer T> ? T : never;
};

export function libraryFunction<S extends Signature, R>(definition: {
  readonly name: string;
  readonly parameters: S;
  readonly result: Representation<R>;
  /** The function in JavaScript. */
  readonly computes: (args: Arguments<S>) => R;
  readonly wgsl: Wgsl;
  readonly signed?: Wgsl;
}): LibraryFunction {
  const { parameters, result, computes, ...rest } = definition;
  const list = Object.entries(parameters);
  return {
    ...rest,
    parameters: list.map(([name, { type, dtype }]) => ({ name, type, dtype })),
    result: result.type,
    dtype: result.dtype,
    evaluate: (args) => {
      const values: Record<string, unknown> = {};
      for (let i = 0; i < list.length; i++) values[list[i]![0]] = list[i]![1].decode(args[i]!);
      return result.encode(computes(values as Arguments<S>));
    },
  };
}

export function routine(definition: {
  readonly name: string;
  readonly parameters: Readonly<Record<string, NumberType | MemoryType>>;
  readonly result: NumberType;
  readonly wgsl: Wgsl;
}): Routine {
  const list = Object.entries(definition.parameters);
  return { ...definition, parameters: list.map(([name, type]) => ({ name, type })) };
}

/** A function as a module contains it. */
export function printRoutine(
  { name, parameters, result, ...bodies }: Routine,
  signed = false,
): string {
  const list = parameters.map((each) => `${each.name}: ${parameterText(each.type)}`).join(', ');
  const { text } = (signed ? bodies.signed : undefined) ?? bodies.wgsl;
  return `fn ${name}(${list}) -> ${printThreadType(result)} ${text}`;
}
/** A table is given by reference. */
function parameterText(type: NumberType | MemoryType): string {
  if (type.kind === 'number') return printThreadType(type);
  return `ptr<function, array<${printThreadType(type.element)}, ${type.shape[0]!}>>`;
}
