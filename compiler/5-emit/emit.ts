/**
 * Distributed IR to a WGSL module and what the runtime needs to launch it. What must hold of the IR is
 * what the passes of `4-distribute` promise. One compute entry point, a thread a WGSL invocation, a
 * program a workgroup, or a thread (`CompiledKernel.programs`).
 */
import type { Diagnostic } from '../diagnostics';
import { DiagnosticError } from '../diagnostics';
import type { Func } from '../ir/ir';
import { REPORT_WORDS, REPORT_WRITES } from '../program';
import type { CompiledKernel, CompileRequest, KernelBinding, Regroup } from '../program';
import { Emission, numberAttribute } from './emission';
import { planMemory, RegroupNeeded } from './memory/groups';
import { helperTexts } from './helpers/index';
import { neededRegisters } from './needed';
import { SCRATCH_PARTS } from './dot/fragments';
import { partsArray } from './dot/local';
import { emitBlock } from './operations';
import { unrolled } from './rolled/values';
import { estimateRegisters } from './registerEstimate';
import { decodeScalar } from './scalars';
import { Parameters } from './uniforms';
import { provablyUniform } from './uniformity';
import { reachedLines } from './memory/bounds';
import { Writer } from './writer';
import type { Line } from './writer';
import { runsAlone } from './memory/waiting';

export type EmitResult =
  | { readonly kind: 'compiled'; readonly kernel: CompiledKernel }
  | Regroup
  | { readonly kind: 'failed'; readonly diagnostics: readonly Diagnostic[] };

export function emit(func: Func, request: CompileRequest): EmitResult {
  try {
    return { kind: 'compiled', kernel: emitKernel(func, request) };
  } catch (error) {
    if (error instanceof RegroupNeeded) {
      const { merge, arena } = error;
      return arena ? { kind: 'regroup', merge, arena } : { kind: 'regroup', merge };
    }
    if (error instanceof DiagnosticError)
      return { kind: 'failed', diagnostics: [error.diagnostic] };
    throw error;
  }
}

function emitKernel(func: Func, request: CompileRequest): CompiledKernel {
  const parameters = new Parameters(func, request.specialization);
  const memory = planMemory(func, parameters, { f16: request.target.f16 });
  const uniform = provablyUniform(func, memory);
  const e = new Emission(
    func,
    request,
    parameters,
    memory,
    neededRegisters(func),
    uniform,
    unrolled,
  );
  bindParameters(e);
  emitBlock(e, func.body);
  return assemble(e);
}

/** The registers of the function's arguments, named once at the start. */
function bindParameters(e: Emission): void {
  e.func.body.args.forEach((arg, i) => {
    const parameter = e.parameters.list[i]!;
    const hint = e.hint(arg);
    const read = (): string =>
      parameter.kind === 'pointer'
        ? `i32(${e.parameters.word({ kind: 'offset', path: parameter.path })})`
        : decodeScalar(e, arg, parameter);
    if (arg.uses.size > 0) e.setRegisters(arg, [e.prelude(`argument ${i}`, hint, read)]);
  });
}

