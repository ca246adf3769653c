/**
 * The operations and constants of a kernel that keep no identities in the ring of `hippocamp prove`
 * (`3-optimize/fp_sanitizer.ts`). Two programs that differ in the ring and use one of them may
 * still be the same algebra, written in another way.
 */
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import type { Location } from '../ir/location';
import { bitWidth, dtypeOf, isFloat } from '../ir/types';
import type { OpName } from '../ir/ops';

const WORDS: Partial<Record<OpName, string>> = {
  'arith.divf': 'a division',
  'tt.precise_divf': 'a division',
  'arith.remf': 'a remainder',
  'arith.cmpf': 'a comparison of floats',
  'arith.maximumf': 'a maximum',
  'arith.maxnumf': 'a maximum',
  'arith.minimumf': 'a minimum',
  'arith.minnumf': 'a minimum',
  'tt.clampf': 'a clamp',
  'math.absf': 'an absolute value',
  'arith.sitofp': 'integers that become floats',
  'arith.uitofp': 'integers that become floats',
  'tt.precise_sqrt': 'sqrt',
  'tt.sort': 'a sort',
  'arith.bitcast': 'a reinterpretation of bits',
};
/** Functions that keep their identities. */
const KEPT = /^math\.(exp2?|sin|cos|fma|absf|absi|bitreverse|ctlz|ctpop)$/;

export interface RingUse {
  /** `a division`, `sqrt`. */
  readonly name: string;
  readonly location: Location;
}
export interface KernelRingUses {
  /** Each name once, where it stands first. */
  readonly functions: readonly RingUse[];
  /** Float constants other than 0, 1, -1 and infinities. */
  readonly constants: readonly number[];
  /** The conversion to the fewest bits, of which the ring keeps the low ones; null without any. */
  readonly narrowing: { readonly bits: number; readonly location: Location } | null;
  /** Whether it has an exponential, whose low quarter of bits is 1 for every exponent. */
  readonly exponential: boolean;
}

/** The program's own call of what stands in a library. */
function inProgram(location: Location): Location {
  let at = location;
  while (at.file.startsWith('triton/') && at.inlinedAt) at = at.inlinedAt;
  return at;
}

/** @param func as lowered, with floats. */
export function ringUses(func: Func): KernelRingUses {
  const functions = new Map<string, RingUse>();
  const constants = new Set<number>();
  let narrowing: KernelRingUses['narrowing'] = null;
  let exponential = false;
  walk(func.body, (op) => {
    const { name, location } = op;
    if (/^math\.exp2?$/.test(name)) exponential = true;
    const bits = narrowedBits(op);
    if (bits < (narrowing?.bits ?? Infinity)) narrowing = { bits, location: inProgram(location) };
    if (name === 'arith.constant') {
      const dtype = dtypeOf(op.result.type);
      const value = Number(op.attributes['value']);
      const plain = value === 0 || Math.abs(value) === 1 || !Number.isFinite(value);
      if (dtype && isFloat(dtype) && !plain) constants.add(value);
      return;
    }
    const tagged = name.startsWith('math.') && !KEPT.test(name) ? name.slice(5) : undefined;
    const word = WORDS[name] ?? tagged;
    if (word && !functions.has(word))
      functions.set(word, { name: word, location: inProgram(location) });
  });
  return { functions: [...functions.values()], constants: [...constants], narrowing, exponential };
}

/** Bits of a conversion's result where its operand has more, else no limit. */
function narrowedBits(op: Operation): number {
  if (op.name !== 'arith.truncf' && op.name !== 'tt.fp_to_fp') return Infinity;
  const [from, to] = [dtypeOf(op.operand(0).type)!, dtypeOf(op.result.type)!];
  return bitWidth(to) < bitWidth(from) ? bitWidth(to) : Infinity;
}
