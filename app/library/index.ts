/**
 * The entry `hippocamp` of the package: Triton source, a signature and a target in, WGSL out. Runs
 * in browsers, workers, Node, Bun and Deno, without a GPU.
 */
import { openProgram } from './compile';
import { embeddedParser } from './embeddedParser';
import type { CompileInput, CompileOutput, Program } from './types';

export { TARGETS, targetOf } from './targets';
export { HippocampError, type HippocampErrorCode } from './errors';
export type {
  Binding,
  Compiled,
  CompileInput,
  CompileOptions,
  CompileOutput,
  ConstexprValue,
  Failed,
  KernelInfo,
  LaunchModule,
  Program,
  Signature,
} from './types';
export type { Diagnostic, Note } from '../../compiler/diagnostics';
export type { Location } from '../../compiler/ir/location';
export type { PassRecord, Specialization } from '../../compiler/program';
export type { Target } from '../../compiler/target';

/**
 * Compiles one kernel.
 * @throws HippocampError `unknown-kernel`, `unknown-target`, `bad-signature`
 */
export async function compile(input: CompileInput): Promise<CompileOutput> {
  return (await open(input.source)).compile(input.kernel, input);
}

/** A program's kernels and mistakes, to compile several of its kernels. */
export async function open(source: CompileInput['source']): Promise<Program> {
  return openProgram(source, await embeddedParser());
}
