// The adapter's copy bandwidth: every thread moves four vec4, a workgroup's reads lie side by side.
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
}
