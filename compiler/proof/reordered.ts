/**
 * Loads that may come before or after a store of another lane, as no barrier is between them: the
 * programs run again with the load's other value, which is what the element holds in the other
 * order.
 *
 * Guarantee: with the other value in one lane of one load, the programs store something else.
 * Lanes whose value counts for nothing, such as those that a clamped index leaves over, are none.
 */
import { memoryOf, type LaunchInputs } from '../inspect/launch';
import type { Step } from '../interpret/compile';
import type { Func, Operation } from '../ir/ir';
import { setElement } from '../ir/tile';
import { runLaunch, type AccessInRun, type Program } from './launchRun';
import { firstDifference, noting, type OnWrite, type WritingRun, type Written } from './written';

/** A lane of one load, and the store that may come on its other side. */
export interface Reordered {
  readonly load: Operation;
  readonly store: Operation;
  /** Whether the store came first, in the order of the interpreter. */
  readonly isStoreFirst: boolean;
  readonly program: Program;
  readonly address: number;
  /** Executions of the load before this one, in all programs. */
  readonly execution: number;
  readonly lane: number;
  /** The lane of the store. */
  readonly by: number;
  /** The element without the store, and with it. */
  readonly values: readonly [number | bigint, number | bigint];
  /** Whether the load is of a scalar, which all threads hold, the storing one too. */
  readonly isScalar: boolean;
}

/** @returns of those of one load and one store, one by which what is stored differs. */
export function deciding(
  func: Func,
  inputs: LaunchInputs,
  count: number,
  all: readonly Reordered[],
): Reordered | null {
  const differs = (some: readonly Reordered[]): boolean => {
    // The storing thread has its own load before or after its store, as written.
    const ignored = new Set(some.flatMap(({ isScalar, by }) => (isScalar ? [by] : [])));
    const before = run(func, inputs, count, [], ignored);
    return firstDifference(before, run(func, inputs, count, some, ignored)) !== undefined;
  };
  if (!differs(all)) return null;
  let some = all;
  while (some.length > 1) {
    const [first, rest] = [some.slice(0, some.length >> 1), some.slice(some.length >> 1)];
    some = differs(first) ? first : rest;
  }
  return differs(some) ? some[0]! : null;
}

/** The programs, with the other value in each load that is named. */
function run(
  func: Func,
  inputs: LaunchInputs,
  count: number,
  replaced: readonly Reordered[],
  ignored: ReadonlySet<number>,
): WritingRun {
  const written: Written[] = [];
  const onWrite: OnWrite = (op, { 0: x, 1: y, 2: z }, digest) => {
    written.push({ op, program: [x, y, z], digest });
  };
  const around = (access: AccessInRun): Step => {
    if (access.kind !== 'load') return noting(access, onWrite, ignored);
    const own = replaced.filter(({ load }) => load === access.op);
    return own.length === 0 ? access.step : replacing(access, own);
  };
  return { written, ...runLaunch(func, inputs, { memory: memoryOf(inputs), count, around }) };
}

function replacing({ op, step, compiler }: AccessInRun, own: readonly Reordered[]): Step {
  const out = compiler.tile(op.result);
  const byExecution = new Map<number, Reordered[]>();
  for (const one of own)
    byExecution.set(one.execution, [...(byExecution.get(one.execution) ?? []), one]);
  let execution = 0;
  return () => {
    step();
    for (const { lane, values, isStoreFirst } of byExecution.get(execution) ?? [])
      setElement(out, lane, values[isStoreFirst ? 0 : 1]);
    execution++;
  };
}
