/**
 * Interval analysis of integers: what values an element can have, signed. Bounds are doubles; a
 * result that could leave ±2⁵³ or its own type's range has the whole range of the type.
 *
 * Facts: a program id is in [0, 2³¹), `make_range` and constants say it, an argument or a loaded value
 * can be anything of its type, a loop's counter lies between its bounds.
 */
import { constantOf } from '../ir/builder';
import type { Block, Operation, Value } from '../ir/ir';
import { Block as BlockClass } from '../ir/ir';
import type { DType } from '../ir/types';
import { dtypeOf } from '../ir/types';

export interface Range {
  readonly low: number;
  readonly high: number;
}
export const I32_RANGE: Range = { low: -(2 ** 31), high: 2 ** 31 - 1 };
/** Wider than any double can count exactly; meets every test against narrower ranges with "no". */
const I64_RANGE: Range = { low: -(2 ** 63), high: 2 ** 63 };
const EXACT = 2 ** 53;

export function isWithin(range: Range, outer: Range): boolean {
  return range.low >= outer.low && range.high <= outer.high;
}
function wholeRange(dtype: DType | undefined): Range {
  switch (dtype) {
    case 'i1':
      return { low: 0, high: 1 };
    case 'i8':
      return { low: -128, high: 127 };
    case 'i16':
      return { low: -32768, high: 32767 };
    case 'i32':
      return I32_RANGE;
    default:
      return I64_RANGE;
  }
}

export class Ranges {
  readonly #known = new Map<Value, Range>();

  of(value: Value): Range {
    let range = this.#known.get(value);
    if (!range) {
      const whole = wholeRange(dtypeOf(value.type));
      // Cycles through loops meet the whole range.
      this.#known.set(value, whole);
      range = clamp(this.#compute(value) ?? whole, whole);
      this.#known.set(value, range);
    }
    return range;
  }

  #compute(value: Value): Range | undefined {
    const { owner } = value;
    if (owner instanceof BlockClass) return this.#argument(value, owner);
    const constant = constantOf(value);
    if (constant !== undefined) return point(Number(constant));
    return this.#operation(owner);
  }
  #argument(value: Value, block: Block): Range | undefined {
    const loop = block.parent;
    if (loop?.name !== 'scf.for' || block.args[0] !== value) return undefined;
    const [lower, upper] = [this.of(loop.operand(0)), this.of(loop.operand(1))];
    return { low: lower.low, high: Math.max(lower.low, upper.high - 1) };
  }
  #operation(op: Operation): Range | undefined {
    const x = () => this.of(op.operand(0));
    const y = () => this.of(op.operand(1));
    switch (op.name) {
      case 'tt.get_program_id':
        return { low: 0, high: 2 ** 31 - 1 };
      case 'tt.get_num_programs':
        return { low: 1, high: 2 ** 31 - 1 };
      case 'tt.make_range':
        return { low: Number(op.attributes['start']), high: Number(op.attributes['end']) - 1 };
      case 'tt.splat':
      case 'tt.unsplat':
      case 'tt.broadcast':
      case 'tt.expand_dims':
      case 'tt.reshape':
      case 'tt.trans':
      case 'ttg.convert_layout':
      case 'tt.split':
        return x();
      case 'tt.join':
      case 'tt.cat':
        return union(x(), y());
      case 'arith.extsi':
        return dtypeOf(op.operand(0).type) === 'i1' ? { low: -1, high: 0 } : x();
      case 'arith.extui': {
        const range = x();
        if (range.low >= 0) return range;
        const dtype = dtypeOf(op.operand(0).type);
        return dtype === 'i64' ? undefined : { low: 0, high: 2 * (wholeRange(dtype).high + 1) - 1 };
      }
      case 'arith.trunci':
        return x();
      case 'arith.select':
        return union(y(), this.of(op.operand(2)));
      case 'arith.addi':
        return { low: x().low + y().low, high: x().high + y().high };
      case 'arith.subi':
        return { low: x().low - y().high, high: x().high - y().low };
      case 'arith.muli':
        return hull(x(), y(), (a, b) => a * b);
      case 'arith.divsi':
        return divide(x(), y());
      case 'arith.remsi':
        return remainder(x(), y());
      case 'arith.minsi':
        return { low: Math.min(x().low, y().low), high: Math.min(x().high, y().high) };
      case 'arith.maxsi':
        return { low: Math.max(x().low, y().low), high: Math.max(x().high, y().high) };
      case 'arith.andi': {
        const [a, b] = [x(), y()];
        if (a.low >= 0 && b.low >= 0) return { low: 0, high: Math.min(a.high, b.high) };
        if (a.low >= 0) return { low: 0, high: a.high };
        return b.low >= 0 ? { low: 0, high: b.high } : undefined;
      }
      case 'arith.shrsi': {
        const shift = constantOf(op.operand(1));
        if (shift === undefined || typeof shift === 'boolean' || shift < 0 || shift > 31)
          return undefined;
        const by = 2 ** Number(shift);
        return { low: Math.floor(x().low / by), high: Math.floor(x().high / by) };
      }
      default:
        return undefined;
    }
  }
}

const point = (x: number): Range => ({ low: x, high: x });
const union = (a: Range, b: Range): Range => ({
  low: Math.min(a.low, b.low),
  high: Math.max(a.high, b.high),
});
function hull(a: Range, b: Range, f: (x: number, y: number) => number): Range {
  const corners = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
  return { low: Math.min(...corners), high: Math.max(...corners) };
}
function divide(a: Range, b: Range): Range | undefined {
  if (b.low <= 0) return undefined;
  return hull(a, b, (x, y) => Math.trunc(x / y));
}
function remainder(a: Range, b: Range): Range | undefined {
  if (b.low <= 0) return undefined;
  const most = b.high - 1;
  return {
    low: a.low >= 0 ? 0 : Math.max(-most, a.low),
    high: a.high <= 0 ? 0 : Math.min(most, a.high),
  };
}
/** What may have wrapped, or is no longer exact, can be anything. */
function clamp(range: Range, whole: Range): Range {
  const exact = Math.abs(range.low) <= EXACT && Math.abs(range.high) <= EXACT;
  return exact && isWithin(range, whole) ? range : whole;
}
