/**
 * Layouts: which register of which lane of which subgroup holds each element of a tile.
 *
 * A layout is a linear map over F₂ (Triton's linear layouts, arXiv 2505.23819): bit i of the
 * register number, of the lane or of the subgroup number each contributes one vector of
 * coordinates, and the element held is the XOR of the vectors of the bits that are set. A zero
 * vector means that the element is held more than once.
 *
 * Lanes exist only where the target promises a subgroup size; without subgroups, `lane` is empty
 * and every bit of the thread's number is a subgroup bit. The thread's number is `subgroup *
 * laneCount + lane`.
 */
export type Basis = readonly number[];

export interface Layout {
  /** One vector of tile coordinates for each bit, least significant bit first. */
  readonly register: readonly Basis[];
  readonly lane: readonly Basis[];
  readonly subgroup: readonly Basis[];
}

/** The vectors of the bits of the thread's number, least significant first. */
export function threadBases(layout: Layout): Basis[] {
  return [...layout.lane, ...layout.subgroup];
}
/** Elements of the tile that each thread holds, repetitions included. */
export function registerCount(layout: Layout): number {
  return 1 << layout.register.length;
}
