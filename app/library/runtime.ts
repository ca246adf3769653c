/**
 * The entry `hippocamp/runtime` of the package: launches of compiled kernels on the caller's own
 * `GPUDevice`, over the caller's own buffers. It needs no compiler.
 *
 * Guarantee: a launch is submitted when the call returns, so it stands in the queue's order among
 * what other libraries submit. Buffers are bound where they are; nothing is copied.
 */
import { CPU_QUANTUM, measureQuantum, timingOf } from '../runtime/clock';
import { Pipelines, reports } from '../runtime/gpu/pipelines';
import { targetOf } from '../runtime/gpu/target';
import { RuntimeFault } from '../runtime/errors';
import { HippocampError } from './errors';
import { LoadedKernel } from './kernel';
import { tensorOn } from './tensor';
import type {
  Arguments,
  AutotuneOptions,
  Bound,
  Failed,
  Kernel,
  Loadable,
  Pointer,
  Runtime,
  Tensor,
  TimeOptions,
  Timing,
  Tuned,
} from './types';

export { HippocampError, type HippocampErrorCode } from './errors';
export type {
  Argument,
  Arguments,
  AutotuneOptions,
  Bound,
  Elements,
  Grid,
  GridFunction,
  GridSize,
  Kernel,
  Loadable,
  Meta,
  MetaValue,
  Pointer,
  Runtime,
  Tensor,
  TensorInput,
  TimeOptions,
  Timing,
  Tuned,
} from './types';

/** @throws HippocampError `device-lost`, where that is known. */
export async function createRuntime(device: GPUDevice): Promise<Runtime> {
  const life = new Life(device);
  // A turn of the event loop, so that a device lost before is known to be.
  await new Promise((resolve) => setTimeout(resolve, 0));
  life.check();
  const target = targetOf(device.adapterInfo, device);
  const pipelines = new Pipelines(device);
  const load = async <Args extends object>(
    compiled: Loadable | Failed | readonly Loadable[],
  ): Promise<Kernel<Args>> => {
    life.check();
    const codes = codesOf(compiled);
    // The caller names the type of the arguments; each launch checks them.
    return (await loadKernel(life, pipelines, fitting(device, codes))) as Kernel<object>;
  };
  const read = (tensor: Tensor): Promise<ArrayBuffer> => life.guard(() => readBack(device, tensor));
  const time: Runtime['time'] = (launch, options) =>
    life.guard(() => measure(device, launch, options));
  return {
    device,
    target,
    tensor: (input) => tensorOn(device, input),
    load,
    read,
    time,
    autotune: (options) => autotune(device, load, time, options),
  };
}

/** Whether the device is lost, and why. */
class Life {
  private why: string | null = null;

  constructor(readonly device: GPUDevice) {
    void device.lost.then(({ message, reason }) => {
      this.why = message || reason;
    });
  }

  readonly check = (): void => {
    if (this.why !== null)
      throw new HippocampError('device-lost', `the device is lost: ${this.why}`);
  };

  /** Turns failures of a device that went meanwhile into its loss, whatever WebGPU calls them. */
  async guard<T>(run: () => Promise<T>): Promise<T> {
    this.check();
    try {
      return await run();
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      this.check();
      throw error;
    }
  }
}

async function loadKernel(life: Life, pipelines: Pipelines, compiled: Loadable): Promise<Kernel> {
  const { device } = life;
  life.check();
  const pipeline = await life.guard(async () => {
    try {
      return await pipelines.get(compiled.kernel);
    } catch (error) {
      if (error instanceof RuntimeFault) throw new HippocampError('rejected', error.message);
      throw error;
    }
  });
  return new LoadedKernel(device, compiled, pipeline, life.check);
}

/** @throws HippocampError `not-compiled` */
function codesOf(compiled: Loadable | Failed | readonly Loadable[]): readonly Loadable[] {
  if ('kernel' in compiled) return [compiled];
  if ('diagnostics' in compiled) throw notCompiled(compiled);
  return compiled;
}

function notCompiled({ name, diagnostics }: Failed): HippocampError {
  const first = diagnostics.find(({ severity }) => severity === 'error');
  const why = first
    ? `${first.location.file}:${first.location.line}: ${first.message}`
    : 'it does not compile';
  return new HippocampError('not-compiled', `${name}: ${why}`, first?.code ?? null);
}

