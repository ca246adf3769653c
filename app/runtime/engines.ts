/**
 * The engines of a session, one of each kind, opened by the first run that needs them.
 *
 * Guarantee: whom this answers gets an engine whose device was there a moment ago; a lost one is
 * replaced.
 */
import type { RunOptions } from '../events';
import type { Engine, EngineEvents, EngineLaunch } from './engine';
import { diagnostic, NO_SITE, RuntimeFault, siteLocation } from './errors';

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

/** Places of launches that the message names. */
const MOST_NAMED = 3;

/** Launches by kernel and line, the first ones, with how often each was made. */
function named(launches: readonly EngineLaunch[]): string {
  const places = new Map<string, number>();
  for (const { unit, site } of launches) {
    const place = `${unit.name} (line ${site.line})`;
    places.set(place, (places.get(place) ?? 0) + 1);
  }
  const all = [...places].map(([place, times]) => (times > 1 ? `${place} ${times} times` : place));
  const more = all.length - MOST_NAMED;
  return [...all.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** Whether what failed may have failed because its device is lost. */
export async function failedByLoss(engine: Engine, error: unknown): Promise<boolean> {
  // The runtime's own errors hold whatever became of the device since.
  if (error instanceof RuntimeFault && !/WebGPU|WGSL|reading a tensor back/.test(error.message))
    return false;
  return engine.lost !== null || ((await engine.isLost?.()) ?? false);
}

/** Error message for a lost device. @param tensors that only the GPU had. */
export function lossOf(engine: Engine, tensors: number): RuntimeFault {
  const launches = engine.unfinished();
  const [first] = launches;
  const running = first ? `while ${named(launches)} ran` : 'while no launch ran';
  const gone =
    tensors > 0 ? ` ${tensors} tensor${tensors === 1 ? ' was' : 's were'} lost with it.` : '';
  const reason = (engine.lost ?? 'unknown reason').replace(/\.?$/, '.');
  const message = `The GPU device was lost ${running}: ${reason}${gone}`;
  return new RuntimeFault('RuntimeError', message, [
    diagnostic(
      'HC8003',
      'error',
      message,
      siteLocation(first?.site ?? NO_SITE),
      first
        ? ['A launch that runs for seconds is stopped by the operating system. Is a loop endless?']
        : [],
    ),
  ]);
}
