/** Targets of the library, by the names of their profiles. */
import type { Target } from '../../compiler/target';
import { findProfile, PROFILE_IDS } from '../../compiler/targets/index';
import { HippocampError } from './errors';

/** The ids of the targets that can be named. */
export const TARGETS: readonly string[] = PROFILE_IDS;

/** @throws HippocampError `unknown-target` */
export function targetOf(target: string | Target | undefined): Target {
  if (typeof target === 'object') return target;
  const found = findProfile(target ?? 'baseline');
  if (found) return found.target;
  throw new HippocampError(
    'unknown-target',
    `there is no target ${target}; there are ${PROFILE_IDS.join(', ')}`,
  );
}
