/** Copies of what a launch will write, to run it again from where it began. */
import type { Block } from '../storage';

export class Backup {
  private readonly copies: readonly { readonly block: Block; readonly copy: GPUBuffer }[];

  /** The copies are made when `encoder` is submitted. */
  constructor(device: GPUDevice, encoder: GPUCommandEncoder, blocks: readonly Block[]) {
    const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    this.copies = [...new Set(blocks)].map((block) => {
      const copy = device.createBuffer({ size: block.size, usage });
      encoder.copyBufferToBuffer(block.buffer, 0, copy, 0, block.size);
      return { block, copy };
    });
  }
  restore(encoder: GPUCommandEncoder): void {
    for (const { block, copy } of this.copies)
      encoder.copyBufferToBuffer(copy, 0, block.buffer, 0, block.size);
  }
  /** Once nothing that uses the copies is waited for. */
  destroy(): void {
    for (const { copy } of this.copies) copy.destroy();
  }
}
