/**
 * For tests: the first pass behind which a kernel gives another result, or is found to have a
 * hazard: the check mode for kernels that are made, not launched. Unlike the page's it compares by
 * the kernel's own tolerance, and goes on where an access is out of range.
 */
import { OPTIMIZE_PASSES } from '../../3-optimize/index';
import { DISTRIBUTE_PASSES, distributeContext } from '../../4-distribute/index';
import type { Func } from '../../ir/ir';
import { printIr } from '../../ir/printer';
import type { ThreadKernel } from '../../ir/thread/kernel';
import { printThreads } from '../../ir/thread/printer';
import { lower_tiles, THREAD_PASSES, TILE_PASSES } from '../index';
import { compare, interpret, interpretThreads } from './differential';
import type { FuzzCase } from './fuzzCase';
import { requestFor } from './run';

export interface GuiltyPass {
  readonly name: string;
  /** The difference behind it, or why it, or its result, does not run. */
  readonly what: string;
}
/** A pass on tiles or on threads. `run` gives the text of the IR behind it. */
interface Pass {
  readonly name: string;
  readonly run: () => string;
  /** The difference then; undefined where there is none. */
  readonly judge: () => string | undefined;
}

/** Undefined where all are right: then what is printed is wrong, or what runs it. */
export function guiltyPass(test: FuzzCase): GuiltyPass | undefined {
  let before = '';
  for (const { name, run, judge } of passesOf(test)) {
    try {
      const text = run();
      if (text === before) continue;
      before = text;
      const what = judge();
      if (what !== undefined) return { name, what };
    } catch (error) {
      return { name, what: error instanceof Error ? error.message : String(error) };
    }
  }
  return undefined;
}

/** One line for a report. */
export function describeGuilty(guilty: GuiltyPass | undefined): string {
  return guilty
    ? `first wrong behind ${guilty.name}: ${guilty.what}`
    : 'every pass is right on the interpreters: emit is wrong, or what runs its text';
}

function passesOf({ make, args, grid, tolerance, target, launch }: FuzzCase): readonly Pass[] {
  const func = make();
  const request = requestFor(func, target, launch);
  const { options, shifts, numWarps, choices } = launch;
  const takes = { statedWarps: numWarps !== undefined };
  const context = distributeContext(target, numWarps ?? 4, choices, options?.manyPrograms, takes);
  const { buffers: expected } = interpret(make(), args, grid, shifts);
  const differing = (got: typeof expected): string | undefined => {
    const [first, ...more] = compare(func, expected, got, tolerance);
    if (!first) return undefined;
    const { argument, element } = first;
    const at = `argument ${argument}, element ${element}`;
    return `${at}: ${first.expected} became ${first.got}, and ${more.length} more`;
  };
  const onTiles = (name: string, run: (func: Func) => unknown): Pass => ({
    name,
    run: () => {
      run(func);
      return printIr(func);
    },
    judge: () => differing(interpret(func, args, grid, shifts).buffers),
  });
  let kernel: ThreadKernel;
  const onThreads = (name: string, run: () => unknown): Pass => ({
    name,
    run: () => {
      run();
      return printThreads(kernel.func);
    },
    judge: () => {
      const { findings, buffers } = interpretThreads(func, { kernel, request }, args, grid, shifts);
      return findings[0] ?? differing(buffers);
    },
  });
  return [
    ...(launch.optimize ? OPTIMIZE_PASSES : []).map((pass) => onTiles(pass.name, pass.run)),
    ...DISTRIBUTE_PASSES.map((pass) => onTiles(pass.name, (each) => pass.run(each, context))),
    ...TILE_PASSES.map((pass) => onTiles(pass.name, (each) => pass.run(each, request))),
    onThreads('lower_tiles', () => (kernel = lower_tiles(func, request))),
    ...THREAD_PASSES.map(({ name, run }) => onThreads(name, () => run(kernel.func, kernel))),
  ];
}
