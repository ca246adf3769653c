/**
 * Places everything that lives in workgroup memory: staged tiles (`ttg.local_alloc`) by liveness,
 * then the scratch of reductions, scans, gathers, atomics and conversions beside what is live
 * there. Scratch is as large as helps and fits: the lowering works in chunks where it is smaller
 * than the tile. Writes `offset`, `scratch`, `scratchBytes`; `workgroupBytes` and `histogramBytes`
 * on the function.
 */
import { type Block, type Func, type Operation, type Value, walk } from '../ir/ir';
import { classifyConversion, freeThreadMask } from '../ir/layoutAlgebra';
import {
  byteSize,
  elementCount,
  elementOf,
  localBytes,
  memdescBytes,
  type MemdescType,
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
  type ScratchInRows,
  type ScratchPlace,
  scratchInRows,
  type SlicedScratch,
} from './scratchSlicing';
import { fragmentChunks, slabsOfScratch } from './fragmentChunks';
import { isTile, layoutOf } from './layoutRules';

/** More scratch than this saves chunks but costs workgroups that run beside each other. */
const MOST_SCRATCH = 16_384;
/** A reduction works on one result register at a time in this; more is not worth memory. */
const MOST_REDUCE_SCRATCH = 4096;

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

/** An operation needs a whole tile in shared memory, and that does not fit. */
export class OutOfWorkgroupMemory extends Error {
  constructor(needed: number, available: number) {
    super(`workgroup memory: ${needed} bytes needed, ${available} available`);
  }
}

/** A staged tile, from the first number of an operation that needs it to the last. */
interface StagedTile {
  readonly op: Operation;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}
/** An operation that needs scratch, by its number. */
interface Scratch {
  readonly op: Operation;
  readonly at: number;
  readonly need: Need;
}
interface Demands {
  readonly tiles: readonly StagedTile[];
  readonly scratches: readonly Scratch[];
  readonly histogramBytes: number;
}
/**
 * The places of staged tiles: in slabs of rows and of columns, with the number of slabs of each, or
 * in the array of everything else. An offset is the same in each slab.
 */
interface StagedPlaces {
  readonly arrays: readonly [Buffer[], Buffer[], Buffer[]];
  readonly slabCounts: readonly [number, number];
}
/** The place of scratch that lies in slabs: its own, or those of rows. */
interface PlaceInSlabs extends ScratchPlace {
  readonly scratchSlabs: number;
  readonly scratchInRows?: true;
}
/** The memory beside the flat array, and the scratch that lies there. */
interface SlabPlan {
  readonly slabBytes: readonly [number, number];
  readonly sliced: SlicedScratch;
  readonly inRows?: ScratchInRows;
  /** Bytes of all slabs together. */
  readonly bytes: number;
}

export function allocate_shared_memory(func: Func, context: DistributeContext): boolean {
  const numbers = new Map<Operation, Range>();
  number(func.body, numbers, 0);
  const { nonAliasedScratch } = choicesOf(func, context);
  const { tiles, scratches, histogramBytes } = collectDemands(func, numbers, context);
  const staged = placeStaged(tiles);
  const free = usableWorkgroupBytes(context) - histogramBytes;
  const inRows = nonAliasedScratch ? undefined : shareRowSlabs(scratches, staged, numbers, free);
  const plan = inRows ?? planSlabs(scratches, staged, free, nonAliasedScratch);

  const limit = free - plan.bytes;
  const flat = staged.arrays[FLAT];
  let used = endOf(flat);
  for (const scratch of scratches) {
    const { op } = scratch;
    const inSlabs = placeInSlabs(scratch, plan, staged);
    const place = inSlabs ?? placeInFlat(scratch, flat, limit, nonAliasedScratch);
    if (!inSlabs) used = Math.max(used, place.scratch + align(place.scratchBytes));
    op.attributes = { ...op.attributes, ...place };
  }
  // In storage there is room for any tile.
  if (used > limit && !context.target.sharedMemoryInStorage)
    throw new OutOfWorkgroupMemory(used, limit);

  const workgroupBytes = used + plan.bytes;
  const slabs = {
    slabBytes: [...plan.slabBytes, plan.sliced.bytes],
    slabCounts: [...staged.slabCounts, plan.sliced.slabs],
  };
  func.attributes = {
    ...func.attributes,
    workgroupBytes,
    histogramBytes,
    ...(plan.bytes > 0 ? slabs : {}),
  };
  return workgroupBytes > 0;
}

