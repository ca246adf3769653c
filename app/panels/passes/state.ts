/** State of the passes panel; travels in a link. */
import { create } from 'zustand';
import type { PassRecord } from '../../../compiler/program';
import { registerSlice, type Json } from '../../share/slices';
import { isRealLevel, type RealLevel } from '../../state/recorded';
import type { PassSelection } from './select';

/** `trace`: beside the TTIR that a trace of Triton has of the kernel. */
export type DiffMode = 'off' | 'split' | 'inline' | 'trace';

export interface PassesState {
  /** Null: the last pass that changed something. */
  readonly selection: PassSelection | null;
  /** Real Triton's code in place of a pass. */
  readonly real: RealLevel | null;
  readonly diff: DiffMode;
  readonly lastDiff: 'split' | 'inline';
  readonly changedOnly: boolean;
  readonly search: string;
  /** Whether the pass's page is shown above its IR. */
  readonly about: boolean;
}

export const usePasses = create<PassesState>(() => ({
  selection: null,
  real: null,
  diff: 'off',
  lastDiff: 'split',
  changedOnly: false,
  search: '',
  about: false,
}));

export const select = (pass: PassRecord | null): void => {
  if (pass) usePasses.setState({ selection: { index: pass.index, name: pass.name }, real: null });
};
export const selectReal = (real: RealLevel): void => usePasses.setState({ real });
export const setDiff = (diff: DiffMode): void =>
  usePasses.setState(diff === 'off' || diff === 'trace' ? { diff } : { diff, lastDiff: diff });

registerSlice('passes', {
  get: () => {
    const { selection, real, diff, changedOnly } = usePasses.getState();
    if (!selection && !real && diff === 'off' && !changedOnly) return null;
    return {
      ...(selection ? { index: selection.index, name: selection.name } : {}),
      ...(real ? { real } : {}),
      ...(diff === 'off' || diff === 'trace' ? {} : { diff }),
      ...(changedOnly ? { changedOnly } : {}),
    };
  },
  set: (value) => usePasses.setState(readState(value)),
});

/** Whatever of it is as it should be. */
function readState(value: Json): Partial<PassesState> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const { index, name, real, diff, changedOnly } = value as Record<string, Json>;
  const isIndex = typeof index === 'number' && Number.isInteger(index) && index >= 0;
  return {
    ...(isIndex && typeof name === 'string' ? { selection: { index, name } } : {}),
    ...(isRealLevel(real) ? { real } : {}),
    ...(diff === 'split' || diff === 'inline' ? { diff, lastDiff: diff } : {}),
    ...(changedOnly === true ? { changedOnly } : {}),
  };
}
