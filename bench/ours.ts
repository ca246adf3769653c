/**
 * Kernels of `bench/programs`, compiled for the adapter from their text and made ready to dispatch.
 */
import { AddressSpace } from '../app/runtime/addresses';
import { bytesOfDtype, pathKey, type Leaf } from '../app/runtime/arguments';
import { REPORT_BYTES } from '../app/runtime/gpu/batch';
import { dispatchesOf, sharedBytesOf } from '../app/runtime/gpu/dispatches';
import { createBindGroup, Pipelines, reports as hasReport } from '../app/runtime/gpu/pipelines';
import { Storage } from '../app/runtime/storage';
import { packUniforms, uniformBytes } from '../app/runtime/gpu/uniforms';
import type { Choices } from '../compiler/4-distribute/index';
import type { CompiledKernel, CompileRequest, CompileResult } from '../compiler/program';
import { DEFAULT_OPTIONS, gridOptions } from '../compiler/program';
import type { Target } from '../compiler/target';
import type { BenchDevice, Dispatch, Work } from './device';
import { kernelIn, type Frontend } from './frontend';
import { specialize, type Argument } from './specialize';
import type { WorkItem } from './work';

/** A launch, written down. */
export interface Launch {
  readonly kernel: string;
  readonly arguments: readonly Argument[];
  readonly numWarps: number;
  readonly grid: readonly [number, number, number];
}

/** A work's buffers: its inputs, the output, scratch. */
export function buffersOf(bench: BenchDevice, item: WorkItem): GPUBuffer[] {
  return [
    ...item.inputs.map((each) => bench.buffer(each.byteLength, each)),
    bench.buffer((item.outputType === 'f16' ? 2 : 4) * item.output),
    ...item.scratch.map((elements) => bench.buffer(4 * elements)),
  ];
}

/**
 * Compiles the launches of one way to do a work, and binds its buffers; `comment` goes behind their
 * WGSL.
 */
export async function prepareLaunches(
  frontend: Frontend,
  bench: BenchDevice,
  text: string,
  launches: readonly Launch[],
  buffers: readonly GPUBuffer[],
  checkBounds: boolean,
  choices?: Partial<Choices>,
  comment = '',
): Promise<Work> {
  const work: Dispatch[] = [];
  for (const launch of launches) {
    const sizes = buffers.map(({ size }) => size);
    const request = requestOf(frontend, text, launch, bench.target, checkBounds, choices, sizes);
    const kernel = compiled(frontend.compiler.compile(request));
    const copy = { ...kernel, wgsl: `${kernel.wgsl}${comment}` };
    work.push(...(await prepare(bench, copy, launch, buffers)));
  }
  return work;
}

/** Request to the compiler; bounds checks as in the page, unless they are turned off. */
export function requestOf(
  frontend: Frontend,
  text: string,
  launch: Launch,
  target: Target,
  checkBounds: boolean,
  choices?: Partial<Choices>,
  sizes?: readonly number[],
): CompileRequest {
  return {
    program: kernelIn(frontend, text, launch.kernel),
    specialization: specialize(launch.arguments, launch.numWarps, sizes),
    target,
    options: {
      ...DEFAULT_OPTIONS,
      checkBounds,
      ...(choices ? { choices } : {}),
      ...gridOptions(launch.grid, target),
    },
  };
}

export function compiled(result: CompileResult): CompiledKernel {
  switch (result.kind) {
    case 'compiled':
      return result.kernel;
    case 'regroup':
      throw new Error('the compiler requests other binding groups');
    case 'failed':
      throw new Error(result.diagnostics.map((each) => each.message).join('\n'));
    default:
      return unreachable(result);
  }
}

/** Binds `buffers` (by the arguments' `buffer`) and the scalars of a launch. */
export async function prepare(
  bench: BenchDevice,
  kernel: CompiledKernel,
  launch: Launch,
  buffers: readonly GPUBuffer[],
): Promise<Work> {
  const { device, target } = bench;
  const storages = buffers.map((buffer, id) => storageOf(buffer, id));
  const leaves = launch.arguments.flatMap((argument, index) => leafOf(argument, index, storages));
  const plan = dispatchesOf(kernel, launch.grid, target.maxWorkgroupsPerDimension);
  const stride = Math.ceil(uniformBytes(kernel.uniforms.length) / 256) * 256;
  const { UNIFORM, STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const size = plan.length * stride;
  const uniforms = device.createBuffer({ size, usage: UNIFORM | COPY_DST });
  plan.forEach(({ first }, index) => {
    const words = packUniforms(kernel.uniforms, leaves, launch.grid, first);
    device.queue.writeBuffer(uniforms, index * stride, new Uint32Array(words));
  });
  const reports = device.createBuffer({ size: REPORT_BYTES, usage: STORAGE | COPY_SRC });
  const pipeline = await new Pipelines(device).get(kernel);
  const blocks = kernel.bindings.map(({ group }) => {
    if (group === 'shared') {
      const programs = Math.max(...plan.map(({ workgroups: [x, y, z] }) => x * y * z));
      const shared = bench.buffer(programs * sharedBytesOf(kernel));
      return {
        id: -1,
        buffer: shared,
        size: shared.size,
        members: new Set<Storage>(),
        lastBatch: 0,
      };
    }
    const block = storages[group]?.block;
    if (!block) throw new Error(`no buffer for binding group ${group}`);
    return block;
  });
  const bindGroup = createBindGroup(device, pipeline, kernel, blocks, uniforms, reports);
  return plan.map(({ workgroups, first }, index) => ({
    pipeline: pipeline.pipeline,
    bindGroup,
    ...(kernel.immediates
      ? { immediates: new Uint32Array(packUniforms(kernel.uniforms, leaves, launch.grid, first)) }
      : { dynamicOffsets: hasReport(kernel) ? [index * stride, 0] : [index * stride] }),
    workgroups,
  }));
}

/**
 * A buffer of ours as the runtime's uniform packing sees storages: alone in its block, from byte 0.
 */
function storageOf(buffer: GPUBuffer, id: number): Storage {
  const space = new AddressSpace(0);
  const storage = new Storage(id, buffer.size, { device: space, host: space });
  storage.block = { id, buffer, size: buffer.size, members: new Set(), lastBatch: 0 };
  storage.fresh = 'gpu';
  return storage;
}

function leafOf(argument: Argument, index: number, storages: readonly Storage[]): Leaf[] {
  const path = [index];
  if ('tensor' in argument) {
    const storage = storages[argument.buffer];
    if (!storage) throw new Error(`argument ${pathKey(path)} has no buffer`);
    const dtype = argument.tensor;
    const elementBytes = bytesOfDtype(dtype);
    const label = pathKey(path);
    return [{ kind: 'pointer', path, dtype, elementBytes, storage, byteOffset: 0, label }];
  }
  if ('int' in argument) {
    return [{ kind: 'scalar', path, dtype: 'int32', text: String(argument.int) }];
  }
  if ('float' in argument) {
    return [{ kind: 'scalar', path, dtype: 'float32', text: String(argument.float) }];
  }
  return [];
}

function unreachable(result: never): never {
  throw new Error(`unknown result ${JSON.stringify(result)}`);
}
