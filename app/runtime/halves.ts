/**
 * Whether the adapter's `f16(x)` of an f32 rounds to the nearest half, ties to even. WGSL leaves the rounding
 * open, and where it is right the compiler need not do it in integers. Tried on the numbers at which
 * roundings differ: for every half the middle between it and the next, and its neighbours, of both signs.
 * Also whether `f32(f16(x))` rounds at all: Mesa's drivers take it for `x`, as WGSL allows.
 */
import type { Target } from '../../compiler/target';
import { ROUNDING_HELPERS } from '../../compiler/5-emit/helpers/rounding';

/** Halves from 0 up to infinity, which the last one rounds to. */
const CODES = 0x7c00;
const THREADS = 256;

const WGSL = `enable f16;
@group(0) @binding(0) var<storage, read_write> found: array<atomic<u32>, 2>;
${ROUNDING_HELPERS.f16_bits.text}
fn middle(code: u32) -> u32 {
  if (code >= 0x400u) { return (code << 13u) + 0x38000000u + 0x1000u; }
  return bitcast<u32>(f32(2u * code + 1u) * 0x1p-25f);
}
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

/** What the compiler may rely on. */
export type HalfCasts = Pick<Target, 'f16RoundsToNearest' | 'f16CastsElided'>;

const NONE: HalfCasts = { f16RoundsToNearest: false };

/** None where the device has no halves, or the try fails. */
export async function tryHalfCasts(device: GPUDevice): Promise<HalfCasts> {
  if (!device.features.has('shader-f16')) return NONE;
  device.pushErrorScope('validation');
  let pipeline: GPUComputePipeline | undefined;
  try {
    pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code: WGSL }), entryPoint: 'main' },
    });
  } catch {
    // A driver that cannot compile this rounds in integers too.
  }
  const error = await device.popErrorScope();
  if (!pipeline || error) return NONE;
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
      entries: [{ binding: 0, resource: { buffer: counter } }],
    }),
  );
  pass.dispatchWorkgroups(Math.ceil(CODES / THREADS));
  pass.end();
  encoder.copyBufferToBuffer(counter, 0, staging, 0, 8);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const [wrong, elided] = new Uint32Array(staging.getMappedRange());
  staging.unmap();
  staging.destroy();
  counter.destroy();
  return { f16RoundsToNearest: wrong === 0, f16CastsElided: elided !== 0 };
}
