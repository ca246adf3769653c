/**
 * Hand-written softmax and layer norm over rows of f32, the number of columns a multiple of 4. A
 * workgroup takes a row and holds it in registers as vec4s, reductions go through subgroups and
 * then through a word of workgroup memory each; or a thread takes a row for itself, which needs no
 * barrier: the best where a barrier costs more than the row.
 */
export interface RowVariant {
  /** Threads of a row; 1: a thread a row. */
  readonly threads: number;
  readonly subgroups: boolean;
}

export interface RowShader {
  readonly wgsl: string;
  readonly workgroups: readonly [number, number, number];
}

const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

export function rowVariants(columns: number, subgroups: boolean, software: boolean): RowVariant[] {
  const vectors = columns / 4;
  // Barriers: to a software adapter, each is a switch of every thread.
  if (software) return [1, 64].map((each) => ({ threads: each, subgroups: subgroups && each > 1 }));
  const threads = [64, 128, 256].filter((each) => vectors % each === 0);
  return [
    { threads: 1, subgroups: false },
    ...threads.map((each) => ({ threads: each, subgroups })),
    ...(subgroups ? threads.map((each) => ({ threads: each, subgroups: false })) : []),
  ];
}

/** A function that reduces a value over the workgroup. */
function reduction(
  name: string,
  operation: 'max' | '+',
  { threads, subgroups }: RowVariant,
): string {
  const both = (a: string, b: string): string =>
    operation === 'max' ? `max(${a}, ${b})` : `${a} + ${b}`;
  if (!subgroups) {
    const tree: string[] = [];
    for (let half = threads / 2; half >= 1; half /= 2) {
      tree.push(`  if (lane < ${half}u) { shared_[lane] = ${both('shared_[lane]', `shared_[lane + ${half}u]`)}; }
  workgroupBarrier();`);
    }
    return `fn ${name}(lane: u32, value: f32) -> f32 {
  shared_[lane] = value;
  workgroupBarrier();
${tree.join('\n')}
  let all = shared_[0];
  workgroupBarrier();
  return all;
}`;
  }
  const group = operation === 'max' ? 'subgroupMax' : 'subgroupAdd';
  return `fn ${name}(lane: u32, value: f32) -> f32 {
  let part = ${group}(value);
  if (own == 0u) { shared_[which] = part; }
  workgroupBarrier();
  var all = shared_[0];
  for (var i = 1u; i < count; i++) { all = ${both('all', 'shared_[i]')}; }
  workgroupBarrier();
  return all;
}`;
}

function head(variant: RowVariant, reductions: string): string {
  const { threads, subgroups } = variant;
  if (!subgroups) {
    return `var<workgroup> shared_: array<f32, ${threads}>;
${reductions}
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {`;
  }
  return `var<workgroup> shared_: array<f32, ${threads}>;
var<private> own: u32;
var<private> which: u32;
var<private> count: u32;
${reductions}
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
  @builtin(subgroup_invocation_id) invocation: u32, @builtin(subgroup_id) subgroup: u32,
  @builtin(num_subgroups) subgroup_count: u32) {
  own = invocation;
  which = subgroup;
  count = subgroup_count;`;
}
const enables = ({ subgroups }: RowVariant): string =>
  subgroups
    ? 'enable subgroups;\nrequires subgroup_id;\ndiagnostic(off, subgroup_uniformity);\n'
    : '';

const SUM = 'fn sum4(v: vec4f) -> f32 { return dot(v, vec4f(1.0)); }';
const MAX = 'fn max4(v: vec4f) -> f32 { return max(max(v.x, v.y), max(v.z, v.w)); }';

