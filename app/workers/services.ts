/**
 * What a session of the browser runs with: its compiler, tunings and engines, the same in the program
 * worker and, where Python has a thread of its own, in the engine worker.
 */
import type { Parser } from '../../compiler/1-parse/parser';
import type { RunOptions } from '../events';
import type { Engine, EngineEvents } from '../runtime/engine';
import { openGpu } from '../runtime/gpu/gpuDevice';
import { GpuEngine } from '../runtime/gpu/gpuEngine';
import { InterpreterEngine } from '../runtime/interpreterEngine';
import type { SessionServices } from '../runtime/session';
import { browserCompiler } from './browserCompiler';
import { holderFor } from './holderFor';
import type { DataPort } from './protocol';
import { browserTunings } from './tunings';

/** @param keepInputs takes what launches got, for the page. */
export function browserServices(
  parser: Parser,
  data: DataPort | null,
  keepInputs: NonNullable<SessionServices['keepInputs']>,
): SessionServices {
  return {
    ...(data ? { holder: holderFor(data.port, data.share) } : {}),
    keepInputs,
    compiler: browserCompiler(parser),
    tunings: browserTunings(),
    openEngine,
  };
}

async function openEngine(kind: RunOptions['adapter'], events: EngineEvents): Promise<Engine> {
  if (kind === 'interpreter') return new InterpreterEngine(null, events);
  const opened = await openGpu(navigator.gpu);
  return opened.ok
    ? new GpuEngine(opened.gpu, events)
    : new InterpreterEngine(opened.reason, events);
}
