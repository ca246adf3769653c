/** The form in which each operation of thread IR is described, and rules that several share. */
import type { Attribute } from '../../ir';
import { number, printThreadType } from '../types';
import type { NumberType, ScalarName, ThreadType } from '../types';

/** Effects that passes may rely on. */
export type ThreadTrait =
  /** No effect besides its results; may be removed, moved and merged. */
  | 'pure'
  | 'commutative'
  | 'reads'
  | 'writes'
  /** All threads of a subgroup (or of the workgroup) take part; control flow must be uniform. */
  | 'convergent'
  | 'barrier'
  | 'terminator';

export type Attributes = Readonly<Record<string, Attribute>>;

/** A component of a number: `bool` as 0 or 1, integers and floats as their value. */
export type ScalarFunction = (x: number, y: number, z: number) => number;

export interface ThreadOpSpec {
  readonly traits: readonly ThreadTrait[];
  /** Names of the operands; the last may be `x?` or `xs*`. */
  readonly operands: readonly string[];
  /** Names of the attributes; `x?` may be absent. */
  readonly attributes?: readonly string[];
  readonly regions?: readonly string[];
  /**
   * The result types, or a text that says what is wrong with the operands. `requested` are the
   * result types that the operation was given; they decide where operands leave them open (casts,
   * constants).
   */
  readonly types: (
    operands: readonly ThreadType[],
    attributes: Attributes,
    requested: readonly ThreadType[],
  ) => readonly ThreadType[] | string;
  /**
   * The value of one component, by the scalar types of the first operand and of the result; only
   * for pure operations. A float is rounded by whoever holds it.
   */
  readonly evaluate?: (scalar: ScalarName, result: ScalarName) => ScalarFunction;
  /** The components of the result where they do not follow from the operand's one by one. */
  readonly whole?: (x: NumberType, result: NumberType) => (x: readonly number[]) => number[];
  readonly doc: string;
}

export const PURE: readonly ThreadTrait[] = ['pure'];
export const COMMUTATIVE: readonly ThreadTrait[] = ['pure', 'commutative'];

/**
 * The type that numbers combine to: equal scalars, and a scalar counts as a vector of equal
 * components.
 */
export function combined(operands: readonly ThreadType[]): NumberType | string {
  let found: NumberType | undefined;
  for (const type of operands) {
    if (type.kind !== 'number') return `${printThreadType(type)} is no number`;
    if (!found) found = type;
    else if (type.scalar !== found.scalar) return `${type.scalar} and ${found.scalar} do not mix`;
    else if (type.size !== found.size) {
      if (type.size !== 1 && found.size !== 1) return 'vectors of different sizes do not mix';
      found = number(type.scalar, type.size === 1 ? found.size : type.size);
    }
  }
  return found ?? 'no operands';
}

/** Operands of one type among `scalars`; the result has it too. */
export function same(...scalars: readonly ScalarName[]): ThreadOpSpec['types'] {
  return (operands) => {
    const type = combined(operands);
    if (typeof type === 'string') return type;
    return scalars.includes(type.scalar) ? [type] : `no operation on ${type.scalar}`;
  };
}

export const INTEGERS = ['i32', 'u32'] as const;
export const FLOATS = ['f32', 'f16'] as const;
export const NUMBERS = [...INTEGERS, ...FLOATS] as const;
