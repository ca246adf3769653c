/** The kernels of a program, compiled without running it, as data: `compile --json`, and MCP's. */
import type { Parser } from '../../compiler/1-parse/parser';
import type { PassRecord } from '../../compiler/program';
import type { ProgramFiles } from '../events';
import { openProgram } from '../library/compile';
import type { CompileOutput, KernelInfo, Signature } from '../library/types';
import type { CompileJson } from './schema/outputs';

export interface CompileAllOptions {
  /** Null: each kernel that no other one calls. */
  readonly kernel: string | null;
  readonly target: string;
  /** Passes whose IR is kept: the last alone, or all that changed it. */
  readonly keep: 'none' | 'last' | 'all';
  /** For `kernel`; absent: guessed from the text. */
  readonly signature?: Signature;
}

/**
 * @param files the entry first.
 * @throws HippocampError `bad-signature`, `unknown-target`
 */
export function compileAll(
  files: ProgramFiles,
  parser: Parser,
  { kernel, target, keep, signature }: CompileAllOptions,
): CompileJson {
  const [entry = ''] = Object.keys(files);
  const { diagnostics, kernels, compile } = openProgram(files, parser);
  const wanted = kernels.filter((each) =>
    kernel === null ? each.file === entry && !each.helper : each.name === kernel,
  );
  const ready = wanted.filter(({ guessed }) => guessed || signature !== undefined);
  const unguessed = wanted.filter((each) => !ready.includes(each)).map(({ name }) => name);
  const passes = keep !== 'none';
  return {
    version: 1,
    target,
    diagnostics: [...diagnostics] as CompileJson['diagnostics'],
    kernels: ready.map((each) =>
      compiledKernel(each, compile(each, { target, passes, checked: true, signature }), keep),
    ),
    unguessed,
    message: wanted.length > 0 ? null : missing(kernel, kernels),
  };
}

function missing(kernel: string | null, kernels: readonly KernelInfo[]): string {
  const names = kernels.map(({ name }) => name).join(', ');
  if (kernel === null) return 'the program has no @triton.jit function';
  return `there is no kernel ${kernel}${names ? `; there are ${names}` : ', nor any other'}`;
}

type Schedule = CompileJson['kernels'][number]['schedule'];

function compiledKernel(
  { name }: KernelInfo,
  made: CompileOutput,
  keep: CompileAllOptions['keep'],
): CompileJson['kernels'][number] {
  const last = made.passes.findLast(({ ir }) => ir !== '');
  const kept = (record: PassRecord): boolean =>
    keep === 'all' ? record.changed : keep === 'last' && record === last;
  const kernel = made.ok ? made.kernel : null;
  return {
    name,
    ok: made.ok,
    wgsl: made.ok ? made.wgsl : null,
    workgroupSize: made.ok ? made.workgroupSize : null,
    features: made.ok ? [...made.features] : [],
    resources: kernel && {
      threads: kernel.workgroupSize / kernel.programs,
      registers: kernel.registers,
      workgroupBytes: kernel.workgroupBytes,
    },
    schedule: made.ok ? ([...made.schedule] as Schedule) : [],
    passes: made.passes.map((record) => ({
      index: record.index,
      name: record.name,
      phase: record.phase,
      changed: record.changed,
      milliseconds: record.milliseconds,
      ir: kept(record) ? record.ir : '',
    })),
    diagnostics: [...made.diagnostics] as CompileJson['diagnostics'],
  };
}
