/**
 * tt.atomic_rmw and tt.atomic_cas. WGSL has atomics of 32-bit integers; floats, signed extremes and
 * 16-bit elements go through compare-and-exchange; 64 bits: see `wideAtomics.ts`. One of its owners
 * updates each element; where several threads need the old value, it goes through the shared words.
 */
import { isSerialized } from '../memory/wideAtomics';
import type { Operation, Value } from '../../ir/ir';
import { freeThreadMask } from '../../ir/layoutAlgebra';
import type { ThreadValue } from '../../ir/thread/ir';
import type { DType } from '../../ir/types';
import { bitWidth, shapeOf } from '../../ir/types';
import { bitsOf, fromBits } from '../arithmetic/conversions';
import { rounded } from '../arithmetic/elementwise';
import { layoutOf, numberAttribute, refuse } from '../context';
import type { Lowering } from '../context';
import { flatten } from '../communication/chunks';
import { readShared, writeShared } from '../communication/scratch';
import { plus, threadSum } from '../layouts';
import { ownerCondition } from '../owners';
import { ordersMemory } from '../uniformity';
import { boundsOf, guarded } from './bounds';
import type { GroupPlan } from '../memory/groups';
import { accessDtype } from './runs';
import { compareExchangeWide, updateWide } from './wideAtomics';

const DIRECT: Readonly<Record<string, string>> = {
  add: 'add',
  and: 'and',
  or: 'or',
  xor: 'xor',
  umax: 'max',
  umin: 'min',
  exch: 'exchange',
};

/** The value that a compare-and-exchange loop stores, given the old one as it is held. */
type Update = (old: ThreadValue) => ThreadValue;

function updateOf(
  t: Lowering,
  op: Operation,
  kind: string,
  dtype: DType,
  value: ThreadValue,
): Update {
  switch (kind) {
    case 'fadd':
      return (old) => rounded(t, dtype, t.x`${old} + ${value}`);
    case 'max':
      return (old) => t.x`max(${old}, ${value})`;
    case 'min':
      return (old) => t.x`min(${old}, ${value})`;
    case 'exch':
      return () => value;
    case 'add':
      return (old) => t.x`${old} + ${value}`;
    default:
      return refuse(op, 'HC0507', `atomic ${kind} of ${dtype} is not supported on the GPU`);
  }
}

export function lowerAtomicRmw(t: Lowering, op: Operation): void {
  const dtype = accessDtype(op);
  const kind = String(op.attributes['kind']);
  const values = t.registers(op.operand(1));
  lowerUpdate(t, op, op.operands[2], (group, offset, r) => {
    const value = values[r]!;
    if (bitWidth(dtype) === 64) return updateWide(t, op, group, offset, value);
    const direct = DIRECT[kind];
    if (direct && bitWidth(dtype) === 32) {
      const operands = [t.buffer(group), t.x`u32(${offset})`, bitsOf(t, dtype, value)];
      const attributes = { kind: direct };
      const old = t.b.create('thread.atomic_rmw', operands, { attributes }).result;
      return fromBits(t, dtype, old);
    }
    return compareAndSwapLoop(t, group, dtype, offset, updateOf(t, op, kind, dtype, value));
  });
}

/** Place of an element of up to 32 bits: its word, and the bit of the word at which it begins. */
function wordPlace(
  t: Lowering,
  bits: number,
  offset: ThreadValue,
): { readonly at: ThreadValue; readonly by: ThreadValue | undefined } {
  const element = t.x`u32(${offset})`;
  if (bits === 32) return { at: t.let('at', element), by: undefined };
  const perWord = 32 / bits;
  return {
    at: t.let('at', t.x`${element} / ${perWord}u`),
    by: t.let('by', t.x`${element} % ${perWord}u * ${bits}u`),
  };
}

/**
 * Updates one element by compare-and-exchange until no other thread comes between; the old element.
 */
function compareAndSwapLoop(
  t: Lowering,
  group: GroupPlan,
  dtype: DType,
  offset: ThreadValue,
  update: Update,
): ThreadValue {
  const { b } = t;
  const buffer = t.buffer(group);
  const bits = bitWidth(dtype);
  const mask = 2 ** bits - 1;
  const { at, by } = wordPlace(t, bits, offset);
  const start = t.let('word', b.load(buffer, at));
  const [, old] = b.while(
    [start],
    ([word]) => {
      const held = by ? t.x`(${word!} >> ${by}) & ${mask}u` : word!;
      const old = t.let('old', fromBits(t, dtype, held));
      const next = bitsOf(t, dtype, update(old));
      const put = by ? t.x`(${word!} & ~(${mask}u << ${by})) | (${next} << ${by})` : next;
      const exchange = b.create('thread.atomic_cas', [buffer, at, word!, put]);
      return { condition: t.x`!${exchange.results[1]!}`, forwarded: [exchange.results[0]!, old] };
    },
    ([word]) => [word!],
  );
  return old!;
}

export function lowerAtomicCas(t: Lowering, op: Operation): void {
  const dtype = accessDtype(op);
  const compares = t.registers(op.operand(1));
  const values = t.registers(op.operand(2));
  lowerUpdate(t, op, undefined, (group, offset, r) => {
    if (bitWidth(dtype) === 64)
      return compareExchangeWide(t, group, offset, compares[r]!, values[r]!);
    const [compare, value] = [bitsOf(t, dtype, compares[r]!), bitsOf(t, dtype, values[r]!)];
    return fromBits(t, dtype, compareExchange(t, group, bitWidth(dtype), offset, compare, value));
  });
}

