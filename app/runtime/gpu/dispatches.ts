/**
 * How a launch becomes dispatches, and the storage that the programs of one dispatch have as their
 * shared memory.
 */
import type { CompiledKernel } from '../../../compiler/program';

export interface Dispatch {
  /** The linear index of its first program. */
  readonly first: number;
  readonly workgroups: readonly [number, number, number];
}

/** Bytes of shared memory that the programs of one dispatch have, where it lies in storage. */
const SHARED_BYTES = 2 ** 26;

/** Programs of a launch, by linear index: from `first` up to `end`. */
export interface Slice {
  readonly first: number;
  readonly end: number;
}

/**
 * The dispatches of a launch, or of a slice of it, in order. `limit`: workgroups in a dimension.
 */
export function dispatchesOf(
  kernel: CompiledKernel,
  grid: readonly [number, number, number],
  limit: number,
  slice: Slice = { first: 0, end: grid[0] * grid[1] * grid[2] },
): Dispatch[] {
  const { first, end } = slice;
  const total = end - first;
  const shared = sharedBytesOf(kernel);
  if (!kernel.oneByOne && shared === 0) {
    const whole = kernel.programs === 1 && total === grid[0] * grid[1] * grid[2];
    const workgroups = Math.ceil(total / kernel.programs);
    return [{ first, workgroups: dispatchSize(whole ? grid : [workgroups, 1, 1], limit) }];
  }
  const most = kernel.oneByOne ? 1 : Math.max(1, Math.floor(SHARED_BYTES / shared));
  const programs = Math.min(most, limit);
  return Array.from({ length: Math.ceil(total / programs) }, (_, i) => ({
    first: first + i * programs,
    workgroups: [Math.min(programs, total - i * programs), 1, 1],
  }));
}

/** Whether a launch may be cut into slices. */
export function isSliceable({ uniforms }: CompiledKernel): boolean {
  return uniforms.some(({ kind }) => kind === 'program');
}

/**
 * At most so many programs, and as many as fill whole workgroups and whole rows of a dispatch: a
 * slice of another size would run programs of the next one, too.
 */
export function sliceSize(kernel: CompiledKernel, programs: number, limit: number): number {
  const workgroups = Math.max(1, Math.floor(programs / kernel.programs));
  const whole = workgroups <= limit ? workgroups : Math.floor(workgroups / limit) * limit;
  return whole * kernel.programs;
}

/** Bytes of shared memory in storage that a program needs; 0 where it has none there. */
export function sharedBytesOf(kernel: CompiledKernel): number {
  return kernel.bindings.some(({ group }) => group === 'shared') ? kernel.workgroupBytes : 0;
}

/**
 * Workgroups in each dimension. A grid above the limit is linear (`options.linearGrid`): as few
 * workgroups as possible, at least as many as there are programs.
 */
export function dispatchSize(
  grid: readonly [number, number, number],
  limit: number,
): [number, number, number] {
  const [x, y, z] = grid;
  if (x <= limit && y <= limit && z <= limit) return [x, y, z];
  const total = x * y * z;
  if (total <= limit) return [total, 1, 1];
  const rows = Math.ceil(total / limit);
  if (rows <= limit) return [Math.ceil(total / rows), rows, 1];
  const planes = Math.ceil(rows / limit);
  const rowsOfPlane = Math.ceil(rows / planes);
  return [Math.ceil(total / (rowsOfPlane * planes)), rowsOfPlane, planes];
}
