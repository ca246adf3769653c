/**
 * Layouts for access to global memory and for accumulators: neighbouring threads take neighbouring
 * addresses, each up to 16 bytes; an accumulator is cut into register blocks.
 */
import type { Operation, Value } from '../ir/ir';
import { type Basis, type Layout, threadBases } from '../ir/layout';
import {
  blockedLayout,
  LayoutBuilder,
  log2,
  registerRun,
  rowMajor,
  type ThreadBits,
} from '../ir/layoutAlgebra';
import { hasTrait } from '../ir/ops';
import { byteSize, elementCount, elementOf, type MemdescType, shapeOf } from '../ir/types';
import type { AxisAnalysis } from './axis_analysis';
import type { Choices } from './choices';

const MOST_BYTES = 16;
const MOST_ELEMENTS = 8;
/** Bits of a thread's number that count as a subgroup, whatever the target's. */
const NEAR_LANES = 5;
/** Lane bits along N of an accumulator whose rows nothing reduces. */
const NEAR_LANES_ALONG_N = 3;
/** Below this many consecutive bytes, reading or writing through workgroup memory is better. */
const POOR_BYTES = 32;

/** The pointer operand and mask of an access to global memory. */
export function accessOf(op: Operation): { pointer: Value; mask: Value | undefined } {
  const mask =
    op.name === 'tt.load'
      ? op.operands[1]
      : op.name === 'tt.store' || op.name === 'tt.atomic_rmw'
        ? op.operands[2]
        : undefined;
  return { pointer: op.operand(0), mask };
}
export function elementBytes(op: Operation): number {
  const element = elementOf(op.operand(0).type);
  return element.kind === 'pointer' ? byteSize(element.pointee) : 4;
}

/**
 * How many elements along `dim` are one aligned run: 1, 2, 4 or 8. With one mask, unless `anyMask`.
 */
export function alignedRun(
  op: Operation,
  axes: AxisAnalysis,
  dim: number,
  anyMask = false,
): number {
  const { pointer, mask } = accessOf(op);
  const bytes = elementBytes(op);
  const info = axes.of(pointer);
  const steady =
    !anyMask && mask && shapeOf(mask.type).length > 0
      ? (axes.of(mask).constancy[dim] ?? 1)
      : MOST_ELEMENTS;
  const run = Math.min(
    info.contiguity[dim] ?? 1,
    Math.floor((info.divisibility[dim] ?? 1) / bytes),
    steady,
    Math.floor(MOST_BYTES / bytes),
    MOST_ELEMENTS,
    shapeOf(pointer.type)[dim] ?? 1,
  );
  return 2 ** log2(Math.max(1, run));
}

/** Dimensions by how contiguous the addresses are along them; the last dimension wins a tie. */
export function accessOrder(op: Operation, axes: AxisAnalysis): number[] {
  const { pointer } = accessOf(op);
  const { contiguity } = axes.of(pointer);
  const order = rowMajor(shapeOf(pointer.type).length);
  return order.sort((a, b) => contiguity[b]! - contiguity[a]!);
}

/** Whether a wave of threads in this layout would touch memory in small scattered runs. */
export function isPoorAccess(op: Operation, axes: AxisAnalysis, layout: Layout): boolean {
  const { pointer } = accessOf(op);
  const shape = shapeOf(pointer.type);
  if (shape.length < 2) return false;
  const dim = accessOrder(op, axes)[0]!;
  const available = Math.min(shape[dim]!, axes.of(pointer).contiguity[dim]!) * elementBytes(op);
  const near: Basis[] = [...layout.register, ...threadBases(layout).slice(0, 5)];
  const along = new Set(near.map((basis) => basis[dim]!).filter((c) => c > 0));
  let run = 1;
  while (along.has(run)) run *= 2;
  return run * elementBytes(op) < Math.min(POOR_BYTES, available);
}

/** The vector width that suits all these accesses of one shape and order. */
function commonVector(ops: readonly Operation[], axes: AxisAnalysis, dim: number): number {
  const widest = Math.max(...ops.map(elementBytes));
  const narrowest = Math.min(...ops.map(elementBytes));
  // A thread owns whole words even where the mask may end inside of one.
  const runs = ops.map((op) =>
    Math.max(
      alignedRun(op, axes, dim),
      Math.min(alignedRun(op, axes, dim, true), 4 / Math.min(4, elementBytes(op))),
    ),
  );
  const run = Math.max(...runs);
  // Up to 16 bytes of the widest, but whole words of the narrowest.
  return Math.min(run, Math.max(MOST_BYTES / widest, 4 / narrowest, 1));
}

/**
 * Whether threads hold whole words of a tile in workgroup memory, so that nobody else writes to
 * them.
 */
export function holdsWords(layout: Layout, type: MemdescType): boolean {
  return registerRun(layout, type.order[0]!) * byteSize(type.element) >= 4;
}

