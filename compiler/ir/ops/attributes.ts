/**
 * The kinds of attributes: what the verifier accepts, tied to the TypeScript type that readers see.
 */
import type { Attribute } from '../ir';

export interface AttributeKind<T = Attribute> {
  readonly what: string;
  readonly optional: boolean;
  readonly fits: (value: Attribute) => boolean;
  /** Only a type. */
  readonly of?: T;
}
type OptionalKind<T> = AttributeKind<T> & { readonly optional: true };
type RequiredKind<T> = AttributeKind<T> & { readonly optional: false };

/** A kind for each attribute; for optional ones an optional kind. */
export type AttributeKinds<A> = {
  readonly [K in keyof A]-?: undefined extends A[K]
    ? OptionalKind<Exclude<A[K], undefined>>
    : string extends K
      ? AttributeKind
      : RequiredKind<A[K]>;
};

function kind<T>(what: string, fits: (value: Attribute) => boolean): RequiredKind<T> {
  return { what, optional: false, fits };
}
const isInteger = (value: Attribute): boolean => Number.isInteger(value);

export const integer = kind<number>('an integer', isInteger);
export const integers = kind<readonly number[]>(
  'a list of integers',
  (value) => Array.isArray(value) && value.every(isInteger),
);
export const flag = kind<boolean>('true or false', (value) => typeof value === 'boolean');
export const text = kind<string>('a string', (value) => typeof value === 'string');
/** A constant: a number, a bigint for i64, a truth value for i1. */
export const scalar = kind<number | bigint | boolean>('a number or truth value', (value) =>
  ['number', 'bigint', 'boolean'].includes(typeof value),
);
/** One for each operand: whether it is signed. */
export const flags = kind<readonly (boolean | number)[]>('a list', (value) => Array.isArray(value));
export function oneOf<const T extends string>(...words: readonly T[]): RequiredKind<T> {
  return kind<T>(`one of ${words.join(' ')}`, (value) => words.some((word) => word === value));
}
export function optional<T>({ what, fits }: RequiredKind<T>): OptionalKind<T> {
  return { what, optional: true, fits };
}
