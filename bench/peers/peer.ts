/** Another library that runs on WebGPU, on the same adapter as ours. */
import type { Element, Floats, Shape as AnyShape } from '../work';

/** What peers are asked for. */
export type Shape = Exclude<AnyShape, { readonly kind: 'ours' }>;

/** The type of its tensors. */
export function typeOf(shape: Shape): Element {
  return 'type' in shape ? shape.type : 'f32';
}

export interface Peer {
  readonly name: string;
  /** Null where it has no such operation, or not of this type. @throws what it says where it should have it. */
  prepare(shape: Shape, inputs: readonly Floats[]): Promise<Job | null>;
}

export interface Job {
  /** The one that the library opened for itself. */
  readonly device: GPUDevice;
  result(): Promise<Floats>;
  /** Wall-clock seconds of `runs` runs, queued and then waited for. */
  wall(runs: number): Promise<number>;
  release(): void;
}
