/**
 * A launch as commands: its dispatches, in the open batch, with its words and its bind group. This
 * is what each launch costs the CPU, so what a launch in a row has in common with the one before is
 * not requested again.
 *
 * Guarantee: the commands read and write the blocks they are given and no others, besides the
 * storage that is the shared memory of a dispatch's programs.
 */
import type { CompiledKernel } from '../../../compiler/program';
import { alignUp } from '../addresses';
import { BindGroups } from './bindGroups';
import { DEBUG_BYTES } from './debugReport';
import { type Dispatch, dispatchesOf, sharedBytesOf, type Slice } from './dispatches';
import { kernelOf, type EngineLaunch, type Unit } from '../engine';
import { programsOf } from './pacing';
import { createBindGroup, reports, type Pipeline } from './pipelines';
import type { RecordedLaunch } from './replay';
import type { Block } from '../storage';
import type { LaunchBatch } from './submissions';
import { UniformPacker } from './uniforms';

/** Launches of a row that have a pass, and a time, of their own; those behind them share one. */
const TIMED_ALONE = 8;

export interface Encoding {
  /** The blocks of the launch's groups. */
  readonly placed: readonly Block[];
  readonly arenaBytes: number;
  /** The dispatches, from the last to the first. */
  readonly backwards: boolean;
  /** It stands alone, and is returned to be replayed. */
  readonly records: boolean;
  /**
   * Only these programs: the launch is encoded again with the others, in order, into the same
   * batch.
   */
  readonly slice?: Slice;
}

export class LaunchEncoder {
  readonly bindGroups: BindGroups;
  private readonly packers = new WeakMap<Unit, UniformPacker>();
  private row: { unit: Unit | null; grid: readonly number[]; count: number } = {
    unit: null,
    grid: [],
    count: 0,
  };
  private shared: Block | null = null;
  /** For the launch that is being encoded in slices, where it prints. */
  private queue: GPUBuffer | null = null;

  constructor(
    private readonly device: GPUDevice,
    /** Workgroups in a dimension. */
    private readonly limit: number,
  ) {
    this.bindGroups = new BindGroups(device);
  }

  /** @param batch with room for the launch's words. @returns null unless it `records`. */
  encode(
    batch: LaunchBatch,
    launch: EngineLaunch,
    pipeline: Pipeline,
    { placed, arenaBytes, backwards, records, slice }: Encoding,
  ): RecordedLaunch | null {
    const kernel = kernelOf(launch.unit);
    const plan = dispatchesOf(kernel, launch.grid, this.limit, slice);
    const goesOn = slice !== undefined && slice.first > 0;
    if (backwards) plan.reverse();
    const blocks = kernel.bindings.map(({ group }) => {
      if (group === 'shared') return this.sharedFor(kernel, plan);
      const block = placed[group];
      if (!block) throw new Error(`${kernel.name} binds group ${group}, which is not there`);
      return block;
    });
    for (const block of blocks) block.lastBatch = batch.id;
    const packer = this.packerOf(launch);
    const wordsOf = (first: number, report = 0): Uint32Array<ArrayBuffer> =>
      packer.pack(launch.leaves, launch.grid, first, arenaBytes, report);
    const immediates = kernel.immediates === true;
    const words =
      (plan.length > 1 || goesOn) && !immediates
        ? plan.map(({ first }) => wordsOf(first).slice())
        : null;
    const debug = kernel.debugSites !== undefined;
    const alone = debug || records || slice !== undefined;
    const row = this.rowOf(launch, alone);
    const untimed = launch.untimed === true && !alone;
    const pass = goesOn
      ? batch.resume()
      : batch.add(
          launch,
          immediates ? null : (words?.[0] ?? wordsOf(0)),
          kernel.boundsReport !== null,
          untimed ? batch.openUntimed : row > TIMED_ALONE && !batch.openUntimed,
          !untimed,
        );
    if (!goesOn) this.queue = debug ? batch.beginDebug(DEBUG_BYTES) : null;
    const { queue } = this;
    const many = words ? batch.own(this.uniformSlots(words)) : null;
    const bindGroup =
      many || queue
        ? createBindGroup(
            this.device,
            pipeline,
            kernel,
            blocks,
            many ?? batch.uniforms,
            queue ?? batch.reports,
          )
        : this.bindGroups.get(pipeline, kernel, blocks, batch);
    // A pass that this launch joins has the pipeline.
    if (untimed || row <= TIMED_ALONE || batch.passLaunches === 1)
      pass.setPipeline(pipeline.pipeline);
    const reporting = reports(kernel);
    const report = queue ? 0 : batch.reportOffset;
    for (let index = 0; index < plan.length; index++) {
      const { first, workgroups } = plan[index]!;
      if (immediates) {
        batch.bind(bindGroup);
        // The buffer, not its view: Dawn's module for Node takes a microsecond longer for a view.
        pass.setImmediates(0, wordsOf(first, report / 4).buffer);
      } else {
        const offset = many ? index * slotBytes(words![index]!) : batch.uniformOffset;
        batch.bind(bindGroup, reporting ? [offset, report] : [offset]);
      }
      const [x, y, z] = workgroups;
      pass.dispatchWorkgroups(x, y, z);
    }
    const isLast = !slice || slice.end === programsOf(launch);
    if (queue && isLast) batch.endDebug(queue);
    if (!records || !isLast) return null;
    const whole = slice ? dispatchesOf(kernel, launch.grid, this.limit) : plan;
    const dispatches = whole.map(({ workgroups, first }) => ({
      words: wordsOf(first).slice(),
      workgroups,
    }));
    return { launch, pipeline, kernel, blocks, dispatches, nanoseconds: null };
  }

