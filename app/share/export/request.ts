/**
 * How a kernel is compiled that will stand alone: without the reports of accesses out of range, with
 * nothing of the page's own bindings, and for what every adapter with these features has.
 */
import type { CompileRequest } from '../../../compiler/program';

export function requestForExport(request: CompileRequest): CompileRequest {
  return {
    ...request,
    target: { ...request.target, exchangeInStorage: false, immediateBytes: 0 },
    options: { ...request.options, checkBounds: false, keepIr: false, verify: false },
  };
}
