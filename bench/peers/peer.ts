/** Another library that runs on WebGPU, on the same adapter as ours. */
import type { Floats, Shape as AnyShape } from '../work';

/** What peers are asked for. */
export type Shape = Exclude<AnyShape, { readonly kind: 'ours' }>;

export interface Peer {
  readonly name: string;
  /** Null where it has no such operation. @throws what it says where it should have it. */
  prepare(shape: Shape, inputs: readonly Floats[]): Promise<Job | null>;
}

export interface Job {
  result(): Promise<Floats>;
  /** Wall-clock seconds of `runs` runs, queued and then waited for. */
  wall(runs: number): Promise<number>;
  release(): void;
}
