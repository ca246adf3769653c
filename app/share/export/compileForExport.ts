/** The specialization in view, compiled once more for an export. */
import type { CompiledKernel, CompileRequest } from '../../../compiler/program';
import { compileAside } from '../../state/compilation';
import { requestForExport } from './request';

export interface Exported {
  readonly kernel: CompiledKernel;
  /** With the groups that the compiler settled on. */
  readonly request: CompileRequest;
}

/** @throws with what the compiler says. */
export async function compileForExport(
  request: CompileRequest,
  quotes: boolean,
): Promise<Exported> {
  const settled = await compileAside(requestForExport(request, quotes));
  const { result } = settled;
  if (result.kind === 'failed')
    throw new Error(result.diagnostics[0]?.message ?? 'the kernel does not compile');
  return { kernel: result.kernel, request: settled.request };
}
