/**
 * For tests: distributes a function, emits it, runs it on a WebGPU device and reads the buffers
 * back. Buffers that are only written start poisoned, so an element that was not stored shows.
 */
import { distributeContext, DISTRIBUTE_PASSES } from '../../4-distribute/index';
import type { Choices } from '../../4-distribute/index';
import type { Func } from '../../ir/ir';
import { elementOf } from '../../ir/types';
import type { ArgumentSpec, CompiledKernel, CompileOptions, CompileRequest } from '../../program';
import { REPORT_WORDS } from '../../boundsReport';
import { DEFAULT_OPTIONS } from '../../program';
import type { Target } from '../../target';
import { lower_tiles, THREAD_PASSES, TILE_PASSES } from '../../5-threads/index';
import { emit } from '../../6-emit/emit';
import type { ThreadKernel } from '../../ir/thread/kernel';
import { assertValidThreads } from '../../ir/thread/verifier';

/** An argument of a launch: a buffer's bytes, or the bits of a scalar (low word first). */
export type LaunchArgument = Uint8Array<ArrayBuffer> | readonly number[];

export interface LaunchOptions {
  readonly grid?: readonly [number, number, number];
  readonly numWarps?: number;
  readonly choices?: Partial<Choices>;
  readonly options?: Partial<CompileOptions>;
  /** Binding groups of the arguments, by index; each pointer its own where missing. */
  readonly groups?: readonly number[];
  /** For `differences`: run the passes of `3-optimize` before, on the GPU's side only. */
  readonly optimize?: boolean;
  /**
   * Bytes from where a pointer's storage begins to where it points, by argument: they hold
   * `CANARY`.
   */
  readonly shifts?: readonly number[];
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

/** Words around storages, and in them before the arguments. */
export const CANARY = 0x5a;

/** A pointer argument's storage: what `shifts` puts before it, and its bytes. */
export function storageOf(arg: Uint8Array, shift = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(shift + arg.length).fill(CANARY);
  bytes.set(arg, shift);
  return bytes;
}

/**
 * Place of each pointer argument's storage: the group, the byte in its buffer, and where it points.
 */
interface Place {
  readonly group: number;
  readonly byte: number;
  readonly shift: number;
  readonly storage: Uint8Array<ArrayBuffer>;
}

const alignUp = (value: number, alignment: number): number =>
  Math.ceil(value / alignment) * alignment;

/**
 * The storages of a group one after the other, as the runtime places them: each from a multiple of
 * 256 bytes on, padded to 16 bytes with zeros; and canaries behind it.
 */
function placeArguments(
  func: Func,
  args: readonly LaunchArgument[],
  launch: LaunchOptions,
): { readonly places: Map<number, Place>; readonly sizes: Map<number, number> } {
  const places = new Map<number, Place>();
  const sizes = new Map<number, number>();
  let own = 0;
  func.body.args.forEach((arg, i) => {
    if (arg.type.kind !== 'pointer') return;
    const group = launch.groups?.[i] ?? own++;
    const before = sizes.get(group);
    const byte = before === undefined ? 0 : alignUp(before + 16, 256);
    const shift = launch.shifts?.[i] ?? 0;
    const storage = storageOf(args[i] as Uint8Array, shift);
    places.set(i, { group, byte, shift, storage });
    sizes.set(group, byte + Math.max(16, alignUp(storage.length, 16)));
  });
  return { places, sizes };
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
  const made: GPUBuffer[] = [];
  const upload = (bytes: Uint8Array, usage: number): GPUBuffer => {
    const size = Math.max(16, Math.ceil(bytes.length / 16) * 16);
    const buffer = device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST });
    const padded = new Uint8Array(size);
    padded.set(bytes);
    device.queue.writeBuffer(buffer, 0, padded);
    made.push(buffer);
    return buffer;
  };
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
  const { places, sizes } = placeArguments(func, args, launch);
  const initial = new Map(
    [...sizes].map(([group, size]) => [group, new Uint8Array(size + 16).fill(CANARY)]),
  );
  for (const { group, byte, storage } of places.values()) {
    const bytes = initial.get(group)!;
    bytes.fill(0, byte, byte + Math.max(16, alignUp(storage.length, 16)));
    bytes.set(storage, byte);
  }
  const buffers = new Map([...initial].map(([group, bytes]) => [group, upload(bytes, storage)]));
  const words = new Uint32Array(Math.max(4, Math.ceil(kernel.uniforms.length / 4) * 4));
  kernel.uniforms.forEach((word, i) => {
    if (word.kind === 'grid') {
      words[i] = grid[word.axis];
      return;
    }
    // Buffers of programs that run one by one: written before the dispatch of each.
    if (word.kind === 'program' || word.kind === 'zero' || word.kind === 'report') return;
    if (word.kind === 'arena' || word.kind === 'arena-bytes') throw new Error('no arena here');
    const index = word.path[0]!;
    if (word.kind === 'scalar') words[i] = (args[index] as readonly number[])[word.word] ?? 0;
    else {
      const size = pointeeBytes(elementOf(func.body.args[index]!.type));
      const { byte, shift, storage } = places.get(index)!;
      const from = { begin: 0, offset: shift, end: storage.length }[word.kind];
      words[i] = Math.floor((byte + from) / size);
    }
  });
  const programs = grid[0] * grid[1] * grid[2];
  const exchange = (): GPUBuffer =>
    upload(new Uint8Array(programs * kernel.workgroupBytes).fill(0x5a), storage);
  const entries: GPUBindGroupEntry[] = kernel.bindings.map(({ group }, binding) => ({
    binding,
    resource: { buffer: group === 'exchange' ? exchange() : buffers.get(group)! },
  }));
  const uniforms = upload(new Uint8Array(words.buffer), GPUBufferUsage.UNIFORM);
  if (!kernel.immediates) entries.push({ binding: entries.length, resource: { buffer: uniforms } });
  const report = kernel.boundsReport
    ? upload(new Uint8Array(REPORT_WORDS * 4), storage)
    : undefined;
  if (report) entries.push({ binding: entries.length, resource: { buffer: report } });
  const bindGroup = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  device.pushErrorScope('validation');
  const dispatch = (...workgroups: [number, number, number]): void => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindGroup);
    if (kernel.immediates) pass.setImmediates(0, words);
    pass.dispatchWorkgroups(...workgroups);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  if (kernel.oneByOne) {
    const index = kernel.uniforms.findIndex((word) => word.kind === 'program');
    for (let program = 0; program < programs; program++) {
      words[index] = program;
      device.queue.writeBuffer(uniforms, 0, words);
      dispatch(1, 1, 1);
    }
  } else if (kernel.bindings.some(({ group }) => group === 'exchange')) dispatch(programs, 1, 1);
  else if (kernel.programs > 1) dispatch(Math.ceil(programs / kernel.programs), 1, 1);
  else if (launch.options?.linearGrid) {
    // A folded grid with some programs too many, as for a dimension above the limit.
    dispatch(2, Math.ceil(programs / 2), 1);
  } else dispatch(...grid);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  const out: (Uint8Array<ArrayBuffer> | undefined)[] = func.body.args.map(() => undefined);
  for (const [group, before] of initial) {
    const after = await read(device, buffers.get(group)!, before.length);
    const kept = after.slice();
    for (const [i, { group: own, byte, storage }] of places) {
      if (own !== group) continue;
      out[i] = after.slice(byte, byte + storage.length);
      kept.set(storage, byte);
    }
    const wrong = kept.findIndex((byte, i) => byte !== before[i]);
    if (wrong >= 0)
      throw new Error(`wrote outside of storages, at byte ${wrong} of group ${group}`);
  }
  const reported = report ? await read(device, report, REPORT_WORDS * 4) : undefined;
  for (const buffer of made) buffer.destroy();
  return { buffers: out, report: reported ? [...new Uint32Array(reported.buffer)] : [] };
}

function pointeeBytes(element: ReturnType<typeof elementOf>): number {
  if (element.kind !== 'pointer') throw new Error('not a pointer');
  return element.pointee.kind === 'pointer' ? 8 : BYTES[element.pointee.dtype];
}
const BYTES = {
  i1: 1,
  i8: 1,
  i16: 2,
  i32: 4,
  i64: 8,
  f16: 2,
  bf16: 2,
  f32: 4,
  f64: 8,
  f8E4M3FN: 1,
  f8E5M2: 1,
  f8E4M3FNUZ: 1,
  f8E5M2FNUZ: 1,
  f8E4M3B11FNUZ: 1,
};

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
