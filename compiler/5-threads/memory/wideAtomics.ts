/**
 * Atomics of 64 bits, where WebGPU has them of 32. The two words do bitwise operations on their
 * own, and an addition that carries, where nothing uses the old value. Everything else is
 * serialized: the threads of a program update memory one after the other, and programs run one at a
 * time (`waiting.ts`). Right, and slow.
 */
import type { Operation } from '../../ir/ir';
import { bitWidth, elementOf } from '../../ir/types';
import type { ThreadValue } from '../../ir/thread/ir';
import { refuse } from '../context';
import type { Lowering } from '../context';
import type { GroupPlan } from '../memory/groups';

/** Bitwise updates, which the two words do on their own. */
const BITWISE: ReadonlySet<string> = new Set(['and', 'or', 'xor']);

export function isWideAtomic(op: Operation): boolean {
  if (op.name !== 'tt.atomic_rmw' && op.name !== 'tt.atomic_cas') return false;
  const element = elementOf(op.operand(0).type);
  if (element.kind !== 'pointer') return false;
  return element.pointee.kind === 'pointer' || bitWidth(element.pointee.dtype) === 64;
}

/** Whether the update is one of both words at once, which only one thread at a time can do. */
export function isSerialized(op: Operation): boolean {
  if (!isWideAtomic(op)) return false;
  const kind = String(op.attributes['kind']);
  const apart = op.name === 'tt.atomic_rmw' && (kind === 'add' || BITWISE.has(kind));
  return !apart || op.result.uses.size > 0;
}

/** The words of the element at `offset`. */
function pairAt(t: Lowering, offset: ThreadValue): readonly [ThreadValue, ThreadValue] {
  const at = t.let('at', t.x`u32(${offset}) * 2u`);
  return [at, t.x`${at} + 1u`];
}

/** Updates the element at `offset`; the old value. */
export function updateWide(
  t: Lowering,
  op: Operation,
  group: GroupPlan,
  offset: ThreadValue,
  value: ThreadValue,
): ThreadValue {
  const kind = String(op.attributes['kind']);
  const place = pairAt(t, offset);
  const [low, high] = t.b.components(value);
  const update = (how: string, at: ThreadValue, word: ThreadValue): ThreadValue =>
    t.b.create('thread.atomic_rmw', [t.buffer(group), at, word], { attributes: { kind: how } })
      .result;
  if (isSerialized(op)) {
    const old = readWide(t, group, place);
    writeWide(t, group, place, nextOf(t, op, kind, old, value));
    return old;
  }
  if (BITWISE.has(kind)) {
    update(kind, place[0], low!);
    update(kind, place[1], high!);
  } else {
    const old = t.let('old', update('add', place[0], low!));
    const carry = t.x`select(0u, 1u, ${old} + ${low!} < ${old})`;
    update('add', place[1], t.x`${high!} + ${carry}`);
  }
  return t.x`vec2<u32>(0u)`;
}

/** Compares and exchanges the element at `offset`; the old value. */
export function compareExchangeWide(
  t: Lowering,
  group: GroupPlan,
  offset: ThreadValue,
  compare: ThreadValue,
  value: ThreadValue,
): ThreadValue {
  const place = pairAt(t, offset);
  const old = readWide(t, group, place);
  t.when(t.x`all(${old} == ${compare})`, () => writeWide(t, group, place, value));
  return old;
}

type Place = readonly [ThreadValue, ThreadValue];
function readWide(t: Lowering, group: GroupPlan, [low, high]: Place): ThreadValue {
  const buffer = t.buffer(group);
  return t.let('old', t.b.vector([t.b.load(buffer, low), t.b.load(buffer, high)]));
}
function writeWide(t: Lowering, group: GroupPlan, place: Place, value: ThreadValue): void {
  const words = t.b.components(t.let('next', value));
  place.forEach((at, i) => t.b.store(t.buffer(group), at, words[i]!));
}

function nextOf(
  t: Lowering,
  op: Operation,
  kind: string,
  old: ThreadValue,
  value: ThreadValue,
): ThreadValue {
  switch (kind) {
    case 'exch':
      return value;
    case 'add':
      return t.call('i64_add', old, value);
    case 'fadd':
      return t.call('f64_add', old, value);
    case 'and':
      return t.x`${old} & ${value}`;
    case 'or':
      return t.x`${old} | ${value}`;
    case 'xor':
      return t.x`${old} ^ ${value}`;
    case 'max':
      return t.select(t.call('i64_less', old, value), value, old);
    case 'min':
      return t.select(t.call('i64_less', value, old), value, old);
    case 'umax':
      return t.select(t.call('u64_less', old, value), value, old);
    case 'umin':
      return t.select(t.call('u64_less', value, old), value, old);
    default:
      return refuse(op, 'HC0507', `atomic ${kind} of 64 bits is not supported on the GPU`);
  }
}
