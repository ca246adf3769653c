/**
 * Places everything that lives in workgroup memory: staged tiles (`ttg.local_alloc`) by liveness,
 * then the scratch of reductions, scans, gathers, atomics and conversions beside what is live
 * there. Scratch is as large as helps and fits: the emitter works in rounds where it is smaller
 * than the tile. Writes `offset`, `scratch`, `scratchBytes`; `workgroupBytes` and `histogramBytes`
 * on the function.
 */
import { type Block, type Func, type Operation, type Value, walk } from '../ir/ir';
import { classifyConversion, freeThreadMask } from '../ir/layoutAlgebra';
import {
  byteSize,
  elementCount,
  elementOf,
  type MemdescType,
  slabOf,
  shapeOf,
  type Type,
} from '../ir/types';
import { choicesOf, type DistributeContext, usableWorkgroupBytes } from './context';
import {
  align,
  ALIGNMENT,
  type Buffer,
  sliceScratch,
  firstGap,
  isInLoop,
  type Need,
  NOT_SLICED,
  type Range,
  scratchInRows,
} from './scratchSlicing';
import { fragmentChunks, slabsOfScratch } from './fragmentChunks';
import { isTile, layoutOf } from './layoutRules';

/** More scratch than this saves rounds but costs workgroups that run beside each other. */
const MOST_SCRATCH = 16_384;
/** A reduction works on one result register at a time in this; more is not worth memory. */
const MOST_REDUCE_SCRATCH = 4096;

export function memdescBytes(type: MemdescType): number {
  const count = type.slabs?.[1] ?? 1;
  const slab = slabOf(type);
  const fastest = slab.shape[type.order[0]!]!;
  const runs = elementCount(slab) / fastest;
  return count * runs * (fastest + type.padding) * byteSize(type.element);
}
/** In scratch an element takes whole words; a pointer is an offset of 32 bits. */
export function wordBytes(type: Type): number {
  const element = elementOf(type);
  return element.kind === 'pointer' ? 4 : Math.max(4, byteSize(element));
}

/** The array of everything that is not cut into slabs. */
const FLAT = 2;
/** Most bytes of scratch for results of matrices: half of a 128×64 tile, with padding. */
export const MOST_FRAGMENT_SCRATCH = 20_480;
/** Unused bytes after each row of a staged tile, so that rows start in different banks. */
export const ROW_PADDING = 16;

/** An operation needs a whole tile where its threads exchange, and that does not fit. */
export class OutOfWorkgroupMemory extends Error {
  constructor(needed: number, available: number) {
    super(`workgroup memory: ${needed} bytes needed, ${available} available`);
  }
}

