/**
 * Checks of plain data that comes from outside: a worker that runs a stranger's program, a server,
 * storage. A check is typed by what it accepts, so that it cannot fall behind the type: a field
 * that a type gains is a type error here until it is checked.
 */
export type Check<T> = (value: unknown) => value is T;
type Fields<T> = { readonly [K in keyof T]-?: Check<T[K]> };

const check = <T>(accepts: (value: unknown) => boolean): Check<T> => accepts as Check<T>;

export const text = check<string>((value) => typeof value === 'string');
export const boolean = check<boolean>((value) => typeof value === 'boolean');
/** NaN and infinities are numbers too. */
export const number = check<number>((value) => typeof value === 'number');
/** Counts, places, ids. */
export const whole = check<number>(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const bytes = check<Uint8Array>((value) => value instanceof Uint8Array);
export const nothing = check<null>((value) => value === null);

export function oneOf<const T extends string | number | boolean>(
  ...values: readonly T[]
): Check<T> {
  return check((value) => values.includes(value as T));
}
export function orNull<T>(accepts: Check<T>): Check<T | null> {
  return check((value) => value === null || accepts(value));
}
export function optional<T>(accepts: Check<T>): Check<T | undefined> {
  return check((value) => value === undefined || accepts(value));
}
export function either<A, B>(first: Check<A>, second: Check<B>): Check<A | B> {
  return check((value) => first(value) || second(value));
}
export function list<T>(accepts: Check<T>): Check<readonly T[]> {
  return check((value) => Array.isArray(value) && value.every(accepts));
}
export function triple<T>(accepts: Check<T>): Check<readonly [T, T, T]> {
  return check((value) => Array.isArray(value) && value.length === 3 && value.every(accepts));
}
export function dictionary<T>(accepts: Check<T>): Check<Readonly<Record<string, T>>> {
  return check((value) => isObject(value) && Object.values(value).every(accepts));
}
export function object<T extends object>(fields: Fields<T>): Check<T> {
  const checks = Object.entries<Check<unknown>>(fields);
  return check(
    (value) => isObject(value) && checks.every(([name, accepts]) => accepts(value[name])),
  );
}
/** One of several objects, distinguished by a field. */
export function tagged<T extends object, K extends keyof T & string>(
  tag: K,
  kinds: { readonly [N in T[K] & string]: Check<Extract<T, Record<K, N>>> },
): Check<T> {
  const known = new Map(Object.entries<Check<unknown>>(kinds));
  return check((value) => isObject(value) && (known.get(String(value[tag]))?.(value) ?? false));
}
export function where<T>(accepts: Check<T>, holds: (value: T) => boolean): Check<T> {
  return check((value) => accepts(value) && holds(value));
}
/** For shapes that contain themselves. */
export function lazy<T>(made: () => Check<T>): Check<T> {
  return check((value) => made()(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
