/**
 * How an operation on a tile with many registers a thread is lowered to threads, as its attribute
 * `form`. Without one its registers are scalarized: each has a name. The attribute `versioned` of
 * an operation in loop form, or of a dot with a loop along K, states that its loop has a version
 * without tests, and `unroll` how many elements an iteration takes, a power of two.
 */
import type { Operation, Value } from './ir';

/**
 * `rematerialized`: evaluated where it is used, a register at a time. `array`: the results lie in
 * an array of the thread. `loop`: walks over its operand's registers in a loop.
 */
export type RegisterForm = 'rematerialized' | 'array' | 'loop';

export const FORM = 'form';
export const VERSIONED = 'versioned';
export const UNROLL = 'unroll';
const FORMS: ReadonlySet<unknown> = new Set<RegisterForm>(['rematerialized', 'array', 'loop']);

function isRegisterForm(form: unknown): form is RegisterForm {
  return FORMS.has(form);
}
/** Whether this may be an attribute of any operation: its form, or a fact about its loop. */
export function isFormAttribute(name: string, value: unknown): boolean {
  if (name === FORM) return isRegisterForm(value);
  if (name === UNROLL) return Number.isInteger(Math.log2(Number(value)));
  return name === VERSIONED && value === true;
}
/** The logarithm of how many elements an iteration of an operation's loop takes. */
export function unrolledBits({ attributes }: Operation): number {
  return Math.log2(Number(attributes[UNROLL] ?? 1));
}
export function formOf(op: Operation): RegisterForm | undefined {
  const form = op.attributes[FORM];
  return isRegisterForm(form) ? form : undefined;
}
export function isRematerialized({ definition }: Value): boolean {
  return definition !== undefined && formOf(definition) === 'rematerialized';
}
