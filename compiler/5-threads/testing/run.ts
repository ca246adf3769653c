/**
 * For tests: distributes a function, emits it, runs it on a WebGPU device and reads the buffers
 * back. Buffers that are only written start poisoned, so an element that was not stored shows.
 */
import { distributeContext, DISTRIBUTE_PASSES } from '../../4-distribute/index';
import type { Choices } from '../../4-distribute/index';
import type { Func } from '../../ir/ir';
import { byteSize, elementOf } from '../../ir/types';
import type { ArgumentSpec, CompiledKernel, CompileOptions, CompileRequest } from '../../program';
import { REPORT_WORDS } from '../../boundsReport';
import { DEFAULT_OPTIONS } from '../../program';
import type { Target } from '../../target';
import { lower_tiles, THREAD_PASSES, TILE_PASSES } from '../../5-threads/index';
import { emit } from '../../6-emit/emit';
import type { ThreadKernel } from '../../ir/thread/kernel';
import { assertValidThreads } from '../../ir/thread/verifier';
import {
  alignUp,
  CANARY,
  initialBytes,
  paddedLength,
  placeArguments,
  storagesIn,
} from './storages';
import type { LaunchArgument, Place, StorageOptions } from './storages';

export { storageOf } from './storages';
export type { LaunchArgument } from './storages';

export interface LaunchOptions extends StorageOptions {
  readonly grid?: readonly [number, number, number];
  /** Stated by the program; absent: the default. */
  readonly numWarps?: number | undefined;
  readonly choices?: Partial<Choices>;
  readonly options?: Partial<CompileOptions>;
  /** For `differences`: run the passes of `3-optimize` before, on the GPU's side only. */
  readonly optimize?: boolean;
}

export function requestFor(func: Func, target: Target, launch: LaunchOptions = {}): CompileRequest {
  let group = 0;
  const specs = func.body.args.map((arg, i): ArgumentSpec => {
    const divisibleBy16 = func.parameters[i]?.divisibility === 16;
    const element = elementOf(arg.type);
    if (element.kind === 'pointer') {
      const number = launch.groups?.[i] ?? group++;
      return { kind: 'pointer', dtype: 'float32', divisibleBy16, group: number };
    }
    return { kind: 'scalar', dtype: element.dtype, divisibleBy16 };
  });
  return {
    program: { files: {}, functions: {}, entry: '' },
    specialization: { arguments: specs, numWarps: 4 },
    target,
    options: { ...DEFAULT_OPTIONS, ...launch.options },
  };
}

export function distribute(func: Func, target: Target, launch: LaunchOptions = {}): Func {
  const context = distributeContext(
    target,
    launch.numWarps ?? 4,
    launch.choices,
    launch.options?.manyPrograms,
    { statedWarps: launch.numWarps !== undefined },
  );
  for (const pass of DISTRIBUTE_PASSES) pass.run(func, context);
  return func;
}

/** Lowers a distributed function to threads and runs the passes on it; verifies after each. */
export function lowerThreads(func: Func, request: CompileRequest): ThreadKernel {
  for (const pass of TILE_PASSES) pass.run(func, request);
  const kernel = lower_tiles(func, request);
  assertValidThreads(kernel.func, 'lower_tiles');
  for (const pass of THREAD_PASSES) {
    pass.run(kernel.func, kernel);
    assertValidThreads(kernel.func, pass.name);
  }
  return kernel;
}

/** Distributes `func` in place and emits it; throws what went wrong. */
export function compileFunc(
  func: Func,
  target: Target,
  launch: LaunchOptions = {},
): CompiledKernel {
  distribute(func, target, launch);
  const request = requestFor(func, target, launch);
  return emit(lowerThreads(func, request), request);
}

export class ShaderError extends Error {}

