/** The compiler with its parser, and kernels found in a file's text. */
import treeSitterWasm from 'web-tree-sitter/web-tree-sitter.wasm';
import pythonWasm from 'tree-sitter-python/tree-sitter-python.wasm';
import { outline } from '../compiler/1-parse/outline';
import { createParser, type Parser } from '../compiler/1-parse/parser';
import { createCompiler, type Compiler } from '../compiler/pipeline';
import type { KernelProgram } from '../compiler/program';

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
