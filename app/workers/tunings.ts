/**
 * Tunings and calibrations in the page's database: they outlive the page. Where it has none they
 * are not kept. The database is the page's alone; the workers that run programs ask for one text by
 * its key, and a text is kept only where its key and its shape are those of a tuning or a
 * calibration.
 *
 * Guarantee: a program neither reads nor changes what another one measured, nor what the adapter's
 * calibration says: a text of the right shape may still be a lie.
 */
import { clear, createStore, del, get, keys, set } from 'idb-keyval';
import type { TuningStore } from '../runtime/keptCalibration';
import { keptTuning } from '../runtime/keptTexts';
import { calibration } from '../shapes/events';

/** Far above what the largest list of configurations takes. */
const MOST_CHARACTERS = 2 ** 20;

/** As a worker requests it, and as it is kept: behind the program that measured it. */
const TUNING = /^(schedule-)?[0-9a-f]{64}$/;
const KEPT_TUNING = /^[^]{1,300} (schedule-)?[0-9a-f]{64}$/;
const CALIBRATION = /^calibration-[\w-]{1,100}$/;

/** Whether a text may stand under a key. */
export function isKeepable(key: string, text: string): boolean {
  if (text.length > MOST_CHARACTERS) return false;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  return KEPT_TUNING.test(key) ? keptTuning(value) : CALIBRATION.test(key) && calibration(value);
}

const opened = (): ReturnType<typeof createStore> => createStore('hippocamp-tunings', 'tunings');

/** How many results of autotuning and of schedule searches are kept; 0 where none can be. */
export async function countTunings(): Promise<number> {
  try {
    return (await keys(opened())).filter((key) => KEPT_TUNING.test(String(key))).length;
  } catch {
    return 0;
  }
}
/** Removes them, and the calibrations: the next run measures again. */
export async function clearTunings(): Promise<void> {
  await clear(opened());
}

/** The page's side. */
export function browserTunings(): TuningStore {
  const store = opened();
  return {
    async get(key) {
      try {
        const text = await get<unknown>(key, store);
        return typeof text === 'string' ? text : '';
      } catch {
        return '';
      }
    },
    set(key, text) {
      // A private window, or a full disk: the next run measures again.
      if (text === '' && (KEPT_TUNING.test(key) || CALIBRATION.test(key)))
        del(key, store).catch(() => {});
      else if (isKeepable(key, text)) set(key, text, store).catch(() => {});
    },
  };
}

/** Page ← worker, and the page's answer. */
export type ToTunings =
  | { readonly type: 'find-tuning'; readonly id: number; readonly key: string }
  | { readonly type: 'keep-tuning'; readonly key: string; readonly text: string };
export interface FoundTuning {
  readonly type: 'tuning';
  readonly id: number;
  readonly text: string;
}

/** Who asks: which program ran in the worker, if any did, and whether no program can have asked. */
export interface Asking {
  readonly program: string | null;
  readonly trusted: boolean;
}

/** Does what a worker requested. */
export function answerTuning(
  store: TuningStore,
  message: ToTunings,
  { program, trusted }: Asking,
  reply: (found: FoundTuning) => void,
): void {
  const own = TUNING.test(message.key) && program !== null ? `${program} ${message.key}` : null;
  const key = own ?? message.key;
  if (message.type === 'keep-tuning') {
    if (own !== null || trusted) store.set(key, message.text);
  } else void store.get(key).then((text) => reply({ type: 'tuning', id: message.id, text }));
}

/** The worker's side: the page's store, through messages. */
export class RemoteTunings implements TuningStore {
  private readonly asked = new Map<number, (text: string) => void>();
  private ids = 0;

  constructor(private readonly post: (message: ToTunings) => void) {}

  get(key: string): Promise<string> {
    const id = ++this.ids;
    return new Promise((resolve) => {
      this.asked.set(id, resolve);
      this.post({ type: 'find-tuning', id, key });
    });
  }

  set(key: string, text: string): void {
    this.post({ type: 'keep-tuning', key, text });
  }

  receive({ id, text }: FoundTuning): void {
    this.asked.get(id)?.(text);
    this.asked.delete(id);
  }
}
