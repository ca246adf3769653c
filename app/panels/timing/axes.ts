/**
 * Two settings of a launch as axes: the values to measure, and which of the trials is best.
 *
 * Guarantee: every value is one that real Triton takes, and the text's own is among them.
 */
import { allowedValue, type LaunchSetting } from '../../../compiler/language/settingValues';
import { changeTo, type Change, type Trial } from '../../state/trials';
import { valueOf } from './advice';
import { spreadOfTrial, troubleOf } from './Tries';

/** Values on either side of the text's own. */
const BESIDE = 2;

export function valuesOf(setting: LaunchSetting): number[] {
  const own = valueOf(setting);
  // The compiler prefetches or does not: more stages than two are the same program (docs/hints.md).
  if (setting.role === 'stages') return [1, Math.max(own, 2)];
  const steps = Array.from({ length: 2 * BESIDE + 1 }, (_, i) => i - BESIDE);
  return steps.map((step) => own * 2 ** step).filter((value) => allowedValue(setting.role, value));
}

/** The changes of a cell: only of what differs from the text. */
export function cellChanges(cell: readonly (readonly [LaunchSetting, number])[]): Change[] {
  return cell.flatMap(([setting, value]) =>
    value === valueOf(setting) ? [] : [changeTo(setting, value)],
  );
}

/** The fastest trial whose program still passes; null where none was timed. */
export function bestOf(trials: readonly (Trial | null)[]): Trial | null {
  const timed = trials.flatMap((trial) => {
    const spread = trial && troubleOf(trial) === null ? spreadOfTrial(trial) : null;
    return spread ? [{ trial: trial!, median: spread.median }] : [];
  });
  return timed.sort((a, b) => a.median - b.median)[0]?.trial ?? null;
}