/** The layout for an access that decides for itself; `alike`: the accesses that may share it. */
export function coalescedLayout(
  op: Operation,
  alike: readonly Operation[],
  axes: AxisAnalysis,
  threads: ThreadBits,
): Layout {
  const { pointer } = accessOf(op);
  const shape = shapeOf(pointer.type);
  const order = accessOrder(op, axes);
  const dim = order[0]!;
  const vector = commonVector(alike, axes, dim);
  const each = elementCount(pointer.type) / 2 ** (threads.lanes + threads.subgroups);
  const word = Math.max(1, 4 / Math.min(...alike.map(elementBytes)));
  const size = Math.max(Math.min(vector, each), Math.min(vector, word));
  return blockedLayout(shape, threads, Math.max(1, size), order);
}

/**
 * The dimension that a dot sums over, of each value that goes to a dot through casts and
 * transpositions; where it goes to several, the first counts. `ops`: all, in the order of the
 * program.
 */
export function summedDimensions(ops: readonly Operation[]): ReadonlyMap<Value, number> {
  const summed = new Map<Value, number>();
  // Users stand after what they use, so that backwards each operation has its result's dimension.
  for (const op of [...ops].reverse()) {
    if (op.name === 'tt.dot') {
      const rank = shapeOf(op.operand(1).type).length;
      summed.set(op.operand(1), rank - 2);
      summed.set(op.operand(0), rank - 1);
      continue;
    }
    if (op.name !== 'tt.trans' && !hasTrait(op.name, 'elementwise')) continue;
    const below = op.results[0] && summed.get(op.results[0]);
    if (below === undefined) continue;
    const order =
      op.name === 'tt.trans' ? (op.attributes['order'] as readonly number[]) : undefined;
    for (const operand of op.operands) summed.set(operand, order ? order[below]! : below);
  }
  return summed;
}

/**
 * For a load that feeds a dot: threads cover no more of the summed dimension than one slice of it
 * that is staged at a time, so that every thread has something of every slice in registers.
 */
export function dotLoadLayout(
  op: Operation,
  summed: number,
  choices: Choices,
  axes: AxisAnalysis,
  threads: ThreadBits,
  onMatrices: boolean,
): Layout {
  const shape = shapeOf(op.operand(0).type);
  const order = accessOrder(op, axes);
  const builder = new LayoutBuilder(shape, threads);
  const slice = log2(Math.min(shape[summed]!, choices.kSlice));
  const bytes = elementBytes(op);
  // Narrow numbers are staged several to a word, so that a thread holds whole words at least.
  const word = Math.max(1, 4 / bytes);
  const run = choices.matrices && bytes < 4 ? MOST_BYTES / bytes : 1;
  const vector = Math.max(alignedRun(op, axes, order[0]!), run);
  const each = elementCount(op.operand(0).type) / choices.threads;
  builder.registers(order[0]!, log2(Math.max(1, Math.min(vector, Math.max(each, word)))));
  const transposed = order[0] === summed && run === 1;
  const span = transposed ? Math.min(slice, log2(choices.transposedRun)) : slice;
  for (const dim of order) {
    const dealt = log2(shape[summed]!) - builder.left(summed);
    const most =
      dim === order[0] && choices.lanesAlongRow > 0 ? log2(choices.lanesAlongRow) : Infinity;
    builder.toThreads(dim, Math.min(most, dim === summed ? Math.max(0, span - dealt) : Infinity));
  }
  for (const dim of order) builder.toThreads(dim);
  const layout = builder.finish(order);
  if (!onMatrices || order[0] !== summed || bytes >= 4) return layout;
  return rowsApart(layout, order[1]!, 2 ** slice * bytes);
}

/** The words that eight threads store at a time, 16 bytes each, go to all banks once. */
const BANKS_BYTES = 128;
/**
 * Rows that are shorter than all banks are stored several at a time. They lie 16 bytes further than
 * they are long, so that neighbours overlap; of eight rows, those that are as far apart as can be
 * do not. Lanes take them so.
 */
function rowsApart(layout: Layout, row: number, rowBytes: number): Layout {
  const together = BANKS_BYTES / rowBytes;
  const first = layout.lane.findIndex((basis) => basis[row] === 1);
  const bits = layout.lane.slice(first, first + 3);
  const three = first >= 0 && bits.length === 3 && bits.every((basis, i) => basis[row] === 1 << i);
  if (!three || (together !== 2 && together !== 4)) return layout;
  const rotation = together === 2 ? 2 : 1;
  const lane = [...layout.lane];
  lane.splice(first, 3, ...bits.slice(rotation), ...bits.slice(0, rotation));
  return { ...layout, lane };
}

/**
 * An accumulator (batch × M × N): each thread holds a block as square as can be, as vec4s along N,
 * split into halves that lie half a tile apart, so that neighbouring threads read neighbouring
 * vec4s of the staged operands. `rowThreads` fixes how many thread bits go along M.
 */