function assemble(e: Emission): CompiledKernel {
  const { options, target } = e.request;
  const out = new Writer();
  const features: string[] = [];
  const lanes = e.usesLanes && e.subgroupSize > 0;
  const oneByOne = runsAlone(e.func);
  const words = Math.ceil(e.sharedBytes / 16);
  const exchange = e.exchange && words > 0;
  const parts = partArrays(e.func);
  // One a thread, if there is nothing that the threads of a program would share.
  const shares = words > 0 || parts.length > 0 || e.workgroupVariables.size > 0 || oneByOne;
  const programs = shares ? 1 : (numberAttribute(e.func, 'programs') ?? 1);
  const linear = oneByOne || exchange || options.linearGrid || programs > 1;
  const axes = ([0, 1, 2] as const).filter(() => linear);
  const grid = axes.map((axis) => e.parameters.word({ kind: 'grid', axis }));
  const group =
    oneByOne || exchange
      ? `${e.parameters.word({ kind: 'program' })} + workgroup.x`
      : '(workgroup.z * workgroups.y + workgroup.y) * workgroups.x + workgroup.x';
  const index = programs > 1 ? `(${group}) * ${programs}u + thread` : group;
  if (lanes) {
    features.push('subgroups');
    out.line('enable subgroups;');
    if (target.subgroupSizeControl) {
      features.push('subgroup-size-control');
      out.line('enable subgroup_size_control;');
    }
  }
  if (usesHalves(e)) {
    features.push('shader-f16');
    out.line('enable f16;');
  }
  if (e.usesMatrices) {
    features.push('chromium-experimental-subgroup-matrix');
    out.line('enable chromium_experimental_subgroup_matrix;');
  }
  if (lanes) out.line('diagnostic(off, subgroup_uniformity);');
  if (e.usesMatrices) out.line('diagnostic(off, chromium.subgroup_matrix_uniformity);');
  if (out.lines.length > 0) out.line('');

  e.memory.groups.forEach((group) => {
    const element = group.atomic ? 'atomic<u32>' : group.element;
    const type = group.width === 1 ? element : `vec${group.width}<${element}>`;
    const access = group.written ? 'read_write' : 'read';
    out.line(
      `@group(0) @binding(${group.binding}) var<storage, ${access}> ${group.name}: array<${type}>;`,
    );
  });
  const bindings: KernelBinding[] = e.memory.groups.map(({ group, written }) => ({
    group,
    access: written ? 'read_write' : 'read',
  }));
  if (exchange) {
    const binding = bindings.length;
    out.line(
      `@group(0) @binding(${binding}) var<storage, read_write> shared_words: array<${e.sharedType()}>;`,
    );
    bindings.push({ group: 'exchange', access: 'read_write' });
  }
  const next = bindings.length;
  const report = options.checkBounds && e.accesses.length > 0;
  const debug = e.debugSites.length > 0;
  // A report of its own, with a queue behind it, begins where its buffer does.
  const placed = report && !debug;
  const most = (target.immediateBytes ?? 0) / 4;
  const immediates = e.parameters.words.length + (placed ? 1 : 0) <= most;
  const first = immediates && placed ? e.parameters.word({ kind: 'report' }) : null;
  out.line(e.parameters.structure());
  out.line(
    immediates
      ? 'var<immediate> args: Args;'
      : `@group(0) @binding(${next}) var<uniform> args: Args;`,
  );
  if (report || debug) {
    const length = debug || immediates ? '' : `, ${REPORT_WORDS}`;
    const binding = immediates ? next : next + 1;
    out.line(
      `@group(0) @binding(${binding}) var<storage, read_write> report: array<atomic<u32>${length}>;`,
    );
  }
  if (words > 0 && !exchange)
    out.line(`var<workgroup> shared_words: array<${e.sharedType()}, ${e.sharedLength()}>;`);
  for (const { name, entries, count } of parts)
    out.line(`var<workgroup> ${name}: array<array<vec4<u32>, ${entries}>, ${count}>;`);
  for (const [name, type] of e.workgroupVariables) out.line(`var<workgroup> ${name}: ${type};`);
  out.line('');
  if (report) lines(out, REPORT);
  for (const text of [...helperTexts(e.helpers, e.software), ...e.functions.values()]) {
    lines(out, text);
    out.line('');
  }

  const size = lanes && target.subgroupSizeControl ? `@subgroup_size(${e.subgroupSize}) ` : '';
  out.line(`@compute @workgroup_size(${e.threads * programs}) ${size}`.trimEnd());
  out.line('fn main(');
  out.line('  @builtin(workgroup_id) workgroup: vec3<u32>,');
  if (linear) out.line('  @builtin(num_workgroups) workgroups: vec3<u32>,');
  if (lanes) {
    out.line('  @builtin(subgroup_id) subgroup: u32,');
    out.line('  @builtin(subgroup_invocation_id) lane: u32,');
  } else out.line('  @builtin(local_invocation_index) thread: u32,');
  out.line(') {');
  out.indented(() => {
    if (linear) {
      const [x, y, z] = grid;
      out.line(`let linear = ${index};`);
      out.line(`if (linear >= ${x} * ${y} * ${z}) { return; }`);
      out.line(
        `let program = vec3<u32>(linear % ${x}, linear / ${x} % ${y}, linear / ${x} / ${y});`,
      );
    } else out.line('let program = workgroup;');
    const thread = lanes ? `(subgroup * ${e.subgroupSize}u + lane) % ${e.threads}u` : 'thread';
    out.line(`let tid = ${programs > 1 ? '0u' : thread};`);
    if (exchange) out.line(`let exchange = workgroup.x * ${e.sharedLength()}u;`);
    if (report) {
      for (const name of reported(e)) {
        out.line(`var ${name} = 0xffffffffu;`);
        out.line(`var ${name}_offset = 0i;`);
      }
      for (const { name } of e.reached.values()) out.line(`var ${name} = 0u;`);
    }
    if (e.usesRuntimeZero) out.line('let runtime_zero = 0u;');
    for (const line of e.preludeLines()) out.line(line);
  });
  for (const line of e.writer.lines) out.lines.push(line);
  if (report) {
    for (const line of reachedLines(e)) out.line(`  ${line}`);
    for (const name of reported(e)) {
      const at = name === 'bad_load' ? 0 : REPORT_WRITES;
      const begin = first === null ? `${at}u` : `${first} + ${at}u`;
      out.line(
        `  if (${name} != 0xffffffffu) { report_bounds(program, ${begin}, ${name}, ${name}_offset); }`,
      );
    }
  }
  out.line('}');

  return {
    name: e.func.name,
    wgsl: text(out.lines),
    entryPoint: 'main',
    workgroupSize: e.threads * programs,
    programs,
    workgroupBytes: parts.reduce((sum, part) => sum + 16 * part.entries * part.count, words * 16),
    bindings,
    uniforms: e.parameters.words,
    ...(immediates ? { immediates } : {}),
    boundsReport: report ? { accesses: e.accesses } : null,
    ...(debug ? { debugSites: e.debugSites } : {}),
    oneByOne,
    features,
    sourceMap: out.lines.map((line) => line.location),
    registers: estimateRegisters(e),
  };
}

