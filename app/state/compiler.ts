/** The compiler's worker as the page sees it: whether it is downloaded. */
import { create } from 'zustand';

export interface CompilerState {
  /** The compiler is downloaded and started. */
  readonly loaded: boolean;
  /** Why it cannot be downloaded; it is tried again. */
  readonly unavailable: string | null;
}

export const useCompiler = create<CompilerState>(() => ({ loaded: false, unavailable: null }));
