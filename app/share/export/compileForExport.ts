/**
 * The specialization in view, compiled once more for an export: without the reports of accesses out of
 * range, and for what every adapter with these features has.
 */
import type { CompiledKernel, CompileRequest } from '../../../compiler/program';
import { regroup } from '../../../compiler/regroup';
import { CompilerHost } from '../../workers/compilerHost';

const MAX_REGROUPS = 8;

export interface Exported {
  readonly kernel: CompiledKernel;
  /** With the groups that the compiler settled on. */
  readonly request: CompileRequest;
}

/** @throws with what the compiler says. */
export async function compileForExport(request: CompileRequest): Promise<Exported> {
  const host = new CompilerHost();
  let current: CompileRequest = {
    ...request,
    target: { ...request.target, exchangeInStorage: false },
    options: { ...request.options, checkBounds: false, keepIr: false, verify: false },
  };
  try {
    for (let round = 0; round < MAX_REGROUPS; round++) {
      const { result } = await host.compile(current);
      if (result.kind === 'compiled') return { kernel: result.kernel, request: current };
      if (result.kind === 'failed')
        throw new Error(result.diagnostics[0]?.message ?? 'the kernel does not compile');
      current = { ...current, specialization: regroup(current.specialization, result) };
    }
  } finally {
    host.dispose();
  }
  throw new Error('the compiler kept asking for other binding groups');
}
