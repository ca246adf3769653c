/** Settings of launches as data, and the values that real Triton takes for them. */
import { isPowerOfTwo } from '../ir/layoutAlgebra';
import type { Location } from '../ir/location';

export type SettingRole = 'block' | 'order' | 'split' | 'warps' | 'stages';

export interface LaunchSetting {
  readonly name: string;
  readonly role: SettingRole;
  /** Null: the launch does not state it, and Triton's default holds. */
  readonly value: number | null;
  /** The number in the text; where there is none, the empty place of a new keyword. */
  readonly location: Location;
  /** Stands before the number where the text has none yet: `, num_warps=`. */
  readonly before: string;
}

export interface LaunchSettings {
  readonly settings: readonly LaunchSetting[];
  /** `@triton.autotune` chooses: options at the launch would be refused. */
  readonly autotuned: boolean;
  /** The kernel has a loop, which `num_stages` can pipeline. */
  readonly loops: boolean;
}

/** Triton's defaults. */
export const DEFAULT_OPTIONS = { num_warps: 4, num_stages: 3 } as const;

/** Values that real Triton takes, whatever the GPU: tiles are powers of two of at most 2²⁰. */
export function allowedValue(role: SettingRole, value: number): boolean {
  if (!Number.isInteger(value) || value < 1) return false;
  switch (role) {
    case 'block':
      // `tl.dot` takes no less than 16.
      return isPowerOfTwo(value) && value >= 16 && value <= 65_536;
    case 'warps':
      return isPowerOfTwo(value) && value <= 32;
    case 'stages':
      return value <= 8;
    case 'order':
    case 'split':
      return value <= 64;
    default:
      return role satisfies never;
  }
}
