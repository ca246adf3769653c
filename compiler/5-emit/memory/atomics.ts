/**
 * tt.atomic_rmw and tt.atomic_cas. WGSL has atomics of 32-bit integers; floats, signed extremes and
 * 16-bit elements go through compare-and-exchange; 64 bits: see `wideAtomics.ts`. Every element is updated by one of its owners; where
 * several threads need the old value, it goes through workgroup memory.
 */
import type { Operation } from '../../ir/ir';
import { freeThreadMask } from '../../ir/layoutAlgebra';
import type { DType } from '../../ir/types';
import { bitWidth, shapeOf } from '../../ir/types';
import { bitsOf, fromBits } from '../arithmetic/conversions';
import { flatten } from '../exchange/rounds';
import { rounded } from '../arithmetic/elementwise';
import { layoutOf, numberAttribute, refuse } from '../emission';
import type { Emission } from '../emission';
import type { GroupPlan } from './groups';
import { plus, threadSum } from '../layouts';
import { boundsOf, guarded } from './bounds';
import { ownerCondition } from './memory';
import { accessDtype } from './runs';
import { zeroOf } from '../registers';
import { readShared, writeShared } from '../exchange/scratch';
import { ordersMemory } from '../uniformity';
import { compareExchangeWide, takesTurns, updateWide } from './wideAtomics';

const DIRECT: Readonly<Record<string, string>> = {
  add: 'atomicAdd',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  umax: 'atomicMax',
  umin: 'atomicMin',
  exch: 'atomicExchange',
};

/** What a compare-and-exchange loop stores, given the old value as it is held. */
type Update = (old: string, value: string) => string;

function updateOf(e: Emission, op: Operation, kind: string, dtype: DType): Update {
  switch (kind) {
    case 'fadd':
      return (old, value) => rounded(e, dtype, `${old} + ${value}`);
    case 'max':
      return (old, value) => `max(${old}, ${value})`;
    case 'min':
      return (old, value) => `min(${old}, ${value})`;
    case 'exch':
      return (_, value) => value;
    case 'add':
      return (old, value) => `${old} + ${value}`;
    default:
      return refuse(op, 'HC0507', `atomic ${kind} of ${dtype} is not supported on the GPU`);
  }
}

export function emitAtomicRmw(e: Emission, op: Operation): void {
  const dtype = accessDtype(op);
  const kind = String(op.attributes['kind']);
  const values = e.registers(op.operand(1));
  emitUpdate(e, op, op.operands[2], (group, offset, r) => {
    const value = values[r]!;
    const place = `${group.name}[u32(${offset})]`;
    if (bitWidth(dtype) === 64) return updateWide(e, op, group, offset, value);
    const direct = DIRECT[kind];
    if (direct && bitWidth(dtype) === 32) {
      return fromBits(e, dtype, `${direct}(&${place}, ${bitsOf(e, dtype, value)})`);
    }
    const name = exchangeLoop(e, group, dtype, kind, updateOf(e, op, kind, dtype));
    return `${name}(u32(${offset}), ${value})`;
  });
}

/** A function that updates one element by compare-and-exchange, and returns the old one. */
function exchangeLoop(
  e: Emission,
  group: GroupPlan,
  dtype: DType,
  kind: string,
  update: Update,
): string {
  const name = `atomic_${kind}_${dtype}_${group.name}`;
  const type = e.typeOf({ kind: 'scalar', dtype });
  const bits = bitWidth(dtype);
  const narrow = bits < 32;
  const mask = `0x${(2 ** bits - 1).toString(16)}u`;
  const read = narrow ? `((word >> by) & ${mask})` : 'word';
  const next = bitsOf(e, dtype, update('old', 'value'));
  const put = narrow ? `(word & ~(${mask} << by)) | (${next} << by)` : next;
  e.define(
    name,
    `fn ${name}(element: u32, value: ${type}) -> ${type} {
  let at = ${narrow ? `element / ${32 / bits}u` : 'element'};
${narrow ? `  let by = element % ${32 / bits}u * ${bits}u;\n` : ''}  var word = atomicLoad(&${group.name}[at]);
  loop {
    let old = ${fromBits(e, dtype, read)};
    let exchange = atomicCompareExchangeWeak(&${group.name}[at], word, ${put});
    if (exchange.exchanged) { return old; }
    word = exchange.old_value;
  }
}`,
  );
  return name;
}

export function emitAtomicCas(e: Emission, op: Operation): void {
  const dtype = accessDtype(op);
  const compares = e.registers(op.operand(1));
  const values = e.registers(op.operand(2));
  emitUpdate(e, op, undefined, (group, offset, r) => {
    if (bitWidth(dtype) === 64)
      return compareExchangeWide(e, group, offset, compares[r]!, values[r]!);
    const narrow = bitWidth(dtype) < 32;
    const name = `atomic_cas_${narrow ? 'half_' : ''}${group.name}`;
    // The weak exchange may fail without a reason: then again.
    e.define(
      name,
      narrow
        ? compareExchangeHalf(name, group)
        : `fn ${name}(at: u32, compare: u32, value: u32) -> u32 {
  loop {
    let exchange = atomicCompareExchangeWeak(&${group.name}[at], compare, value);
    if (exchange.exchanged || exchange.old_value != compare) { return exchange.old_value; }
  }
}`,
    );
    const [compare, value] = [bitsOf(e, dtype, compares[r]!), bitsOf(e, dtype, values[r]!)];
    return fromBits(e, dtype, `${name}(u32(${offset}), ${compare}, ${value})`);
  });
}

