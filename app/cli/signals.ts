/**
 * Signals that came while the command was loading (`hippocamp.mjs` holds them): whoever can answer
 * them takes them, once.
 */
let take: () => readonly NodeJS.Signals[] = () => [];

export function holdSignals(held: () => readonly NodeJS.Signals[]): void {
  take = held;
}

/** Those that came so far; from now on signals are the caller's. */
export const takeSignals = (): readonly NodeJS.Signals[] => take();
