/** The whole compiler on one screen. Filled in as the phases land. */
import type { Func } from './ir/ir';
import type { CompileRequest, CompileResult, CompilerServices, PassRecord } from './program';

/** Called after every pass with the live IR: the check mode interprets it there. */
export type PassObserver = (record: PassRecord, func: Func) => void;

export type Compile = (
  request: CompileRequest,
  services?: CompilerServices,
  observe?: PassObserver,
) => CompileResult;
