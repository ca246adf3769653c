/**
 * The engines of a session, one of each kind, opened by the first run that needs them.
 *
 * Guarantee: whom this answers gets an engine whose device was there a moment ago; a lost one is
 * replaced.
 */
import type { RunOptions } from '../events';
import type { Engine, EngineEvents } from './engine';
import { diagnostic, RuntimeFault, siteLocation } from './errors';

export type EngineKind = RunOptions['adapter'];

export class Engines {
  private readonly engines = new Map<EngineKind, Engine>();

  constructor(
    private readonly open: (kind: EngineKind, events: EngineEvents) => Promise<Engine>,
    private readonly events: EngineEvents,
  ) {}

  async get(kind: EngineKind): Promise<Engine> {
    let engine = this.engines.get(kind);
    if (!engine || engine.lost !== null) {
      engine = await this.open(kind, this.events);
      this.engines.set(kind, engine);
    }
    return engine;
  }

  /** Another of the same kind. */
  replace(lost: Engine): Promise<Engine> {
    const kind = [...this.engines].find(([, engine]) => engine === lost)?.[0];
    return this.get(kind ?? 'webgpu');
  }

  dispose(): void {
    for (const engine of this.engines.values()) engine.dispose();
    this.engines.clear();
  }
}

/** Error message for a lost device. @param tensors that only the GPU had. */
export function lossOf(engine: Engine, tensors: number): RuntimeFault {
  const launches = engine.unfinished();
  const [first] = launches;
  const running = first
    ? `while ${launches.map((launch) => `${launch.unit.name} (line ${launch.site.line})`).join(', ')} ran`
    : 'while no launch ran';
  const gone =
    tensors > 0 ? ` ${tensors} tensor${tensors === 1 ? ' was' : 's were'} lost with it.` : '';
  const reason = (engine.lost ?? 'unknown reason').replace(/\.?$/, '.');
  const message = `The GPU device was lost ${running}: ${reason}${gone}`;
  return new RuntimeFault('RuntimeError', message, [
    diagnostic(
      'HC8003',
      'error',
      message,
      siteLocation(first?.site ?? { file: '<program>', line: 1 }),
      ['A launch that runs for seconds is stopped by the operating system. Is a loop endless?'],
    ),
  ]);
}
