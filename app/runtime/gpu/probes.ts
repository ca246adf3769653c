/**
 * What WGSL leaves open of floats, tried on the device at hand: the compiler adds code only where
 * an adapter does not do by itself what CUDA does. And immediates, which are young: they are used
 * where a try of them is right.
 */
import { printRoutine } from '../../../compiler/ir/thread/library/define';
import * as rounding from '../../../compiler/ir/thread/library/rounding';
import { indexPastEnd, type Target } from '../../../compiler/target';
import { matrixFeature } from './target';

export type Probed = Pick<
  Target,
  | 'f16RoundsToNearest'
  | 'f16CastsElided'
  | 'functionsDropNan'
  | 'extremaDropNan'
  | 'immediateBytes'
  | 'flushesDenormals'
  | 'readsZeroOutside'
> &
  Partial<Pick<Target, 'f16' | 'subgroupMatrices' | 'f16PacksToNearest' | 'f16ByPacking'>>;

/** No feature is relied on where a driver cannot compile its probe. */
export async function probeDevice(device: GPUDevice): Promise<Probed> {
  // One after the other: error scopes are a stack.
  const offered = device.features.has('shader-f16');
  const halves = offered ? await counted(device, HALVES, CODES / THREADS) : undefined;
  const functions = await counted(device, FUNCTIONS, 1);
  const matrices = matrixFeature(device.features) !== undefined;
  // It pays only where matrices wait for halves, and where there are none.
  const tried = !halves || matrices;
  const packs = tried ? await counted(device, PACKS, CODES / THREADS) : undefined;
  const unpacks = halves ? undefined : await counted(device, UNPACKS, CODES / THREADS);
  return {
    f16RoundsToNearest: halves?.[0] === 0,
    ...(halves && packs?.[0] === 0 ? { f16PacksToNearest: true } : {}),
    ...(unpacks?.[0] === 0
      ? { f16ByPacking: packs?.[0] === 0 && unpacks[1] === 0 ? 'round' : 'move' }
      : {}),
    ...(halves ? { f16CastsElided: halves[1] !== 0 } : {}),
    // Firefox's compiler refuses to read two halves as a word: kernels do without its halves.
    ...(offered && !halves ? { f16: false, subgroupMatrices: [] } : {}),
    functionsDropNan: functions?.[0] !== 0,
    extremaDropNan: functions?.[1] === 0,
    immediateBytes: await probeImmediates(device),
    flushesDenormals: (await counted(device, DENORMALS, 1))?.[0] !== 0,
    readsZeroOutside: await probeOutside(device),
  };
}

/**
 * Bytes of immediates that the device can be relied on for; 0 where WGSL or the device has none.
 */
async function probeImmediates(device: GPUDevice): Promise<number> {
  // Vectors of four words, as many as there is room for; 64 bytes are what WebGPU promises.
  const vectors = Math.floor(Math.min(64, device.limits.maxImmediateSize ?? 0) / 16);
  if (vectors === 0 || !('setImmediates' in GPUComputePassEncoder.prototype)) return 0;
  const found = await counted(device, immediatesTry(vectors), IMMEDIATE_DISPATCHES, (pass, i) => {
    const words = Uint32Array.from({ length: vectors * 4 }, (_, word) => word * 0x9e3779b9 + i);
    pass.setImmediates(0, words);
  });
  return found?.[0] === 0 && found[1] === IMMEDIATE_DISPATCHES ? vectors * 16 : 0;
}

/**
 * Whether reads beyond a binding's end give 0. Tried first on a part of a larger buffer, where a
 * device that checks nothing finds what is not 0; only where that was 0, at the farthest index,
 * which kernels use.
 */
async function probeOutside(device: GPUDevice): Promise<boolean> {
  const { STORAGE } = GPUBufferUsage;
  const whole = device.createBuffer({ size: 4096, usage: STORAGE, mappedAtCreation: true });
  new Uint32Array(whole.getMappedRange()).fill(0xffffffff);
  whole.unmap();
  const part = { buffer: whole, size: 256 };
  const found = await counted(device, OUTSIDE, 1, undefined, [part, part]);
  whole.destroy();
  return found?.[0] === 0 && found[1] === 1;
}

