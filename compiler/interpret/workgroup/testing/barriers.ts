/**
 * For tests: runs of a kernel by workgroups, and which of its barriers a run shows to be needed.
 */
import { walk } from '../../../ir/ir';
import type { ThreadOp } from '../../../ir/thread/ir';
import type { LoweredKernel } from '../../../testing/gallery';
import type { GalleryLaunch } from '../../../testing/galleryLaunch';
import { runWorkgroups } from '../index';
import type { WorkgroupOptions, WorkgroupResult } from '../index';

export type Launch = GalleryLaunch & Pick<WorkgroupOptions, 'range'>;
type Mutable = Launch & Pick<WorkgroupOptions, 'memory'>;
type Runnable = Pick<LoweredKernel, 'tiles' | 'threads'> & {
  readonly request: Pick<LoweredKernel['request'], 'specialization'>;
};

/** A copy of the launch's memory, which a run changes. */
export function fresh(launch: Launch): Mutable {
  const copy = launch.memory.map(({ address, bytes }) => ({ address, bytes: bytes.slice() }));
  return { ...launch, memory: copy };
}
export function runThreads(
  { request, tiles, threads }: Runnable,
  launch: Mutable,
  more: Partial<WorkgroupOptions> = {},
): WorkgroupResult {
  return runWorkgroups({
    kernel: threads,
    parameters: tiles.body.args,
    specialization: request.specialization,
    budget: 500_000_000,
    ...launch,
    ...more,
  });
}

export function barriersOf({ threads }: Pick<Runnable, 'threads'>): ThreadOp[] {
  const found: ThreadOp[] = [];
  walk(threads.func.body, (op) => {
    if (op.name === 'thread.barrier') found.push(op);
  });
  return found;
}

/**
 * The barriers without which nothing is found on any of the launches: no two threads touch a word
 * of shared or of the tensors' memory between two barriers unless both read, none reads a word of
 * shared memory that nobody wrote, and all meet at every barrier. Each is left out by itself.
 * @throws where something is found with all of them.
 */
export function redundantBarriers(kernel: Runnable, launches: readonly Launch[]): ThreadOp[] {
  const find = (more: Partial<WorkgroupOptions>): string | undefined => {
    for (const launch of launches) {
      const options = { ...more, watchTensors: true, stopAtFirst: true };
      const [finding] = runThreads(kernel, fresh(launch), options).findings;
      if (finding) return finding.message;
    }
    return undefined;
  };
  const barriers = barriersOf(kernel);
  const wrong = barriers.length > 0 ? find({}) : undefined;
  if (wrong !== undefined) throw new Error(wrong);
  return barriers.filter((op) => find({ without: new Set([op]) }) === undefined);
}
