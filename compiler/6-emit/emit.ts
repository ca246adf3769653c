/**
 * A kernel in thread IR to a WGSL module and what the runtime needs to launch it. One compute entry
 * point, a thread a WGSL invocation, a program a workgroup, or a thread
 * (`CompiledKernel.programs`). Prints, and decides nothing: statements, their order and their form
 * stand in the IR.
 */
import { reportedAccesses, type ThreadKernel } from '../ir/thread/kernel';
import { ROUTINES } from '../ir/thread/library/index';
import { checkPipelineCost } from '../ir/thread/limits';
import { registerPressure } from '../ir/thread/pressure';
import { surveyThreads } from '../ir/thread/survey';
import type { CompiledKernel, CompileRequest } from '../program';
import { machineOf } from '../target';
import { printBody } from './body';
import { printDeclarations, printEntry } from './module';
import type { Buffer, Module } from './module';
import { Names } from './names';
import { Words } from './words';
import { Writer } from './writer';

export function emit(kernel: ThreadKernel, request: CompileRequest): CompiledKernel {
  const { func, threads, programs, oneByOne } = kernel;
  const names = new Names(Object.keys(ROUTINES));
  const words = new Words();
  const buffers: Buffer[] = [];
  const args = func.body.args.map((value, i) => {
    const parameter = func.parameters[i]!;
    if (parameter.kind === 'word') return words.text(parameter.word);
    const hint = value.name ?? `buffer_${parameter.group}`;
    const own = parameter.group === 'shared';
    const name = own ? names.declared(hint) : names.fresh(hint);
    const access = parameter.written ? 'read_write' : 'read';
    buffers.push({ name, value, binding: { group: parameter.group, access } });
    return name;
  });
  const { report, ...launch } = launchOf(kernel, request, buffers, words);
  const survey = surveyThreads(func);
  const registers = registerPressure(func, survey);
  const { target, options, program } = request;
  const { compilesSlowly } = machineOf(target);
  checkPipelineCost(func, survey, registers, compilesSlowly);
  const writer = new Writer(
    1,
    compilesSlowly,
    options.quotes === false ? undefined : program.files,
  );
  const body = printBody(func, survey, args, names, report, writer);
  const module: Module = { ...launch, kernel, target, survey, buffers, words, body };

  const out = new Writer();
  const features = printDeclarations(out, module);
  const entryLine = out.lines.length + 1;
  printEntry(out, module);
  for (const line of body.writer.lines) out.lines.push(line);
  out.line('}');
  const { immediates, reports, debugs } = launch;
  return {
    name: func.name,
    wgsl: `${out.lines.map((line) => line.text).join('\n')}\n`,
    entryPoint: 'main',
    entryLine,
    workgroupSize: threads * programs,
    programs,
    workgroupBytes: kernel.workgroupBytes,
    bindings: buffers.map(({ binding }) => binding),
    uniforms: words.list,
    ...(immediates ? { immediates } : {}),
    boundsReport: reports ? { accesses: reportedAccesses(kernel) } : null,
    ...(debugs ? { debugSites: kernel.debugSites } : {}),
    oneByOne,
    features,
    sourceMap: out.lines.map((line) => line.location),
    registers,
  };
}

/** How the module finds its program, its words and its report; adds the words that this takes. */
function launchOf(
  kernel: ThreadKernel,
  { options, target }: CompileRequest,
  buffers: readonly Buffer[],
  words: Words,
): Pick<Module, 'row' | 'grid' | 'first' | 'immediates' | 'reports' | 'debugs'> & {
  /** The text of where the launch's report begins. */
  readonly report: string;
} {
  const row = kernel.oneByOne || buffers.some(({ binding }) => binding.group === 'shared');
  const sliced = target.slicedLaunches === true;
  const linear = row || options.linearGrid || kernel.programs > 1 || sliced;
  const grid = linear
    ? ([0, 1, 2] as const).map((axis) => words.text({ kind: 'grid', axis }))
    : undefined;
  const first = row || sliced ? `${words.text({ kind: 'program' })} + ` : '';
  const reports = kernel.reports && kernel.accesses.length > 0;
  const debugs = kernel.debugSites.length > 0;
  // A report of its own, with a queue behind it, begins where its buffer does.
  const placed = reports && !debugs;
  const most = (target.immediateBytes ?? 0) / 4;
  const immediates = words.list.length + (placed ? 1 : 0) <= most;
  const report = immediates && placed ? words.text({ kind: 'report' }) : '0u';
  return { row, grid, first, immediates, reports, debugs, report };
}
