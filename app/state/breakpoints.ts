/**
 * Lines of the program at which the debugger stops. The editor's margin sets them and moves them
 * with the text; the debugger reads them.
 */
import { storeOfProgram } from './ofProgram';

export interface Breakpoint {
  /** A key of the program's files. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** A Python expression over scalars; absent where the debugger always stops. */
  readonly condition?: string;
}

export interface BreakpointState {
  readonly breakpoints: readonly Breakpoint[];
}

const sorted = (breakpoints: readonly Breakpoint[]): Breakpoint[] =>
  [...breakpoints].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);

/** Programs whose breakpoints are remembered while the page is open. */
const KEPT = 50;

export const useBreakpoints = storeOfProgram<BreakpointState>({ breakpoints: [] }, KEPT);

/** Sets the breakpoint, or takes it away. */
export function toggleBreakpoint(file: string, line: number): void {
  const { breakpoints } = useBreakpoints.getState();
  const others = breakpoints.filter((each) => each.file !== file || each.line !== line);
  const removed = others.length < breakpoints.length;
  useBreakpoints.setState({
    breakpoints: removed ? others : sorted([...breakpoints, { file, line }]),
  });
}

/** Stops there only where the condition holds; always where it is empty. */
export function setCondition(file: string, line: number, condition: string): void {
  const breakpoints = useBreakpoints.getState().breakpoints.map((each): Breakpoint => {
    if (each.file !== file || each.line !== line) return each;
    return condition === '' ? { file, line } : { file, line, condition };
  });
  useBreakpoints.setState({ breakpoints });
}

/** The lines of one file, in the order of its breakpoints, where an edit moved them. */
export function moveBreakpoints(file: string, lines: readonly number[]): void {
  const all = useBreakpoints.getState().breakpoints;
  const others = all.filter((each) => each.file !== file);
  const own = all.filter((each) => each.file === file);
  const moved = lines
    .map((line, i): Breakpoint => ({ ...own[i], file, line }))
    .filter(({ line }, i) => lines.indexOf(line) === i);
  useBreakpoints.setState({ breakpoints: sorted([...others, ...moved]) });
}
