/**
 * Values of the source's names in a debugging session: as variables of their frames, as
 * watches, and as the scalars of a breakpoint's condition.
 */
import type { Func, Value } from '../ir/ir';
import { printType } from '../ir/printer';
import { elementAt, type Tile } from '../ir/tile';
import { elementCount, shapeOf } from '../ir/types';
import type { StaticValue } from '../program';
import { ConditionError, type ConditionScope, type Scalar } from './condition';
import { staticText, type Constexpr } from './constexprs';
import { SHOWN, show, statistics, type Statistics } from './elements';
import { frameKey, frameKeyAt, type Stack } from './frames';
import type { Bound, Stepper } from './stepper';

export interface VariableReport extends Statistics {
  /** Distinguishes it from a variable of the same name in another function. */
  readonly key: string;
  readonly name: string;
  /** `%offsets_0`; empty of a constexpr. */
  readonly ir: string;
  /** `constexpr` of a compile-time argument. */
  readonly type: string;
  readonly shape: readonly number[];
  /** Whether the last step computed it. */
  readonly fresh: boolean;
}

export interface TileValues {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: string;
  /** Row-major; 64-bit integers beyond 2⁵³ are bigint. */
  readonly values: Float64Array | BigInt64Array;
}

/** Frames in which a name is looked up: one, then in its callers. */
export interface Place {
  readonly stack: Stack;
  readonly depth: number;
}

export class DebugNames {
  constructor(
    private readonly func: Func,
    /** As the IR's text names them. */
    private readonly names: ReadonlyMap<Value, string>,
    private readonly constexprs: readonly Constexpr[],
  ) {}

  /**
   * Current meanings of the source's names; by the values' own names where the IR was changed
   * since.
   */
  #current(stepper: Stepper): Map<string, Bound> {
    const current = new Map<string, Bound>();
    for (const value of this.func.body.args) add(value, 0);
    for (const [key, bound] of stepper.bound) current.set(key, bound);
    if (this.func.bindings.size > 0) return current;
    for (const [value, step] of stepper.written) add(value, step);
    return current;

