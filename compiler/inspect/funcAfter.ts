/**
 * The IR as it stands after one pass, as a live function: what the panels draw layouts of and what the
 * debugger steps through. The pipeline is stopped there, so nothing changes it afterwards.
 */
import type { Diagnostic } from '../diagnostics';
import type { Func } from '../ir/ir';
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
