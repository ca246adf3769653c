/**
 * Per-warp slabs: operands of subgroup matrices cut as the subgroups' blocks cut them. A slab
 * aliases nothing but other slabs. Used by `stage_operands`.
 */
import { MOST_FRAGMENT_SCRATCH, ROW_PADDING } from './allocate_shared_memory';
import type { Choices } from './choices';
import type { StagedDot } from './stagedDot';

/** Whether workgroup memory holds all slabs, and scratch beside them. */
export function hasRoomForSlabs(
  plans: readonly StagedDot[],
  limit: number,
  { squareBlocks }: Choices,
): boolean {
  return squareBlocks ? hasRoomForBlocks(plans, limit) : hasRoomForRows(plans, limit);
}

/** Bytes of the results of matrices on their way back to registers. */
const FRAGMENT_BYTES = 12_288;

/**
 * Bytes of operands in an array: before a loop, throughout, and the most at a time of what comes
 * and goes.
 */
interface Taken {
  before: number;
  lasting: number;
  passing: number;
}
/**
 * Bytes of the slabs of rows, of columns, and of what stays whole. `countOf`: into how many slabs a
 * side is sliced.
 */
function takenOf(
  plans: readonly StagedDot[],
  countOf: (plan: StagedDot, side: 0 | 1) => number,
  spared = 0,
): [Taken, Taken, Taken] {
  const nothing = (): Taken => ({ before: 0, lasting: 0, passing: 0 });
  const arrays: [Taken, Taken, Taken] = [nothing(), nothing(), nothing()];
  for (const plan of plans)
    for (const side of [0, 1] as const) {
      const count = countOf(plan, side);
      const size = plan.stagedBytes(side) - (count > 1 ? count * spared : 0);
      const array = arrays[count > 1 ? side : 2];
      if (plan.isHoisted(side)) array.before += size;
      else if (plan.isKept(side)) array.lasting += size;
      else array.passing = Math.max(array.passing, size);
    }
  return arrays;
}
const mostOf = ({ before, lasting, passing }: Taken, more = 0): number =>
  Math.max(before, lasting + passing + more);

/**
 * Cuts operands into slabs. Each dimension has one array of slabs, so dots that differ do without.
 */
export function cutIntoSlabs(plans: readonly StagedDot[], limit: number): void {
  const counts: [number?, number?] = [];
  for (const plan of plans) {
    for (const side of [0, 1] as const) {
      const count = plan.blocksAlong(side);
      if (count === 1 || (counts[side] ?? count) !== count) continue;
      counts[side] = count;
      plan.slabs[side] = count;
    }
  }
  // The rows of each slab are padded, a third more of skinny ones; results must still come back.
  const [rows, columns, rest] = takenOf(plans, (plan, side) => plan.slabs[side]);
  const passing = Math.max(rest.passing, ...plans.map((plan) => plan.fragmentBytes()));
  if (mostOf(rows) + mostOf(columns) + mostOf({ ...rest, passing }) <= limit) return;
  for (const plan of plans) plan.slabs.fill(1);
}

/** For blocks that are rows, or one dot's alone. */
function hasRoomForRows(plans: readonly StagedDot[], limit: number): boolean {
  // Slabs alias only slabs: of what stays whole and comes and goes, one at a time counts.
  let [lasting, passing, before] = [0, 0, 0];
  for (const plan of plans) {
    for (const side of [0, 1] as const) {
      const size = plan.stagedBytes(side);
      if (plan.isHoisted(side)) before += size;
      else if (plan.isKept(side) || plan.blocksAlong(side) > 1) lasting += size;
      else passing = Math.max(passing, size);
    }
  }
  // Memory that is read as a loop begins aliases what the loop stages.
  const bytes = Math.max(lasting + passing, before);
  const fragments = Math.max(FRAGMENT_BYTES, ...plans.map((plan) => plan.fragmentBytes()));
  return bytes + fragments <= limit;
}

/**
 * Right operands are sliced, too, where blocks lie side by side, and each dot's come and go in one
 * place. Whether that leaves scratch for as few chunks as without slabs, but for the padding behind
 * the last row of each.
 */
function hasRoomForBlocks(plans: readonly StagedDot[], limit: number): boolean {
  const alike = ([0, 1] as const).every((side) => {
    const counts = plans.map((plan) => plan.blocksAlong(side)).filter((count) => count > 1);
    return new Set(counts).size <= 1;
  });
  const countOf = (plan: StagedDot, side: 0 | 1): number => plan.blocksAlong(side);
  const [rows, columns, rest] = takenOf(plans, countOf, ROW_PADDING);
  const scratch = Math.max(0, ...plans.map((plan) => plan.scratchBytes(MOST_FRAGMENT_SCRATCH)));
  return alike && mostOf(rows) + mostOf(columns) + mostOf(rest, scratch) <= limit;
}
