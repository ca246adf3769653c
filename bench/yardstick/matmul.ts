/**
 * Hand-written f32 matmuls to measure the compiler's against: C = A·B, row-major, M and N multiples
 * of 128, K of 8. Without workgroup memory a thread computes 4 or 8 rows by a vec4 of columns from
 * what the cache has: the best on adapters that compute on the CPU. With it, a workgroup of 128
 * threads computes 64×128 of C in steps of 8 along K; a thread holds 8×8 as 2×2 blocks of 4×4, so
 * that its reads of workgroup memory are vec4s that do not collide.
 *
 * A is staged transposed, its rows padded by one vec4. The next step's tiles are loaded into
 * registers while this step's are multiplied. Workgroups are numbered down 8 rows of tiles before
 * the next column, so that neighbours share what the cache holds.
 */

/** What GPUs disagree on: the yardstick is the fastest. */
export interface MatmulVariant {
  /** How much of a step's K loop is written out. */
  readonly unroll: 2 | 4 | 8;
  /**
   * Threads that lie side by side along N; 128 / columns along M, a warp a compact part of the
   * tile.
   */
  readonly arrangement: 'rows of 16' | 'warps of 4 × 8';
}
export const MATMUL_VARIANTS: readonly MatmulVariant[] = ([2, 4, 8] as const).flatMap((unroll) =>
  (['rows of 16', 'warps of 4 × 8'] as const).map((arrangement) => ({ unroll, arrangement })),
);

const BLOCK_K = 8;
/** vec4s in a staged row of A: 64 elements and the padding. */
const A_ROW = 17;
/** vec4s in a staged row of B: 128 elements. */
const B_ROW = 32;

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const lines = (count: number, line: (i: number) => string): string =>
  range(count).map(line).join('\n');

/** Products of one K: rows r of A against both vec4s of B's columns. */
function multiply(k: string): string {
  const rows = range(8).map((r) => {
    const a = `a${r >> 2}.${'xyzw'[r & 3]}`;
    return `      c${r}_0 = fma(vec4f(${a}), b0, c${r}_0); c${r}_1 = fma(vec4f(${a}), b1, c${r}_1);`;
  });
  return `    {
      let a0 = tileA[(${k}) * ${A_ROW}u + ty];
      let a1 = tileA[(${k}) * ${A_ROW}u + ty + 8u];
      let b0 = tileB[(${k}) * ${B_ROW}u + tx];
      let b1 = tileB[(${k}) * ${B_ROW}u + tx + 16u];
${rows.join('\n')}
    }`;
}

