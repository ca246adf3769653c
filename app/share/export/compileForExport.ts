/**
 * The specialization in view, compiled once more for an export: without the reports of accesses out of
 * range, and for what every adapter with these features has.
 */
import type { CompiledKernel, CompileRequest } from '../../../compiler/program';
import { compileAside } from '../../state/compilation';

export interface Exported {
  readonly kernel: CompiledKernel;
  /** With the groups that the compiler settled on. */
  readonly request: CompileRequest;
}

/** @throws with what the compiler says. */
export async function compileForExport(request: CompileRequest): Promise<Exported> {
  const settled = await compileAside({
    ...request,
    target: { ...request.target, exchangeInStorage: false },
    options: { ...request.options, checkBounds: false, keepIr: false, verify: false },
  });
  const { result } = settled;
  if (result.kind === 'failed')
    throw new Error(result.diagnostics[0]?.message ?? 'the kernel does not compile');
  return { kernel: result.kernel, request: settled.request };
}
