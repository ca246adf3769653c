/** Every profile, by family; `docs/targets.md` lists them with the source of each field. */
import { BASELINE_TARGET } from '../target';
import { AMD } from './amd';
import { APPLE } from './apple';
import { INTEL } from './intel';
import { MOBILE } from './mobile';
import { NVIDIA } from './nvidia';
import { given, profile, type Profile } from './profile';
import { SOFTWARE } from './software';

export type { Profile } from './profile';

const { name: BASELINE_NAME, ...LIMITS } = BASELINE_TARGET;
const BASELINE = profile('baseline', BASELINE_NAME, given('WebGPU: promised everywhere', LIMITS));

export const PROFILES: readonly Profile[] = [
  BASELINE,
  ...APPLE,
  ...INTEL,
  ...AMD,
  ...NVIDIA,
  ...MOBILE,
  ...SOFTWARE,
];

/** Undefined where there is none of that name. */
export function findProfile(id: string): Profile | undefined {
  return PROFILES.find((each) => each.id === id);
}

/** The ids of all, for messages. */
export const PROFILE_IDS: readonly string[] = PROFILES.map(({ id }) => id);