const OUTSIDE = `
@group(0) @binding(0) var<storage, read_write> found: array<atomic<u32>, 2>;
@group(0) @binding(1) var<storage, read> vectors: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> words: array<u32>;
fn at(index: u32) -> u32 {
  let four = vectors[index];
  return four.x | four.y | four.z | four.w;
}
@compute @workgroup_size(1)
fn main() {
  let zero = atomicLoad(&found[0]);
  let inside = at(15u + zero) & words[63u + zero];
  var wrong = ~inside | at(16u + zero) | at(20u + zero) | words[64u + zero] | words[99u + zero];
  if (wrong == 0u) { wrong = at(${indexPastEnd(4)}u - zero) | words[${indexPastEnd(1)}u - zero]; }
  if (wrong != 0u) { atomicAdd(&found[0], 1u); }
  atomicAdd(&found[1], 1u);
}
`;

const IMMEDIATE_DISPATCHES = 3;

/** Every dispatch must see its own words: those of the first differ from the next one's in each. */
function immediatesTry(vectors: number): string {
  const each = Array.from({ length: vectors }, (_, v) => v);
  const words = (v: number): string =>
    [0, 1, 2, 3].map((i) => `${(((v * 4 + i) * 0x9e3779b9) >>> 0).toString()}u`).join(', ');
  return `
@group(0) @binding(0) var<storage, read_write> found: array<atomic<u32>, 2>;
struct Args { ${each.map((v) => `v${v}: vec4<u32>`).join(', ')} }
var<immediate> args: Args;
@compute @workgroup_size(1)
fn main() {
  let turn = atomicAdd(&found[1], 1u);
  let right = ${each.map((v) => `all(args.v${v} == vec4<u32>(${words(v)}) + turn)`).join(' & ')};
  if (!right) { atomicAdd(&found[0], 1u); }
}
`;
}

/** Halves from 0 up to infinity, which the last one rounds to. */
const CODES = 0x7c00;
const THREADS = 256;

/**
 * `f16(x)` of an f32: the nearest half, ties to even. Tried on the numbers at which roundings
 * differ: for every half the middle between it and the next, and its neighbours, of both signs.
 * The compiler need not do it in integers if it is right. Counted apart: where `f32(f16(x))` did
 * not round at all, since Mesa's drivers take it for `x`, as WGSL allows.
 */
const MIDDLES = `
@group(0) @binding(0) var<storage, read_write> found: array<atomic<u32>, 2>;
${printRoutine(rounding.f16_bits)}
fn middle(code: u32) -> u32 {
  if (code >= 0x400u) { return (code << 13u) + 0x38000000u + 0x1000u; }
  return bitcast<u32>(f32(2u * code + 1u) * 0x1p-25f);
}
`;
const HALVES = `enable f16;${MIDDLES}
@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= ${CODES}u) { return; }
  var wrong = 0u;
  var elided = 0u;
  for (var i = 0u; i < 6u; i++) {
    let bits = middle(id.x) - 1u + i % 3u + select(0u, 0x80000000u, i >= 3u);
    let x = bitcast<f32>(bits);
    if (bitcast<u32>(vec2<f16>(f16(x), 0.0h)) != f16_bits(x)) { wrong++; }
    if (f32(f16(x)) == x) { elided++; }
  }
  if (wrong > 0u) { atomicAdd(&found[0], wrong); }
  if (elided > 0u) { atomicAdd(&found[1], elided); }
}
`;

/**
 * The same of `pack2x16float`, two at a time, which WGSL lets round as it likes; and what no half
 * holds.
 */
