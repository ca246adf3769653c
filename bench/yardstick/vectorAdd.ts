/**
 * A hand-written vector addition: every thread adds some vec4s, a workgroup's accesses lie side by
 * side.
 */
export function vectorAddWgsl(
  n: number,
  each: 1 | 2 | 4,
): { readonly wgsl: string; readonly workgroups: readonly [number, number, number] } {
  const groups = n / 4 / 256 / each;
  const across = Math.min(groups, 32_768);
  const adds = Array.from({ length: each }, (_, i) => {
    const at = `at + ${i * 256}u`;
    return `  out[${at}] = x[${at}] + y[${at}];`;
  });
  return {
    workgroups: [across, groups / across, 1],
    wgsl: `
@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> y: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let at = (id.y * ${across}u + id.x) * ${256 * each}u + lane;
${adds.join('\n')}
}
`,
  };
}
