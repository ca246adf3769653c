/**
 * Hand-written f16 matmuls on subgroup matrices (16×16×16, sums in f32) to measure the compiler's
 * against: C = A·B, row-major, sizes in multiples of 128. A workgroup of four subgroups computes
 * 128×128 of C, a subgroup 64×64 of that. Written after the shapes that won a sweep of 148 on an
 * H200 (K by 16 in two buffers where WebGPU checks indices, 198 TFLOP/s; K by 32 in one where it
 * does not, 275), but not those kernels: on an H100 they take 255 registers and reach 130.
 */
import type { Target } from '../../compiler/target';
import type { Shader } from '../work';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
/** Halves in a staged row beyond its own, so that rows start in different banks. */
const PAD = 8;

export function halfMatmulShaders(
  [m, n, k]: readonly [number, number, number],
  target: Target,
): Shader[] {
  const fits = target.subgroupMatrices.some(
    ({ component, result, M, N, K }) =>
      component === 'f16' && result === 'f32' && M === 16 && N === 16 && K === 16,
  );
  if (!fits || target.subgroupSize !== 32 || m % 128 || n % 128 || k % 32) return [];
  return ([[16, 2], [32, 1]] as const).map(([depth, buffers]) => ({
    what: `128×128×${depth}, ${buffers === 2 ? 'two buffers' : 'one buffer'}`,
    wgsl: wgsl([m, n, k], depth, buffers),
    workgroups: [(m / 128) * (n / 128), 1, 1] as const,
  })); // prettier-ignore
}

function wgsl(
  [m, n, k]: readonly [number, number, number],
  depth: 16 | 32,
  buffers: 1 | 2,
): string {
  const [aRow, bRow] = [(depth + PAD) / 8, (128 + PAD) / 8];
  const [aSize, bSize] = [128 * aRow, depth * bRow];
  // Vectors of eight halves that each of 128 threads brings, of A and of B.
  const each = depth / 8;
  const [aAcross, bAcross] = [depth / 8, 16];
  const load = (step: string): string =>
    [
      ...range(each).map(
        (i) => `nextA${i} = A[aAt + ${i * (128 / aAcross) * (k / 8)}u + ${step} * ${depth / 8}u];`,
      ),
      ...range(each).map(
        (i) =>
          `nextB${i} = B[bAt + ${i * (128 / bAcross) * (n / 8)}u + ${step} * ${(depth * n) / 8}u];`,
      ),
    ].join('\n    ');
  const store = (buffer: string): string =>
    [
      ...range(each).map(
        (i) => `tileA[${buffer} * ${aSize}u + aTo + ${i * (128 / aAcross) * aRow}u] = nextA${i};`,
      ),
      ...range(each).map(
        (i) => `tileB[${buffer} * ${bSize}u + bTo + ${i * (128 / bAcross) * bRow}u] = nextB${i};`,
      ),
    ].join('\n    ');
  const left = 'subgroup_matrix_left<f16, 16, 16>';
  const right = 'subgroup_matrix_right<f16, 16, 16>';
  const multiply = (buffer: string): string =>
    range(depth / 16)
      .map(
        (kk) => `{
${range(4)
  .map(
    (i) =>
      `      let a${i} = subgroupMatrixLoad<${left}, row_major>(&tileA, ${buffer} * ${aSize}u + rows * ${64 * aRow}u + ${i * 16 * aRow + kk * 2}u, ${aRow}u);`,
  )
  .join('\n')}
${range(4)
  .map(
    (
      j,
    ) => `      let b${j} = subgroupMatrixLoad<${right}, row_major>(&tileB, ${buffer} * ${bSize}u + columns * 8u + ${kk * 16 * bRow + j * 2}u, ${bRow}u);
${range(4)
  .map((i) => `      c${i}_${j} = subgroupMatrixMultiplyAccumulate(a${i}, b${j}, c${i}_${j});`)
  .join('\n')}`,
  )
  .join('\n')}
    }`,
      )
      .join('\n    ');
  const steps = k / depth;
  return `enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;
@group(0) @binding(0) var<storage, read> A: array<vec4u>;
@group(0) @binding(1) var<storage, read> B: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4u>;
var<workgroup> tileA: array<vec4u, ${buffers * aSize}>;
var<workgroup> tileB: array<vec4u, ${buffers * bSize}>;
var<workgroup> tileC: array<vec4f, ${4 * 16 * 17}>;

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(subgroup_id) warp: u32,
    @builtin(subgroup_invocation_id) lane: u32) {
  let tid = warp * 32u + lane;
  let inGroup = ${8 * (n / 128)}u;
  let groupRows = min(${m / 128}u - id.x / inGroup * 8u, 8u);
  let tileRow = id.x / inGroup * 8u + id.x % inGroup % groupRows;
  let tileColumn = id.x % inGroup / groupRows;
  let rows = warp / 2u;
  let columns = warp % 2u;
  let aAt = (tileRow * 128u + tid / ${aAcross}u) * ${k / 8}u + tid % ${aAcross}u;
  let bAt = tid / ${bAcross}u * ${n / 8}u + tileColumn * 16u + tid % ${bAcross}u;
  let aTo = tid / ${aAcross}u * ${aRow}u + tid % ${aAcross}u;
  let bTo = tid / ${bAcross}u * ${bRow}u + tid % ${bAcross}u;
${range(16)
  .map((i) => `  var c${i >> 2}_${i & 3}: subgroup_matrix_result<f32, 16, 16>;`)
  .join('\n')}
${range(each)
  .map((i) => `  var nextA${i}: vec4u; var nextB${i}: vec4u;`)
  .join('\n')}
  ${load('0u')}
  for (var step = 0u; step < ${steps}u; step++) {
    ${buffers === 1 ? 'workgroupBarrier();' : ''}
    ${store(buffers === 2 ? 'step % 2u' : '0u')}
    workgroupBarrier();
    // The last step loads the first tile again: in range, and nobody reads it.
    let ahead = (step + 1u) % ${steps}u;
    ${load('ahead')}
    ${multiply(buffers === 2 ? 'step % 2u' : '0u')}
  }
  // Back a row of matrices at a time: 16 rows by 64 of each subgroup.
  for (var piece = 0u; piece < 4u; piece++) {
    workgroupBarrier();
    switch piece {
${range(4)
  .map(
    (i) =>
      `      case ${i}u${i === 3 ? ', default' : ''}: {\n${range(4)
        .map(
          (j) =>
            `        subgroupMatrixStore<row_major>(&tileC, warp * ${16 * 17}u + ${j * 4}u, c${i}_${j}, 17u);`,
        )
        .join('\n')}\n      }`,
  )
  .join('\n')}
    }
    workgroupBarrier();
    for (var i = 0u; i < 4u; i++) {
      let row = i * 4u + lane / 8u;
      let at = warp * ${16 * 17}u + row * 17u + lane % 8u * 2u;
      let low = vec4h(tileC[at]);
      let high = vec4h(tileC[at + 1u]);
      C[(tileRow * 128u + rows * 64u + piece * 16u + row) * ${n / 8}u + tileColumn * 16u + columns * 8u + lane % 8u] =
        vec4u(bitcast<vec2u>(low), bitcast<vec2u>(high));
    }
  }
}
`;
}