export function allocate_shared_memory(func: Func, context: DistributeContext): boolean {
  const numbers = new Map<Operation, Range>();
  number(func.body, numbers, 0);
  const threads = Number(func.attributes['threads']);
  const { nonAliasedScratch } = choicesOf(func, context);

  let histogramBytes = 0;
  const scratches: { op: Operation; need: Need }[] = [];
  const allocs: { op: Operation; from: number; to: number; size: number }[] = [];
  walk(func.body, (op) => {
    if (op.name === 'ttg.local_alloc') {
      const [from, to] = lifetime(op.result, numbers);
      const size = memdescBytes(op.result.type as MemdescType);
      allocs.push({ op, from, to, size: align(size) });
    } else if (op.name === 'tt.histogram') {
      const bytes = Math.min(MOST_REDUCE_SCRATCH, 4 * elementCount(op.result.type));
      op.attributes = { ...op.attributes, scratchBytes: bytes };
      histogramBytes = Math.max(histogramBytes, bytes);
    } else {
      const need = scratchOf(op, threads, context.target.exchangeInStorage !== true);
      if (need) scratches.push({ op, need });
    }
  });

  // Parts have arrays of their own, a row's or a column's, in which an offset is the same in each
  // slab.
  const places: readonly [Buffer[], Buffer[], Buffer[]] = [[], [], []];
  const counts = [1, 1, 1];
  // The longest-lived buffers lie lowest, so that short-lived ones leave no gaps between.
  allocs.sort((a, b) => b.to - b.from - (a.to - a.from) || b.size - a.size);
  for (const { op, from, to, size } of allocs) {
    const { slabs } = op.result.type as MemdescType;
    const array = slabs ? slabs[0] : FLAT;
    counts[array] = slabs ? slabs[1] : 1;
    const each = align(size / counts[array]);
    const live = places[array].filter((buffer) => buffer.from <= to && from <= buffer.to);
    const offset = firstGap(live, each);
    places[array].push({ from, to, start: offset, end: offset + each });
    op.attributes = { ...op.attributes, offset };
  }
  const ends: [number, number] = [0, 0];
  for (const d of [0, 1] as const) ends[d] = Math.max(0, ...places[d].map(({ end }) => end));
  const placed = places[FLAT];
  let used = Math.max(0, ...placed.map((buffer) => buffer.end));
  const free = usableWorkgroupBytes(context) - histogramBytes;
  const liveAt = (op: Operation): Buffer[] => {
    const at = numbers.get(op)!.start;
    return placed.filter((buffer) => buffer.from <= at && at <= buffer.to);
  };
  // Scratch that brings no matrices back stays in the flat array, which it needs the least of.
  const exchanges = scratches.filter(({ op }) => op.name !== 'ttg.read_fragments');
  const flat = exchanges.map(
    ({ op, need: { least } }) => firstGap(liveAt(op), align(least)) + align(least),
  );
  const others = Math.max(used, ...flat) + ends[1] * counts[1]!;
  const together = nonAliasedScratch
    ? undefined
    : scratchInRows(scratches, places[0], counts[0]!, numbers, others, free);
  if (together) ends[0] = Math.max(ends[0], together.end);
  const inAll = (bytes: readonly number[]): number =>
    bytes.reduce((sum, each, d) => sum + each * counts[d]!, 0);
  // Without the padding behind the last row of a slab, where that decides; scratch uses its own.
  const closer = ends.map((end) => Math.max(0, end - ROW_PADDING));
  const inLoop = scratches.filter(({ op }) => op.name === 'ttg.read_fragments' && isInLoop(op));
  const most = align(Math.max(0, ...inLoop.map(({ need }) => need.most)));
  const tries = (together ? [ends] : [ends, closer]).map((slabBytes) => {
    const room = free - inAll(slabBytes) - used;
    const sliced = nonAliasedScratch ? sliceScratch(scratches, room) : NOT_SLICED;
    return { slabBytes, sliced, fits: room >= most };
  });
  const { slabBytes, sliced } =
    tries.find((each) => each.sliced.slabs > 1) ?? tries.find(({ fits }) => fits) ?? tries[0]!;
  const inSlabs = inAll(slabBytes);
  const limit = free - inSlabs - sliced.bytes * sliced.slabs;
  for (const { op, need } of scratches) {
    if (sliced.ops.has(op)) {
      const place = { scratch: 0, scratchBytes: need.most, scratchSlabs: sliced.slabs };
      op.attributes = { ...op.attributes, ...place };
      continue;
    }
    const place = together?.places.get(op);
    if (place) {
      op.attributes = { ...op.attributes, ...place, scratchSlabs: counts[0]!, scratchInRows: true };
      continue;
    }
    let live = liveAt(op);
    let size = need.most;
    // Matrices go through memory in every iteration: what shares none with them needs no barriers.
    if (
      op.name === 'ttg.read_fragments' &&
      nonAliasedScratch &&
      firstGap(placed, align(size)) + align(size) <= limit
    )
      live = placed;
    while (size > need.least && firstGap(live, size) + size > limit)
      size = size === need.most ? (need.without ?? size / 2) : size / 2;
    size = Math.max(size, need.least);
    const scratch = firstGap(live, align(size));
    op.attributes = { ...op.attributes, scratch, scratchBytes: size };
    used = Math.max(used, scratch + align(size));
  }
  // In storage there is room for any tile.
  if (used > limit && !context.target.exchangeInStorage)
    throw new OutOfWorkgroupMemory(used, limit);
  const workgroupBytes = used + inSlabs + sliced.bytes * sliced.slabs;
  func.attributes = { ...func.attributes, workgroupBytes, histogramBytes };
  if (workgroupBytes > used) {
    const [rows = 1, columns = 1] = counts;
    const arrays = {
      slabBytes: [...slabBytes, sliced.bytes],
      slabCounts: [rows, columns, sliced.slabs],
    };
    func.attributes = { ...func.attributes, ...arrays };
  }
  return workgroupBytes > 0;
}

