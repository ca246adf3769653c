/**
 * The compiler as a library: Python text, a signature and a target give WGSL, bindings, a launch
 * function, diagnostics and passes. No DOM, no WebGPU, no Node API. The command `compile` and the
 * plugin for bundlers are built on it.
 *
 * Guarantee: a mistake in the program is a diagnostic; an exception is a wrong call
 * (`HippocampError`).
 */
import type { Outline } from '../../compiler/1-parse/outline';
import type { Parser } from '../../compiler/1-parse/parser';
import { checkProgram, helpersOf } from '../../compiler/language/checkProgram';
import { createCompiler, type Compiler } from '../../compiler/pipeline';
import {
  DEFAULT_OPTIONS,
  type CompiledKernel,
  type CompileRequest,
  type Specialization,
} from '../../compiler/program';
import { settle } from '../../compiler/regroup';
import { retarget } from '../../compiler/targets/retarget';
import { moduleFiles } from '../share/export/module';
import { requestForExport } from '../share/export/request';
import { HippocampError } from './errors';
import { specializationOf, withOptions } from './signature';
import { targetOf } from './targets';
import type {
  Binding,
  CompileInput,
  CompileOptions,
  CompileOutput,
  KernelInfo,
  Program,
} from './types';

/** A program's kernels and mistakes; it is read once, and compiled as often as needed. */
export function openProgram(
  source: CompileInput['source'],
  parser: Parser,
  compiler: Compiler = createCompiler(parser),
): Program {
  const files = typeof source === 'string' ? { 'kernels.py': source } : source;
  const { diagnostics, kernels } = checkProgram(files, parser, compiler);
  const helpers = helpersOf(kernels);
  const isHelper = ({ program }: Outline): boolean => helpers.has(program.entry);
  const infos = kernels.map((each): KernelInfo => ({
    name: each.name,
    file: each.location.file,
    line: each.location.line,
    parameters: each.parameters,
    helper: isHelper(each),
    guessed: each.guess !== null,
  }));
  return {
    diagnostics,
    kernels: infos,
    compile: (wanted, options = {}) => {
      const kernel =
        typeof wanted === 'object'
          ? kernels[infos.indexOf(wanted)]
          : pick(kernels, isHelper, wanted);
      if (!kernel) throw new HippocampError('unknown-kernel', 'a kernel of another program');
      const broken = diagnostics.filter(
        ({ code, severity, location }) =>
          severity === 'error' && code.startsWith('HC01') && location.file === kernel.location.file,
      );
      if (broken.length > 0)
        return { ok: false, name: kernel.name, diagnostics: broken, passes: [] };
      return compileKernel(compiler, kernel, options);
    },
  };
}

function pick(
  kernels: readonly Outline[],
  isHelper: (kernel: Outline) => boolean,
  name: string | undefined,
): Outline {
  const listed = kernels.map((each) => each.name).join(', ');
  const own = name === undefined ? kernels.filter((each) => !isHelper(each)) : kernels;
  const found = own.find((each) => name === undefined || each.name === name);
  if (!found) {
    const message =
      kernels.length === 0
        ? 'the program has no @triton.jit function'
        : `there is no kernel ${name}; there are ${listed}`;
    throw new HippocampError('unknown-kernel', message);
  }
  if (name === undefined && own.length > 1)
    throw new HippocampError('unknown-kernel', `name one of the kernels ${listed}`);
  return found;
}

function compileKernel(
  compiler: Compiler,
  kernel: Outline,
  options: CompileOptions,
): CompileOutput {
  const { signature, numWarps, numStages, sameBuffer, passes = false, comments = true } = options;
  const checked = options.checked === true;
  const chosen = signature
    ? specializationOf(kernel, signature)
    : kernel.guess && (checked ? kernel.guess : withAnyInteger(kernel.guess));
  if (!chosen)
    throw new HippocampError(
      'bad-signature',
      `${kernel.name}: its constexpr arguments cannot be guessed from the text: give a signature`,
    );
  const target = targetOf(options.target);
  const own: CompileRequest = {
    program: kernel.program,
    specialization: withOptions(kernel, chosen, { numWarps, numStages, sameBuffer }),
    target,
    options: { ...DEFAULT_OPTIONS, verify: checked, keepIr: passes },
  };
  const compile = (first: CompileRequest): Settled =>
    settle((each) => compiler.compile(each), first);
  const { result, request } = checked
    ? compile(retarget(own, target))
    : compileAlone(own, comments, compile);
  const { name } = kernel;
  if (result.kind !== 'compiled')
    return result.kind === 'failed'
      ? { ok: false, name, diagnostics: result.diagnostics, passes: result.log }
      : { ok: false, name, diagnostics: [], passes: [] };
  const parameters = kernel.parameters.map((each) => each.name);
  const made = result.kernel;
  const module = checked ? null : standAlone({ kernel: made, request }, parameters);
  return {
    ok: true,
    name,
    wgsl: made.wgsl,
    entryPoint: made.entryPoint,
    workgroupSize: made.workgroupSize,
    features: made.features,
    bindings: bindingsOf(made, request.specialization, parameters),
    launch: module && { js: module.js, dts: module.dts },
    kernel: made,
    specialization: request.specialization,
    parameters,
    subgroupSize: made.features.includes('subgroups') ? request.target.subgroupSize : 'none',
    schedule: result.schedule,
    diagnostics: result.diagnostics,
    passes: result.log,
  };
}

type Settled = ReturnType<typeof settle>;

/**
 * Compiles for a launch outside the page: all of the target's bindings are the tensors', or all but
 * one where the kernel prints or asserts, which its code shows.
 */
function compileAlone(
  own: CompileRequest,
  comments: boolean,
  compile: (first: CompileRequest) => Settled,
): Settled {
  const { target } = own;
  const withOwn = (bindings: number): Settled => {
    const { options, ...exported } = requestForExport(retarget(own, target, bindings), comments);
    return compile({ ...exported, options: { ...options, keepIr: own.options.keepIr } });
  };
  const made = withOwn(0);
  if (made.result.kind !== 'compiled') return made;
  const { bindings, boundsReport, debugSites } = made.result.kernel;
  const reports = boundsReport !== null || debugSites !== undefined;
  return reports && bindings.length === target.maxStorageBuffers ? withOwn(1) : made;
}

/** The launch function. @throws where the kernel needs what only the page and the command have. */
function standAlone(...given: Parameters<typeof moduleFiles>): ReturnType<typeof moduleFiles> {
  try {
    return moduleFiles(...given);
  } catch (error) {
    throw new HippocampError('no-launch', error instanceof Error ? error.message : String(error));
  }
}

/** The guess for any integers: one that they are multiples of 16 would refuse launches. */
function withAnyInteger(guess: Specialization): Specialization {
  const freed = guess.arguments.map((spec) =>
    spec.kind === 'scalar' ? { ...spec, divisibleBy16: false } : spec,
  );
  return { ...guess, arguments: freed };
}

function bindingsOf(
  kernel: CompiledKernel,
  specialization: Specialization,
  parameters: readonly string[],
): Binding[] {
  const storage = kernel.bindings.map(({ group, access }, index): Binding => ({
    index,
    type: access === 'read' ? 'read-only-storage' : 'storage',
    arguments: parameters.filter((_, i) => {
      const spec = specialization.arguments[i];
      return spec?.kind === 'pointer' && spec.group === group;
    }),
  }));
  if (kernel.immediates) return storage;
  return [...storage, { index: storage.length, type: 'uniform', arguments: [] }];
}
