/**
 * Axis analysis: for each dimension of each integer or pointer tile, how far it counts up by one
 * (contiguity), what the first element of each such run is divisible by (divisibility), and how far
 * it stays the same (constancy). All are powers of two and hold for groups aligned to them.
 * Pointers count in elements; their divisibility is in bytes. Follows Triton's AxisInfo, with one
 * correction: a run that is cut shorter loses divisibility.
 *
 * As in Triton, integers are taken to be non-negative where a division or remainder is followed,
 * except what a subtraction or a negative constant made; on negative numbers the groups would
 * break.
 */
import type { Attribute, Block, Func, Operation, Value } from '../ir/ir';
import { OPS } from '../ir/ops';
import {
  type AxisInfo,
  equalInfos,
  meet,
  powerOfTwoDivisor,
  rankOf,
  unknown,
} from '../ir/ops/axis';

export type { AxisInfo };

export class AxisAnalysis {
  readonly #infos = new Map<Value, AxisInfo>();

  constructor(func: Func) {
    func.body.args.forEach((arg, i) => {
      const divisibility = func.parameters[i]?.divisibility;
      const base = unknown(arg);
      this.#infos.set(
        arg,
        divisibility
          ? { ...base, divisibility: base.divisibility.map(() => powerOfTwoDivisor(divisibility)) }
          : base,
      );
    });
    this.#block(func.body);
  }

  /** Scalars have one dimension. */
  of(value: Value): AxisInfo {
    return this.#infos.get(value) ?? unknown(value);
  }

  #block(block: Block): void {
    for (const op of block.ops) this.#operation(op);
  }

  #operation(op: Operation): void {
    switch (op.name) {
      case 'scf.for': {
        const [counter, ...carried] = op.region(0).args;
        const [lower, , step, ...inits] = op.operands;
        if (!counter || !lower || !step) return;
        const start = this.of(lower);
        const by = this.of(step);
        this.#infos.set(counter, {
          ...unknown(counter),
          divisibility: [Math.min(start.divisibility[0]!, by.divisibility[0]!)],
          ...(start.mayBeNegative || by.mayBeNegative ? { mayBeNegative: true } : {}),
        });
        this.#fixpoint(op.region(0), carried, inits);
        carried.forEach((arg, i) => this.#infos.set(op.results[i]!, this.of(arg)));
        return;
      }
      case 'scf.while': {
        const before = op.region(0);
        const after = op.region(1);
        before.args.forEach((arg, i) => this.#infos.set(arg, this.of(op.operand(i))));
        for (let changed = true; changed;) {
          this.#block(before);
          const forwarded = before.terminator.operands.slice(1);
          after.args.forEach((arg, i) => this.#infos.set(arg, this.of(forwarded[i]!)));
          this.#block(after);
          changed = this.#meetInto(before.args, after.terminator.operands);
        }
        before.terminator.operands
          .slice(1)
          .forEach((value, i) => this.#infos.set(op.results[i]!, this.of(value)));
        return;
      }
      case 'scf.if': {
        for (const region of op.regions) this.#block(region);
        op.results.forEach((result, i) => {
          const infos = op.regions.map((region) => this.of(region.terminator.operand(i)));
          this.#infos.set(result, infos.reduce(meet));
        });
        return;
      }
      default: {
        for (const region of op.regions) this.#block(region);
        if (op.results.length !== 1) return;
        const definition = OPS[op.name];
        const computed =
          'axis' in definition
            ? definition.axis(
                op,
                op.operands.map((operand) => this.of(operand)),
              )
            : undefined;
        this.#infos.set(op.result, withHints(op, computed ?? unknown(op.result)));
      }
    }
  }

  #fixpoint(body: Block, args: readonly Value[], inits: readonly Value[]): void {
    args.forEach((arg, i) => this.#infos.set(arg, this.of(inits[i]!)));
    do this.#block(body);
    while (this.#meetInto(args, body.terminator.operands));
  }

  #meetInto(args: readonly Value[], yielded: readonly Value[]): boolean {
    let changed = false;
    args.forEach((arg, i) => {
      const old = this.of(arg);
      const next = meet(old, this.of(yielded[i]!));
      if (equalInfos(old, next)) return;
      this.#infos.set(arg, next);
      changed = true;
    });
    return changed;
  }
}

/**
 * `tl.multiple_of`, `tl.max_contiguous`, `tl.max_constancy`: what the user promises is believed.
 */
function withHints(op: Operation, info: AxisInfo): AxisInfo {
  const hint = (name: string, known: readonly number[]): readonly number[] => {
    const attribute: Attribute | undefined = op.attributes[name];
    if (attribute === undefined) return known;
    const list: readonly Attribute[] = Array.isArray(attribute)
      ? attribute
      : [attribute as Attribute];
    return known.map((k, d) => {
      const given = list[Math.min(d, list.length - 1)];
      return typeof given === 'number' || typeof given === 'bigint'
        ? Math.max(k, powerOfTwoDivisor(given))
        : k;
    });
  };
  const shape = rankOf(op.result);
  const limit = (list: readonly number[]): number[] => list.map((n, d) => Math.min(n, shape[d]!));
  return {
    ...info,
    contiguity: limit(hint('tt.contiguity', info.contiguity)),
    divisibility: hint('tt.divisibility', info.divisibility),
    constancy: limit(hint('tt.constancy', info.constancy)),
  };
}
