/**
 * Services of a session in the browser: its compiler, tunings and engines, the same in the program
 * worker and, where Python has a thread of its own, in the engine worker.
 */
import type { Parser } from '../../compiler/1-parse/parser';
import type { RunOptions } from '../events';
import type { Engine, EngineEvents } from '../runtime/engine';
import { openGpu } from '../runtime/gpu/gpuDevice';
import { GpuEngine } from '../runtime/gpu/gpuEngine';
import { InterpreterEngine } from '../runtime/interpreterEngine';
import type { TuningStore } from '../runtime/keptCalibration';
import type { SessionServices } from '../runtime/session';
import { browserCompiler } from './browserCompiler';
import { holderFor } from './holderFor';
import type { DataPort } from './protocol';

/**
 * @param keepInputs takes what launches got, for the page.
 * @param tunings the page's.
 * @param exchange the other side of a check.
 */
export function browserServices(
  parser: Parser,
  data: DataPort | null,
  keepInputs: NonNullable<SessionServices['keepInputs']>,
  tunings: TuningStore,
  exchange: NonNullable<SessionServices['exchange']>,
): SessionServices {
  // A worker that runs programs loses its `navigator.gpu` (`confine.ts`).
  const { gpu } = navigator;
  return {
    ...(data ? { holder: holderFor(data.port, data.share) } : {}),
    keepInputs,
    exchange,
    compiler: browserCompiler(parser),
    tunings,
    openEngine: (kind, events) => openEngine(gpu, kind, events),
  };
}

async function openEngine(
  gpu: GPU | undefined,
  kind: RunOptions['adapter'],
  events: EngineEvents,
): Promise<Engine> {
  if (kind === 'interpreter') return new InterpreterEngine(null, events);
  const opened = await openGpu(gpu);
  return opened.ok
    ? new GpuEngine(opened.gpu, events)
    : new InterpreterEngine(opened.reason, events);
}