/** The weak exchange may fail without a reason: then again, until memory holds another value. */
function compareExchange(
  t: Lowering,
  group: GroupPlan,
  bits: number,
  offset: ThreadValue,
  compare: ThreadValue,
  value: ThreadValue,
): ThreadValue {
  const { b } = t;
  const buffer = t.buffer(group);
  const mask = 2 ** bits - 1;
  const { at, by } = wordPlace(t, bits, offset);
  const [, old] = b.while(
    [t.let('word', b.load(buffer, at))],
    ([word]) => {
      const old = t.let('old', by ? t.x`(${word!} >> ${by}) & ${mask}u` : word!);
      const put = by ? t.x`(${word!} & ~(${mask}u << ${by})) | (${value} << ${by})` : value;
      const equal = t.x`${old} == ${compare}`;
      const [again, seen] = b.if(
        equal,
        () => {
          const exchange = b.create('thread.atomic_cas', [buffer, at, word!, put]);
          return [t.x`!${exchange.results[1]!}`, exchange.results[0]!];
        },
        () => [b.bool(false), word!],
        ['again', 'word'],
      );
      return { condition: again!, forwarded: [seen!, old] };
    },
    ([word]) => [word!],
  );
  return old!;
}

/** Each element once, by its owner; the old values to all threads that hold the element. */
function lowerUpdate(
  t: Lowering,
  op: Operation,
  mask: Value | undefined,
  update: (group: GroupPlan, offset: ThreadValue, register: number) => ThreadValue,
): void {
  const { group } = t.memory.of(op);
  const pointer = op.operand(0);
  const pointers = t.registers(pointer);
  const masks = mask && t.registers(mask);
  const bounds = boundsOf(t, op, 1);
  const owner = ownerCondition(t, pointer);
  const used = op.result.uses.size > 0;
  const serialized = isSerialized(op) && t.threads > 1;
  const ordered = t.threads > 1 && (serialized || ordersMemory(op));
  if (ordered) t.shared.storageBarrier();
  const zero = t.b.zero(t.registerTypeOf(op.result));
  const hint = t.hint(op.result);
  /** Gives the old values, which are those of `before` where nothing is updated. */
  const updateAll = (before: readonly ThreadValue[]): readonly ThreadValue[] =>
    pointers.map((offset, r) => {
      const run = { offset, mask: t.every([owner, masks?.[r]]) };
      const body = (): readonly ThreadValue[] => {
        const old = update(group, offset, r);
        return used ? [t.let(hint, old)] : [];
      };
      const options = { operation: t.checks.nextGuard() };
      const otherwise = (): readonly ThreadValue[] => (used ? [before[r]!] : []);
      return guarded(t, bounds, run, options, body, otherwise)[0] ?? zero;
    });
  const none = pointers.map(() => zero);
  const out =
    serialized && pointer.type.kind === 'tensor' ? oneByOne(t, none, updateAll) : updateAll(none);
  if (ordered) t.shared.storageBarrier();
  t.setRegisters(op.result, used ? shareOld(t, op, out) : out);
}

/** The threads of a program one after the other. */
function oneByOne(
  t: Lowering,
  start: readonly ThreadValue[],
  body: (before: readonly ThreadValue[]) => readonly ThreadValue[],
): readonly ThreadValue[] {
  return t.b.for(
    serializedTrips(t),
    start,
    (active, carried) => {
      const next = t.b.if(
        t.x`tid == ${active}`,
        () => body(carried),
        () => carried,
      );
      t.shared.storageBarrier();
      return next;
    },
    { counter: 'active' },
  );
}

/**
 * One iteration a thread: not a constant, or drivers unroll the loop, and take minutes for its
 * barriers.
 */
function serializedTrips(t: Lowering): ThreadValue {
  const grid = t.b.word({ kind: 'grid', axis: 0 });
  return t.b.prelude(
    'serialized',
    'serialized',
    () => t.x`select(${t.threads}u, 0u, ${grid} == 0u)`,
  );
}

/** Gives the owners' old values to the threads that hold the same elements. */
function shareOld(
  t: Lowering,
  op: Operation,
  registers: readonly ThreadValue[],
): readonly ThreadValue[] {
  const scratch = numberAttribute(op, 'scratch') ?? 0;
  const { result } = op;
  const type = t.registerTypeOf(result);
  if (result.type.kind !== 'tensor') {
    if (t.threads === 1) return registers;
    const region = { first: scratch / 4, stride: 1 };
    t.shared.needBytes(scratch + 16);
    const zero = t.b.u32(0);
    t.when(ownerCondition(t, result), () => writeShared(t, region, zero, registers[0]!));
    t.shared.barrier();
    return [readShared(t, region, type, zero, t.hint(result))];
  }
  const layout = layoutOf(result);
  if (freeThreadMask(layout) === 0) return registers;
  const shape = shapeOf(result.type);
  const total = shape.reduce((a, b) => a * b, 1);
  const region = { first: scratch / 4, stride: total };
  t.shared.needBytes(scratch + total * 8);
  const flat = flatten(layout, shape);
  const base = threadSum(t, flat.weights);
  const place = (r: number): ThreadValue => plus(t, base, flat.registers[r]!);
  t.when(ownerCondition(t, result), () =>
    registers.forEach((x, r) => writeShared(t, region, place(r), x)),
  );
  t.shared.barrier();
  return registers.map((_, r) => readShared(t, region, type, place(r), t.hint(result)));
}
