/**
 * Values of tile IR, at a position of their tile, as polynomials; pointers as an argument and a
 * distance in bytes; conditions as formulas. They hold for every program: a value that is not
 * understood is an atom of its own, of which its type's range is known.
 *
 * Integers of the IR wrap and polynomials do not. A result is a polynomial only where the caller
 * vouches that it does not wrap (`Model.isExact`).
 */
import type { Block, Func, Operation, Value } from '../ir/ir';
import { byteSize, dtypeOf, elementOf, shapeOf } from '../ir/types';
import { wholeRange } from '../ir/ops/range';
import type { Arithmetic } from './arithmetic';
import { alternatives, both, either, negate, UNKNOWN, TRUE, FALSE } from './formula';
import type { Formula } from './formula';
import { sourceOf, type Indices, type Place } from './indices';
import { integerOf } from './integers';
import { comparisonOf } from './comparisons';
import { carriedOf, counterOf, resultOf } from './loops';
import { pathTo } from './surroundings';
import { Poly } from './polynomial';

/** Scalars, the grid and program ids. */
export interface Model {
  /** A scalar argument of integers; undefined where it is none. */
  scalar(argument: number): Poly | undefined;
  program(axis: number): Poly;
  programs(axis: number): Poly;
  /**
   * Whether the result of an operation is the polynomial, for it does not wrap; `facts`: lists of
   * which one holds there.
   */
  isExact(op: Operation, poly: Poly, facts: () => Facts): boolean;
}

export type Facts = readonly (readonly Poly[])[];

/** `bytes` from where the function's argument `root` points to. */
export interface Pointer {
  readonly root: number;
  readonly bytes: Poly;
}

export type Bound<T> = (indices: Indices) => T;

export class Evaluator {
  readonly #integers = new Map<string, Poly>();
  readonly #pointers = new Map<string, Pointer | null>();
  readonly #numbers: Map<Value, number>;

  constructor(
    readonly func: Func,
    readonly arithmetic: Arithmetic,
    readonly model: Model,
    /** Values of arguments of loops that a proof about the loop assumes. */
    private readonly bound: ReadonlyMap<Value, Bound<Poly | Pointer>> = new Map(),
    parent?: Evaluator,
    private readonly provisional = false,
  ) {
    this.#numbers = parent ? parent.#numbers : new Map();
  }

  /**
   * The same, with some values assumed. `provisional`: results are taken not to wrap, which the
   * caller checks afterwards.
   */
  assuming(bound: ReadonlyMap<Value, Bound<Poly | Pointer>>, provisional: boolean): Evaluator {
    const all = new Map([...this.bound, ...bound]);
    return new Evaluator(this.func, this.arithmetic, this.model, all, this, provisional);
  }

  /** Whether a result does not wrap where the operation is reached. */
  isExact(op: Operation, poly: Poly): boolean {
    if (this.provisional) return true;
    return this.model.isExact(op, poly, () => alternatives(pathTo(this, op)));
  }

  /** A number for each value, the same in every evaluator of the function. */
  numberOf(value: Value): number {
    let number = this.#numbers.get(value);
    if (number === undefined) this.#numbers.set(value, (number = this.#numbers.size));
    return number;
  }
  keyOf(value: Value, indices: Indices): string {
    return `${this.numberOf(value)} [${indices.map(({ key }) => key).join(', ')}]`;
  }