/** The pipeline of a kernel; throws with the numbered WGSL where the module is rejected. */
export async function pipelineOf(
  device: GPUDevice,
  kernel: CompiledKernel,
): Promise<GPUComputePipeline> {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: kernel.wgsl });
  const entries: GPUBindGroupLayoutEntry[] = kernel.bindings.map(({ access }, binding) => ({
    binding,
    visibility: GPUShaderStage.COMPUTE,
    buffer: { type: access === 'read' ? 'read-only-storage' : 'storage' },
  }));
  if (!kernel.immediates)
    entries.push({
      binding: entries.length,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: 'uniform' },
    });
  if (kernel.boundsReport) {
    entries.push({
      binding: entries.length,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: 'storage' },
    });
  }
  const layout = device.createPipelineLayout({
    bindGroupLayouts: [device.createBindGroupLayout({ entries })],
    ...(kernel.immediates ? { immediateSize: 16 * Math.ceil(kernel.uniforms.length / 4) } : {}),
  });
  let failure = '';
  let pipeline: GPUComputePipeline | undefined;
  try {
    pipeline = await device.createComputePipelineAsync({
      layout,
      compute: { module, entryPoint: kernel.entryPoint },
    });
  } catch (error) {
    failure = String(error);
  }
  const scoped = await device.popErrorScope();
  const info = await module.getCompilationInfo();
  const messages = info.messages
    .filter((message) => message.type === 'error')
    .map((message) => `${message.lineNum}:${message.linePos} ${message.message}`);
  if (scoped || !pipeline) {
    const numbered = kernel.wgsl
      .split('\n')
      .map((line, i) => `${i + 1}: ${line}`)
      .join('\n');
    throw new ShaderError(`${messages.join('\n')}\n${scoped?.message ?? failure}\n${numbered}`);
  }
  return pipeline;
}

const pipelines = new WeakMap<CompiledKernel, Promise<GPUComputePipeline>>();

/** One pipeline for all launches of a kernel, which a test makes on one device. */
function keptPipeline(device: GPUDevice, kernel: CompiledKernel): Promise<GPUComputePipeline> {
  const kept = pipelines.get(kernel) ?? pipelineOf(device, kernel);
  pipelines.set(kernel, kept);
  return kept;
}

export interface LaunchResult {
  /** The bytes of the pointer arguments' storages afterwards, by argument. */
  readonly buffers: readonly (Uint8Array<ArrayBuffer> | undefined)[];
  /** The words of the bounds report; empty without `checkBounds`. */
  readonly report: readonly number[];
}

/** The words of a kernel's uniforms, but for the number of a program that runs by itself. */
function uniformWords(
  func: Func,
  kernel: CompiledKernel,
  args: readonly LaunchArgument[],
  grid: readonly [number, number, number],
  places: ReadonlyMap<number, Place>,
): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(Math.max(4, alignUp(kernel.uniforms.length, 4)));
  kernel.uniforms.forEach((word, i) => {
    switch (word.kind) {
      case 'grid':
        words[i] = grid[word.axis];
        break;
      // Buffers of programs that run one by one: written before the dispatch of each.
      case 'program':
      case 'zero':
      case 'report':
        break;
      case 'arena':
      case 'arena-bytes':
        throw new Error('no arena here');
      case 'scalar':
        words[i] = (args[word.path[0]!] as readonly number[])[word.word] ?? 0;
        break;
      default: {
        const index = word.path[0]!;
        const element = elementOf(func.body.args[index]!.type);
        if (element.kind !== 'pointer') throw new Error('not a pointer');
        const { byte, shift, storage } = places.get(index)!;
        const from = { begin: 0, offset: shift, end: storage.length }[word.kind];
        words[i] = Math.floor((byte + from) / byteSize(element.pointee));
      }
    }
  });
  return words;
}

/** Workgroups of the dispatch of a whole grid. */
function workgroupsOf(
  kernel: CompiledKernel,
  grid: readonly [number, number, number],
  launch: LaunchOptions,
): readonly [number, number, number] {
  const programs = grid[0] * grid[1] * grid[2];
  // Programs that communicate through a storage buffer, a stretch for each.
  if (kernel.bindings.some(({ group }) => group === 'shared')) return [programs, 1, 1];
  if (kernel.programs > 1) return [Math.ceil(programs / kernel.programs), 1, 1];
  // A folded grid with some programs too many, as for a dimension above the limit.
  if (launch.options?.linearGrid) return [2, Math.ceil(programs / 2), 1];
  return grid;
}

