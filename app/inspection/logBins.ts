/**
 * Histograms of errors, which lie on many scales: their bins are octaves or quarters of a decade,
 * and hold every positive f64 number. A bin's edge belongs to it exactly.
 */
export interface LogHistogram {
  /** Elements without any error. */
  readonly zero: number;
  /** Octaves, or quarters of a decade: bin i begins at `logEdge(first + i, base)`. */
  readonly base: 2 | 10;
  readonly first: number;
  readonly counts: readonly number[];
}

/**
 * Bins of an octave (base 2) or of a quarter of a decade (base 10), for all positive f64 numbers.
 */
export class LogBins {
  private zero = 0;
  private readonly counts: Float64Array;
  private readonly edges: Float64Array;
  private readonly factor: number;
  private readonly least: number;

  constructor(private readonly base: 2 | 10) {
    this.edges = EDGES[base];
    this.least = LEAST_BIN[base];
    this.factor = FACTOR[base];
    this.counts = new Float64Array(this.edges.length);
  }

  add(x: number): void {
    if (x === 0) this.zero++;
    else if (x > 0) this.counts[place(x, this.factor, this.least, this.edges)]!++;
  }
  get histogram(): LogHistogram {
    const { base, zero, counts, least } = this;
    const first = counts.findIndex((count) => count > 0);
    if (first < 0) return { zero, base, first: 0, counts: [] };
    const last = counts.findLastIndex((count) => count > 0);
    return {
      zero,
      base,
      first: first + least,
      counts: Array.from(counts.subarray(first, last + 1)),
    };
  }
}

/** Quarters of a decade, or octaves: where bin `bin` begins. */
export function logEdge(bin: number, base: 2 | 10): number {
  if (base === 2) return 2 ** bin;
  return bin % 4 === 0 ? Number(`1e${bin / 4}`) : 10 ** (bin / 4);
}
/** The least and the largest f64 numbers lie inside. */
const LEAST_BIN = { 2: -1076, 10: -1298 } as const;
const BINS_OF = { 2: 2104, 10: 2536 } as const;
const edgesOf = (base: 2 | 10): Float64Array =>
  Float64Array.from({ length: BINS_OF[base] }, (_, i) => logEdge(i + LEAST_BIN[base], base));
const EDGES = { 2: edgesOf(2), 10: edgesOf(10) } as const;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);
const SMALLEST_NORMAL = 2 ** -1022;

/** The base-2 logarithm to within a tenth: the exponent, and the significand as it stands. */
function roughLog2(x: number): number {
  if (x < SMALLEST_NORMAL) return Math.log2(x);
  float[0] = x;
  return words[1]! / 0x100000 - 1023;
}

/**
 * The index of a positive number's bin; edges belong to the bin above them. Logarithms are dear, so
 * a rough one is put right by the edges.
 */
function place(x: number, factor: number, least: number, edges: Float64Array): number {
  let guess = Math.floor(roughLog2(x) * factor) - least;
  while (x >= edges[guess + 1]!) guess++;
  while (x < edges[guess]!) guess--;
  return guess;
}
/** Bins for each octave. */
const FACTOR = { 2: 1, 10: 4 * Math.log10(2) } as const;
/** The bin of a positive number. */
export function logBin(x: number, base: 2 | 10): number {
  return place(x, FACTOR[base], LEAST_BIN[base], EDGES[base]) + LEAST_BIN[base];
}
