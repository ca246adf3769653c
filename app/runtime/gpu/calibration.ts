/**
 * Best rates of an adapter, measured: bytes a second of a copy that no cache holds, and
 * multiply-adds a second of f32 and f16 out of registers, of f16 on subgroup matrices where there
 * are any; the time of a launch that does nothing, and how many threads the roof of f32 takes. It
 * takes a second or two, and is kept by adapter. These are the roofs that a launch's time is held
 * against.
 */
import { matrixFeatureOf, type Target } from '../../../compiler/target';
import type { Calibration } from '../../events';
import { computesOnCpu } from '../limits';
import type { GpuDevice } from './gpuDevice';

/** Roofs that an older text measured are measured again. */
export const CALIBRATION_VERSION = 3;

/** Nanoseconds that a measurement should last, and steps of the clock. */
const LONG_ENOUGH = 20e6;
const STEPS = 50;
/** Each is measured so often at least, and the best counts: it is a roof. */
const TIMES = 3;
/**
 * Milliseconds of each measurement on hardware: a GPU that was idle takes that long to raise its
 * clock.
 */
const WARM = 500;
const COPY_BYTES = 128 * 2 ** 20;
const CPU_COPY_BYTES = 32 * 2 ** 20;
/** Milliseconds after which no more is repeated. */
const PATIENCE = 2500;

const COPY = `
@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4u>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let at = group.x * 1024u + lane;
  let a = source[at];
  let b = source[at + 256u];
  let c = source[at + 512u];
  let d = source[at + 768u];
  target_[at] = a;
  target_[at + 256u] = b;
  target_[at + 512u] = c;
  target_[at + 768u] = d;
}`;

const NOTHING = `
@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4u>;
@compute @workgroup_size(1)
fn main() {
  if (source[0].x == 0x9e3779b9u) { target_[0] = source[1]; }
}`;
/** Passes of an empty launch that are timed. */
const EMPTY_TIMES = 9;

const ACCUMULATORS = 8;
const TURNS = 64;
const THREADS = 128;
/** Multiply-adds of each chain in a turn, so that the loop itself costs little. */
const STEPS_A_TURN = 8;
/** Operations of one thread: multiply-adds of vec4s. */
const OPERATIONS = TURNS * STEPS_A_TURN * ACCUMULATORS * 4 * 2;

/**
 * Independent chains of multiply-adds, so that none waits for another. Those of f32 go component by
 * component: three registers that differ from one operation to the next meet in a bank (one H200:
 * 42.5 in place of 59.4 TFLOP/s).
 */
function arithmetic(type: 'f32' | 'f16'): string {
  const each = Array.from({ length: ACCUMULATORS }, (_, i) => i);
  const parts = type === 'f32' ? ['.x', '.y', '.z', '.w'] : [''];
  const steps = parts
    .flatMap((c) => each.map((i) => `    a${i}${c} = fma(a${i}${c}, x${c}, y${c});`))
    .join('\n');
  return `${type === 'f16' ? 'enable f16;' : ''}
@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4u>;
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let first = vec4<${type}>(source[lane]);
  let x = first * ${type}(0.001) + ${type}(0.5);
  let y = first * ${type}(0.002) + ${type}(0.25);
${each.map((i) => `  var a${i} = first + ${type}(${i});`).join('\n')}
  for (var turn = 0u; turn < ${TURNS}u; turn++) {
${Array.from({ length: STEPS_A_TURN }, () => steps).join('\n')}
  }
  let all = ${each.map((i) => `a${i}`).join(' + ')};
  // Nobody can prove that it is never so.
  if (all.x == ${type}(-12.5)) { target_[group.x] = vec4u(all); }
}`;
}

/**
 * Chains of products of matrices; their operands come from memory once. Null where the adapter has
 * none of f16.
 */
export function products(
  target: Pick<Target, 'subgroupMatrices' | 'subgroupMatrixFeature' | 'subgroupSize'>,
): { readonly wgsl: string; readonly operations: number } | null {
  const { subgroupMatrices, subgroupSize } = target;
  const found = subgroupMatrices.find(
    ({ component, result }) => component === 'f16' && result === 'f32',
  );
  if (!found || subgroupSize === 'none' || THREADS % subgroupSize !== 0) return null;
  const { M, N, K } = found;
  const each = Array.from({ length: ACCUMULATORS / 2 }, (_, i) => i);
  const sum = `subgroup_matrix_result<f32, ${N}, ${M}>`;
  const wgsl = `enable f16;
enable subgroups;
enable ${matrixFeatureOf(target).name};
@group(0) @binding(0) var<storage, read> source: array<f16>;
@group(0) @binding(1) var<storage, read_write> target_: array<f32>;
@compute @workgroup_size(${THREADS})
fn main() {
  let a = subgroupMatrixLoad<subgroup_matrix_left<f16, ${K}, ${M}>, row_major>(&source, 0u, ${K}u);
  let b = subgroupMatrixLoad<subgroup_matrix_right<f16, ${N}, ${K}>, row_major>(&source, 0u, ${N}u);
${each.map((i) => `  var c${i} = ${sum}();`).join('\n')}
  for (var turn = 0u; turn < ${TURNS}u; turn++) {
${Array.from({ length: STEPS_A_TURN }, () =>
  each.map((i) => `    c${i} = subgroupMatrixMultiplyAccumulate(a, b, c${i});`).join('\n'),
).join('\n')}
  }
${each.map((i) => `  subgroupMatrixStore<row_major>(&target_, ${i * M * N}u, c${i}, ${N}u);`).join('\n')}
}`;
  const count = (THREADS / subgroupSize) * TURNS * STEPS_A_TURN * each.length;
  return { wgsl, operations: 2 * count * M * N * K };
}

