/**
 * Pointers made of integers, and back. On the GPU a pointer is an offset into a buffer; what an integer
 * can point to lies in one of them, the arena, each storage at its address less the arena's. Addresses
 * far outside become an offset that is out of range, however the kernel moves it.
 */
import { MESSAGES } from '../../codes';
import type { Operation } from '../../ir/ir';
import { byteSize, elementOf, type Type } from '../../ir/types';
import { refuse } from '../emission';
import type { Emission } from '../emission';
import type { GroupPlan } from './groups';

/** Elements before the arena: in no storage, and 2²⁹ elements away from wrapping around. */
const OUTSIDE = -0x6000_0000;

/** Bytes of what a pointer points to. */
export function pointeeBytes(type: Type): number {
  const element = elementOf(type);
  return element.kind === 'pointer' ? byteSize(element.pointee) : 4;
}

function arenaAddress(e: Emission): string {
  const [low, high] = ([0, 1] as const).map((word) => e.parameters.word({ kind: 'arena', word }));
  return `vec2<u32>(${low}, ${high})`;
}

/** The offset of an address, in elements of what the result points to. */
export function addressToOffset(e: Emission, op: Operation, address: string): string {
  const bytes = pointeeBytes(op.result.type);
  const distance = e.call('i64_sub', 'address', arenaAddress(e));
  e.define(
    'pointer_at',
    `fn pointer_at(address: vec2<u32>, bytes: u32) -> i32 {
  let distance = ${distance};
  let near = distance.y == select(0u, 0xffffffffu, distance.x >= 0x80000000u);
  let aligned = distance.x % bytes == 0u;
  return select(i32(${OUTSIDE}), i32(distance.x) / i32(bytes), near & aligned);
}`,
  );
  return `pointer_at(${address}, ${bytes}u)`;
}

/** The address of an offset of a pointer of this type. Its storage must lie in the arena. */
export function offsetToAddress(e: Emission, type: Type, offset: string): string {
  const bytes = pointeeBytes(type);
  if (e.parameters.arena === undefined) refuse(undefined, 'HC0501', MESSAGES.HC0501.arena());
  const sum = e.call('i64_add', 'vec2<u32>(distance, high)', arenaAddress(e));
  e.define(
    'address_of',
    `fn address_of(offset: i32, bytes: u32) -> vec2<u32> {
  let distance = u32(offset) * bytes;
  let high = select(0u, 0xffffffffu, offset < 0);
  return ${sum};
}`,
  );
  return `address_of(${offset}, ${bytes}u)`;
}

/** Whether a run of `bytes` bytes at an offset lies in a storage of the arena: asks its table of pages. */
export function insideArena(
  e: Emission,
  group: GroupPlan,
  readWord: (group: GroupPlan, word: string) => string,
): (offset: string, elementBytes: number, bytes: number) => string {
  const end = e.parameters.word({ kind: 'arena-bytes' });
  e.define(
    'inside_arena',
    `fn inside_arena(offset: i32, size: u32, bytes: u32) -> bool {
  let near = u32(offset) < ${end} / size;
  let at = select(0u, u32(offset) * size, near);
  let page = at / 256u;
  let word = ${end} / 4u + page / 2u;
  let used = (${readWord(group, 'word')} >> (page % 2u * 16u)) & 0xffffu;
  return near & (at % 256u + bytes <= used);
}`,
  );
  return (offset, elementBytes, bytes) => `inside_arena(${offset}, ${elementBytes}u, ${bytes}u)`;
}
