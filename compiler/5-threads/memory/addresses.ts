/**
 * Pointers made of integers, and back. On the GPU a pointer is an offset into a buffer; an integer
 * can point into one of them, the arena, where each storage stands at its address less the arena's.
 * Addresses far outside become an offset that is out of range, however the kernel moves it.
 */
import { MESSAGES } from '../../codes';
import type { Operation } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import { byteSize, elementOf, type Type } from '../../ir/types';
import { refuse } from '../context';
import type { Lowering } from '../context';

/** Elements before the arena: in no storage, and 2²⁹ elements away from wrapping around. */
const OUTSIDE = -0x6000_0000;

/** Bytes of what a pointer points to. */
export function pointeeBytes(type: Type): number {
  const element = elementOf(type);
  return element.kind === 'pointer' ? byteSize(element.pointee) : 4;
}

function arenaAddress(t: Lowering): ThreadValue {
  const [low, high] = ([0, 1] as const).map((word) => t.b.word({ kind: 'arena', word }));
  return t.x`vec2<u32>(${low!}, ${high!})`;
}

/** The offset of an address, in elements of what the result points to. */
export function addressToOffset(t: Lowering, op: Operation, address: ThreadValue): ThreadValue {
  const bytes = pointeeBytes(op.result.type);
  const distance = t.let('distance', t.x`i64_sub(${address}, ${arenaAddress(t)})`);
  const near = t.x`${distance}.y == select(0u, 0xffffffffu, ${distance}.x >= 0x80000000u)`;
  const aligned = t.x`${distance}.x % ${bytes}u == 0u`;
  return t.x`select(${OUTSIDE}i, i32(${distance}.x) / ${bytes}i, ${near} & ${aligned})`;
}

/** The address of an offset of a pointer of this type. Its storage must lie in the arena. */
export function offsetToAddress(t: Lowering, type: Type, offset: ThreadValue): ThreadValue {
  const bytes = pointeeBytes(type);
  if (t.parameters.arena === undefined) refuse(undefined, 'HC0501', MESSAGES.HC0501.arena());
  const distance = t.x`u32(${offset}) * ${bytes}u`;
  const high = t.x`select(0u, 0xffffffffu, ${offset} < 0i)`;
  return t.let('address', t.x`i64_add(vec2<u32>(${distance}, ${high}), ${arenaAddress(t)})`);
}

/**
 * How many elements of an aligned run at an offset lie in a storage of the arena, from the first
 * on, by its table of pages. `readWord` reads a word of the arena's buffer.
 */
export function arenaGood(
  t: Lowering,
  readWord: (word: ThreadValue) => ThreadValue,
): (offset: ThreadValue, elementBytes: number, vector: number) => ThreadValue {
  const end = t.b.word({ kind: 'arena-bytes' });
  return (offset, elementBytes, vector) => {
    const near = t.let('near', t.x`u32(${offset}) < ${end} / ${elementBytes}u`);
    const at = t.let('at', t.x`select(0u, u32(${offset}) * ${elementBytes}u, ${near})`);
    const page = t.let('page', t.x`${at} / 256u`);
    const word = readWord(t.let('word', t.x`${end} / 4u + ${page} / 2u`));
    const used = t.let('used', t.x`(${word} >> (${page} % 2u * 16u)) & 0xffffu`);
    const rest = t.x`(max(${used}, ${at} % 256u) - ${at} % 256u) / ${elementBytes}u`;
    return t.x`select(0u, min(${rest}, ${vector}u), ${near})`;
  };
}
