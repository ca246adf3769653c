/** Bind groups, kept by what they bind: a launch on the same tensors requests the same one. */
import type { CompiledKernel } from '../../../compiler/program';
import { createBindGroup, type Pipeline } from './pipelines';
import type { Block } from '../storage';
import type { LaunchBatch } from './submissions';

/** Beyond it the cache starts anew. */
const MOST = 4096;

export class BindGroups {
  private readonly made = new Map<string, GPUBindGroup>();
  /** The one that was requested last: launches in a row need no look-up. */
  private last: {
    readonly pipeline: number;
    readonly ring: number;
    readonly blocks: readonly number[];
    readonly group: GPUBindGroup;
  } | null = null;

  constructor(private readonly device: GPUDevice) {}

  /** The bind group of a launch whose words and report lie in the batch's rings. */
  get(
    pipeline: Pipeline,
    kernel: CompiledKernel,
    blocks: readonly Block[],
    { ring, uniforms, reports }: LaunchBatch,
  ): GPUBindGroup {
    const { last } = this;
    if (
      last?.pipeline === pipeline.id &&
      last.ring === ring &&
      blocks.every(({ id }, i) => id === last.blocks[i])
    )
      return last.group;
    const ids = blocks.map((block) => block.id);
    const key = `${pipeline.id}/${ring}/${ids.join(',')}`;
    let group = this.made.get(key);
    if (!group) {
      group = createBindGroup(this.device, pipeline, kernel, blocks, uniforms, reports);
      if (this.made.size >= MOST) this.made.clear();
      this.made.set(key, group);
    }
    this.last = { pipeline: pipeline.id, ring, blocks: ids, group };
    return group;
  }

  /** Some of what they bind is destroyed. */
  clear(): void {
    this.made.clear();
    this.last = null;
  }
}