export function softmaxWgsl(rows: number, columns: number, variant: RowVariant): RowShader {
  const vectors = columns / 4;
  const bindings = `@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;`;
  if (variant.threads === 1) {
    return {
      workgroups: [rows / 64, 1, 1],
      wgsl: `${bindings}
${SUM}
${MAX}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let at = id.x * ${vectors}u;
  var high = x[at];
  for (var i = 1u; i < ${vectors}u; i++) { high = max(high, x[at + i]); }
  let highest = max4(high);
  var total = vec4f();
  for (var i = 0u; i < ${vectors}u; i++) {
    let e = exp(x[at + i] - highest);
    out[at + i] = e;
    total += e;
  }
  let scale = 1.0 / sum4(total);
  for (var i = 0u; i < ${vectors}u; i++) { out[at + i] *= scale; }
}
`,
    };
  }
  const each = vectors / variant.threads;
  return {
    workgroups: [rows, 1, 1],
    wgsl: `${enables(variant)}${bindings}
${SUM}
${MAX}
${head(variant, `${reduction('highest', 'max', variant)}\n${reduction('total', '+', variant)}`)}
  let at = id.x * ${vectors}u + lane;
${lines(each, (i) => `  var v${i} = x[at + ${i * variant.threads}u];`)}
  let high = highest(lane, max4(${maxOf(each)}));
${lines(each, (i) => `  v${i} = exp(v${i} - high);`)}
  let scale = 1.0 / total(lane, sum4(${sumOf(each)}));
${lines(each, (i) => `  out[at + ${i * variant.threads}u] = v${i} * scale;`)}
}
`,
  };
}

const sumOf = (count: number): string =>
  Array.from({ length: count }, (_, i) => `v${i}`).join(' + ');
const maxOf = (count: number): string =>
  Array.from({ length: count - 1 }, (_, i) => i + 1).reduce((all, i) => `max(${all}, v${i})`, 'v0');

/** Buffers: x, out, weight, bias, mean, rstd, as the program has them. */
export function layerNormWgsl(rows: number, columns: number, variant: RowVariant): RowShader {
  const vectors = columns / 4;
  const bindings = `@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(2) var<storage, read> weight: array<vec4f>;
@group(0) @binding(3) var<storage, read> bias: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> means: array<f32>;
@group(0) @binding(5) var<storage, read_write> rstds: array<f32>;
${SUM}`;
  if (variant.threads === 1) {
    return {
      workgroups: [rows / 64, 1, 1],
      wgsl: `${bindings}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let at = id.x * ${vectors}u;
  var total = vec4f();
  for (var i = 0u; i < ${vectors}u; i++) { total += x[at + i]; }
  let mean = sum4(total) / ${columns}.0;
  var squares = vec4f();
  for (var i = 0u; i < ${vectors}u; i++) {
    let c = x[at + i] - mean;
    squares = fma(c, c, squares);
  }
  let rstd = inverseSqrt(sum4(squares) / ${columns}.0 + 1e-5);
  means[id.x] = mean;
  rstds[id.x] = rstd;
  for (var i = 0u; i < ${vectors}u; i++) {
    out[at + i] = fma((x[at + i] - mean) * rstd, weight[i], bias[i]);
  }
}
`,
    };
  }
  const each = vectors / variant.threads;
  const place = (i: number): string => `lane + ${i * variant.threads}u`;
  return {
    workgroups: [rows, 1, 1],
    wgsl: `${enables(variant)}${bindings}
${head(variant, reduction('total', '+', variant))}
  let at = id.x * ${vectors}u;
${lines(each, (i) => `  var v${i} = x[at + ${place(i)}];`)}
  let mean = total(lane, sum4(${sumOf(each)})) / ${columns}.0;
${lines(each, (i) => `  v${i} -= mean;`)}
  var squares = vec4f();
${lines(each, (i) => `  squares = fma(v${i}, v${i}, squares);`)}
  let rstd = inverseSqrt(total(lane, sum4(squares)) / ${columns}.0 + 1e-5);
  if (lane == 0u) {
    means[id.x] = mean;
    rstds[id.x] = rstd;
  }
${lines(each, (i) => `  out[at + ${place(i)}] = fma(v${i} * rstd, weight[${place(i)}], bias[${place(i)}]);`)}
}
`,
  };
}