function compareExchangeHalf(name: string, group: GroupPlan): string {
  return `fn ${name}(element: u32, compare: u32, value: u32) -> u32 {
  let at = element / 2u;
  let by = element % 2u * 16u;
  var word = atomicLoad(&${group.name}[at]);
  loop {
    let old = (word >> by) & 0xffffu;
    if (old != compare) { return old; }
    let next = (word & ~(0xffffu << by)) | (value << by);
    let exchange = atomicCompareExchangeWeak(&${group.name}[at], word, next);
    if (exchange.exchanged) { return old; }
    word = exchange.old_value;
  }
}`;
}

/** Each element once, by its owner; the old values to all who hold the element. */
function emitUpdate(
  e: Emission,
  op: Operation,
  mask: Operation['operands'][number] | undefined,
  update: (group: GroupPlan, offset: string, register: number) => string,
): void {
  const { group } = e.memory.of(op);
  const pointer = op.operand(0);
  const pointers = e.registers(pointer);
  const masks = mask && e.registers(mask);
  const bounds = boundsOf(e, op, 'atomic', 1);
  const owner = ownerCondition(e, pointer);
  const used = op.result.uses.size > 0;
  const turns = takesTurns(op) && e.threads > 1;
  const ordered = e.threads > 1 && (turns || ordersMemory(op));
  if (ordered) e.writer.line('storageBarrier();');
  const type = e.registerTypeOf(op.result);
  const hint = e.hint(op.result);
  const results = pointers.map(() => (used ? e.variable(hint, type, zeroOf(type)) : undefined));
  const updateAll = (): void =>
    pointers.forEach((offset, r) => {
      const conditions = [owner, masks?.[r]].filter((text) => text !== undefined);
      const condition = conditions.length === 0 ? undefined : conditions.join(' && ');
      guarded(e, bounds, condition, offset, () => {
        const old = update(group, offset, r);
        e.writer.line(results[r] === undefined ? `_ = ${old};` : `${results[r]} = ${old};`);
      });
    });
  if (turns && pointer.type.kind === 'tensor') {
    const turn = e.names.fresh('turn');
    e.writer.block(`for (var ${turn} = 0u; ${turn} < ${turnCount(e)}; ${turn}++)`, () => {
      e.writer.block(`if (tid == ${turn})`, updateAll);
      e.writer.line('storageBarrier();');
    });
  } else updateAll();
  const out = results.map((result) => result ?? zeroOf(type));
  if (ordered) e.writer.line('storageBarrier();');
  e.setRegisters(op.result, used ? shareOld(e, op, out) : out);
}

/** One turn a thread: not a constant, or drivers unroll the loop, and take minutes for its barriers. */
function turnCount(e: Emission): string {
  const grid = e.parameters.word({ kind: 'grid', axis: 0 });
  return e.prelude('turns', 'turns', () => `select(${e.threads}u, 0u, ${grid} == 0u)`);
}

/** Gives the owners' old values to the threads that hold the same elements. */
function shareOld(e: Emission, op: Operation, registers: readonly string[]): readonly string[] {
  const scratch = numberAttribute(op, 'scratch');
  const { result } = op;
  const type = e.registerTypeOf(result);
  if (result.type.kind !== 'tensor') {
    if (e.threads === 1) return registers;
    const region = { first: (scratch ?? 0) / 4, stride: 1 };
    e.needBytes((scratch ?? 0) + 16);
    const owner = ownerCondition(e, result);
    e.writer.block(`if (${owner})`, () => writeShared(e, region, type, '0u', registers[0]!));
    e.barrier();
    return [readShared(e, region, type, '0u', e.hint(result))];
  }
  const layout = layoutOf(result);
  if (freeThreadMask(layout) === 0) return registers;
  const shape = shapeOf(result.type);
  const total = shape.reduce((a, b) => a * b, 1);
  const region = { first: (scratch ?? 0) / 4, stride: total };
  e.needBytes((scratch ?? 0) + total * 8);
  const flat = flatten(layout, shape);
  const base = threadSum(e, flat.weights);
  const owner = ownerCondition(e, result);
  e.writer.block(`if (${owner})`, () =>
    registers.forEach((x, r) => writeShared(e, region, type, plus(base, flat.registers[r]!), x)),
  );
  e.barrier();
  return registers.map((_, r) =>
    readShared(e, region, type, plus(base, flat.registers[r]!), e.hint(result)),
  );
}
