/**
 * Interval analysis of integers: what values an element can have, signed. Bounds are doubles; a
 * result that could leave ±2⁵³ or its own type's range has the whole range of the type.
 *
 * Facts: `tl.assume` states ranges, a program id is in [0, 2³¹), `make_range` and constants say
 * theirs, an argument or a loaded value can be anything of its type, a loop's counter lies between
 * its bounds.
 */
import { constantOf } from '../ir/builder';
import type { Attribute, Block, Func, Operation, Value } from '../ir/ir';
import { Block as BlockClass } from '../ir/ir';
import { OPS } from '../ir/ops';
import { clamp, intersect, point, wholeRange, type Range } from '../ir/ops/range';
import { dtypeOf } from '../ir/types';

export class Ranges {
  readonly #known = new Map<Value, Range>();

  constructor(readonly func: Func) {}

  of(value: Value): Range {
    let range = this.#known.get(value);
    if (!range) {
      const whole = wholeRange(dtypeOf(value.type));
      // Cycles through loops meet the whole range.
      this.#known.set(value, whole);
      const computed = clamp(this.#compute(value) ?? whole, whole);
      const both = intersect(computed, this.#stated(value, whole));
      range = both.low > both.high ? computed : both;
      this.#known.set(value, range);
    }
    return range;
  }

  /** The range that `tl.assume` states. */
  #stated(value: Value, whole: Range): Range {
    const { owner } = value;
    let range: Attribute | undefined;
    if (!(owner instanceof BlockClass)) range = owner.attributes['tt.range'];
    else if (owner === this.func.body)
      range = this.func.parameters[owner.args.indexOf(value)]?.range;
    if (!Array.isArray(range)) return whole;
    return { low: Number(range[0]), high: Number(range[1]) };
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
    const definition = OPS[op.name];
    if (definition.kind !== 'elementwise' && definition.kind !== 'tile') return undefined;
    return definition.range?.(op, (index) => this.of(op.operand(index)));
  }
}
