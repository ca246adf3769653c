/**
 * Measurements that are kept from run to run, as texts: of autotuning, and of what the adapter can
 * do.
 *
 * Guarantee: a text that is no measurement (cut off, by an older version, written by a program)
 * counts as none and is deleted, so that the next run measures again instead of failing for ever.
 */
import {
  boolean,
  dictionary,
  either,
  list,
  number,
  object,
  oneOf,
  orNull,
  where,
  whole,
} from '../shapes/check';
import type { Check } from '../shapes/check';
import type { TuningStore } from './keptCalibration';

/** Text kept by this key, if it has the shape; else null. */
export async function keptAs<T>(
  store: TuningStore | undefined,
  key: string,
  accepts: Check<T>,
): Promise<T | null> {
  const text = (await store?.get(key)) ?? '';
  if (text === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    if (accepts(value)) return value;
  } catch {
    // It is no JSON, or nests deeper than the stack.
  }
  store?.set(key, '');
  return null;
}

const duration = where(number, (value) => value >= 0 && value < Infinity);

interface KeptTime {
  readonly quantiles: readonly number[];
  readonly samples: number;
  readonly clock: 'gpu' | 'cpu';
  readonly quantum: number;
  readonly dropped: boolean;
}
/**
 * Milliseconds by configuration (`tuning.py`); of a schedule those of the default and the winner,
 * and its choices (`scheduleTuner.ts`).
 */
export interface KeptTuning {
  readonly times: Readonly<Record<string, KeptTime>>;
  readonly choices: Readonly<Record<string, number | boolean>> | null;
}
export const keptTuning = object<KeptTuning>({
  times: dictionary(
    object<KeptTime>({
      quantiles: where(list(duration), (all) => all.length === 3),
      samples: whole,
      clock: oneOf('gpu', 'cpu'),
      quantum: duration,
      dropped: boolean,
    }),
  ),
  choices: orNull(dictionary(either(number, boolean))),
});
