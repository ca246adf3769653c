/**
 * How a kernel is compiled that will stand alone: without the reports of accesses out of range,
 * with nothing of the page's own bindings, and for what every adapter with these features has. What
 * was tried out on the adapter at hand holds for no other: nothing of it is relied on.
 */
import type { CompileRequest } from '../../../compiler/program';
import { UNTRIED } from '../../../compiler/targets/untried';
import type { Probed } from '../../runtime/gpu/probes';

/** A value for each probe, so that a new one is decided on there, too. */
const untried: Required<Omit<Probed, 'f16' | 'subgroupMatrices' | 'f16ByPacking'>> = UNTRIED;

/** @param quotes whether the WGSL has the lines of the program as comments. */
export function requestForExport(request: CompileRequest, quotes = true): CompileRequest {
  const { f16ByPacking: _, ...target } = request.target;
  return {
    ...request,
    target: { ...target, ...untried, sharedMemoryInStorage: false, slicedLaunches: false },
    options: { ...request.options, checkBounds: false, keepIr: false, verify: false, quotes },
  };
}
