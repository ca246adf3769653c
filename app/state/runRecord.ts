/**
 * The record that a panel shows: the last run of the program in view in this browser, or, where the
 * frame puts another in its place, that of its run on real Triton.
 */
import { createContext, useContext } from 'react';
import type { RunRecord } from './record';
import { useRun } from './run';

/** Undefined: the browser's. */
export const RunRecordContext = createContext<RunRecord | undefined>(undefined);

export function useRunRecord(): RunRecord | null {
  const here = useRun((state) => state.record);
  return useContext(RunRecordContext) ?? here;
}
