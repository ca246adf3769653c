/**
 * The one figure of an access of global memory, and the limit below which it is marked. It imports
 * nothing, so that a panel loads nothing of the compiler with it.
 */

/** The segments that an access moves, and the fewest that could hold the bytes that it touches. */
export interface SegmentCounts {
  readonly segments: number;
  readonly least: number;
}

/** Below it, an access moves a third more segments than it needs, and is marked. */
const POOR = 0.75;

/** 1 at best, however many lanes a subgroup has and however narrow the elements are. */
export function efficiency({ segments, least }: SegmentCounts): number {
  return segments === 0 ? 1 : least / segments;
}
export function isPoor(counts: SegmentCounts): boolean {
  return efficiency(counts) < POOR;
}