/** All that workgroup memory is needed for. Histograms' scratch is written at once. */
function collectDemands(
  func: Func,
  numbers: ReadonlyMap<Operation, Range>,
  context: DistributeContext,
): Demands {
  const threads = Number(func.attributes['threads']);
  const spread = context.target.sharedMemoryInStorage !== true;
  const tiles: StagedTile[] = [];
  const scratches: Scratch[] = [];
  let histogramBytes = 0;
  walk(func.body, (op) => {
    if (op.name === 'ttg.local_alloc') {
      const [from, to] = lifetime(op.result, numbers);
      const type = op.result.type as MemdescType;
      const words = op.attributes['words'] === true;
      const bytes = align(words ? localBytes(type, true) : memdescBytes(type));
      tiles.push({ op, from, to, bytes });
    } else if (op.name === 'tt.histogram') {
      const scratchBytes = Math.min(MOST_REDUCE_SCRATCH, 4 * elementCount(op.result.type));
      op.attributes = { ...op.attributes, scratchBytes };
      histogramBytes = Math.max(histogramBytes, scratchBytes);
    } else {
      const need = scratchOf(op, threads, spread);
      if (need) scratches.push({ op, at: numbers.get(op)!.start, need });
    }
  });
  return { tiles, scratches, histogramBytes };
}

/** Writes each staged tile's offset, in the slabs that it is cut into or in the flat array. */
function placeStaged(tiles: readonly StagedTile[]): StagedPlaces {
  const arrays: StagedPlaces['arrays'] = [[], [], []];
  const slabCounts: [number, number] = [1, 1];
  // The longest-lived buffers lie lowest, so that short-lived ones leave no gaps between.
  const longestFirst = [...tiles].sort(
    (a, b) => b.to - b.from - (a.to - a.from) || b.bytes - a.bytes,
  );
  for (const { op, from, to, bytes } of longestFirst) {
    const { slabs } = op.result.type as MemdescType;
    const [array, count] = slabs ?? [FLAT, 1];
    if (slabs) slabCounts[slabs[0]] = count;
    const each = align(bytes / count);
    const live = arrays[array].filter((buffer) => buffer.from <= to && from <= buffer.to);
    const offset = firstGap(live, each);
    arrays[array].push({ from, to, start: offset, end: offset + each });
    op.attributes = { ...op.attributes, offset };
  }
  return { arrays, slabCounts };
}

function endOf(buffers: readonly Range[]): number {
  return Math.max(0, ...buffers.map(({ end }) => end));
}
function liveAt(buffers: readonly Buffer[], at: number): Buffer[] {
  return buffers.filter(({ from, to }) => from <= at && at <= to);
}
/** Bytes of all slabs of rows and of columns. */
function totalBytes(slabBytes: readonly [number, number], { slabCounts }: StagedPlaces): number {
  return slabBytes[0] * slabCounts[0] + slabBytes[1] * slabCounts[1];
}

/** Scratch shares the slabs of rows with what is staged there; undefined where it does not fit. */
function shareRowSlabs(
  scratches: readonly Scratch[],
  staged: StagedPlaces,
  numbers: ReadonlyMap<Operation, Range>,
  free: number,
): SlabPlan | undefined {
  const { slabCounts } = staged;
  const [rows, columns, flat] = staged.arrays;
  // Scratch that brings no matrices back stays in the flat array, which it needs the least of.
  const flatEnds = scratches
    .filter(({ op }) => op.name !== 'ttg.read_fragments')
    .map(({ at, need }) => firstGap(liveAt(flat, at), align(need.least)) + align(need.least));
  const others = Math.max(endOf(flat), ...flatEnds) + endOf(columns) * slabCounts[1];
  const inRows = scratchInRows(scratches, rows, slabCounts[0], numbers, others, free);
  if (!inRows) return undefined;
  const slabBytes = [Math.max(endOf(rows), inRows.end), endOf(columns)] as const;
  return { slabBytes, sliced: NOT_SLICED, inRows, bytes: totalBytes(slabBytes, staged) };
}

