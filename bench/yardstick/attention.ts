/**
 * A hand-written flash attention, f32, heads of 64: a thread owns a query, its row of the output
 * and the running softmax; keys come in blocks, so that the output is rescaled once a block. Keys
 * and values come from workgroup memory, 32 at a time, or straight from storage, where a cache is
 * as good.
 */
export interface AttentionVariant {
  readonly staged: boolean;
  /** Queries, and threads, of a workgroup. */
  readonly threads: 32 | 64 | 128;
  /** Keys of a block. */
  readonly block: 2 | 8;
}
export const ATTENTION_VARIANTS: readonly AttentionVariant[] = [
  { staged: false, threads: 64, block: 8 },
  { staged: true, threads: 64, block: 8 },
  { staged: true, threads: 128, block: 8 },
  { staged: true, threads: 64, block: 2 },
];
/**
 * A software adapter's compiler takes seconds for the larger block, and for staging, and is no
 * faster by either.
 */
export const SMALL_VARIANTS: readonly AttentionVariant[] = [
  { staged: false, threads: 64, block: 2 },
];

const VECTORS = 16;
const STAGE = 32;
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

export function attentionWgsl(
  heads: number,
  length: number,
  causal: boolean,
  { staged, threads, block: BLOCK }: AttentionVariant,
): { readonly wgsl: string; readonly workgroups: readonly [number, number, number] } {
  const key = (j: number, d: number): string =>
    staged
      ? `keys[(block + ${j}u) * ${VECTORS}u + ${d}u]`
      : `k[(first + block + ${j}u) * ${VECTORS}u + ${d}u]`;
  const value = (j: number, d: number): string =>
    staged
      ? `values[(block + ${j}u) * ${VECTORS}u + ${d}u]`
      : `v[(first + block + ${j}u) * ${VECTORS}u + ${d}u]`;
  const scores = range(BLOCK)
    .map((j) => {
      const terms = range(VECTORS).map((d) => `dot(q${d}, ${key(j, d)})`);
      const score = terms.join(' + ');
      return causal
        ? `      var s${j} = select(-1e6, ${score}, start + block + ${j}u <= query);`
        : `      var s${j} = ${score};`;
    })
    .join('\n');
  const accumulate = range(VECTORS)
    .map((d) => {
      const sum = range(BLOCK).map((j) => `s${j} * ${value(j, d)}`);
      return `      o${d} = o${d} * rescale + ${sum.join(' + ')};`;
    })
    .join('\n');
  const each = (STAGE * VECTORS) / threads;
  const stage = `
    workgroupBarrier();
    for (var i = 0u; i < ${each}u; i++) {
      keys[i * ${threads}u + lane] = k[first * ${VECTORS}u + i * ${threads}u + lane];
      values[i * ${threads}u + lane] = v[first * ${VECTORS}u + i * ${threads}u + lane];
    }
    workgroupBarrier();`;
  const end = causal ? `(id.x + 1u) * ${threads}u` : `${length}u`;
  return {
    workgroups: [length / threads, heads, 1],
    wgsl: `
@group(0) @binding(0) var<storage, read> q: array<vec4f>;
@group(0) @binding(1) var<storage, read> k: array<vec4f>;
@group(0) @binding(2) var<storage, read> v: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4f>;
${
  staged
    ? `var<workgroup> keys: array<vec4f, ${STAGE * VECTORS}>;
var<workgroup> values: array<vec4f, ${STAGE * VECTORS}>;`
    : ''
}
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let query = id.x * ${threads}u + lane;
  let at = (id.y * ${length}u + query) * ${VECTORS}u;
${range(VECTORS)
  .map((d) => `  let q${d} = q[at + ${d}u] * ${0.125 * Math.LOG2E}; var o${d} = vec4f();`)
  .join('\n')}
  var highest = -1e6;
  var total = 0.0;
  for (var step = 0u; step < ${length / STAGE}u; step++) {
    let start = step * ${STAGE}u;
    if (start >= ${end}) { break; }
    let first = id.y * ${length}u + start;${staged ? stage : ''}
    for (var turn = 0u; turn < ${STAGE / BLOCK}u; turn++) {
      let block = turn * ${BLOCK}u;
${scores}
      let new_ = max(highest, ${range(BLOCK).reduce((all, j) => (all ? `max(${all}, s${j})` : `s${j}`), '')});
      let rescale = exp2(highest - new_);
${range(BLOCK)
  .map((j) => `      s${j} = exp2(s${j} - new_);`)
  .join('\n')}
      total = total * rescale + ${range(BLOCK)
        .map((j) => `s${j}`)
        .join(' + ')};
${accumulate}
      highest = new_;
    }
  }
${range(VECTORS)
  .map((d) => `  out[at + ${d}u] = o${d} / total;`)
  .join('\n')}
}
`,
  };
}
