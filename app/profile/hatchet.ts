/**
 * A run as Proton's tree: the `hatchet` JSON that `triton.profiler` writes and `proton-viewer`
 * reads. The root, then a node for each kernel with what was added up over its launches; behind the
 * tree the facts of the devices.
 *
 * Metrics are Proton's: `count`, `time (ns)`, `device_id`, `device_type`, `bytes`, `flops64`,
 * `flops32`, `flops16`. Times of the CPU's clock are in `time on the CPU (ns)` as well, as in
 * profiles of `triton.profiler` here. A kernel without a measured time has no time. Bytes and
 * operations are those of the timed launches, so that rates are of one set of launches. Repetitions
 * of benchmarks are nodes below `benchmark`.
 */
import type { Profile, ProfiledKernel } from './profile';

export interface HatchetNode {
  readonly frame: { readonly name: string; readonly type: 'function' };
  readonly metrics: Readonly<Record<string, number | string>>;
  readonly children: readonly HatchetNode[];
}
/** By the device's type and its number. */
export type HatchetDevices = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
>;
export type Hatchet = readonly [HatchetNode, HatchetDevices];

const ON_CPU = 'time on the CPU (ns)';

export function hatchet({ adapter, kernels }: Profile): Hatchet {
  const type = adapter?.kind === 'interpreter' || !adapter ? 'INTERPRETER' : 'WEBGPU';
  const nodes = (benchmark: boolean): HatchetNode[] =>
    byName(kernels.filter((each) => each.benchmark === benchmark && each.launches > 0)).map(
      ([name, rows]) => node(name, sum(rows, type)),
    );
  const repeated = nodes(true);
  const children = [
    ...nodes(false),
    ...(repeated.length > 0 ? [node('benchmark', {}, repeated)] : []),
  ];
  const { name = 'none', vendor = '', architecture = '' } = adapter ?? {};
  return [node('ROOT', {}, children), { [type]: { 0: { arch: architecture, name, vendor } } }];
}

function node(
  name: string,
  metrics: HatchetNode['metrics'],
  children: readonly HatchetNode[] = [],
): HatchetNode {
  return { frame: { name, type: 'function' }, metrics, children };
}

function byName(rows: readonly ProfiledKernel[]): [string, ProfiledKernel[]][] {
  const found = new Map<string, ProfiledKernel[]>();
  for (const row of rows) found.set(row.kernel, [...(found.get(row.kernel) ?? []), row]);
  return [...found];
}

function sum(rows: readonly ProfiledKernel[], type: string): Record<string, number | string> {
  const metrics: Record<string, number | string> = { device_id: '0', device_type: type };
  const add = (name: string, value: number): void => {
    metrics[name] = Number(metrics[name] ?? 0) + value;
  };
  for (const row of rows) {
    // The rates of a tree divide what is in it by its time: launches without one are not in it.
    add('count', row.timed);
    if (row.launches > row.timed) add('launches without a time', row.launches - row.timed);
    if (row.total === null) continue;
    add('time (ns)', row.total * 1e3);
    if (row.clock === 'cpu') add(ON_CPU, row.total * 1e3);
    if (row.bytes !== null) add('bytes', row.bytes * row.timed);
    for (const width of ['64', '32', '16'] as const) {
      const operations = row.operations?.[`f${width}`] ?? 0;
      if (operations > 0) add(`flops${width}`, operations * row.timed);
    }
  }
  return metrics;
}