/** Slabs hold staged tiles alone; scratch has slabs of its own or lies in the flat array. */
function planSlabs(
  scratches: readonly Scratch[],
  staged: StagedPlaces,
  free: number,
  nonAliasedScratch: boolean,
): SlabPlan {
  const [rows, columns, flat] = staged.arrays;
  const padded = [endOf(rows), endOf(columns)] as const;
  // Without the padding behind the last row of a slab, where that decides; scratch uses its own.
  const unpadded = [
    Math.max(0, padded[0] - ROW_PADDING),
    Math.max(0, padded[1] - ROW_PADDING),
  ] as const;
  const inLoop = scratches.filter(({ op }) => op.name === 'ttg.read_fragments' && isInLoop(op));
  const most = align(Math.max(0, ...inLoop.map(({ need }) => need.most)));
  const plans = [padded, unpadded].map((slabBytes) => {
    const inSlabs = totalBytes(slabBytes, staged);
    const room = free - inSlabs - endOf(flat);
    const sliced = nonAliasedScratch ? sliceScratch(scratches, room) : NOT_SLICED;
    const bytes = inSlabs + sliced.bytes * sliced.slabs;
    return { slabBytes, sliced, bytes, fits: room >= most };
  });
  return (
    plans.find(({ sliced }) => sliced.slabs > 1) ?? plans.find(({ fits }) => fits) ?? plans[0]!
  );
}

/** The place of scratch that lies in slabs; undefined where it lies in the flat array. */
function placeInSlabs(
  { op, need }: Scratch,
  { sliced, inRows }: SlabPlan,
  { slabCounts }: StagedPlaces,
): PlaceInSlabs | undefined {
  if (sliced.ops.has(op))
    return { scratch: 0, scratchBytes: need.most, scratchSlabs: sliced.slabs };
  const place = inRows?.places.get(op);
  return place && { ...place, scratchSlabs: slabCounts[0], scratchInRows: true };
}

/** Scratch as large as helps and fits below `limit`, beside what is live. */
function placeInFlat(
  { op, at, need }: Scratch,
  flat: readonly Buffer[],
  limit: number,
  nonAliasedScratch: boolean,
): ScratchPlace {
  const fits = (live: readonly Range[], size: number): boolean =>
    firstGap(live, size) + size <= limit;
  // Matrices go through memory in every iteration: what shares none with them needs no barriers.
  const sharesNothing =
    op.name === 'ttg.read_fragments' && nonAliasedScratch && fits(flat, align(need.most));
  const live = sharesNothing ? flat : liveAt(flat, at);
  let size = need.most;
  while (size > need.least && !fits(live, size))
    size = size === need.most ? (need.without ?? size / 2) : size / 2;
  const scratchBytes = Math.max(size, need.least);
  return { scratch: firstGap(live, align(scratchBytes)), scratchBytes };
}

/** The scratch that an operation needs; undefined where it needs none. */
function scratchOf(op: Operation, threads: number, spread: boolean): Need | undefined {
  switch (op.name) {
    case 'ttg.convert_layout': {
      const [from, to] = [layoutOf(op.operand(0)), layoutOf(op.result)];
      if (!from || !to || classifyConversion(from, to) !== 'memory') return undefined;
      const { least, most } = chunksOf(op.result.type, threads);
      // A word more to each 32 keeps columns out of one bank, but is worth no second chunk.
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
      return chunksOf(op.operand(0).type, threads);
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
function chunksOf(type: Type, threads: number): Need {
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
/** From the first to the last use; all of a loop in which a tile from outside is used. */
function lifetime(value: Value, numbers: ReadonlyMap<Operation, Range>): [number, number] {
  const home = value.definition?.parent;
  let [from, to] = [Infinity, -Infinity];
  for (const user of value.uses) {
    let span = numbers.get(user)!;
    for (let block = user.parent; block && block !== home; block = block.parent?.parent) {
      const { parent } = block;
      if (parent?.name !== 'scf.for' && parent?.name !== 'scf.while') continue;
      span = numbers.get(parent)!;
    }
    from = Math.min(from, span.start);
    to = Math.max(to, span.end);
  }
  return [from, to];
}