/** The first that the device can run. @throws HippocampError of the last where it can run none. */
function fitting(device: GPUDevice, codes: readonly Loadable[]): Loadable {
  for (const [index, code] of codes.entries())
    try {
      checkDevice(device, code);
      return code;
    } catch (error) {
      if (index === codes.length - 1) throw error;
    }
  throw new HippocampError('bad-argument', 'there is no code to load');
}

/** @throws HippocampError where the device cannot run the kernel. */
function checkDevice(device: GPUDevice, { name, kernel, subgroupSize }: Loadable): void {
  for (const feature of kernel.features)
    if (!device.features.has(feature as GPUFeatureName))
      throw new HippocampError(
        'missing-feature',
        `${name} needs the WebGPU feature ${feature}, which this device was not requested with`,
        feature,
      );
  if (kernel.immediates || kernel.bindings.some(({ group }) => group === 'shared'))
    throw new HippocampError('bad-argument', `${name} was compiled with \`checked\``, 'checked');
  const needs = {
    maxComputeWorkgroupStorageSize: kernel.workgroupBytes,
    maxComputeInvocationsPerWorkgroup: kernel.workgroupSize,
    maxComputeWorkgroupSizeX: kernel.workgroupSize,
    maxStorageBuffersPerShaderStage: kernel.bindings.length + (reports(kernel) ? 1 : 0),
  };
  for (const [limit, needed] of Object.entries(needs)) {
    const has = device.limits[limit as keyof typeof needs];
    if (needed > has)
      throw new HippocampError(
        'limit',
        `${name} needs ${limit} of ${needed}; the device has ${has}. Request it, or compile for this target`,
        limit,
      );
  }
  if (subgroupSize === 'none') return;
  const { subgroupMinSize: least, subgroupMaxSize: most } = device.adapterInfo;
  const chosen = kernel.features.includes('subgroup-size-control');
  const fits = chosen
    ? least <= subgroupSize && most >= subgroupSize
    : least === subgroupSize && most === subgroupSize;
  if (!fits)
    throw new HippocampError(
      'limit',
      `${name} was compiled for subgroups of ${subgroupSize} threads; here they have ${least} to ${most}`,
      'subgroupSize',
    );
}

async function readBack(device: GPUDevice, tensor: Tensor): Promise<ArrayBuffer> {
  const { buffer, offset, bytes } = tensor;
  if (!(buffer.usage & GPUBufferUsage.COPY_SRC))
    throw new HippocampError('bad-argument', 'a tensor is read through its usage COPY_SRC');
  if (![offset, bytes].every((each) => Number.isSafeInteger(each) && each >= 0))
    throw new HippocampError('bad-argument', `${bytes} bytes at ${offset} cannot be read`);
  const { begin, size } = copied(buffer, tensor);
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  device.pushErrorScope('validation');
  const staging = device.createBuffer({ size, usage });
  try {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, begin, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    const refused = await device.popErrorScope();
    if (refused)
      throw new HippocampError('bad-argument', `the tensor cannot be read: ${refused.message}`);
    await staging.mapAsync(GPUMapMode.READ);
    return staging.getMappedRange().slice(offset - begin, offset - begin + bytes);
  } finally {
    staging.destroy();
  }
}

async function measure(
  device: GPUDevice,
  launch: Bound,
  { repetitions = 20 }: TimeOptions = {},
): Promise<Timing> {
  if (!Number.isSafeInteger(repetitions) || repetitions < 1)
    throw new HippocampError(
      'bad-argument',
      `${String(repetitions)} repetitions measure nothing`,
      'repetitions',
    );
  for (let i = 0; i < repetitions; i++) launch.run();
  await device.queue.onSubmittedWorkDone();
  if (device.features.has('timestamp-query')) return byTimestamps(device, launch, repetitions);
  const samples: number[] = [];
  for (let i = 0; i < repetitions; i++) {
    const start = performance.now();
    launch.run();
    await device.queue.onSubmittedWorkDone();
    samples.push((performance.now() - start) * 1e6);
  }
  return timingOf(samples, 'cpu', CPU_QUANTUM);
}

/** Passes with a timestamp at each end that a query set holds: WebGPU limits it to 4096. */
const MOST_TIMED = 2048;

async function byTimestamps(device: GPUDevice, launch: Bound, count: number): Promise<Timing> {
  const samples: number[] = [];
  while (samples.length < count) {
    const batch = Math.min(MOST_TIMED, count - samples.length);
    samples.push(...(await timedPasses(device, launch, batch)));
  }
  return timingOf(samples, 'gpu', await measureQuantum(device));
}

