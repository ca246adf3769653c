/**
 * Lines of the program at which the debugger stops. The editor's margin sets them and moves them with
 * the text; the debugger reads them.
 */
import { create } from 'zustand';

export interface Breakpoint {
  /** A key of the program's files. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

export interface BreakpointState {
  readonly breakpoints: readonly Breakpoint[];
  /** Sets the breakpoint, or takes it away. */
  readonly toggle: (file: string, line: number) => void;
  /** The lines of one file, where an edit moved them. */
  readonly replace: (file: string, lines: readonly number[]) => void;
  readonly clear: () => void;
}

const sorted = (breakpoints: readonly Breakpoint[]): Breakpoint[] =>
  [...breakpoints].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);

export const useBreakpoints = create<BreakpointState>((set, get) => ({
  breakpoints: [],
  toggle: (file, line) => {
    const { breakpoints } = get();
    const others = breakpoints.filter((each) => each.file !== file || each.line !== line);
    const removed = others.length < breakpoints.length;
    set({ breakpoints: removed ? others : sorted([...breakpoints, { file, line }]) });
  },
  replace: (file, lines) => {
    const others = get().breakpoints.filter((each) => each.file !== file);
    const moved = [...new Set(lines)].map((line) => ({ file, line }));
    set({ breakpoints: sorted([...others, ...moved]) });
  },
  clear: () => set({ breakpoints: [] }),
}));
