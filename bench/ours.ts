/** Kernels of `public/examples`, compiled for the adapter from their text and made ready to dispatch. */
import { AddressSpace } from '../app/runtime/addresses';
import { pathKey, type Leaf } from '../app/runtime/arguments';
import { createBindGroup, Pipelines } from '../app/runtime/pipelines';
import { packUniforms, uniformBytes } from '../app/runtime/uniforms';
import { REPORT_BYTES } from '../app/runtime/batch';
import { Storage } from '../app/runtime/storage';
import type { CompiledKernel, CompileRequest, CompileResult } from '../compiler/program';
import { DEFAULT_OPTIONS } from '../compiler/program';
import type { Target } from '../compiler/target';
import type { BenchDevice, Dispatch } from './gpu';
import { kernelIn, type Frontend } from './frontend';
import { specialize, type Argument } from './specialize';

/** A launch, written down. */
export interface Launch {
  readonly kernel: string;
  readonly arguments: readonly Argument[];
  readonly numWarps: number;
  readonly grid: readonly [number, number, number];
}

/** What the compiler is asked; bounds checks as in the page, unless they are turned off. */
export function requestOf(
  frontend: Frontend,
  text: string,
  launch: Launch,
  target: Target,
  checkBounds: boolean,
): CompileRequest {
  return {
    program: kernelIn(frontend, text, launch.kernel),
    specialization: specialize(launch.arguments, launch.numWarps),
    target,
    options: { ...DEFAULT_OPTIONS, checkBounds },
  };
}

export function compiled(result: CompileResult): CompiledKernel {
  switch (result.kind) {
    case 'compiled':
      return result.kernel;
    case 'regroup':
      throw new Error('the compiler asks for other binding groups');
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
): Promise<Dispatch> {
  const { device } = bench;
  const storages = buffers.map((buffer, id) => storageOf(buffer, id));
  const leaves = launch.arguments.flatMap((argument, index) => leafOf(argument, index, storages));
  const words = packUniforms(kernel.uniforms, leaves, launch.grid);
  const { UNIFORM, STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const uniforms = device.createBuffer({
    size: uniformBytes(kernel.uniforms.length),
    usage: UNIFORM | COPY_DST,
  });
  device.queue.writeBuffer(uniforms, 0, new Uint32Array(words));
  const reports = device.createBuffer({ size: REPORT_BYTES, usage: STORAGE | COPY_SRC });
  const pipeline = await new Pipelines(device).get(kernel);
  const blocks = kernel.bindings.map(({ group }) => {
    // The bench's targets exchange through workgroup memory.
    const block = group === 'exchange' ? null : storages[group]?.block;
    if (!block) throw new Error(`no buffer for binding group ${group}`);
    return block;
  });
  return {
    pipeline: pipeline.pipeline,
    bindGroup: createBindGroup(device, pipeline, kernel, blocks, uniforms, reports),
    dynamicOffsets: kernel.boundsReport ? [0, 0] : [0],
    workgroups: launch.grid,
  };
}

/** A buffer of ours as the runtime's uniform packing sees storages: alone in its block, from byte 0. */
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
    // Every benchmark so far is of float32.
    return [
      {
        kind: 'pointer',
        path,
        dtype: argument.tensor,
        elementBytes: 4,
        storage,
        byteOffset: 0,
        label: pathKey(path),
      },
    ];
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
