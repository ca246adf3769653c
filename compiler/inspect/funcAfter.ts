/**
 * The IR as it stands after one pass, as a live function: what the panels draw layouts of and what
 * the debugger steps through, as tiles or as threads. The pipeline is stopped there, so nothing
 * changes it afterwards.
 */
import type { Diagnostic } from '../diagnostics';
import type { Func, Value } from '../ir/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import type { Compiler } from '../pipeline';
import type { CompileRequest, CompilerServices, PassRecord } from '../program';

export type FuncAfter =
  | { readonly ok: true; readonly func: Func; readonly record: PassRecord }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Ends the compilation from within its observer. */
class Found extends Error {
  constructor(
    readonly func: Func,
    readonly record: PassRecord,
  ) {
    super('found');
  }
}

/** @param wanted chooses the pass; of several the first. */
export function funcAfter(
  compiler: Compiler,
  request: CompileRequest,
  wanted: (record: PassRecord) => boolean,
  services: CompilerServices = {},
): FuncAfter {
  try {
    const result = compiler.compile(request, services, (record, func) => {
      if (wanted(record)) throw new Found(func, record);
    });
    const diagnostics = result.kind === 'regroup' ? [] : result.diagnostics;
    return { ok: false, diagnostics };
  } catch (error) {
    if (!(error instanceof Found)) throw error;
    return { ok: true, func: error.func, record: error.record };
  }
}

/** A kernel in thread IR, with the parameters of the function in tiles that it was made of. */
export type KernelAfter =
  | { readonly ok: true; readonly kernel: ThreadKernel; readonly parameters: readonly Value[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

class FoundKernel extends Error {
  constructor(readonly kernel: ThreadKernel) {
    super('found');
  }
}

/** @param wanted chooses the pass on threads; of several the first. */
export function kernelAfter(
  compiler: Compiler,
  request: CompileRequest,
  wanted: (record: PassRecord) => boolean,
): KernelAfter {
  let tiles: Func | null = null;
  try {
    const result = compiler.compile(
      request,
      {},
      (_, func) => void (tiles = func),
      (record, kernel) => {
        if (wanted(record)) throw new FoundKernel(kernel);
      },
    );
    return { ok: false, diagnostics: result.kind === 'regroup' ? [] : result.diagnostics };
  } catch (error) {
    if (!(error instanceof FoundKernel)) throw error;
    const func = tiles as Func | null;
    return { ok: true, kernel: error.kernel, parameters: func?.body.args ?? [] };
  }
}

/** The kernel in thread IR as its last pass leaves it. */
export function finalKernel(compiler: Compiler, request: CompileRequest): KernelAfter {
  let tiles: Func | null = null;
  let kernel: ThreadKernel | null = null;
  const result = compiler.compile(
    request,
    {},
    (_, func) => void (tiles = func),
    (_, made) => void (kernel = made),
  );
  const [func, last] = [tiles as Func | null, kernel as ThreadKernel | null];
  if (func && last) return { ok: true, kernel: last, parameters: func.body.args };
  return { ok: false, diagnostics: result.kind === 'regroup' ? [] : result.diagnostics };
}
