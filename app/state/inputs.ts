/** Which launch of the last run, and which of its programs, the panels look into. */
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { storeOfProgram } from './ofProgram';

export interface InputsState {
  /**
   * The launch in view of the memory panel and the debugger; null: the first of the kernel in view.
   */
  readonly launch: number | null;
  readonly program: readonly [number, number, number];
  /** A launch of the program's proof, in view in place of the last run's. */
  readonly proved: LaunchInputs | null;
}

export const useInputs = storeOfProgram<InputsState>({
  launch: null,
  program: [0, 0, 0],
  proved: null,
});

/**
 * The launch in view: the one chosen, else the first of the specialization in view, else the first.
 */
export function launchInView(
  {
    launches,
    launch,
  }: Pick<InputsState, 'launch'> & { readonly launches: readonly LaunchInputs[] },
  inView: { readonly kernel: string; readonly key: string | null } | null,
): LaunchInputs | null {
  // The page speaks of one specialization: a launch of another one is not in view.
  const fits = (one: LaunchInputs): boolean =>
    inView === null ||
    (inView.key === null ? one.kernel === inView.kernel : one.key === inView.key);
  return (
    launches.find((one) => one.launch === launch && fits(one)) ??
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

/**
 * A tensor of a launch by its parameter's name, with the elements of its storage that lie before
 * it.
 */
export function tensorArgument(
  launch: LaunchInputs,
  /** The launch event's, of which those of pointers read `name: *fp32 [4, 16]`. */
  labels: readonly string[],
  name: string,
): {
  readonly before: number;
  readonly shape: readonly number[] | null;
  readonly strides: readonly number[] | null;
} | null {
  const pointers = labels.filter((label) => /^[^:]+: \*/.test(label));
  const place = pointers.findIndex((label) => label.startsWith(`${name}: *`));
  const arg = launch.args.filter((one) => one.kind === 'pointer')[place];
  const storage = arg && launch.storages[arg.storage];
  const bytes = Number(BYTES[/^[^:]+: \*k?(\w+)/.exec(pointers[place] ?? '')?.[1] ?? ''] ?? 0);
  if (!storage || bytes === 0) return null;
  return {
    before: (arg.address - storage.address) / bytes,
    shape: arg.shape,
    strides: arg.strides,
  };
}
/** Of Triton's short dtypes. */
const BYTES: Readonly<Record<string, number>> = {
  i1: 1,
  i8: 1,
  u8: 1,
  i16: 2,
  u16: 2,
  i32: 4,
  u32: 4,
  i64: 8,
  u64: 8,
  fp16: 2,
  bf16: 2,
  fp32: 4,
  fp64: 8,
  fp8e4nv: 1,
  fp8e5: 1,
  fp8e4b15: 1,
  fp8e4b8: 1,
  fp8e5b16: 1,
};