    function add(value: Value, step: number): void {
      const { kind } = value.type;
      if (value.name === undefined) return;
      // Workgroup memory and matrices are no variables.
      if (kind !== 'tensor' && kind !== 'scalar' && kind !== 'pointer') return;
      const key = ` ${value.name}`;
      const known = current.get(key);
      if (!known || known.step <= step)
        current.set(key, { name: value.name, inlinedAt: undefined, value, step });
    }
  }

  /** By frame: the kernel's arguments, its constexprs, then what was assigned. */
  variables(
    stepper: Stepper,
    since: number,
  ): { readonly frame: string; readonly report: VariableReport }[] {
    const found = [...this.#current(stepper)].map(([key, { name, inlinedAt, value, step }]) => {
      const tile = stepper.tile(value);
      const report = {
        key,
        name,
        ir: this.names.get(value) ?? '',
        type: printType(value.type),
        shape: shapeOf(value.type),
        fresh: step > since,
        ...statistics(tile, elementCount(value.type)),
      };
      return { frame: frameKey(inlinedAt), report };
    });
    found.splice(
      this.func.body.args.length,
      0,
      ...this.constexprs.map((each) => ({ frame: '', report: constexprReport(each) })),
    );
    return found;
  }

  /**
   * A name's value in the frame at a place, else in its callers, else in the last frame that had
   * it.
   */
  #named(name: string, stepper: Stepper, place: Place | null): Bound | null {
    const all = [...this.#current(stepper).values()].filter((each) => each.name === name);
    for (let depth = place?.depth ?? -1; place && depth >= 0; depth--) {
      const key = frameKeyAt(place.stack, depth);
      const found = all.find(({ inlinedAt }) => frameKey(inlinedAt) === key);
      if (found) return found;
    }
    return all.reduce<Bound | null>(
      (best, one) => (best && best.step > one.step ? best : one),
      null,
    );
  }
  #constexpr(name: string): Constexpr | undefined {
    return this.constexprs.find((each) => each.name === name);
  }

  /** All of a variable, by its key. */
  values(key: string, stepper: Stepper): TileValues | null {
    const found = this.#current(stepper).get(key);
    if (!found) return null;
    const { name, value } = found;
    const tile = stepper.tile(value);
    const count = elementCount(value.type);
    const values = tile.wide
      ? tile.big!.slice(0, count)
      : Float64Array.from(tile.data.subarray(0, count));
    return { name, shape: shapeOf(value.type), type: printType(value.type), values };
  }

  /** `acc`, `acc[3, 17]`, `mask[-1]`; what is wrong, in words. */
  watch(expression: string, stepper: Stepper, place: Place | null): string {
    const match = /^\s*([A-Za-z_]\w*)\s*(?:\[([^\]]*)\])?\s*$/.exec(expression);
    if (!match) return 'a name, or a name with indices: acc[3, 17]';
    const [, name = '', inside] = match;
    const found = this.#named(name, stepper, place);
    if (!found) {
      const known = this.#constexpr(name);
      return known ? staticText(known.value) : 'not computed yet';
    }
    const shape = shapeOf(found.value.type);
    const tile = stepper.tile(found.value);
    if (inside === undefined) {
      const count = elementCount(found.value.type);
      const shown = Array.from({ length: Math.min(count, SHOWN) }, (_, i) => show(tile, i));
      if (shape.length === 0) return shown[0] ?? '';
      return `[${shown.join(', ')}${count > SHOWN ? ', …' : ''}]`;
    }
    const at = inside.split(',').map((text) => (/^\s*-?\d+\s*$/.test(text) ? Number(text) : NaN));
    if (at.some(Number.isNaN)) return 'indices are whole numbers';
    const flat = flatIndex(name, at, shape);
    return typeof flat === 'string' ? flat : show(tile, flat);
  }

  /** The names of a breakpoint's condition in the frame where it stands. */
  scope(
    stepper: Stepper,
    place: Place,
    launch: Pick<ConditionScope, 'program' | 'grid'>,
  ): ConditionScope {
    const tileOf = (name: string): { readonly tile: Tile; readonly shape: readonly number[] } => {
      const found = this.#named(name, stepper, place);
      if (!found) throw new ConditionError(`${name} is not computed yet`);
      return { tile: stepper.tile(found.value), shape: shapeOf(found.value.type) };
    };
    return {
      ...launch,
      name: (id) => {
        const known = this.#named(id, stepper, place) ? undefined : this.#constexpr(id);
        if (known) return staticScalar(known);
        const { tile, shape } = tileOf(id);
        if (shape.length > 0)
          throw new ConditionError(
            `${id} is a tile of [${shape.join(', ')}]: name an element, ` +
              `${id}[${shape.map(() => 0).join(', ')}]`,
          );
        return scalarAt(tile, 0);
      },
      element: (name, indices) => {
        const { tile, shape } = tileOf(name);
        const flat = flatIndex(name, indices, shape);
        if (typeof flat === 'string') throw new ConditionError(flat);
        return scalarAt(tile, flat);
      },
    };
  }
}

function constexprReport({ name, value }: Constexpr): VariableReport {
  const first = [staticText(value)];
  const none = { min: null, max: null, mean: null, nans: 0, infinities: 0 };
  const type = 'constexpr';
  return {
    key: `= ${name}`,
    name,
    ir: '',
    type,
    shape: [],
    fresh: false,
    count: 1,
    ...none,
    first,
  };
}

function staticScalar({ name, value }: Constexpr): Scalar {
  const inner: StaticValue = value.kind === 'constexpr' ? value.value : value;
  switch (inner.kind) {
    case 'none':
      return null;
    case 'bool':
    case 'string':
      return inner.value;
    case 'int':
      return Number.isSafeInteger(Number(inner.value)) ? Number(inner.value) : BigInt(inner.value);
    case 'float':
      return /nan/i.test(inner.value) ? NaN : Number(inner.value.replace('inf', 'Infinity'));
    default:
      throw new ConditionError(`${name} is ${staticText(inner)}, no number`);
  }
}

function scalarAt(tile: Tile, i: number): Scalar {
  const x = elementAt(tile, i);
  return tile.dtype === 'i1' ? Boolean(x) : x;
}

/** @returns the row-major index, or what is wrong with the indices. */
function flatIndex(name: string, at: readonly number[], shape: readonly number[]): number | string {
  if (at.length !== shape.length) return `${name} has ${shape.length} dimensions`;
  let flat = 0;
  for (const [d, index] of at.entries()) {
    const size = shape[d]!;
    const place = index < 0 ? index + size : index;
    if (place < 0 || place >= size) return `index ${index} is out of range for ${size} elements`;
    flat = flat * size + place;
  }
  return flat;
}
