/**
 * Constants that the panels and the worker behind them share; of this folder, the panels load only
 * this and `efficiency.ts`.
 */

/** Bits of a cell of a memory map: what happened to one of its elements, or more. */
export const READ = 1;
export const WRITTEN = 2;
export const ATOMIC = 4;
export const MASKED = 8;
export const OUTSIDE = 16;
export const RACE = 32;

/** Bits of a cell of a reuse frame: in the cache, and what a wave of programs did with its line. */
export const CACHED = 1;
export const HIT = 2;
export const MISSED = 4;
export const STORED = 8;

/** Owners of an element that are no program's linear index. */
export const NOBODY = -1;
export const SEVERAL = -2;

/** What NVIDIA's and most other caches fetch at once. */
export const SEGMENT_BYTES = 128;
/** Banks of workgroup memory, 4 bytes wide each. */
export const BANKS = 32;
/** The default where the target states no subgroup size. */
export const ASSUMED_SUBGROUP = 32;
/**
 * Lanes of the GPU whose accesses are shown where the adapter has too few: NVIDIA's, Apple's and
 * others'.
 */
export const REFERENCE_LANES = 32;
