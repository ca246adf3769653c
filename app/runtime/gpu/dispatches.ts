/** How a launch becomes dispatches, and the storage that the programs of one dispatch exchange through. */
import type { CompiledKernel } from '../../../compiler/program';

export interface Dispatch {
  /** The linear index of its first program. */
  readonly first: number;
  readonly workgroups: readonly [number, number, number];
}

/** Bytes that the programs of one dispatch have for their exchange, where that lies in storage. */
const EXCHANGE_BYTES = 2 ** 26;

/** The dispatches of a launch, in order. `limit`: workgroups in a dimension. */
export function dispatchesOf(
  kernel: CompiledKernel,
  grid: readonly [number, number, number],
  limit: number,
): Dispatch[] {
  const total = grid[0] * grid[1] * grid[2];
  const exchange = exchangeBytesOf(kernel);
  if (kernel.programs > 1) {
    const workgroups = Math.ceil(total / kernel.programs);
    return [{ first: 0, workgroups: dispatchSize([workgroups, 1, 1], limit) }];
  }
  if (!kernel.oneByOne && exchange === 0)
    return [{ first: 0, workgroups: dispatchSize(grid, limit) }];
  const most = kernel.oneByOne ? 1 : Math.max(1, Math.floor(EXCHANGE_BYTES / exchange));
  const programs = Math.min(most, limit);
  return Array.from({ length: Math.ceil(total / programs) }, (_, i) => ({
    first: i * programs,
    workgroups: [Math.min(programs, total - i * programs), 1, 1],
  }));
}

/** Bytes a program needs for an exchange in storage; 0 where it has none. */
export function exchangeBytesOf(kernel: CompiledKernel): number {
  return kernel.bindings.some(({ group }) => group === 'exchange') ? kernel.workgroupBytes : 0;
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
