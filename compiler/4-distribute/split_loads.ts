/**
 * Loads a tile that is staged in K slices slice by slice. The load of a slice stands before the dot
 * of the slice before it and overlaps its multiplications. It takes the registers of a slice, not
 * of a tile.
 *
 *     x = load p; store x[0]; dot; store x[1]; dot
 *     x0 = load p[0]; store x0; x1 = load p[1]; dot; store x1; dot
 *
 * Loads do not move across what writes to global memory.
 */
import { Builder } from '../ir/builder';
import { type Func, Operation, type Value, walk } from '../ir/ir';
import { registerCount } from '../ir/layout';
import { hasTrait } from '../ir/ops';
import { dtypeOf, type MemdescType, type TensorType } from '../ir/types';
import { choicesOf, type DistributeContext } from './context';
import { eraseDead } from './eraseDead';
import { isTile } from './layoutRules';

export function split_loads(func: Func, context: DistributeContext): boolean {
  if (!choicesOf(func, context).splitLoads) return false;
  const loads: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'tt.load' && isTile(op.result)) loads.push(op);
  });
  let changed = false;
  for (const load of loads) changed = split(load) || changed;
  if (changed) eraseDead(func.body);
  return changed;
}

function split(load: Operation): boolean {
  if (load.attributes['isVolatile'] === true) return false;
  const stores = storesOf(load);
  if (!stores || stores.length < 2 || writesBetween(load, stores.at(-1)!)) return false;
  const slices = stores.map((store) => sliceType(load, store));
  if (slices.some((slice) => !slice)) return false;

  stores.forEach((store, kSlice) => {
    const type = slices[kSlice]!;
    const origin = store.attributes['slice'] as readonly number[];
    // Behind the stores of the slice before, and before its dot.
    const place = kSlice === 0 ? load : firstDotAfter(stores[kSlice - 1]!);
    const builder = Builder.before(place);
    builder.location = load.location;
    const operands = load.operands.map((value) => sliceOf(builder, value, type, origin));
    const attributes = { ...load.attributes, kSlice, ...(kSlice > 0 ? { prefetched: true } : {}) };
    let value = builder.insert(
      new Operation('tt.load', operands, [type], attributes, [], load.location),
    ).result;
    value.name = load.result.name;
    for (const cast of castsBetween(load.result, store.operand(0)))
      value = builder.value(
        cast.name,
        [value],
        { ...type, element: (cast.result.type as TensorType).element },
        { ...cast.attributes },
      );
    store.setOperand(0, value);
    store.attributes = { ...store.attributes, slice: origin.map(() => 0) };
  });
  return true;
}

/** The stores of the slices in order, where the load goes nowhere else: at most through casts. */
function storesOf(load: Operation): Operation[] | undefined {
  let value = load.result;
  for (;;) {
    const users = [...value.uses];
    if (users.some((user) => user.parent !== load.parent)) return undefined;
    if (users.every((user) => user.name === 'ttg.local_store')) {
      const order = load.parent!.ops;
      return users.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    }
    const [cast] = users;
    const numbers = cast && dtypeOf(value.type) && cast.operands.length === 1;
    if (users.length !== 1 || !numbers || !hasTrait(cast.name, 'elementwise')) return undefined;
    value = cast.result;
  }
}
function castsBetween(from: Value, to: Value): Operation[] {
  const casts: Operation[] = [];
  for (let value = to; value !== from; value = value.definition!.operand(0))
    casts.unshift(value.definition!);
  return casts;
}

/** The tile of a slice; undefined where threads, or the runs of an access, cross its bounds. */
function sliceType(load: Operation, store: Operation): TensorType | undefined {
  const whole = load.result.type as TensorType;
  const { shape } = store.operand(1).type as MemdescType;
  const { layout } = whole;
  const vector = Number(load.attributes['vector'] ?? 1);
  if (!layout || shape.length !== whole.shape.length) return undefined;
  const inside = (basis: readonly number[]): boolean => basis.every((c, d) => c < shape[d]!);
  if (![...layout.lane, ...layout.subgroup].every(inside)) return undefined;
  const register = layout.register.filter(inside);
  const first = layout.register.findIndex((basis) => !inside(basis));
  if (first >= 0 && 2 ** first < vector) return undefined;
  if (registerCount(layout) === 2 ** register.length) return undefined;
  return { ...whole, shape, layout: { ...layout, register } };
}

function sliceOf(
  builder: Builder,
  value: Value,
  slice: TensorType,
  origin: readonly number[],
): Value {
  if (value.type.kind !== 'tensor') return value;
  const type = { ...slice, element: value.type.element };
  return builder.value('ttg.extract_slice', [value], type, { origin });
}

function firstDotAfter(store: Operation): Operation {
  for (let op = store.next; op; op = op.next) if (op.name === 'tt.dot') return op;
  return store.next ?? store;
}
function writesBetween(from: Operation, to: Operation): boolean {
  for (let op = from.next; op && op !== to; op = op.next) {
    let writes = false;
    const look = (inner: Operation): void => {
      writes ||= hasTrait(inner.name, 'writes') && inner.name !== 'ttg.local_store';
    };
    look(op);
    for (const region of op.regions) walk(region, look);
    if (writes) return true;
  }
  return false;
}
