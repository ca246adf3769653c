/**
 * How the addresses of a subgroup's lanes lie to each other: why an access moves more segments
 * than its bytes fill.
 */

export type LanePattern =
  /**
   * Each lane by itself, `apart` elements from the next. `stride`: from one element of the tile to
   * the next; a lane that holds several in its registers is as many strides from its neighbour.
   */
  | { readonly kind: 'strided'; readonly stride: number; readonly apart: number }
  /** Runs of contiguous elements; `pitch` elements from one to the next, null where that varies. */
  | { readonly kind: 'rows'; readonly run: number; readonly pitch: number | null }
  /** One contiguous run, which begins in the middle of a segment. */
  | { readonly kind: 'misaligned' }
  /** No common stride, as of a gather. */
  | { readonly kind: 'scattered' };

interface Run {
  readonly begin: number;
  end: number;
}

/**
 * The elements that a lane moves with one instruction, and the place of the next lane's in the
 * tile.
 */
export interface LaneAccess {
  readonly elementBytes: number;
  readonly vector: number;
  /** Elements of the tile from the first lane's to the second's. */
  readonly step: number;
}

/** @param addresses the first byte of each lane's access; null where a lane takes no part. */
export function lanePattern(
  addresses: readonly (number | null)[],
  { elementBytes, vector, step }: LaneAccess,
): LanePattern {
  const bytes = elementBytes * vector;
  const runs = runsOf(addresses, bytes);
  if (runs.length <= 1) return { kind: 'misaligned' };
  const pitches = runs.slice(1).map(({ begin }, i) => begin - runs[i]!.begin);
  const steady = pitches.every((pitch) => pitch === pitches[0]);
  const pitch = steady ? pitches[0]! / elementBytes : null;
  // A mask may cut the first run and the last.
  const inner = runs.length > 2 ? runs.slice(1, -1) : runs;
  const longest = Math.max(...inner.map(({ begin, end }) => end - begin));
  if (longest > bytes) return { kind: 'rows', run: longest / elementBytes, pitch };
  if (pitch === null) return { kind: 'scattered' };
  const [first, second] = addresses;
  const neighbours = Math.abs((second ?? NaN) - (first ?? NaN)) === pitch * elementBytes;
  const stride = neighbours && pitch % step === 0 ? pitch / step : pitch;
  return { kind: 'strided', stride, apart: pitch };
}

/** The bytes touched, as intervals in order. */
function runsOf(addresses: readonly (number | null)[], bytes: number): Run[] {
  const begins = addresses.filter((address) => address !== null).sort((a, b) => a - b);
  const runs: Run[] = [];
  for (const begin of begins) {
    const last = runs.at(-1);
    if (last && begin <= last.end) last.end = Math.max(last.end, begin + bytes);
    else runs.push({ begin, end: begin + bytes });
  }
  return runs;
}

/** The pattern that costs most, of many instructions. */
export class PatternCount {
  readonly #wasted = new Map<string, { readonly pattern: LanePattern; segments: number }>();

  add(pattern: LanePattern, segments: number): void {
    const key = JSON.stringify(pattern);
    const known = this.#wasted.get(key);
    if (known) known.segments += segments;
    else this.#wasted.set(key, { pattern, segments });
  }
  /** Null where no instruction moved more segments than it needs. */
  get worst(): LanePattern | null {
    const all = [...this.#wasted.values()];
    return all.sort((a, b) => b.segments - a.segments)[0]?.pattern ?? null;
  }
}
