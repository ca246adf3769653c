/**
 * The target that Passes and WGSL show the kernel in view for: the adapter's own, or a profile's
 * (“Compile as if for”). Nothing runs for another target. Remembered.
 */
import { create } from 'zustand';
import type { CompileRequest } from '../../compiler/program';
import { findProfile, type Profile } from '../../compiler/targets/index';
import { retarget } from '../../compiler/targets/retarget';
import { load, save } from './storage';

const KEY = 'as-if';

export const useAsIf = create<{ readonly profile: Profile | null }>(() => ({
  profile: findProfile(load(KEY) ?? '') ?? null,
}));

/** @param id of a profile; anything else is the adapter's own target. */
export function compileAsIf(id: string): void {
  const profile = findProfile(id) ?? null;
  useAsIf.setState({ profile });
  save(KEY, profile?.id ?? null);
}

/** The request as Passes and WGSL show it. */
export function shownRequest(request: CompileRequest): CompileRequest {
  const { profile } = useAsIf.getState();
  return profile ? retarget(request, profile.target) : request;
}