export function accumulatorLayout(
  shape: readonly number[],
  threads: ThreadBits,
  choices: Choices,
  rowThreads?: number,
): Layout {
  const rank = shape.length;
  const [row, column] = [rank - 2, rank - 1];
  const [m, n] = [log2(shape[row]!), log2(shape[column]!)];
  const total = threads.lanes + threads.subgroups;
  const batches = shape.slice(0, -2).reduce((bits, size) => bits + log2(size), 0);
  const forTile = Math.min(m + n, total - Math.min(batches, total));
  let rowsOver: number;
  if (rowThreads === undefined) {
    const each = m + n - forTile;
    // A vec4 along N comes first, then the block is made square.
    const square = Math.max(Math.ceil(each / 2), Math.min(2, each));
    const columnRegisters = Math.min(n, Math.max(square, each - m));
    rowsOver = m - (each - columnRegisters);
  } else rowsOver = Math.min(m, rowThreads, forTile);
  const columnsOver = Math.min(n, forTile - rowsOver);
  const [rowRegisters, columnRegisters] = [m - rowsOver, n - columnsOver];

  const builder = new LayoutBuilder(shape, threads);
  builder.registers(column, Math.min(2, columnRegisters));
  builder.registers(row, Math.min(2, rowRegisters));
  // Bits of a thread's number: those that stay in a subgroup first.
  const lanes = choices.rowsInSubgroup ? threads.lanes : NEAR_LANES;
  const near = Math.min(choices.rowsInSubgroup ? columnsOver : NEAR_LANES_ALONG_N, columnsOver);
  const nearRows = Math.min(Math.max(0, lanes - near), rowsOver);
  const [one, two] = choices.interleavedLanes ? [Math.min(1, near), Math.min(2, nearRows)] : [0, 0];
  builder.toThreads(column, one).toThreads(row, two);
  builder.toThreads(column, near - one).toThreads(row, nearRows - two);
  builder.toThreads(column, columnsOver - near).toThreads(row, rowsOver - nearRows);
  for (let dim = rank - 3; dim >= 0; dim--) builder.toThreads(dim);
  return builder.finish([column, row, ...rowMajor(rank).slice(2)]);
}
/**
 * The result of a dot on matrices, which comes back through workgroup memory and so in any layout.
 * A thread has whole rows where rows are reduced, or a slice of one beside its neighbours'; else
 * the layout is the best for storing it.
 */
export function matrixResultLayout(
  shape: readonly number[],
  threads: ThreadBits,
  choices: Pick<Choices, 'rowsInSubgroup' | 'squareBlocks' | 'kSlice'>,
  blockColumns: number,
): Layout {
  const [rows, columns] = [log2(shape[0]!), log2(shape[1]!)];
  if (!choices.rowsInSubgroup) {
    const across = choices.squareBlocks && besideBlocks(shape, threads, log2(blockColumns));
    return across || blockedLayout(shape, threads, MOST_ELEMENTS);
  }
  const builder = new LayoutBuilder(shape, threads);
  const free = Math.min(threads.lanes, threads.lanes + threads.subgroups - rows, columns);
  const spare = Math.max(0, free);
  // Scratch takes 16 or 32 of its columns at a time, and keeps neighbours in different banks; so do
  // the halves that threads store of it, where neighbours are 64 bytes apart. All threads have some
  // of each slice that is staged.
  const slice = choices.squareBlocks ? columns : Math.min(columns, log2(choices.kSlice));
  const each = columns - spare;
  // A skinny result's eight columns are two vec4s half a row apart: neighbours then read what lies
  // beside each other.
  const run = rows <= 4 && each === 3 ? 2 : Math.max(Math.min(4, each), slice - spare);
  builder.registers(1, run);
  return builder.toThreads(1, spare).toThreads(0).finish([1, 0]);
}

/**
 * Results of blocks side by side come back 16 columns of each at a time: threads hold as
 * many of the others in registers, so that none stands aside. Neighbours take two blocks and four
 * rows, which lie in different banks.
 */
function besideBlocks(
  shape: readonly number[],
  threads: ThreadBits,
  block: number,
): Layout | undefined {
  const [rows, columns] = [log2(shape[0]!), log2(shape[1]!)];
  const bit = (dim: 0 | 1, value: number): Basis => (dim === 0 ? [1 << value, 0] : [0, 1 << value]);
  const bits = (dim: 0 | 1, from: number, to: number): Basis[] =>
    Array.from({ length: Math.max(0, to - from) }, (_, i) => bit(dim, from + i));
  if (block <= 4 || block === columns) return undefined;
  const dealt = [
    ...bits(1, block, columns),
    ...bits(0, 0, 2),
    ...bits(1, 3, 4),
    ...bits(0, 2, rows),
  ];
  const count = threads.lanes + threads.subgroups;
  if (dealt.length < count) return undefined;
  return {
    register: [...bits(1, 0, 3), ...bits(1, 4, block), ...dealt.slice(count)],
    lane: dealt.slice(0, threads.lanes),
    subgroup: dealt.slice(threads.lanes, count),
  };
}

/** How many thread bits an accumulator's layout spends on its rows. */
export function rowThreadBits(layout: Layout, rank: number): number {
  return threadBases(layout).filter((basis) => basis[rank - 2] !== 0).length;
}