/** The scratch that an operation needs; undefined where it needs none. */
function scratchOf(op: Operation, threads: number, spread: boolean): Need | undefined {
  switch (op.name) {
    case 'ttg.convert_layout': {
      const [from, to] = [layoutOf(op.operand(0)), layoutOf(op.result)];
      if (!from || !to || classifyConversion(from, to) !== 'memory') return undefined;
      const { least, most } = rounds(op.result.type, threads);
      // A word more to each 32 keeps columns out of one bank, but is worth no second round.
      return spread ? { least, most: align((most * 33) / 32), without: most } : { least, most };
    }
    case 'ttg.read_fragments': {
      const { type } = op.operand(0);
      const layout = layoutOf(op.result);
      if (type.kind !== 'fragments' || !layout) return undefined;
      const slab = { ...type, shape: shapeOf(op.result.type) };
      const bytes = (capacity: number): number => fragmentChunks(slab, layout, capacity).bytes;
      const most = bytes(MOST_FRAGMENT_SCRATCH);
      const need = { least: bytes(0), most, fewer: bytes(most - 1) };
      return op.attributes['origin'] ? need : { ...need, slabs: slabsOfScratch(slab, layout) };
    }
    case 'tt.sort': {
      // Whole rows, as many as fit.
      const { type } = op.operand(0);
      const row = wordBytes(type) * Math.max(4, shapeOf(type).at(-1)!);
      const whole = Math.max(row, elementCount(type) * wordBytes(type));
      return { least: row, most: Math.max(row, Math.min(whole, MOST_SCRATCH)) };
    }
    case 'tt.gather':
      return rounds(op.operand(0).type, threads);
    case 'tt.reduce':
    case 'tt.scan': {
      const axis = Number(op.attributes['axis']);
      const layout = layoutOf(op.operand(0));
      if (!layout || layout.subgroup.every((basis) => basis[axis] === 0)) return undefined;
      const least = op.operands.reduce((sum, value) => sum + wordBytes(value.type), 0) * threads;
      let most = least;
      const registers = 2 ** layout.register.filter((basis) => basis[axis] === 0).length;
      while (most * 2 <= Math.min(least * registers, MOST_REDUCE_SCRATCH)) most *= 2;
      return { least, most };
    }
    case 'tt.atomic_rmw':
    case 'tt.atomic_cas': {
      if (op.result.uses.size === 0) return undefined;
      const layout = layoutOf(op.operand(0));
      if (isTile(op.operand(0)) && (!layout || freeThreadMask(layout) === 0)) return undefined;
      const bytes = Math.max(ALIGNMENT, elementCount(op.result.type) * wordBytes(op.result.type));
      return { least: bytes, most: bytes };
    }
    default:
      return undefined;
  }
}
/** For a tile that goes through scratch by ranges of its elements: each at least one a thread. */
function rounds(type: Type, threads: number): Need {
  const word = wordBytes(type);
  const whole = Math.max(4, elementCount(type)) * word;
  return { least: Math.min(whole, threads * word), most: Math.min(whole, MOST_SCRATCH) };
}

/** Numbers operations in program order; an operation's range spans its regions. */
function number(block: Block, numbers: Map<Operation, Range>, next: number): number {
  for (const op of block.ops) {
    const start = next++;
    for (const region of op.regions) next = number(region, numbers, next);
    numbers.set(op, { start, end: next - 1 });
  }
  return next;
}
/** Whether a dot's left operand is read before the loop around it. */
export function isHoisted(dot: Operation, memory: Value): boolean {
  return dot.attributes['hoisted'] === true && dot.operand(0) === memory;
}
/** From the first to the last use; all of a loop in which a tile from outside is used. */
function lifetime(value: Value, numbers: ReadonlyMap<Operation, Range>): [number, number] {
  const home = value.definition?.parent;
  let [from, to] = [Infinity, -Infinity];
  for (const user of value.uses) {
    let span = numbers.get(user)!;
    for (let block = user.parent; block && block !== home; block = block.parent?.parent) {
      const { parent } = block;
      if (parent?.name !== 'scf.for' && parent?.name !== 'scf.while') continue;
      const { start, end } = numbers.get(parent)!;
      // It is read as the loop begins, and not again.
      span =
        isHoisted(user, value) && parent === user.parent?.parent
          ? { start, end: start }
          : { start, end };
    }
    from = Math.min(from, span.start);
    to = Math.max(to, span.end);
  }
  return [from, to];
}