/** Nanoseconds of each launch. */
async function timedPasses(device: GPUDevice, launch: Bound, count: number): Promise<number[]> {
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 * count });
  const bytes = 16 * count;
  const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
  const resolved = device.createBuffer({ size: bytes, usage });
  const staging = device.createBuffer({
    size: bytes,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  try {
    const encoder = device.createCommandEncoder();
    for (let i = 0; i < count; i++) {
      const pass = encoder.beginComputePass({
        timestampWrites: {
          querySet,
          beginningOfPassWriteIndex: 2 * i,
          endOfPassWriteIndex: 2 * i + 1,
        },
      });
      launch.encode(pass);
      pass.end();
    }
    encoder.resolveQuerySet(querySet, 0, 2 * count, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const ticks = new BigUint64Array(staging.getMappedRange());
    return Array.from({ length: count }, (_, i) => Number(ticks[2 * i + 1]! - ticks[2 * i]!));
  } finally {
    querySet.destroy();
    resolved.destroy();
    staging.destroy();
  }
}

async function autotune<Config>(
  device: GPUDevice,
  load: Runtime['load'],
  time: Runtime['time'],
  { configs, load: compile, grid, args, restore = [] }: AutotuneOptions<Config>,
): Promise<Tuned<Config>> {
  const back = keep(device, args, restore);
  let found: { config: Config; kernel: Kernel; median: number } | null = null;
  let refused: unknown = null;
  const timings: (Timing | null)[] = [];
  try {
    for (const config of configs) {
      let timing: Timing | null = null;
      try {
        const kernel = await load(await compile(config));
        timing = await time(kernel.bind(grid, args));
        if (!found || timing.median < found.median)
          found = { config, kernel, median: timing.median };
      } catch (error) {
        const own = error instanceof HippocampError ? error.code : null;
        if (own !== 'missing-feature' && own !== 'limit' && own !== 'rejected') throw error;
        refused = error;
      }
      timings.push(timing);
    }
  } finally {
    back();
  }
  if (found) return { best: found.config, kernel: found.kernel, timings };
  throw refused ?? new HippocampError('bad-argument', 'there are no configurations', 'configs');
}

/** A part that is put back as it was. */
interface Kept {
  readonly buffer: GPUBuffer;
  /** Bytes from the buffer's start: a multiple of 4. */
  readonly begin: number;
  readonly size: number;
  readonly copy: GPUBuffer;
}

/**
 * Copies of arguments, from their offset to their end, widened to multiples of 4 bytes, which is
 * how WebGPU copies. @returns puts them back.
 */
function keep(device: GPUDevice, args: Arguments, names: readonly string[]): () => void {
  const kept = names.map((name): Kept => {
    const given = args[name];
    if (typeof given !== 'object' || given === null)
      throw new HippocampError('bad-argument', `${name} is no tensor to restore`, name);
    const buffer = 'buffer' in given ? given.buffer : given;
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    if ((buffer.usage & usage) !== usage)
      throw new HippocampError('bad-argument', `${name} needs COPY_SRC and COPY_DST`, name);
    const { begin, size } = copied(buffer, partOf(given));
    return { buffer, begin, size, copy: device.createBuffer({ size, usage }) };
  });
  const copyAll = (forth: boolean): void => {
    const encoder = device.createCommandEncoder();
    for (const { buffer, begin, size, copy } of kept)
      if (forth) encoder.copyBufferToBuffer(buffer, begin, copy, 0, size);
      else encoder.copyBufferToBuffer(copy, 0, buffer, begin, size);
    device.queue.submit([encoder.finish()]);
  };
  if (kept.length > 0) copyAll(true);
  return () => {
    if (kept.length > 0) copyAll(false);
    for (const { copy } of kept) copy.destroy();
  };
}

/** Bytes of an argument's elements; up to the buffer's end if it does not say. */
function partOf(given: Pointer): { readonly offset: number; readonly bytes: number } {
  if (!('buffer' in given)) return { offset: 0, bytes: given.size };
  const { buffer, offset = 0 } = given;
  const bytes = 'bytes' in given ? given.bytes : given.size;
  return { offset, bytes: bytes ?? buffer.size - offset };
}

/** The least part that WebGPU can copy with these bytes in it: multiples of 4. */
function copied(
  buffer: GPUBuffer,
  { offset, bytes }: { readonly offset: number; readonly bytes: number },
): { readonly begin: number; readonly size: number } {
  const begin = offset - (offset % 4);
  const end = Math.min(buffer.size, Math.ceil((offset + bytes) / 4) * 4);
  return { begin, size: Math.max(0, end - begin) };
}
