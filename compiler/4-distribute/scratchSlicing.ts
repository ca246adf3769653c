/**
 * Scratch through which matrices come back to registers, cut into a slab for each row of blocks: a
 * subgroup then lays down its matrices at places that are constants in its slab. It has an array of
 * its own, which shares memory with nothing, or lies in the array in which rows of operands are
 * staged, beside what is live there. Used by `allocate_shared_memory`, which also uses the gaps
 * that it looks for.
 */
import type { Operation } from '../ir/ir';

export const ALIGNMENT = 16;

export interface Range {
  readonly start: number;
  readonly end: number;
}
export interface Buffer extends Range {
  readonly from: number;
  readonly to: number;
}
export interface Need {
  readonly least: number;
  readonly most: number;
  /** Into how many slabs it can be sliced. */
  readonly slabs?: number;
  /** Bytes in twice as many chunks. */
  readonly fewer?: number;
  /** As much, without what only keeps threads out of each other's banks. */
  readonly without?: number;
}

export function align(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}
/** The lowest place with `size` bytes between these. */
export function firstGap(live: readonly Range[], size: number): number {
  let offset = 0;
  for (const range of [...live].sort((a, b) => a.start - b.start)) {
    if (offset + size <= range.start) break;
    offset = Math.max(offset, range.end);
  }
  return offset;
}

/**
 * Places of scratch that may share memory with what is staged in the slabs of rows, beside what is
 * live there: undefined where not all that brings matrices back can be cut so. `others`: the bytes
 * of everything else, of `limit`.
 */
export function scratchInRows(
  scratches: readonly { readonly op: Operation; readonly need: Need }[],
  rows: readonly Buffer[],
  slabs: number,
  numbers: ReadonlyMap<Operation, Range>,
  others: number,
  limit: number,
): ScratchInRows | undefined {
  const reads = scratches.filter(({ op }) => op.name === 'ttg.read_fragments');
  if (rows.length === 0 || !reads.every(({ need }) => need.slabs === slabs)) return undefined;
  const place = (less: boolean): ScratchInRows => {
    const places = new Map<Operation, ScratchPlace>();
    let end = 0;
    for (const { op, need } of reads) {
      const at = numbers.get(op)!.start;
      const scratchBytes = (less ? need.fewer : need.most) ?? need.most;
      const size = scratchBytes / slabs;
      const live = rows.filter((buffer) => buffer.from <= at && at <= buffer.to);
      const scratch = firstGap(live, size);
      places.set(op, { scratch, scratchBytes });
      end = Math.max(end, align(scratch + size));
    }
    return { places, end };
  };
  const staged = Math.max(...rows.map(({ end }) => end));
  const whole = ({ end }: ScratchInRows): number => others + Math.max(end, staged) * slabs;
  // In twice as many chunks where that leaves room.
  const both = [place(false), place(true)];
  const within = (size: number): ScratchInRows | undefined => both.find((x) => whole(x) <= size);
  return within(Math.min(limit, BESIDE_ANOTHER)) ?? within(limit);
}
/** Start of an operation's scratch in each slab, and the bytes of all its slabs. */
export interface ScratchPlace {
  readonly scratch: number;
  readonly scratchBytes: number;
}
export interface ScratchInRows {
  readonly places: ReadonlyMap<Operation, ScratchPlace>;
  readonly end: number;
}
/** Measured on an H200: two workgroups that take no more run beside each other. */
const BESIDE_ANOTHER = 24_064;
/** Operations whose scratch is an array of slabs, each so large. */
export interface SlicedScratch {
  readonly ops: ReadonlySet<Operation>;
  readonly slabs: number;
  readonly bytes: number;
}
export const NOT_SLICED: SlicedScratch = { ops: new Set(), slabs: 1, bytes: 0 };

/**
 * Operations that bring matrices back in a loop do so through an array of slabs, where there
 * is room for one that shares memory with nothing, beside all scratch that others need.
 */
export function sliceScratch(
  scratches: readonly { readonly op: Operation; readonly need: Need }[],
  room: number,
): SlicedScratch {
  const inLoop = scratches.filter(({ op, need }) => (need.slabs ?? 1) > 1 && isInLoop(op));
  const slabs = inLoop[0]?.need.slabs ?? 1;
  const alike = inLoop.filter(({ need }) => need.slabs === slabs);
  const ops = new Set(alike.map(({ op }) => op));
  const bytes = align(Math.max(0, ...alike.map(({ need }) => need.most / slabs)));
  const others = scratches.filter(({ op }) => !ops.has(op)).map(({ need }) => align(need.most));
  if (bytes * slabs + Math.max(0, ...others) > room) return NOT_SLICED;
  return { ops, slabs, bytes };
}

export function isInLoop(op: Operation): boolean {
  return op.parent?.parent?.name === 'scf.for';
}