/** @returns null without timestamps: the CPU's clock is no measure of a GPU's roof. */
export async function calibrate(gpu: GpuDevice): Promise<Calibration | null> {
  const { device, quantum, info } = gpu;
  if (quantum === null) return null;
  const start = performance.now();
  const most = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
  const bytes = Math.min(
    computesOnCpu(info) ? CPU_COPY_BYTES : COPY_BYTES,
    2 ** Math.floor(Math.log2(most)),
  );
  const buffers = [0, 1].map(() =>
    device.createBuffer({ size: bytes, usage: GPUBufferUsage.STORAGE }),
  );
  const clock = new Stopwatch(device);
  const prepared = async (wgsl: string): Promise<[GPUComputePipeline, GPUBindGroup]> => {
    const pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code: wgsl }), entryPoint: 'main' },
    });
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    return [pipeline, group];
  };
  /** Nanoseconds of one run of so many workgroups. */
  const best = async (wgsl: string, workgroups: number): Promise<number> => {
    const [pipeline, group] = await prepared(wgsl);
    const wanted = Math.max(LONG_ENOUGH, STEPS * quantum);
    const began = performance.now();
    let runs = 1;
    let time = await clock.time(pipeline, group, workgroups, runs);
    // Doubling also gives the GPU the time to raise its clock.
    while (time < wanted && runs < 4096 && performance.now() - start < PATIENCE) {
      runs *= time > 0 ? Math.min(8, Math.max(2, Math.ceil(wanted / time))) : 8;
      time = await clock.time(pipeline, group, workgroups, runs);
    }
    let least = time;
    const warm = computesOnCpu(info) ? 0 : began + WARM;
    for (
      let i = 1;
      (i < TIMES || performance.now() < warm) && performance.now() - start < PATIENCE;
      i++
    )
      least = Math.min(least, await clock.time(pipeline, group, workgroups, runs));
    return least / runs;
  };
  try {
    const copy = await best(COPY, bytes / 16 / 1024);
    const groups = computesOnCpu(info) ? 256 : 16_384;
    const operations = groups * THREADS * OPERATIONS;
    const f32 = await best(arithmetic('f32'), groups);
    const f16 = device.features.has('shader-f16') ? await best(arithmetic('f16'), groups) : null;
    if (copy <= 0 || f32 <= 0) return null;
    const emptyLaunch = await clock.median(...(await prepared(NOTHING)), 1, EMPTY_TIMES);
    const halfRateThreads = await threadsOfHalf(
      clock,
      await prepared(arithmetic('f32')),
      groups,
      f32 / groups,
    );
    const matrices = products(gpu.target);
    const onMatrices = matrices
      ? (groups * matrices.operations * 1e9) / (await best(matrices.wgsl, groups))
      : 0;
    return {
      adapter: info.name,
      bytesPerSecond: (2 * bytes * 1e9) / copy,
      f32PerSecond: (operations * 1e9) / f32,
      f16PerSecond: f16 ? Math.max((operations * 1e9) / f16, onMatrices) : null,
      emptyLaunch: emptyLaunch / 1e3,
      halfRateThreads,
      fromCache: false,
    };
  } finally {
    clock.destroy();
    for (const buffer of buffers) buffer.destroy();
  }
}

/**
 * The fewest threads that reach half of the roof of f32: of groups 1, 2, 4 …, each in one launch.
 * @param least nanoseconds that a group takes at the roof.
 */
async function threadsOfHalf(
  clock: Stopwatch,
  [pipeline, group]: readonly [GPUComputePipeline, GPUBindGroup],
  most: number,
  least: number,
): Promise<number> {
  let groups = 1;
  while (groups < most) {
    const time = await clock.median(pipeline, group, groups, 3);
    if (time > 0 && (groups * least) / time >= 0.5) break;
    groups *= 2;
  }
  return groups * THREADS;
}

class Stopwatch {
  private readonly queries: GPUQuerySet;
  private readonly resolved: GPUBuffer;
  private readonly staging: GPUBuffer;

  constructor(private readonly device: GPUDevice) {
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    this.queries = device.createQuerySet({ type: 'timestamp', count: 2 });
    this.resolved = device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC });
    this.staging = device.createBuffer({ size: 16, usage: COPY_DST | MAP_READ });
  }

  /** The middle of so many times, of one dispatch each. */
  async median(
    pipeline: GPUComputePipeline,
    group: GPUBindGroup,
    workgroups: number,
    times: number,
  ): Promise<number> {
    const found: number[] = [];
    for (let i = 0; i < times; i++) found.push(await this.time(pipeline, group, workgroups, 1));
    return found.sort((a, b) => a - b)[times >> 1]!;
  }

  /** Nanoseconds of `runs` dispatches. */
  async time(
    pipeline: GPUComputePipeline,
    group: GPUBindGroup,
    workgroups: number,
    runs: number,
  ): Promise<number> {
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginComputePass({
      timestampWrites: {
        querySet: this.queries,
        beginningOfPassWriteIndex: 0,
        endOfPassWriteIndex: 1,
      },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let run = 0; run < runs; run++) pass.dispatchWorkgroups(workgroups);
    pass.end();
    encoder.resolveQuerySet(this.queries, 0, 2, this.resolved, 0);
    encoder.copyBufferToBuffer(this.resolved, 0, this.staging, 0, 16);
    this.device.queue.submit([encoder.finish()]);
    await this.staging.mapAsync(GPUMapMode.READ);
    const [begin = 0n, end = 0n] = new BigUint64Array(this.staging.getMappedRange().slice(0));
    this.staging.unmap();
    return Math.max(0, Number(end - begin));
  }

  destroy(): void {
    this.queries.destroy();
    this.resolved.destroy();
    this.staging.destroy();
  }
}