/** The buffers of one launch. */
class LaunchBuffers {
  readonly #made: GPUBuffer[] = [];
  constructor(readonly device: GPUDevice) {}

  upload(bytes: Uint8Array, usage: number): GPUBuffer {
    const padded = new Uint8Array(paddedLength(bytes));
    padded.set(bytes);
    const buffer = this.device.createBuffer({
      size: padded.length,
      usage: usage | GPUBufferUsage.COPY_DST,
    });
    this.device.queue.writeBuffer(buffer, 0, padded);
    this.#made.push(buffer);
    return buffer;
  }
  storage(bytes: Uint8Array): GPUBuffer {
    return this.upload(bytes, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
  }
  destroy(): void {
    for (const buffer of this.#made) buffer.destroy();
  }
}

function submit(
  device: GPUDevice,
  pipeline: GPUComputePipeline,
  bindGroup: GPUBindGroup,
  workgroups: readonly [number, number, number],
  immediates: Uint32Array<ArrayBuffer> | undefined,
): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindGroup);
  if (immediates) pass.setImmediates(0, immediates);
  pass.dispatchWorkgroups(...workgroups);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/** Runs a kernel. The bytes around the storages of a group must come back as they were. */
export async function launchKernel(
  device: GPUDevice,
  func: Func,
  kernel: CompiledKernel,
  args: readonly LaunchArgument[],
  grid: readonly [number, number, number] = [1, 1, 1],
  launch: LaunchOptions = {},
): Promise<LaunchResult> {
  const pipeline = await keptPipeline(device, kernel);
  const made = new LaunchBuffers(device);
  const { places, sizes } = placeArguments(func, args, launch);
  const initial = initialBytes(places, sizes);
  const buffers = new Map([...initial].map(([group, bytes]) => [group, made.storage(bytes)]));
  const words = uniformWords(func, kernel, args, grid, places);
  const programs = grid[0] * grid[1] * grid[2];
  const bound = kernel.bindings.map(({ group }) =>
    group === 'shared'
      ? made.storage(new Uint8Array(programs * kernel.workgroupBytes).fill(CANARY))
      : buffers.get(group)!,
  );
  const uniforms = made.upload(new Uint8Array(words.buffer), GPUBufferUsage.UNIFORM);
  if (!kernel.immediates) bound.push(uniforms);
  const report = kernel.boundsReport ? made.storage(new Uint8Array(REPORT_WORDS * 4)) : undefined;
  if (report) bound.push(report);
  const bindGroup = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: bound.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const dispatch = (workgroups: readonly [number, number, number]): void =>
    submit(device, pipeline, bindGroup, workgroups, kernel.immediates ? words : undefined);
  device.pushErrorScope('validation');
  if (kernel.oneByOne) {
    const index = kernel.uniforms.findIndex((word) => word.kind === 'program');
    for (let program = 0; program < programs; program++) {
      words[index] = program;
      device.queue.writeBuffer(uniforms, 0, words);
      dispatch([1, 1, 1]);
    }
  } else dispatch(workgroupsOf(kernel, grid, launch));
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  const storages = func.body.args.map((): Uint8Array<ArrayBuffer> | undefined => undefined);
  for (const [group, before] of initial) {
    const after = await read(device, buffers.get(group)!, before.length);
    for (const [i, bytes] of storagesIn(group, before, after, places)) storages[i] = bytes;
  }
  const reported = report ? await read(device, report, REPORT_WORDS * 4) : undefined;
  made.destroy();
  return { buffers: storages, report: reported ? [...new Uint32Array(reported.buffer)] : [] };
}

async function read(
  device: GPUDevice,
  buffer: GPUBuffer,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const staging = device.createBuffer({
    size: buffer.size,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(staging.getMappedRange().slice(0, length));
  staging.destroy();
  return bytes;
}
