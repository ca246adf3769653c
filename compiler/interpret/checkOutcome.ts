/** Outcome of a run of the check mode's interpreters. */
import type { Func } from '../ir/ir';
import { OutOfRangeError, Stopped, describeFailure, runInterpreter } from './index';
import type { MemoryStorage } from './memory';
import { brokenLayout, PromiseCompiler } from './promises';
import type { Promises } from './promises';

/** The launch that a kernel is checked on. */
export interface CheckedLaunch {
  /** For each of the function's arguments: an address or a value. */
  readonly args: readonly (number | bigint | boolean)[];
  /** Contents of the storages before the launch. Left as they are. */
  readonly memory: readonly MemoryStorage[];
  readonly grid: readonly [number, number, number];
  /** Interpret only these programs, where all of them would take too long. */
  readonly range?: { readonly first: number; readonly end: number };
  /** Operations for each pass's run. */
  readonly budget?: number;
  /** Steps of lanes after which no other program of thread IR begins; absent: 50 million. */
  readonly threadSteps?: number;
  readonly shouldStop?: () => boolean;
}

/** The programs that are interpreted, at most. */
export function rangeOf({ grid, range }: Pick<CheckedLaunch, 'grid' | 'range'>): {
  readonly first: number;
  readonly end: number;
} {
  return range ?? { first: 0, end: grid[0] * grid[1] * grid[2] };
}

export type Outcome =
  | {
      readonly ok: true;
      readonly memory: readonly MemoryStorage[];
      /** A promise of TTGIR to `lower_tiles` that does not hold, though every tile is right. */
      readonly broken?: string;
    }
  | {
      readonly ok: false;
      readonly message: string;
      /** An access went out of range: which is reported first depends on the level. */
      readonly outOfRange: boolean;
    };

/**
 * Runs tile IR on a copy of the memory, and looks at what it promises. `barriers`: whether they
 * have been inserted. @throws Stopped
 */
export function interpretTiles(func: Func, options: CheckedLaunch, barriers = false): Outcome {
  const layout = brokenLayout(func);
  const promises: Promises = { barriers, ...(layout !== undefined && { broken: layout }) };
  let compiler: PromiseCompiler | undefined;
  const { args, grid, range, budget, shouldStop } = options;
  const memory = options.memory.map(({ address, bytes }) => ({ address, bytes: bytes.slice() }));
  try {
    runInterpreter({
      func,
      args,
      memory,
      grid,
      ...(range && { range }),
      ...(budget !== undefined && { budget }),
      ...(shouldStop && { shouldStop }),
      compilerFor: (state) => (compiler = new PromiseCompiler(state, promises)),
      onProgram: () => compiler?.restart(),
    });
    const { broken } = promises;
    return { ok: true, memory, ...(broken !== undefined && { broken }) };
  } catch (error) {
    if (error instanceof Stopped) throw error;
    const outOfRange = error instanceof OutOfRangeError;
    return { ok: false, message: describeFailure(error), outOfRange };
  }
}
