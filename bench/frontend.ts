/** The compiler with its parser, and kernels found in a file's text. */
import treeSitterWasm from 'web-tree-sitter/web-tree-sitter.wasm';
import pythonWasm from 'tree-sitter-python/tree-sitter-python.wasm';
import { outline } from '../compiler/1-parse/outline';
import { createParser, type Parser } from '../compiler/1-parse/parser';
import { lower } from '../compiler/2-lower/index';
import { OPTIMIZE_PASSES } from '../compiler/3-optimize/index';
import { DISTRIBUTE_PASSES, distributeContext, type Choices } from '../compiler/4-distribute/index';
import { emit } from '../compiler/5-emit/emit';
import { createCompiler, type Compiler } from '../compiler/pipeline';
import type { CompiledKernel, CompileRequest, KernelProgram } from '../compiler/program';

export interface Frontend {
  readonly parser: Parser;
  readonly compiler: Compiler;
}

export async function openFrontend(): Promise<Frontend> {
  const parser = await createParser(treeSitterWasm, pythonWasm);
  return { parser, compiler: createCompiler(parser) };
}

/** The kernel of that name in the text, with all that it can reach. */
export function kernelIn({ parser }: Frontend, text: string, name: string): KernelProgram {
  const found = outline({ 'example.py': text }, parser).find((kernel) => kernel.name === name);
  if (!found) throw new Error(`there is no kernel ${name}`);
  return found.program;
}

/** The pipeline with choices of distribution that differ from the defaults: what a sweep tries. */
export function compileWith(
  { parser }: Frontend,
  request: CompileRequest,
  choices: Partial<Choices>,
): CompiledKernel {
  const { func, diagnostics } = lower(request, {}, parser);
  if (!func) throw new Error(diagnostics[0]?.message);
  for (const pass of OPTIMIZE_PASSES) pass.run(func);
  const context = distributeContext(request.target, request.specialization.numWarps, choices);
  for (const pass of DISTRIBUTE_PASSES) pass.run(func, context);
  const result = emit(func, request);
  if (result.kind !== 'compiled') throw new Error(result.kind);
  return result.kernel;
}