/** The WGSL for M×K times K×N. Workgroups: (M / 64) · (N / 128). */
export function matmulWgsl(
  [m, n, k]: readonly [m: number, n: number, k: number],
  { unroll, arrangement }: MatmulVariant,
): string {
  if (m % 128 !== 0 || n % 128 !== 0 || k % BLOCK_K !== 0)
    throw new RangeError(`the yardstick requires multiples of 128, not ${m}×${n}×${k}`);
  const row = n / 4;
  const [ty, tx] =
    arrangement === 'rows of 16'
      ? ['lane / 16u', 'lane % 16u']
      : ['lane / 64u * 4u + lane % 32u / 8u', 'lane / 32u % 2u * 8u + lane % 8u'];
  return `
@group(0) @binding(0) var<storage, read> A: array<vec4f>;
@group(0) @binding(1) var<storage, read> B: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4f>;
var<workgroup> tileA: array<vec4f, ${BLOCK_K * A_ROW}>;
var<workgroup> tileB: array<vec4f, ${BLOCK_K * B_ROW}>;

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let inGroup = ${8 * (n / 128)}u;
  let groupRows = min(${m / 64}u - id.x / inGroup * 8u, 8u);
  let tileRow = id.x / inGroup * 8u + id.x % inGroup % groupRows;
  let tileColumn = id.x % inGroup / groupRows;
  let ty = ${ty};
  let tx = ${tx};
  // Loads: a vec4 along K of one row of A, and two vec4s of B, four rows apart.
  let aRow = lane / 2u;
  let aK = lane % 2u;
  let bK = lane / 32u;
  let bColumn = lane % 32u;
  let aAt = (tileRow * 64u + aRow) * ${k / 4}u + aK;
  let bAt = bK * ${row}u + tileColumn * 32u + bColumn;
${lines(8, (r) => `  var c${r}_0 = vec4f(); var c${r}_1 = vec4f();`)}
  var nextA = A[aAt];
  var nextB0 = B[bAt];
  var nextB1 = B[bAt + ${4 * row}u];
  for (var step = 0u; step < ${k / BLOCK_K}u; step++) {
    workgroupBarrier();
${lines(4, (i) => `    tileA[(aK * 4u + ${i}u) * ${A_ROW}u + aRow / 4u][aRow % 4u] = nextA[${i}];`)}
    tileB[bK * ${B_ROW}u + bColumn] = nextB0;
    tileB[(bK + 4u) * ${B_ROW}u + bColumn] = nextB1;
    workgroupBarrier();
    // The last step loads the first tile again: in range, and nobody reads it.
    let ahead = (step + 1u) % ${k / BLOCK_K}u;
    nextA = A[aAt + ahead * ${BLOCK_K / 4}u];
    nextB0 = B[bAt + ahead * ${BLOCK_K * row}u];
    nextB1 = B[bAt + ahead * ${BLOCK_K * row}u + ${4 * row}u];
    for (var k = 0u; k < ${BLOCK_K / unroll}u; k++) {
${range(unroll)
  .map((i) => multiply(`k * ${unroll}u + ${i}u`))
  .join('\n')}
    }
  }
  let cAt = (tileRow * 64u + ty * 4u) * ${row}u + tileColumn * 32u + tx;
${lines(8, (r) => {
  const at = `cAt + ${((r >> 2) * 32 + (r & 3)) * row}u`;
  return `  C[${at}] = c${r}_0; C[${at} + 16u] = c${r}_1;`;
})}
}
`;
}

/** Form of a vec4 of each type in memory, and as numbers that are summed. */
const DIRECT = {
  f32: { enable: '', word: 'vec4f', result: 'vec4f', sum: 'vec4f', value: (x: string) => x },
  f16: {
    enable: 'enable f16;',
    word: 'vec4h',
    result: 'vec4h',
    sum: 'vec4f',
    value: (x: string) => `vec4f(${x})`,
  },
  i8: {
    enable: '',
    word: 'u32',
    result: 'vec4i',
    sum: 'vec4i',
    value: (x: string) => `unpack4xI8(${x})`,
  },
} as const;

/**
 * The same from storage alone: a thread computes `rows` rows of four columns. 64 threads a
 * workgroup.
 */
export function directMatmulWgsl(
  [m, n, k]: readonly [m: number, n: number, k: number],
  rows: 4 | 8,
  type: keyof typeof DIRECT = 'f32',
): { readonly wgsl: string; readonly workgroups: readonly [number, number, number] } {
  const { enable, word, result, sum, value } = DIRECT[type];
  const steps = (j: number): string =>
    lines(rows, (r) => {
      const [a, b] = [`${sum}(a${r}.${'xyzw'[j]})`, `b${j}`];
      return type === 'i8' ? `    c${r} += ${a} * ${b};` : `    c${r} = fma(${a}, ${b}, c${r});`;
    });
  return {
    workgroups: [n / 4 / 8, m / rows / 8, 1],
    wgsl: `${enable}
@group(0) @binding(0) var<storage, read> A: array<${word}>;
@group(0) @binding(1) var<storage, read> B: array<${word}>;
@group(0) @binding(2) var<storage, read_write> C: array<${result}>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.x;
  let row = id.y * ${rows}u;
${lines(rows, (r) => `  var c${r} = ${sum}();`)}
  for (var step = 0u; step < ${k / 4}u; step++) {
${lines(rows, (r) => `    let a${r} = ${value(`A[(row + ${r}u) * ${k / 4}u + step]`)};`)}
${lines(4, (j) => `    let b${j} = ${value(`B[(step * 4u + ${j}u) * ${n / 4}u + column]`)};`)}
${lines(4, steps)}
  }
${lines(rows, (r) => `  C[(row + ${r}u) * ${n / 4}u + column] = ${result}(c${r});`)}
}
`,
  };
}
