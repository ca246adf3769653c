/** What the panels and the worker behind them agree on; the panels load nothing else of this folder. */

/** Bits of a cell of a memory map: what happened to one of its elements, or more. */
export const READ = 1;
export const WRITTEN = 2;
export const ATOMIC = 4;
export const MASKED = 8;
export const OUTSIDE = 16;
export const RACE = 32;

/** Owners of an element that are no program's linear index. */
export const NOBODY = -1;
export const SEVERAL = -2;

/** What NVIDIA's and most other caches fetch at once. */
export const SEGMENT_BYTES = 128;
/** Of workgroup memory, 4 bytes wide each. */
export const BANKS = 32;
/** Where the target does not tell the subgroup's size. */
export const ASSUMED_SUBGROUP = 32;
