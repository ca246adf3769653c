/**
 * A loaded kernel: submits launches. The packing of words, the dispatches and the bind groups are
 * those of the page's runtime.
 *
 * Guarantee: a launch whose arguments break what the code was compiled for (dtype, divisibility,
 * a buffer of its own) is refused and never runs.
 */
import { REPORT_WORDS } from '../../compiler/boundsReport';
import type { StaticValue } from '../../compiler/program';
import { DEBUG_BYTES } from '../runtime/gpu/debugReport';
import { dispatchesOf, type Dispatch } from '../runtime/gpu/dispatches';
import { createBindGroup, reports, type Pipeline } from '../runtime/gpu/pipelines';
import { parseFloatText, uniformBytes, UniformPacker } from '../runtime/gpu/uniforms';
import { HippocampError } from './errors';
import { LaunchArguments, isSize, type Resolved } from './launchArguments';
import type { Arguments, Bound, Grid, Kernel, Loadable, Meta, MetaValue } from './types';

/** WebGPU's largest alignment of dynamic offsets, in bytes. */
const ALIGNMENT = 256;

type GridSizes = readonly [number, number, number];

export class LoadedKernel implements Kernel {
  readonly name: string;
  private readonly args: LaunchArguments;
  private readonly meta: Meta;
  private packer: UniformPacker | null = null;
  private plan: { readonly grid: GridSizes; readonly dispatches: readonly Dispatch[] } | null =
    null;
  /** Bytes between the words of two dispatches. */
  private readonly slot: number;
  /** In a dimension of a dispatch, by the device's limit. */
  private readonly mostWorkgroups: number;
  private words: GPUBuffer;
  /** The contents of `words`, by dispatch. */
  private written: Uint32Array[] = [];
  private report: GPUBuffer | null = null;
  private bound: { readonly buffers: readonly GPUBuffer[]; readonly group: GPUBindGroup } | null =
    null;

  /** Made by `Runtime.load`. */
  constructor(
    private readonly device: GPUDevice,
    private readonly compiled: Loadable,
    private readonly pipeline: Pipeline,
    private readonly checkLife: () => void,
  ) {
    this.name = compiled.name;
    const { maxComputeWorkgroupsPerDimension, maxStorageBufferBindingSize } = device.limits;
    this.mostWorkgroups = maxComputeWorkgroupsPerDimension;
    this.args = new LaunchArguments(compiled, maxStorageBufferBindingSize);
    this.meta = metaOf(compiled);
    const bytes = uniformBytes(compiled.kernel.uniforms.length);
    this.slot = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    this.words = this.wordBuffer(1);
  }

  launch(grid: Grid, args: Arguments): void {
    this.checkLife();
    const size = this.gridOf(grid);
    const resolved = this.args.resolve(args);
    const plan = this.planOf(size);
    if (plan.length === 0) return;
    if (plan.length * this.slot > this.words.size) {
      this.words = this.wordBuffer(plan.length);
      this.written = [];
      this.bound = null;
    }
    this.writeWords(this.words, resolved, size, plan, this.written);
    const group = this.groupOf(resolved.buffers);
    submit(this.device, (pass) => this.dispatch(pass, group, plan));
  }

  bind(grid: Grid, args: Arguments): Bound {
    this.checkLife();
    const size = this.gridOf(grid);
    const resolved = this.args.resolve(args);
    const plan = this.planOf(size);
    const words = this.wordBuffer(Math.max(1, plan.length));
    this.writeWords(words, resolved, size, plan);
    const group = this.makeGroup(resolved.buffers, words);
    const encode = (pass: GPUComputePassEncoder): void => this.dispatch(pass, group, plan);
    return {
      encode,
      run: () => {
        this.checkLife();
        submit(this.device, encode);
      },
    };
  }

  private dispatch(
    pass: GPUComputePassEncoder,
    group: GPUBindGroup,
    plan: readonly Dispatch[],
  ): void {
    pass.setPipeline(this.pipeline.pipeline);
    const reporting = reports(this.compiled.kernel);
    plan.forEach(({ workgroups: [x, y, z] }, index) => {
      pass.setBindGroup(0, group, reporting ? [index * this.slot, 0] : [index * this.slot]);
      pass.dispatchWorkgroups(x, y, z);
    });
  }

