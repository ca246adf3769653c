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

/** Bytes that a vector of four words reads at once: a tensor's memory is padded to them. */
const VECTOR_BYTES = 16;

export class Fills {
  private readonly sources = new Map<Fill, GPUBuffer>();
  /** Last vectors of tensors, by fill and bytes: the fill, and zeros from there on. */
  private readonly ends = new Map<string, GPUBuffer>();
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

  /**
   * Zeroes what lies behind the first `bytes` of a filled part of a buffer, up to `size`: a vector
   * that holds a tensor's end is read as a whole, and elements out of range are 0.
   */
  encodePadding(
    encoder: GPUCommandEncoder,
    fill: Fill,
    buffer: GPUBuffer,
    at: number,
    { bytes, size }: { readonly bytes: number; readonly size: number },
  ): void {
    if (fill === ZERO || bytes === size) return;
    const kept = bytes % VECTOR_BYTES;
    const end = bytes - kept;
    const length = Math.min(VECTOR_BYTES, size - end);
    if (kept > 0) encoder.copyBufferToBuffer(this.endOf(fill, kept), 0, buffer, at + end, length);
    const rest = kept > 0 ? end + length : end;
    if (rest < size) encoder.clearBuffer(buffer, at + rest, size - rest);
  }

  destroy(): void {
    for (const source of [...this.sources.values(), ...this.ends.values()]) source.destroy();
  }

  private endOf(fill: Fill, bytes: number): GPUBuffer {
    const key = `${fill.low} ${fill.high} ${bytes}`;
    let end = this.ends.get(key);
    if (!end) {
      const vector = new Uint8Array(filledBuffer(VECTOR_BYTES, fill)).fill(0, bytes);
      this.ends.set(key, (end = this.mapped(vector)));
    }
    return end;
  }

  private mapped(bytes: Uint8Array): GPUBuffer {
    const usage = GPUBufferUsage.COPY_SRC;
    const size = bytes.length;
    const buffer = this.device.createBuffer({ size, usage, mappedAtCreation: true });
    new Uint8Array(buffer.getMappedRange()).set(bytes);
    buffer.unmap();
    return buffer;
  }

  private sourceOf(fill: Fill): GPUBuffer {
    let source = this.sources.get(fill);
    if (!source) {
      source = this.mapped(new Uint8Array(filledBuffer(SOURCE_BYTES, fill)));
      this.sources.set(fill, source);
    }
    return source;
  }
}
