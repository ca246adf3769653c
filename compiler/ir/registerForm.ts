/**
 * How an operation on a tile with many registers a thread is lowered to threads, as its attribute
 * `form`. Without one its registers are scalarized: each has a name.
 */
import type { Operation, Value } from './ir';

/**
 * `rematerialized`: evaluated where it is used, a register at a time. `array`: the results lie in
 * an array of the thread. `loop`: walks over its operand's registers in a loop.
 */
export type RegisterForm = 'rematerialized' | 'array' | 'loop';

export const FORM = 'form';
const FORMS: ReadonlySet<unknown> = new Set<RegisterForm>(['rematerialized', 'array', 'loop']);

export function isRegisterForm(form: unknown): form is RegisterForm {
  return FORMS.has(form);
}
export function formOf(op: Operation): RegisterForm | undefined {
  const form = op.attributes[FORM];
  return isRegisterForm(form) ? form : undefined;
}
export function isRematerialized({ definition }: Value): boolean {
  return definition !== undefined && formOf(definition) === 'rematerialized';
}
