/**
 * f64 arithmetic: every operation is a call of a helper on two words (`helpers/f64.ts`), so it is exact
 * everywhere, and slow. What has no helper is refused at its line.
 */
import type { Operation } from '../../ir/ir';
import type { OpName } from '../../ir/ops';
import type { Emission } from '../emission';
import { refuse } from '../emission';
import type { HelperName } from '../helpers/index';

type Rule = (e: Emission, args: readonly string[], op: Operation) => string;

const helper =
  (name: HelperName, ...more: readonly string[]): Rule =>
  (e, args) =>
    e.call(name, ...args, ...more);

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
  'tt.clampf': (e, [x, low, high], op) =>
    op.attributes['propagateNan'] === 'all'
      ? e.call('f64_minimum', e.call('f64_maximum', x!, low!), high!)
      : e.call('f64_minnum', e.call('f64_maxnum', x!, low!), high!),
  'arith.cmpf': (e, [a, b], op) =>
    `((${e.call('f64_compare', a!, b!)} & ${PREDICATES[String(op.attributes['predicate'])]}u) != 0u)`,
  'math.trunc': helper('f64_integral', '0u'),
  'math.floor': helper('f64_integral', '1u'),
  'math.ceil': helper('f64_integral', '2u'),
  'math.round': helper('f64_integral', '3u'),
  'math.roundeven': helper('f64_integral', '4u'),
  'math.exp': helper('f64_exp'),
  'math.exp2': helper('f64_exp2'),
  'math.log': helper('f64_logarithm', 'false'),
  'math.log2': helper('f64_logarithm', 'true'),
  'math.sin': helper('f64_sine', '0u'),
  'math.cos': helper('f64_sine', '1u'),
  'math.tan': (e, [x]) =>
    e.call('f64_div', e.call('f64_sine', x!, '0u'), e.call('f64_sine', x!, '1u')),
  'math.erf': helper('f64_erf'),
};

/** The expression of an operation on f64 operands. */
export function arithmetic64(e: Emission, op: Operation, args: readonly string[]): string {
  const rule = RULES[op.name];
  if (!rule)
    refuse(
      op,
      'HC0502',
      `${op.name} in float64 is not there: WebGPU has no 64-bit floats, and this one is not ` +
        'emulated. Convert with .to(tl.float32)',
    );
  return rule(e, args, op);
}