  private gridOf(grid: Grid): GridSizes {
    const given: unknown = typeof grid === 'function' ? grid(this.meta) : grid;
    const list: readonly unknown[] = Array.isArray(given) ? given : [];
    const [x, y = 1, z = 1] = list;
    if (list.length <= 3 && isSize(x) && isSize(y) && isSize(z)) return [x, y, z];
    const shown = Array.isArray(given) ? `[${list.map(String).join(', ')}]` : String(given);
    throw new HippocampError('bad-grid', `${shown} is no grid: [x, y?, z?]`);
  }

  private planOf(grid: GridSizes): readonly Dispatch[] {
    const known = this.plan;
    if (known?.grid.every((size, axis) => size === grid[axis])) return known.dispatches;
    const dispatches = this.newPlan(grid);
    this.plan = { grid, dispatches };
    return dispatches;
  }

  private newPlan(grid: GridSizes): readonly Dispatch[] {
    const [x, y, z] = grid;
    if (x * y * z === 0) return [];
    const { kernel, name } = this.compiled;
    const limit = this.mostWorkgroups;
    if (kernel.programs === 1 && !kernel.oneByOne && Math.max(x, y, z) > limit)
      throw new HippocampError(
        'limit',
        `the grid [${x}, ${y}, ${z}] of ${name} is above ${limit} in a dimension`,
        'maxComputeWorkgroupsPerDimension',
      );
    return dispatchesOf(kernel, grid, limit);
  }

  private writeWords(
    target: GPUBuffer,
    { leaves }: Resolved,
    grid: GridSizes,
    plan: readonly Dispatch[],
    written: Uint32Array[] = [],
  ): void {
    this.packer ??= new UniformPacker(this.compiled.kernel.uniforms, leaves);
    for (let i = 0; i < plan.length; i++) {
      const words = this.packer.pack(leaves, grid, plan[i]!.first, 0);
      const known = written[i];
      if (known && sameWords(known, words)) continue;
      if (known) known.set(words);
      else written[i] = words.slice();
      // Dawn in Node takes an ArrayBuffer in half of a view's time.
      this.device.queue.writeBuffer(target, i * this.slot, words.buffer);
    }
  }

  private groupOf(buffers: readonly GPUBuffer[]): GPUBindGroup {
    const { bound } = this;
    if (bound?.buffers === buffers) return bound.group;
    const group = this.makeGroup(buffers, this.words);
    this.bound = { buffers, group };
    return group;
  }

  private makeGroup(buffers: readonly GPUBuffer[], words: GPUBuffer): GPUBindGroup {
    const { kernel } = this.compiled;
    // A kernel that prints or asserts writes there; it is not read.
    this.report ??= this.device.createBuffer({
      size: kernel.debugSites ? DEBUG_BYTES : REPORT_WORDS * 4,
      usage: GPUBufferUsage.STORAGE,
    });
    const blocks = buffers.map((buffer) => ({ buffer }));
    return createBindGroup(this.device, this.pipeline, kernel, blocks, words, this.report);
  }

  private wordBuffer(slots: number): GPUBuffer {
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    return this.device.createBuffer({ size: slots * this.slot, usage });
  }
}

function submit(device: GPUDevice, encode: (pass: GPUComputePassEncoder) => void): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  encode(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

function metaOf({ specialization, parameters }: Loadable): Meta {
  const meta: Record<string, MetaValue> = {};
  specialization.arguments.forEach((spec, index) => {
    const value = spec.kind === 'constexpr' ? metaValue(spec.value) : undefined;
    if (value !== undefined) meta[parameters[index] ?? ''] = value;
  });
  return meta;
}

/** Undefined for values that JavaScript has none of: dtypes, tuples and functions. */
function metaValue(value: StaticValue): MetaValue | undefined {
  switch (value.kind) {
    case 'int':
      return Number(value.value);
    case 'float':
      return parseFloatText(value.value);
    case 'bool':
    case 'string':
      return value.value;
    case 'none':
      return null;
    case 'constexpr':
      return metaValue(value.value);
    default:
      return undefined;
  }
}

function sameWords(one: Uint32Array, other: Uint32Array): boolean {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}
