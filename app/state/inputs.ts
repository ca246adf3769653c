/**
 * What the launches of the last run got: kept for the panels that run a launch again on the interpreter.
 * Cleared by the next run.
 */
import { create } from 'zustand';
import type { LaunchInputs } from '../../compiler/inspect/launch';

export interface InputsState {
  readonly launches: readonly LaunchInputs[];
  /** The next runs also read back what only the GPU has. */
  readonly readBack: boolean;
  /** The launch in view of the memory panel and the debugger; null: the first of the kernel in view. */
  readonly launch: number | null;
  readonly program: readonly [number, number, number];
}

export const useInputs = create<InputsState>(() => ({
  launches: [],
  readBack: false,
  launch: null,
  program: [0, 0, 0],
}));

export function holdInputs(inputs: LaunchInputs): void {
  useInputs.setState((state) => ({ launches: [...state.launches, inputs] }));
}
export function forgetInputs(): void {
  useInputs.setState({ launches: [], launch: null });
}

/** The launch in view: the one chosen, else the first of the specialization in view, else the first. */
export function launchInView(
  { launches, launch }: Pick<InputsState, 'launches' | 'launch'>,
  inView: { readonly kernel: string; readonly key: string | null } | null,
): LaunchInputs | null {
  return (
    launches.find(
      (one) => one.launch === launch && one.kernel === (inView?.kernel ?? one.kernel),
    ) ??
    launches.find((one) => inView !== null && one.key === inView.key) ??
    launches.find((one) => inView !== null && one.kernel === inView.kernel) ??
    launches[0] ??
    null
  );
}

/** Within the launch's grid. */
export function clampProgram(
  program: readonly [number, number, number],
  grid: readonly [number, number, number],
): [number, number, number] {
  const at = (i: 0 | 1 | 2): number => Math.max(0, Math.min(program[i], grid[i] - 1));
  return [at(0), at(1), at(2)];
}