  private packerOf({ unit, leaves }: EngineLaunch): UniformPacker {
    let packer = this.packers.get(unit);
    if (!packer) {
      packer = new UniformPacker(kernelOf(unit).uniforms, leaves);
      this.packers.set(unit, packer);
    }
    return packer;
  }

  /** How many launches of this unit on this grid stand in a row, this one included. */
  private rowOf({ unit, grid }: EngineLaunch, alone: boolean): number {
    const { row } = this;
    const same = row.unit === unit && row.grid.every((size, axis) => size === grid[axis]);
    const count = same && !alone ? row.count + 1 : 1;
    this.row = { unit, grid, count };
    return count;
  }

  /**
   * The buffer that is the shared memory of a dispatch's programs: one for all launches, it grows.
   */
  private sharedFor(kernel: CompiledKernel, plan: readonly Dispatch[]): Block {
    const programs = Math.max(...plan.map(({ workgroups: [x, y, z] }) => x * y * z));
    const needed = programs * sharedBytesOf(kernel);
    if (this.shared && this.shared.size >= needed) return this.shared;
    // Launches that were encoded before keep the old one alive.
    const size = 2 ** Math.ceil(Math.log2(needed));
    const buffer = this.device.createBuffer({ size, usage: GPUBufferUsage.STORAGE });
    const id = -1 - Math.log2(size);
    this.shared = { id, buffer, size, members: new Set(), lastBatch: 0 };
    return this.shared;
  }

  /** A uniform buffer with the words of many dispatches, `slotBytes` apart. */
  private uniformSlots(words: readonly Uint32Array[]): GPUBuffer {
    const stride = slotBytes(words[0]!);
    const buffer = this.device.createBuffer({
      size: words.length * stride,
      usage: GPUBufferUsage.UNIFORM,
      mappedAtCreation: true,
    });
    const mapped = new Uint32Array(buffer.getMappedRange());
    words.forEach((each, index) => mapped.set(each, (index * stride) / 4));
    buffer.unmap();
    return buffer;
  }
}

/** Bytes between the words of one dispatch and those of the next: WebGPU's alignment of offsets. */
function slotBytes(words: Uint32Array): number {
  return alignUp(words.byteLength, 256);
}
