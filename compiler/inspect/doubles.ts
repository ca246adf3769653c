/**
 * The stepping interpreter with every float in double precision: memory and integers are as they
 * were, what is loaded becomes a double, and nothing is rounded before its bits are read. What the
 * program stores and loads again keeps its precision. Constants and arguments are rounded to their
 * type: they are what the kernel was given.
 */
import { elementwiseKernel } from '../interpret/elementwise';
import { atomicStep, compareExchangeStep, loadStep, storeStep } from '../interpret/memoryOps';
import { isMaskedOff, maskOf } from '../ir/access';
import type { Operation, Value } from '../ir/ir';
import { roundFloat } from '../ir/numbers';
import type { Step } from '../ir/ops/machine';
import { Tile, copyTile, rounderOf, tileDType } from '../ir/tile';
import { elementCount, isFloat, type Type } from '../ir/types';
import { SteppingCompiler } from './stepper';

export function isFloatType(type: Type): boolean {
  const dtype = tileDType(type);
  return dtype !== 'pointer' && isFloat(dtype);
}

export class DoubleStepping extends SteppingCompiler {
  /** The elements that the program has stored, by address. */
  readonly #stored = new Map<number, number>();

  override newTile(type: Type, count: number): Tile {
    return isFloatType(type) ? new Tile('f64', count) : super.newTile(type, count);
  }

  override operation(op: Operation): Step | undefined {
    switch (op.name) {
      case 'arith.extf':
      case 'arith.truncf':
      case 'tt.fp_to_fp': {
        const [from, to] = [this.tile(op.operand(0)), this.define(op.result, false)];
        return () => copyTile(to, from);
      }
      case 'arith.bitcast': {
        const from = this.#narrow(op.operand(0));
        const to = this.#widen(op.result);
        const kernel = elementwiseKernel(op.name, op.attributes, [from.tile], to.tile);
        return joined(from.step, () => kernel(to.tile.count), to.step);
      }
      case 'arith.constant': {
        const step = super.operation(op);
        this.round(op.result);
        return step;
      }
      default:
        return super.operation(op);
    }
  }

  /** Rounds what a value holds to its type. */
  private round(value: Value): void {
    const dtype = tileDType(value.type);
    if (dtype === 'pointer' || !isFloat(dtype)) return;
    const { data, count } = this.tile(value);
    for (let i = 0; i < count; i++) data[i] = roundFloat(dtype, data[i]!);
  }

  override load(op: Operation): Step {
    const [pointer, mask, other] = op.operands;
    const narrow = other && this.#narrow(other);
    const out = this.#widen(op.result);
    const masked = mask && this.tile(mask);
    const load = loadStep(
      op,
      this.tile(pointer!),
      masked,
      narrow?.tile,
      out.tile,
      this.context(op),
    );
    return joined(narrow?.step, load, () => {
      out.step?.();
      if (out.step) this.#recall(op);
    });
  }
  /** Reads what the program stored without the rounding of memory. */
  #recall(op: Operation): void {
    if (this.#stored.size === 0) return;
    const [addresses, to] = [this.tile(op.operand(0)).data, this.tile(op.result)];
    const mask = maskOf(op);
    const on = mask && this.tile(mask).data;
    for (let i = 0; i < to.count; i++) {
      const stored = this.#stored.get(addresses[i]!);
      if (stored !== undefined && !isMaskedOff(on, i)) to.data[i] = stored;
    }
  }
  /** After an operation that writes: its doubles, or none where they are not known. */
  #keep(op: Operation, doubles: Tile | null): void {
    const { data, count } = this.tile(op.operand(0));
    const mask = maskOf(op);
    const on = mask && this.tile(mask).data;
    for (let i = 0; i < count; i++)
      if (!isMaskedOff(on, i)) {
        if (doubles) this.#stored.set(data[i]!, doubles.data[i]!);
        else this.#stored.delete(data[i]!);
      }
  }
  override store(op: Operation): Step {
    const [pointer, value, mask] = op.operands;
    const narrow = this.#narrow(value!);
    const masked = mask && this.tile(mask);
    const store = storeStep(op, this.tile(pointer!), narrow.tile, masked, this.context(op));
    const doubles = narrow.step ? this.tile(value!) : null;
    return joined(narrow.step, store, () => this.#keep(op, doubles));
  }
  override atomic(op: Operation): Step {
    const [pointer, value, mask] = op.operands;
    const narrow = this.#narrow(value!);
    const out = this.#widen(op.result);
    const masked = mask && this.tile(mask);
    const update = atomicStep(
      op,
      this.tile(pointer!),
      narrow.tile,
      masked,
      out.tile,
      this.context(op),
    );
    return joined(narrow.step, update, () => {
      out.step?.();
      this.#keep(op, null);
    });
  }
  override compareExchange(op: Operation): Step {
    const [pointer, compare, value] = op.operands;
    const [old, next] = [this.#narrow(compare!), this.#narrow(value!)];
    const out = this.#widen(op.result);
    const addresses = this.tile(pointer!);
    const context = this.context(op);
    const update = compareExchangeStep(op, addresses, old.tile, next.tile, out.tile, context);
    return joined(
      joined(old.step, () => next.step?.(), undefined),
      update,
      () => {
        out.step?.();
        this.#keep(op, null);
      },
    );
  }

  /** A tile as memory holds it, and what fills it from the doubles. */
  #narrow(value: Value): { readonly tile: Tile; readonly step: Step | undefined } {
    const tile = this.tile(value);
    if (!isFloatType(value.type)) return { tile, step: undefined };
    const narrow = new Tile(tileDType(value.type), tile.count);
    const round = rounderOf(narrow.dtype, narrow.data);
    return {
      tile: narrow,
      step: () => {
        narrow.data.set(tile.data);
        round?.(tile.count);
      },
    };
  }
  /** A tile as memory holds it, and what makes doubles of it. */
  #widen(value: Value): { readonly tile: Tile; readonly step: Step | undefined } {
    const tile = this.define(value, false);
    if (!isFloatType(value.type)) return { tile, step: undefined };
    const narrow = new Tile(tileDType(value.type), elementCount(value.type));
    return { tile: narrow, step: () => tile.data.set(narrow.data) };
  }
}

function joined(before: Step | undefined, step: Step, after: Step | undefined): Step {
  return () => {
    before?.();
    step();
    after?.();
  };
}
