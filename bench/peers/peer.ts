/** Another library that runs on WebGPU, on the same adapter as ours. */
import { fromHalves, toHalves } from '../halves';
import type { Element, Floats, Given, Shape as AnyShape } from '../work';

/** Requests to peers. */
export type Shape = Exclude<AnyShape, { readonly kind: 'ours' }>;

/** The type of its tensors. */
export function typeOf(shape: Shape): Element {
  return 'type' in shape ? shape.type : 'f32';
}

export function floatsOf(given: Given): Floats {
  return given instanceof Float32Array ? given : fromHalves(given);
}
export function halvesOf(given: Given): Uint16Array<ArrayBuffer> {
  return given instanceof Float32Array ? toHalves(given) : given;
}

export interface Peer {
  readonly name: string;
  /**
   * The ways in which it can do that, the fastest of which is compared with: none where it has no
   * such operation, or not of this type. @throws what it says where it should have it.
   */
  prepare(shape: Shape, inputs: readonly Given[]): Promise<readonly Job[]>;
}

export interface Job {
  /** Which of its ways it is, where there are several. */
  readonly what?: string;
  /** The one that the library opened for itself. */
  readonly device: GPUDevice;
  /** Bytes that lie between a run's operations, kept until it is waited for. */
  readonly between?: number;
  result(): Promise<Floats>;
  /** Wall-clock seconds of `runs` runs, queued and then waited for. */
  wall(runs: number): Promise<number>;
  release(): void;
}
