/**
 * The record that a panel shows: the last run in this browser, or, where the frame puts another in its
 * place, that of the run on real Triton.
 */
import { createContext, useContext } from 'react';
import type { RunRecord } from './record';
import { useSession } from './session';

/** Undefined: the browser's. */
export const RunRecordContext = createContext<RunRecord | undefined>(undefined);

export function useRunRecord(): RunRecord | null {
  const here = useSession((state) => state.record);
  return useContext(RunRecordContext) ?? here;
}
