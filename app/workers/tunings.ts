/** Tunings in the browser's database: they outlive the page. Where it has none they are not kept. */
import { createStore, get, set } from 'idb-keyval';
import type { TuningStore } from '../runtime/keptCalibration';

export function browserTunings(): TuningStore {
  const store = createStore('hippocamp-tunings', 'tunings');
  return {
    async get(key) {
      try {
        return (await get<string>(key, store)) ?? '';
      } catch {
        return '';
      }
    },
    set(key, text) {
      // A private window, or a full disk: the next run measures again.
      set(key, text, store).catch(() => {});
    },
  };
}
