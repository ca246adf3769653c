/** Specializations written down, as a launch would make them; so that no Python is needed here. */
import type { ArgumentSpec, Specialization, StaticValue } from '../compiler/program';

/**
 * An argument by what it is: a tensor, a number known at run time, or a value known when compiling.
 */
export type Argument =
  | { readonly tensor: string; readonly buffer: number }
  | { readonly int: number }
  | { readonly float: number }
  | { readonly constexpr: number | boolean | null };

/**
 * The specialization of a launch, in the order of the kernel's parameters: integers that are 1
 * become constants, multiples of 16 say so, buffers are 256-byte aligned as WebGPU's are. `sizes`:
 * bytes of each buffer; what is not known of it is not assumed.
 */
export function specialize(
  parameters: readonly Argument[],
  numWarps: number,
  sizes: readonly number[] = [],
): Specialization {
  return { arguments: parameters.map((each) => argumentSpec(each, sizes)), numWarps };
}

function argumentSpec(argument: Argument, sizes: readonly number[]): ArgumentSpec {
  if ('tensor' in argument) {
    return {
      kind: 'pointer',
      dtype: argument.tensor,
      divisibleBy16: true,
      group: argument.buffer,
      ...((sizes[argument.buffer] ?? 1) % 16 === 0 ? { wholeVectors: true } : {}),
    };
  }
  if ('float' in argument) return { kind: 'scalar', dtype: 'float32', divisibleBy16: false };
  if ('constexpr' in argument) return { kind: 'constexpr', value: constant(argument.constexpr) };
  if (argument.int === 1) return { kind: 'constexpr', value: constant(1) };
  return { kind: 'scalar', dtype: 'int32', divisibleBy16: argument.int % 16 === 0 };
}

function constant(value: number | boolean | null): StaticValue {
  if (value === null) return { kind: 'none' };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  return { kind: 'int', value: String(value) };
}
