/**
 * For tests: hand-written kernels in place of the compiler, and launch requests for them. What is
 * tested with them is the runtime alone; compiled kernels are tested end to end by the command
 * line.
 */
import { REPORT_WGSL, REPORT_WRITES } from '../../compiler/boundsReport';
import type { Location } from '../../compiler/ir/location';
import type { Compiler } from '../../compiler/pipeline';
import {
  DEFAULT_OPTIONS,
  type ArgumentSpec,
  type CompiledKernel,
  type CompileRequest,
  type CompileResult,
  type KernelProgram,
} from '../../compiler/program';
import { BASELINE_TARGET } from '../../compiler/target';
import type { LaunchRequest, LaunchResponse, LaunchValue } from '../workers/bridge';
import type { Session } from './session';

export const AT: Location = { file: 'test.py', line: 7, column: 5, endLine: 7, endColumn: 20 };

/** A compiler that answers with kernels by name. */
export function fakeCompiler(
  kernels: Record<string, (request: CompileRequest) => CompiledKernel | CompileResult>,
): Compiler {
  const compile: Compiler['compile'] = (request) => {
    const name = request.program.functions[request.program.entry]?.name ?? '';
    const make = kernels[name];
    if (!make) throw new Error(`no kernel ${name}`);
    const made = make(request);
    return 'kind' in made
      ? made
      : { kind: 'compiled', kernel: made, log: [], diagnostics: [], schedule: [] };
  };
  return { compile, optimize: () => ({ log: [], diagnostics: [], schedule: [] }) };
}

export function program(name: string): KernelProgram {
  const fn = { id: name, name, file: 'test.py', line: 1, globals: {}, defaults: {} };
  return { files: { 'test.py': '' }, functions: { [name]: fn }, entry: name };
}

export function pointerTo(dtype: string): ArgumentSpec {
  return { kind: 'pointer', dtype, divisibleBy16: true, group: 0 };
}

/** Launches; a plain number is a storage's id, a string a scalar's text. */
export async function launch(
  session: Session,
  name: string,
  specs: readonly ArgumentSpec[],
  values: readonly (number | string | LaunchValue)[],
  grid: readonly [number, number, number],
): Promise<LaunchResponse> {
  const request: LaunchRequest = {
    program: session.program_register(JSON.stringify(program(name))),
    specialization: { arguments: specs, numWarps: 4 },
    values: values.map((value) =>
      typeof value === 'number'
        ? { storage: value, byteOffset: 0 }
        : typeof value === 'string'
          ? { scalar: value }
          : value,
    ),
    grid,
    site: { file: 'test.py', line: 33 },
    labels: specs.map((_, index) => `arg${index}: *fp32`),
    warmup: false,
  };
  return JSON.parse(await session.launch(JSON.stringify(request))) as LaunchResponse;
}

/**
 * `out[i] = a[i] + b[i]` for i < n, one thread an element, with bounds reports. Its words are
 * immediates where the target has them.
 */
export function addKernel(request: CompileRequest): CompiledKernel {
  const groups = request.specialization.arguments.flatMap((spec) =>
    spec.kind === 'pointer' ? [spec.group] : [],
  );
  const distinct = [...new Set(groups)];
  const bindings = distinct.map((group) => ({
    group,
    access: group === groups[2] ? ('read_write' as const) : ('read' as const),
  }));
  const declarations = bindings.map(
    ({ group, access }, index) =>
      `@group(0) @binding(${index}) var<storage, ${access}> g${group}: array<f32>;`,
  );
  const immediates = (request.target.immediateBytes ?? 0) > 0;
  const next = bindings.length;
  return {
    name: 'add',
    entryPoint: 'main',
    entryLine: 1,
    workgroupSize: 64,
    workgroupBytes: 0,
    bindings,
    uniforms: [
      { kind: 'offset', path: [0] },
      { kind: 'offset', path: [1] },
      { kind: 'offset', path: [2] },
      { kind: 'scalar', path: [3], dtype: 'int32', word: 0 },
      { kind: 'end', path: [2] },
      { kind: 'begin', path: [2] },
      ...(immediates ? [{ kind: 'report' } as const] : []),
    ],
    immediates,
    boundsReport: {
      accesses: [
        { location: AT, kind: 'store', argument: [2], others: [], elementBytes: 4, counted: true },
      ],
    },
    oneByOne: false,
    programs: 1,
    features: [],
    sourceMap: [],
    registers: 4,
    wgsl: `
${declarations.join('\n')}
struct Arguments { a: u32, b: u32, out: u32, n: u32, end: u32, begin: u32, report: u32, x: u32 }
${immediates ? '' : `@group(0) @binding(${next}) `}var<${immediates ? 'immediate' : 'uniform'}> args: Arguments;
@group(0) @binding(${immediates ? next : next + 1}) var<storage, read_write> report: array<atomic<u32>>;
${REPORT_WGSL}@compute @workgroup_size(64) fn main(
  @builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_index) lid: u32,
  @builtin(num_workgroups) num: vec3u) {
  let program = wid.x + wid.y * num.x;
  let i = program * 64u + lid;
  if (i >= args.n) { return; }
  let at = args.out + i;
  if (at >= args.end) {
    report_bounds(args.report, ${REPORT_WRITES}u, program, 0u, 1u, at - args.begin);
    return;
  }
  g${groups[2]}[at] = g${groups[0]}[args.a + i] + g${groups[1]}[args.b + i];
}`,
  };
}

export const ADD_SPECS: readonly ArgumentSpec[] = [
  pointerTo('float32'),
  pointerTo('float32'),
  pointerTo('float32'),
  { kind: 'scalar', dtype: 'int32', divisibleBy16: true },
];

/** Request for `addKernel`, each of its tensors in a group of its own. */
export const ADD_REQUEST: CompileRequest = {
  program: program('add'),
  specialization: {
    arguments: ADD_SPECS.map((spec, group) =>
      spec.kind === 'pointer' ? { ...spec, group } : spec,
    ),
    numWarps: 4,
  },
  target: BASELINE_TARGET,
  options: DEFAULT_OPTIONS,
};
