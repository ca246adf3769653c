/**
 * Puts `gpu.barrier` before every operation that touches workgroup memory which another thread may
 * still be writing or reading since the last barrier (RAW, WAR and WAW hazards), around the back
 * edges of loops too, and nowhere else. Operations with `scratch` have their own barrier between
 * their writes and reads. The analysis is Triton's Membar (`membar.ts`).
 */
import { type Func, Operation, type Value, walk } from '../ir/ir';
import { localBytes, type MemdescType } from '../ir/types';
import { behindBlock, behindRegions, union, usesScratch } from './membar';

/** The histogram's counters are an array of their own; it stands at an address nothing else has. */
const HISTOGRAM_ADDRESS = 2 ** 40;
/** So do the arrays of slabs of rows and of columns. */
const SLABS_ADDRESS = [2 ** 41, 2 ** 42] as const;
const SCRATCH_SLABS_ADDRESS = 2 ** 43;

/** Bytes that were touched since the last barrier: 'r start end' or 'w start end'. */
type Pending = ReadonlySet<string>;
interface Access {
  readonly write: boolean;
  readonly start: number;
  readonly end: number;
}
const keyOf = (a: Access): string => `${a.write ? 'w' : 'r'} ${a.start} ${a.end}`;
function accessOf(key: string): Access {
  const [kind, start, end] = key.split(' ');
  return { write: kind === 'w', start: Number(start), end: Number(end) };
}

export function insert_barriers(func: Func): boolean {
  const placer = new BarrierPlacer();
  behindBlock(func.body, new Set<string>(), placer.step);
  return placer.placed > 0;
}

class BarrierPlacer {
  placed = 0;

  readonly step = (op: Operation, pending: Pending): Pending => {
    if (op.name === 'gpu.barrier') return new Set();
    if (op.name === 'scf.for') {
      const end = behindRegions(op, new Set<string>(), this.step);
      const before = meetsIn(op, pending) ? this.#place(op, op) : pending;
      return union(end, before);
    }
    const accesses = accessesOf(op);
    if (accesses.length === 0) return behindRegions(op, pending, this.step);
    pending = this.#before(op, accesses, pending);
    // Scratch is written, then a barrier inside the operation, then read.
    if (usesScratch(op))
      return new Set(accesses.map((access) => keyOf({ ...access, write: false })));
    return union(pending, new Set(accesses.map(keyOf)));
  };
  /** Places a barrier before an operation whose accesses need one; says what is pending then. */
  #before(op: Operation, accesses: readonly Access[], pending: Pending): Pending {
    if (!conflict(pending, accesses)) return pending;
    let place = op;
    if (op.name === 'tt.dot')
      while (place.previous && !touchesWorkgroupMemory(place.previous)) place = place.previous;
    return this.#place(op, place);
  }
  #place(op: Operation, place: Operation): Pending {
    const barrier = new Operation('gpu.barrier', [], [], {}, [], op.location);
    // The first fragments of the next tile are loaded at the end of an iteration, behind it.
    if (op.attributes['overlapColumns'] !== undefined) barrier.attributes['rotated'] = true;
    op.parent!.insertBefore(place, barrier);
    this.placed++;
    return new Set();
  }
}

/**
 * Whether it, or what it contains, does. A barrier before a dot stands right behind what that waits
 * for: prefetched loads then start after it, and no thread waits with their registers
 * (H200: 3 % of an f16 matmul).
 */
function touchesWorkgroupMemory(op: Operation): boolean {
  if (op.name === 'gpu.barrier' || accessesOf(op).length > 0) return true;
  let found = false;
  for (const region of op.regions)
    walk(region, (inner) => {
      found ||= inner.name === 'gpu.barrier' || accessesOf(inner).length > 0;
    });
  return found;
}

function memoryAccess(value: Value, write: boolean): Access {
  const type = value.type as MemdescType;
  const array = type.slabs ? SLABS_ADDRESS[type.slabs[0]] : 0;
  const start = array + Number(value.definition!.attributes['offset']);
  const words = value.definition!.attributes['words'] === true;
  return { write, start, end: start + localBytes(type, words) };
}
/**
 * Whether a loop needs a barrier for what is pending before it: it touches the same bytes before a
 * barrier of its own. That barrier stands before the loop, where it counts once.
 */
function meetsIn(loop: Operation, pending: Pending): boolean {
  let meets = false;
  const step = (op: Operation, before: Pending): Pending => {
    if (op.name === 'gpu.barrier') return new Set();
    meets ||= conflict(before, accessesOf(op));
    return usesScratch(op) ? new Set() : behindRegions(op, before, step);
  };
  behindRegions(loop, pending, step);
  return meets;
}
function accessesOf(op: Operation): Access[] {
  const memory = (index: number, write: boolean): Access => memoryAccess(op.operand(index), write);
  if (op.name === 'ttg.local_store') return [memory(1, true)];
  if (op.name === 'ttg.local_load' || op.name === 'ttg.load_fragments') return [memory(0, false)];
  if (op.name === 'ttg.local_gather') return [memory(1, false)];
  if (op.name === 'ttg.local_scatter') return [memory(2, true)];
  if (op.name === 'tt.dot') {
    const staged = [0, 1].filter((side) => op.operand(side).type.kind === 'memdesc');
    return staged.map((side) => memory(side, false));
  }
  if (!usesScratch(op)) return [];
  const slabs = Number(op.attributes['scratchSlabs'] ?? 1);
  const sliced = op.attributes['scratchInRows'] === true ? SLABS_ADDRESS[0] : SCRATCH_SLABS_ADDRESS;
  const array = slabs === 1 ? 0 : sliced;
  const start =
    op.name === 'tt.histogram' ? HISTOGRAM_ADDRESS : array + Number(op.attributes['scratch']);
  return [{ write: true, start, end: start + Number(op.attributes['scratchBytes']) / slabs }];
}
function conflict(pending: Pending, accesses: readonly Access[]): boolean {
  for (const key of pending) {
    const before = accessOf(key);
    for (const access of accesses) {
      if (!access.write && !before.write) continue;
      if (access.start < before.end && before.start < access.end) return true;
    }
  }
  return false;
}