  integer(value: Value, indices: Indices): Poly {
    const key = this.keyOf(value, indices);
    let poly = this.#integers.get(key);
    if (!poly) this.#integers.set(key, (poly = this.#integer(value, indices)));
    return poly;
  }
  #integer(value: Value, indices: Indices): Poly {
    const assumed = this.bound.get(value)?.(indices);
    if (assumed instanceof Poly) return assumed;
    return this.#understood(value, indices) ?? this.unknown(value, indices);
  }
  #understood(value: Value, indices: Indices): Poly | undefined {
    const op = value.definition;
    if (!op) return this.#argument(value, indices);
    const source = sourceOf(value, op, indices, this.arithmetic);
    if (source) {
      const polys = placesOf(source).map((place) => this.integer(place.value, place.indices));
      return this.#oneOf(value, indices, polys);
    }
    if (op.regions.length > 0) {
      const found = resultOf(this, op, op.results.indexOf(value), indices);
      return found instanceof Poly ? found : undefined;
    }
    return integerOf(this, op, indices);
  }
  #argument(value: Value, indices: Indices): Poly | undefined {
    const block = value.owner as Block;
    const loop = block.parent;
    if (!loop) return this.model.scalar(this.func.body.args.indexOf(value));
    if (loop.name === 'scf.for' && block.args[0] === value) return counterOf(this, loop)?.value;
    const found = carriedOf(this, value, indices);
    return found instanceof Poly ? found : undefined;
  }

  /** The value of one of some operands; which one is left open. */
  #oneOf(value: Value, indices: Indices, polys: readonly Poly[]): Poly {
    const [first, ...others] = polys;
    if (others.every((each) => each.equals(first!))) return first!;
    const cases = polys.map((each) => ({ value: each, facts: [] }));
    const name = value.name ?? 'a value';
    const loops = [...loopsAround(value), ...this.arithmetic.terms.loopsOf(...indices)];
    return this.arithmetic.choice(this.keyOf(value, indices), name, cases, loops);
  }

  /** An atom for a value of which nothing but its type's range is known. */
  unknown(value: Value, indices: Indices, low?: number, high?: number): Poly {
    const { terms } = this.arithmetic;
    // A proof does not rest on what `tl.assume` states of a value: that may be wrong.
    const whole = typeRange(value);
    return terms.make(`value ${this.keyOf(value, indices)}`, nameOf(value), {
      loops: [...loopsAround(value), ...terms.loopsOf(...indices)],
      ...definedBound('low', low ?? whole.low),
      ...definedBound('high', high ?? whole.high),
    }).poly;
  }

  pointer(value: Value, indices: Indices): Pointer | null {
    const key = this.keyOf(value, indices);
    let found = this.#pointers.get(key);
    if (found === undefined) this.#pointers.set(key, (found = this.#pointer(value, indices)));
    return found;
  }
  #pointer(value: Value, indices: Indices): Pointer | null {
    const assumed = this.bound.get(value)?.(indices);
    if (assumed && !(assumed instanceof Poly)) return assumed;
    const op = value.definition;
    if (!op) {
      const block = value.owner as Block;
      if (!block.parent) return { root: this.func.body.args.indexOf(value), bytes: Poly.ZERO };
      const found = carriedOf(this, value, indices);
      return found && !(found instanceof Poly) ? found : null;
    }
    const source = sourceOf(value, op, indices, this.arithmetic);
    if (source) {
      const [place, ...others] = placesOf(source);
      return others.length === 0 ? this.pointer(place!.value, place!.indices) : null;
    }
    if (op.name === 'tt.addptr') {
      const from = this.pointer(op.operand(0), indices);
      const element = elementOf(op.result.type);
      if (!from || element.kind !== 'pointer') return null;
      const by = this.integer(op.operand(1), indices).times(byteSize(element.pointee));
      return { root: from.root, bytes: from.bytes.plus(by) };
    }
    if (op.name === 'tt.bitcast') return this.pointer(op.operand(0), indices);
    if (op.regions.length === 0) return null;
    const found = resultOf(this, op, op.results.indexOf(value), indices);
    return found && !(found instanceof Poly) ? found : null;
  }

  truth(value: Value, indices: Indices): Formula {
    const op = value.definition;
    if (!op) return UNKNOWN;
    const source = sourceOf(value, op, indices, this.arithmetic);
    if (source) {
      const [place, ...others] = placesOf(source);
      return others.length === 0 ? this.truth(place!.value, place!.indices) : UNKNOWN;
    }
    const operand = (i: number): Formula => {
      const each = op.operand(i);
      const scalar = shapeOf(each.type).length === 0;
      return this.truth(each, scalar ? [] : indices);
    };
    switch (op.name) {
      case 'arith.constant':
        return op.attributes['value'] === true || op.attributes['value'] === 1 ? TRUE : FALSE;
      case 'arith.andi':
        return both(operand(0), operand(1));
      case 'arith.ori':
        return either(operand(0), operand(1));
      case 'arith.xori': {
        const [a, b] = [operand(0), operand(1)];
        return either(both(a, negate(b)), both(negate(a), b));
      }
      case 'arith.select':
        return either(both(operand(0), operand(1)), both(negate(operand(0)), operand(2)));
      case 'arith.cmpi':
        return dtypeOf(op.operand(0).type) === 'i1'
          ? this.#sameTruth(String(op.attributes['predicate']), operand(0), operand(1))
          : comparisonOf(this, op, indices);
      default:
        return UNKNOWN;
    }
  }
  #sameTruth(predicate: string, a: Formula, b: Formula): Formula {
    if (predicate !== 'eq' && predicate !== 'ne') return UNKNOWN;
    const same = either(both(a, b), both(negate(a), negate(b)));
    return predicate === 'eq' ? same : negate(same);
  }
}

const placesOf = (source: Place | readonly Place[]): readonly Place[] =>
  'value' in source ? [source] : source;

function definedBound<Key extends string>(key: Key, value: number | undefined) {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, number>);
}

/** The range of a value's type; nothing for i64, whose range no proof can use. */
export function typeRange(value: Value): { readonly low?: number; readonly high?: number } {
  const dtype = dtypeOf(value.type);
  return dtype && dtype !== 'i64' ? wholeRange(dtype) : {};
}

function nameOf(value: Value): string {
  if (value.name) return value.name;
  const op = value.definition;
  return op?.name === 'tt.load' ? 'a loaded value' : 'a value';
}

/** The loops that an operation, or a block's argument, stands in; innermost first. */
export function loopsAround(value: Value): Operation[] {
  const home = value.definition ? value.definition.parent : (value.owner as Block);
  const loops: Operation[] = [];
  for (let block = home; block?.parent; block = block.parent.parent)
    if (block.parent.name === 'scf.for' || block.parent.name === 'scf.while')
      loops.push(block.parent);
  return loops;
}
