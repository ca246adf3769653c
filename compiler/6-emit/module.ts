/**
 * The module around a kernel's statements: enabled features, bindings, arrays in workgroup memory,
 * functions of the library, and the entry point with the indices of program and thread.
 */
import type { ThreadValue } from '../ir/thread/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import { libraryTexts, ROUTINES } from '../ir/thread/library/index';
import type { Survey } from '../ir/thread/survey';
import type { MemoryType } from '../ir/thread/types';
import { REPORT_WGSL, REPORT_WORDS } from '../boundsReport';
import type { KernelBinding } from '../program';
import { machineOf, matrixFeatureOf, type Target } from '../target';
import type { Body } from './body';
import { memoryText } from './expressions';
import { DEBUG } from './report';
import type { Words } from './words';
import type { Writer } from './writer';

/** A storage buffer of the kernel. */
export interface Buffer {
  readonly name: string;
  readonly value: ThreadValue;
  readonly binding: KernelBinding;
}

export interface Module {
  readonly kernel: ThreadKernel;
  readonly target: Target;
  readonly survey: Survey;
  readonly buffers: readonly Buffer[];
  readonly words: Words;
  readonly body: Body;
  /** Workgroups stand in a row. */
  readonly row: boolean;
  /** The texts of the launch's grid, where programs are found by a linear index. */
  readonly grid: readonly string[] | undefined;
  /** The term added to that index. */
  readonly first: string;
  /** The words travel with the commands, not in a uniform buffer. */
  readonly immediates: boolean;
  readonly reports: boolean;
  readonly debugs: boolean;
}

/** All that stands before the entry point. Returns the features that the device must have. */
export function printDeclarations(out: Writer, module: Module): string[] {
  const { buffers, words, body, immediates, reports, debugs, target } = module;
  const features = directives(out, module);
  buffers.forEach(({ name, value, binding: { access } }, binding) =>
    out.line(
      `@group(0) @binding(${binding}) var<storage, ${access}> ${name}: ${memoryText(value.type as MemoryType)};`,
    ),
  );
  const next = buffers.length;
  out.line(words.structure());
  out.line(
    immediates
      ? 'var<immediate> args: Args;'
      : `@group(0) @binding(${next}) var<uniform> args: Args;`,
  );
  if (reports || debugs) {
    const length = debugs || immediates ? '' : `, ${REPORT_WORDS}`;
    out.line(
      `@group(0) @binding(${immediates ? next : next + 1}) var<storage, read_write> report: array<atomic<u32>${length}>;`,
    );
  }
  for (const [name, type] of body.workgroup) out.line(`var<workgroup> ${name}: ${type};`);
  out.line('');
  if (body.usesReport) block(out, REPORT_WGSL);
  if (body.usesDebug) block(out, DEBUG);
  const callees = [...body.values.callees].filter((name) => name in ROUTINES);
  for (const text of libraryTexts(callees, machineOf(target))) {
    block(out, text);
    out.line('');
  }
  return features;
}

/** The head of the entry point, and what the statements read: `program`, `tid`, constants. */
export function printEntry(out: Writer, { kernel, target, grid, row, first, body }: Module): void {
  const { threads, programs, subgroupSize } = kernel;
  const lanes = subgroupSize > 0;
  const size = lanes && target.subgroupSizeControl ? `@subgroup_size(${subgroupSize}) ` : '';
  out.line(`@compute @workgroup_size(${threads * programs}) ${size}`.trimEnd());
  out.line('fn main(');
  // Without a linear index, the workgroup's number is the program's.
  out.line(`  @builtin(workgroup_id) ${grid ? 'workgroup' : 'program'}: vec3<u32>,`);
  if (grid) out.line('  @builtin(num_workgroups) workgroups: vec3<u32>,');
  if (lanes) {
    out.line('  @builtin(subgroup_id) subgroup: u32,');
    out.line('  @builtin(subgroup_invocation_id) lane: u32,');
  } else out.line(`  @builtin(local_invocation_index) ${programs > 1 ? 'thread' : 'tid'}: u32,`);
  out.line(') {');
  out.indented(() => {
    if (grid) {
      const [x, y, z] = grid;
      const group = row
        ? 'workgroup.x'
        : '(workgroup.z * workgroups.y + workgroup.y) * workgroups.x + workgroup.x';
      const index = first + (programs > 1 ? `(${group}) * ${programs}u + thread` : group);
      out.line(`let linear = ${index};`);
      out.line(`if (linear >= ${x} * ${y} * ${z}) { return; }`);
      out.line(
        `let program = vec3<u32>(linear % ${x}, linear / ${x} % ${y}, linear / ${x} / ${y});`,
      );
    }
    if (programs > 1) out.line('let tid = 0u;');
    else if (lanes) out.line(`let tid = (subgroup * ${subgroupSize}u + lane) % ${threads}u;`);
    if (body.values.usesRuntimeZero) out.line('let runtime_zero = 0u;');
    for (const line of body.values.constants) out.line(line);
  });
}

/**
 * The features that the types and operations of the kernel need, and the lines that enable them.
 */
function directives(out: Writer, { kernel, survey, target }: Module): string[] {
  const { subgroupSize } = kernel;
  let [halves, matrices] = [false, false];
  for (const type of survey.types) {
    if (type.kind === 'fragment') matrices = true;
    halves ||=
      type.kind === 'memory'
        ? type.element.scalar === 'f16'
        : type.kind === 'number' && type.scalar === 'f16';
  }
  const features: string[] = [];
  const enable = (feature: string, name: string): void => {
    features.push(feature);
    out.line(`enable ${name};`);
  };
  if (subgroupSize > 0) {
    enable('subgroups', 'subgroups');
    if (target.subgroupSizeControl === true)
      enable('subgroup-size-control', 'subgroup_size_control');
  }
  if (halves && target.f16) enable('shader-f16', 'f16');
  const own = target.subgroupMatrixFeature !== undefined;
  const { feature, name } = matrixFeatureOf(target);
  if (matrices) enable(feature, name);
  if (subgroupSize > 0) out.line('diagnostic(off, subgroup_uniformity);');
  if (matrices) out.line(`diagnostic(off, ${own ? '' : 'chromium.'}subgroup_matrix_uniformity);`);
  if (out.lines.length > 0) out.line('');
  return features;
}

function block(out: Writer, text: string): void {
  for (const line of text.split('\n')) out.line(line);
}
