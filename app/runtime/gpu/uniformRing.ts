/**
 * The uniform words of a batch's launches: one buffer, a slot of 256 bytes or more for each launch,
 * bound with a dynamic offset so that bind groups can be reused. The words are collected on the CPU
 * and written once for a submission.
 */
import { alignUp } from '../addresses';

/** WebGPU's largest required alignment of dynamic offsets, in bytes. */
export const SLOT = 256;

export class UniformRing {
  readonly buffer: GPUBuffer;
  readonly #words: Uint32Array<ArrayBuffer>;
  /** Bytes in use. */
  #used = 0;

  /** @param bytes of the buffer. */
  constructor(
    private readonly device: GPUDevice,
    bytes: number,
  ) {
    this.buffer = device.createBuffer({
      size: bytes,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    this.#words = new Uint32Array(bytes / 4);
  }

  hasRoom(bytes: number): boolean {
    return this.#used + alignUp(bytes, SLOT) <= this.buffer.size;
  }
  /** Takes a slot. @returns where it begins, in bytes. */
  add(words: Uint32Array): number {
    const offset = this.#used;
    this.#words.set(words, offset / 4);
    this.#used += alignUp(words.byteLength, SLOT);
    return offset;
  }
  /** Queues the words of all slots for the GPU. */
  write(): void {
    if (this.#used > 0)
      this.device.queue.writeBuffer(this.buffer, 0, this.#words, 0, this.#used / 4);
  }
  /** Empties it. */
  reset(): void {
    this.#used = 0;
  }
}
