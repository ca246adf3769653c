/**
 * f64 arithmetic: every operation is a call of a function of the library on two words
 * (`ir/thread/library/f64.ts`), so it is exact everywhere, and slow. An operation without a
 * function is refused at its line.
 */
import type { Operation } from '../../ir/ir';
import type { OpName } from '../../ir/ops';
import type { ThreadValue } from '../../ir/thread/ir';
import type { LibraryName } from '../../ir/thread/library/index';
import { refuse } from '../context';
import type { Lowering } from '../context';

type Rule = (t: Lowering, args: readonly ThreadValue[], op: Operation) => ThreadValue;

/** `more`: constant arguments behind the operands. */
const helper =
  (name: LibraryName, ...more: readonly (number | boolean)[]): Rule =>
  (t, args) =>
    t.call(
      name,
      ...args,
      ...more.map((each) => (typeof each === 'boolean' ? t.b.bool(each) : t.b.u32(each))),
    );

/** Bits of what `f64_compare` gives: less, equal, greater, unordered. */
const PREDICATES: Readonly<Record<string, number>> = {
  olt: 1,
  oeq: 2,
  ole: 3,
  ogt: 4,
  oge: 6,
  une: 13,
};

const RULES: Partial<Record<OpName, Rule>> = {
  'arith.addf': helper('f64_add'),
  'arith.subf': helper('f64_sub'),
  'arith.mulf': helper('f64_mul'),
  'arith.divf': helper('f64_div'),
  'tt.precise_divf': helper('f64_div'),
  'arith.remf': helper('f64_rem'),
  'arith.negf': helper('f64_neg'),
  'math.absf': helper('f64_abs'),
  'math.fma': helper('f64_fma'),
  'math.sqrt': helper('f64_sqrt'),
  'tt.precise_sqrt': helper('f64_sqrt'),
  'math.rsqrt': helper('f64_rsqrt'),
  'arith.maxnumf': helper('f64_maxnum'),
  'arith.minnumf': helper('f64_minnum'),
  'arith.maximumf': helper('f64_maximum'),
  'arith.minimumf': helper('f64_minimum'),
  'tt.clampf': (t, [x, low, high], op) =>
    op.attributes['propagateNan'] === 'all'
      ? t.call('f64_minimum', t.call('f64_maximum', x!, low!), high!)
      : t.call('f64_minnum', t.call('f64_maxnum', x!, low!), high!),
  'arith.cmpf': (t, [a, b], op) =>
    t.x`(f64_compare(${a!}, ${b!}) & ${PREDICATES[String(op.attributes['predicate'])]!}u) != 0u`,
  'math.trunc': helper('f64_integral', 0),
  'math.floor': helper('f64_integral', 1),
  'math.ceil': helper('f64_integral', 2),
  'math.round': helper('f64_integral', 3),
  'math.roundeven': helper('f64_integral', 4),
  'math.exp': helper('f64_exp'),
  'math.exp2': helper('f64_exp2'),
  'math.log': helper('f64_logarithm', false),
  'math.log2': helper('f64_logarithm', true),
  'math.sin': helper('f64_sine', 0),
  'math.cos': helper('f64_sine', 1),
  'math.tan': (t, [x]) => t.x`f64_div(f64_sine(${x!}, 0u), f64_sine(${x!}, 1u))`,
  'math.erf': helper('f64_erf'),
  'math.powf': helper('f64_pow'),
};

/** One register of an operation on f64 operands. */
export function arithmetic64(
  t: Lowering,
  op: Operation,
  args: readonly ThreadValue[],
): ThreadValue {
  const rule = RULES[op.name];
  if (!rule)
    refuse(
      op,
      'HC0502',
      `${op.name} in float64 is not there: WebGPU has no 64-bit floats, and this one is not ` +
        'emulated. Convert with .to(tl.float32)',
    );
  return rule(t, args, op);
}
