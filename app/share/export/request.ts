/**
 * How a kernel is compiled that will stand alone: without the reports of accesses out of range,
 * with nothing of the page's own bindings, and for what every adapter with these features has. What
 * was tried out on the adapter at hand holds for no other: nothing of it is relied on.
 */
import type { CompileRequest } from '../../../compiler/program';
import type { Probed } from '../../runtime/gpu/probes';

/** As if every try had failed; with a name for each, so that a new one is decided on here, too. */
const UNTRIED: Required<Omit<Probed, 'f16' | 'subgroupMatrices' | 'f16ByPacking'>> = {
  f16RoundsToNearest: false,
  f16PacksToNearest: false,
  f16CastsElided: true,
  functionsDropNan: true,
  extremaDropNan: false,
  flushesDenormals: true,
  readsZeroOutside: false,
  immediateBytes: 0,
};

/** @param quotes whether the WGSL has the lines of the program as comments. */
export function requestForExport(request: CompileRequest, quotes = true): CompileRequest {
  const { f16ByPacking: _, ...target } = request.target;
  return {
    ...request,
    target: { ...target, ...UNTRIED, exchangeInStorage: false, slicedLaunches: false },
    options: { ...request.options, checkBounds: false, keepIr: false, verify: false, quotes },
  };
}
