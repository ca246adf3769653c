/**
 * Fills of GPU memory. WebGPU clears to zero only, so other fills are copied from a buffer that
 * repeats them: it stays in the GPU's cache, and no pass or pipeline is needed.
 */
import { filledBuffer, ZERO, type Fill } from '../../../compiler/inspect/fill';

const SOURCE_BYTES = 2 ** 20;
/**
 * Up to this size a new buffer is written by the queue, which does not end the pass that is open.
 */
const WRITTEN = 2 ** 16;

export class Fills {
  private readonly sources = new Map<Fill, GPUBuffer>();
  private readonly bytes = new Map<Fill, ArrayBuffer>();

  constructor(private readonly device: GPUDevice) {}

  /** Fills a part of a buffer when the encoder's commands run. */
  encode(
    encoder: GPUCommandEncoder,
    fill: Fill,
    buffer: GPUBuffer,
    at: number,
    size: number,
  ): void {
    if (fill === ZERO) return encoder.clearBuffer(buffer, at, size);
    const source = this.sourceOf(fill);
    for (let done = 0; done < size; done += SOURCE_BYTES) {
      const part = Math.min(SOURCE_BYTES, size - done);
      encoder.copyBufferToBuffer(source, 0, buffer, at + done, part);
    }
  }

  /**
   * Fills a new buffer, which no command uses yet and which is zero.
   * @returns false where it has to be `encode`d.
   */
  write(fill: Fill, buffer: GPUBuffer, size: number): boolean {
    if (fill === ZERO) return true;
    if (size > WRITTEN) return false;
    let bytes = this.bytes.get(fill);
    if (!bytes) this.bytes.set(fill, (bytes = filledBuffer(WRITTEN, fill)));
    this.device.queue.writeBuffer(buffer, 0, bytes, 0, size);
    return true;
  }

  destroy(): void {
    for (const source of this.sources.values()) source.destroy();
  }

  private sourceOf(fill: Fill): GPUBuffer {
    let source = this.sources.get(fill);
    if (!source) {
      const usage = GPUBufferUsage.COPY_SRC;
      source = this.device.createBuffer({ size: SOURCE_BYTES, usage, mappedAtCreation: true });
      new Uint8Array(source.getMappedRange()).set(new Uint8Array(filledBuffer(SOURCE_BYTES, fill)));
      source.unmap();
      this.sources.set(fill, source);
    }
    return source;
  }
}