const PACKS = `${MIDDLES}
fn is_nan_half(bits: u32) -> bool { return (bits & 0x7fffu) > 0x7c00u; }
@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= ${CODES}u) { return; }
  var wrong = 0u;
  for (var i = 0u; i < 6u; i++) {
    let bits = middle(id.x) - 1u + i % 3u + select(0u, 0x80000000u, i >= 3u);
    let other = middle(${CODES - 1}u - id.x) + i % 3u;
    let x = bitcast<f32>(bits);
    let y = bitcast<f32>(other);
    if (pack2x16float(vec2<f32>(x, y)) != (f16_bits(x) | (f16_bits(y) << 16u))) { wrong++; }
  }
  let least = bitcast<f32>(id.x + 1u);
  let large = bitcast<f32>(0x47800000u + id.x * 1000u);
  let nan = bitcast<f32>(0x7f800001u + id.x * 200u);
  let infinity = bitcast<f32>(0xff800000u + id.x % 1u);
  if (pack2x16float(vec2<f32>(least, large)) != 0x7c000000u) { wrong++; }
  let ends = pack2x16float(vec2<f32>(infinity, nan));
  if ((ends & 0xffffu) != 0xfc00u || !is_nan_half(ends >> 16u)) { wrong++; }
  if (wrong > 0u) { atomicAdd(&found[0], wrong); }
}
`;

/**
 * `unpack2x16float` of every half, whatever stands beside it, and `pack2x16float` of its value.
 * Counted apart: where one after the other does not round, since Mesa's drivers take both away.
 */
const UNPACKS = `${MIDDLES}
${printRoutine(rounding.f16_value)}
${printRoutine(rounding.f16_pack)}
${printRoutine(rounding.f16_unpack)}
${printRoutine(rounding.f16_repack)}
fn differ(x: f32, y: f32) -> bool {
  let a = bitcast<u32>(x);
  let b = bitcast<u32>(y);
  let nan = (b & 0x7fffffffu) > 0x7f800000u;
  return select(a != b, (a & 0x7fffffffu) <= 0x7f800000u, nan);
}
@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var wrong = 0u;
  // 124 workgroups of halves, of both signs and with infinities and NaNs: each thread takes three
  // codes.
  for (var code = id.x; code < 0x10000u; code += ${CODES}u) {
    if (differ(f16_unpack(code), f16_value(code))) { wrong++; }
    if (differ(f16_unpack(code | (id.x << 16u)), f16_value(code))) { wrong++; }
    let packed = f16_pack(f16_value(code));
    if (select(packed != code, (packed & 0x7fffu) <= 0x7c00u, (code & 0x7fffu) > 0x7c00u)) { wrong++; }
  }
  var kept = 0u;
  for (var i = 0u; i < 6u; i++) {
    let x = bitcast<f32>(middle(id.x) - 1u + i % 3u + select(0u, 0x80000000u, i >= 3u));
    if (differ(f16_repack(x), f16_value(f16_bits(x)))) { kept++; }
  }
  let tiny = bitcast<f32>(id.x + 1u);
  let large = bitcast<f32>(0x477fe000u + id.x * 1000u);
  if (differ(f16_repack(tiny), f16_value(f16_bits(tiny)))) { kept++; }
  if (differ(f16_repack(large), f16_value(f16_bits(large)))) { kept++; }
  if (wrong > 0u) { atomicAdd(&found[0], wrong); }
  if (kept > 0u) { atomicAdd(&found[1], kept); }
}
`;

/**
 * Exponential functions of NaN, and logarithms of NaN and of negative numbers: all are NaN. Counted
 * apart: `max` and `min` that do not lose a NaN to a number, whichever side it stands on, or that
 * flush a denormal. The kernel is run once with `found` at 0, whose value no driver can assume, so
 * that it cannot compute the answers by itself.
 */
