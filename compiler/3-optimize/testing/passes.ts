/** For tests of single passes: what a kernel becomes, as printed IR. */
import { expect } from 'vitest';
import type { Func } from '../../ir/ir';
import { eliminate_dead_code } from '../eliminate_dead_code';
import { after, normal } from './equivalence';

/** Dead operations are dropped from what is compared, so that the tests show what matters. */
function cleaned(pass: (func: Func) => boolean): (func: Func) => boolean {
  return (func) => {
    const changed = pass(func);
    eliminate_dead_code(func);
    return changed;
  };
}
export function becomes(pass: (func: Func) => boolean, before: string, wanted: string): void {
  expect(after(before, cleaned(pass))).toBe(normal(wanted));
}
export function stays(pass: (func: Func) => boolean, text: string): void {
  expect(after(text, pass)).toBeNull();
}
export const kernel = (parameters: string, body: string) =>
  `tt.func @k(${parameters}) {\n${body}\n  tt.return\n}\n`;