/** Arrays of tiles that are cut into parts, along rows and along columns, and of scratch that is. */
function partArrays(func: Func): { name: string; entries: number; count: number }[] {
  const bytes = (func.attributes['partBytes'] ?? []) as readonly number[];
  const counts = (func.attributes['partCounts'] ?? []) as readonly number[];
  return [partsArray(0), partsArray(1), SCRATCH_PARTS]
    .map((name, d) => ({ name, entries: (bytes[d] ?? 0) / 16, count: counts[d] ?? 1 }))
    .filter(({ entries }) => entries > 0);
}

const REPORT = `fn report_bounds(program: vec3<u32>, at: u32, access: u32, offset: i32) {
  if (atomicAdd(&report[at], 1u) == 0u) {
    atomicStore(&report[at + 1u], access);
    atomicStore(&report[at + 2u], program.x);
    atomicStore(&report[at + 3u], program.y);
    atomicStore(&report[at + 4u], program.z);
    atomicStore(&report[at + 5u], u32(offset));
  }
}
`;

/** The variables that remember accesses out of range: of loads, and of everything that writes. */
function reported(e: Emission): ('bad_load' | 'bad_write')[] {
  const loads = e.accesses.some(({ kind }) => kind === 'load');
  const writes = e.accesses.some(({ kind }) => kind !== 'load');
  return [...(loads ? ['bad_load' as const] : []), ...(writes ? ['bad_write' as const] : [])];
}

function lines(out: Writer, block: string): void {
  for (const line of block.split('\n')) out.line(line);
}
function text(list: readonly Line[]): string {
  return `${list.map((line) => line.text).join('\n')}\n`;
}

/** Whether the module mentions f16: then it must enable it. */
function usesHalves(e: Emission): boolean {
  if (!e.native.f16) return false;
  if (e.memory.groups.some((group) => group.element === 'f16')) return true;
  return (
    e.writer.lines.some((line) => /\bf16\b|\d+h\b/.test(line.text)) ||
    e.preludeLines().some((line) => /\bf16\b|\d+h\b/.test(line))
  );
}
