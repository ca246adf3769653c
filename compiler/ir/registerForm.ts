/**
 * How an operation on a tile with many registers a thread is lowered to threads, as its attribute
 * `form`. Without one its registers are scalarized: each has a name. The attribute `versioned` of
 * an operation in loop form states that its loop has a version without tests.
 */
import type { Operation, Value } from './ir';

/**
 * `rematerialized`: evaluated where it is used, a register at a time. `array`: the results lie in
 * an array of the thread. `loop`: walks over its operand's registers in a loop.
 */
export type RegisterForm = 'rematerialized' | 'array' | 'loop';

export const FORM = 'form';
export const VERSIONED = 'versioned';
const FORMS: ReadonlySet<unknown> = new Set<RegisterForm>(['rematerialized', 'array', 'loop']);

function isRegisterForm(form: unknown): form is RegisterForm {
  return FORMS.has(form);
}
/** Whether this may be an attribute of any operation: its form, or that its loop is versioned. */
export function isFormAttribute(name: string, value: unknown): boolean {
  return name === FORM ? isRegisterForm(value) : name === VERSIONED && value === true;
}
export function formOf(op: Operation): RegisterForm | undefined {
  const form = op.attributes[FORM];
  return isRegisterForm(form) ? form : undefined;
}
export function isRematerialized({ definition }: Value): boolean {
  return definition !== undefined && formOf(definition) === 'rematerialized';
}