const FUNCTIONS = `
@group(0) @binding(0) var<storage, read_write> found: array<atomic<u32>, 2>;
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn drops(nan: f32, x: f32) -> bool {
  let bits = vec4<f32>(max(nan, x), max(x, nan), min(nan, x), min(x, nan));
  return all(bitcast<vec4<u32>>(bits) == vec4<u32>(bitcast<u32>(x)));
}
@compute @workgroup_size(1)
fn main() {
  let zero = atomicLoad(&found[0]);
  let nan = bitcast<f32>(0x7fc00000u + zero);
  let negative = bitcast<f32>(0xbf800000u + zero);
  let least = bitcast<f32>(0xff800000u + zero);
  let right = is_nan(exp(nan)) & is_nan(exp2(nan)) & is_nan(log(nan)) & is_nan(log2(nan)) &
    is_nan(log(negative)) & is_nan(log2(negative)) & is_nan(log(least)) & is_nan(log2(least));
  if (!right) { atomicAdd(&found[0], 1u); }
  let tiny = bitcast<f32>(0x00000001u + zero);
  let low = bitcast<f32>(0x80000001u + zero);
  let ordered = bitcast<u32>(max(tiny, low)) == 1u && bitcast<u32>(min(low, tiny)) == 0x80000001u;
  let numbers = drops(nan, 1.0f + f32(zero)) & drops(nan, negative) & drops(nan, least) & drops(nan, tiny);
  let signed = bitcast<f32>(0xffc00000u + zero);
  let others = drops(signed, negative) & drops(signed, -least) & is_nan(max(nan, signed));
  if (!(ordered & numbers & others)) { atomicAdd(&found[1], 1u); }
}
`;

/**
 * Denormals in arithmetic: as factors, as terms, and as results. That they are kept where nothing
 * is computed (loads, stores, `bitcast`, `select`) WGSL's implementations have in common.
 */
const DENORMALS = `
@group(0) @binding(0) var<storage, read_write> found: array<atomic<u32>, 2>;
@compute @workgroup_size(1)
fn main() {
  let zero = atomicLoad(&found[0]);
  let tiny = bitcast<f32>(0x00012345u + zero);
  let least = bitcast<f32>(0x00800000u + zero);
  let large = bitcast<f32>(0x77800000u + zero);
  let kept = (tiny * large == bitcast<f32>(0x3511a280u)) & (bitcast<u32>(tiny + tiny) == 0x2468au) &
    (bitcast<u32>(least * bitcast<f32>(0x3e800000u + zero)) == 0x200000u) &
    (bitcast<u32>(least - tiny) == 0x7edcbbu);
  if (!kept) { atomicAdd(&found[0], 1u); }
}
`;

/**
 * Count of the kernel `main` in `found`; none where a driver cannot compile it.
 * @param others are bound behind `found`.
 * @param before comes before each of so many dispatches of one workgroup, which otherwise are one
 * dispatch.
 */
async function counted(
  device: GPUDevice,
  code: string,
  workgroups: number,
  before?: (pass: GPUComputePassEncoder, dispatch: number) => void,
  others: readonly GPUBufferBinding[] = [],
): Promise<Uint32Array | undefined> {
  device.pushErrorScope('validation');
  let pipeline: GPUComputePipeline | undefined;
  try {
    pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
    });
  } catch {
    // Said below.
  }
  const error = await device.popErrorScope();
  if (!pipeline || error) return undefined;
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const counter = device.createBuffer({ size: 8, usage: STORAGE | COPY_SRC });
  const staging = device.createBuffer({ size: 8, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ buffer: counter }, ...others].map((resource, binding) => ({ binding, resource })),
    }),
  );
  if (before)
    for (let i = 0; i < workgroups; i++) {
      before(pass, i);
      pass.dispatchWorkgroups(1);
    }
  else pass.dispatchWorkgroups(Math.ceil(workgroups));
  pass.end();
  encoder.copyBufferToBuffer(counter, 0, staging, 0, 8);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const found = new Uint32Array(staging.getMappedRange().slice(0));
  staging.unmap();
  staging.destroy();
  counter.destroy();
  return found;
}
