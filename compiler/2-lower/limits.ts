/**
 * Limits of what a kernel may cost to compile. All is inlined and unrolled, so that a few lines can
 * mean more than any machine has; these bounds end that with a diagnostic, some ten times beyond
 * the largest kernels that are known.
 */
import { MESSAGES } from './codes';
import { DiagnosticError } from '../diagnostics';
import type { Context } from './context';
import type { Tuple, Val } from './values';

/** Expressions and statements read, each as often as it is inlined or unrolled. */
export const MAX_STEPS = 1_000_000;
/** Operations made. */
export const MAX_OPERATIONS = 100_000;
/** Branches and loops in each other, after inlining. */
export const MAX_REGIONS = 150;
/** Errors reported; a kernel with more has one cause, or is not a kernel. */
export const MAX_ERRORS = 100;
/** Bits of a compile-time integer. */
const MAX_BITS = 131_072;
/** Characters of a compile-time string. */
const MAX_CHARACTERS = 1_000_000;
/** Values in a tuple, those in its tuples counted. */
const MAX_ITEMS = 100_000;

/** Thrown where lowering ends at once; the cause is reported. */
export class Abandoned extends Error {}

/** Ends the lowering: unlike other errors, nothing after this statement is read. */
export function abandon(cx: Context, message: string): never {
  try {
    cx.fail('HC0221', message);
  } catch (error) {
    if (error instanceof DiagnosticError) cx.report(error.diagnostic);
  }
  throw new Abandoned();
}

const leaves = new WeakMap<Tuple, number>();
function leavesOf(v: Val): number {
  if (v.kind !== 'tuple') return 1;
  let count = leaves.get(v);
  if (count === undefined)
    leaves.set(v, (count = v.items.reduce((sum, item) => sum + leavesOf(item), 1)));
  return count;
}

/** The bits of |x|, at least; exact enough for a bound. */
function bitsOf(x: bigint): number {
  return x > -0x1_0000_0000n && x < 0x1_0000_0000n ? 32 : x.toString(16).length * 4;
}

/** Fails where an integer of so many bits, or the product of some, is too large to go on with. */
export function checkBits(cx: Context, a: bigint, b: bigint, operator: '*' | '**' | '<<'): void {
  const bits =
    operator === '*'
      ? bitsOf(a) + bitsOf(b)
      : operator === '<<'
        ? bitsOf(a) + Number(b)
        : (a > 1n || a < -1n ? bitsOf(a) : 1) * Number(b);
  // Powers of small numbers are given the bits of a word above.
  const most = operator === '**' && bitsOf(a) === 32 ? 16 * MAX_BITS : MAX_BITS;
  if (bits > most) cx.fail('HC0214', MESSAGES.HC0214.resultTooLarge({ operator }));
}
/** Fails where `times` copies of something of this length are too large. */
export function checkLength(cx: Context, length: number, times: number, what: string): void {
  if (length * Math.max(times, 0) > (what === 'string' ? MAX_CHARACTERS : MAX_ITEMS))
    cx.fail('HC0214', MESSAGES.HC0214.thisLongToo({ what }));
}
/** Fails where a compile-time value has grown too large. */
export function checkValue(cx: Context, v: Val): void {
  if (v.kind === 'string') checkLength(cx, v.value.length, 1, 'string');
  else if (v.kind === 'tuple') checkLength(cx, leavesOf(v), 1, 'tuple');
}
