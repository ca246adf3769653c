/**
 * Words that the loads, stores and atomics of some programs of a launch touch: the interpreter runs
 * them on the launch's memory, and each access is reported with its addresses and mask before it
 * happens.
 */
import { FuncCompiler, argumentOf, type LaunchState, type Step } from '../interpret/compile';
import {
  BudgetExceeded,
  runInterpreter,
  type InterpreterOptions,
  type MemoryStorage,
} from '../interpret/index';
import { accessKind, maskOf } from '../ir/access';
import type { Func, Operation, Value } from '../ir/ir';
import { walk } from '../ir/ir';
import { byteSize, elementOf } from '../ir/types';
import type { StoredValues } from './lanes';

/** Bytes of one element as it is accessed. */
export function bytesOfAccess(op: Operation): number {
  const pointer = elementOf(op.operand(0).type);
  if (pointer.kind !== 'pointer') throw new Error(`${op.name} needs a pointer`);
  return byteSize(pointer.pointee);
}
/** The kernel's parameter that an access goes through; null where it is unknown. */
export function parameterOf(op: Operation, func: Func): number | null {
  const argument = argumentOf(op.operand(0));
  const index = argument ? func.body.args.indexOf(argument) : -1;
  return index < 0 ? null : index;
}

/**
 * Called before the access; the arrays are the interpreter's own, to be copied by who keeps them.
 */
export type OnAccess = (
  op: Operation,
  addresses: Float64Array,
  mask: Uint8Array | undefined,
  program: readonly [number, number, number],
  /** The values of a store. */
  values: StoredValues | undefined,
) => void;

export class TracingCompiler extends FuncCompiler {
  constructor(
    state: LaunchState,
    private readonly onAccess: OnAccess,
  ) {
    super(state);
  }
  override operation(op: Operation): Step | undefined {
    const step = super.operation(op);
    if (!step || accessKind(op) === null) return step;
    const mask = maskOf(op);
    const addresses = this.tile(op.operand(0)).data as Float64Array;
    const on = mask ? (this.tile(mask).data as Uint8Array) : undefined;
    const stored = op.name === 'tt.store' ? this.tile(op.operand(1)).data : undefined;
    return () => {
      this.onAccess(op, addresses, on, this.state.programId, stored);
      step();
    };
  }
}

export interface TraceOptions {
  readonly func: Func;
  readonly args: readonly (number | bigint | boolean)[];
  /** Changed in place. */
  readonly memory: readonly MemoryStorage[];
  readonly grid: readonly [number, number, number];
  readonly range: NonNullable<InterpreterOptions['range']>;
  readonly onAccess: OnAccess;
  readonly budget?: number;
  /** Called for each element that is out of range. */
  readonly onOutOfRange?: () => void;
  /** In place of a `TracingCompiler`. */
  readonly compilerFor?: (state: LaunchState) => FuncCompiler;
}
/**
 * How it ended: the budget may be spent, or the kernel may fail, before the programs are through.
 */
export type TraceEnd =
  | { readonly kind: 'complete' }
  | { readonly kind: 'budget' }
  | { readonly kind: 'failed'; readonly message: string };

/** Ends a trace from within `onAccess`: enough was seen. */
export class EnoughSeen extends Error {}

/** Runs the programs. An access out of range is left out, as on the GPU. */
export function traceAccesses(options: TraceOptions): TraceEnd {
  const { func, args, memory, grid, range, budget } = options;
  try {
    runInterpreter({
      func,
      args,
      memory,
      grid,
      range,
      ...(budget === undefined ? {} : { budget }),
      onOutOfRange: options.onOutOfRange ?? (() => {}),
      onAssert: () => {},
      compilerFor: options.compilerFor ?? ((state) => new TracingCompiler(state, options.onAccess)),
    });
    return { kind: 'complete' };
  } catch (error) {
    if (error instanceof BudgetExceeded || error instanceof EnoughSeen) return { kind: 'budget' };
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Whether an address, a mask or a branch depends on what memory holds. Where none does, a trace on
 * zeroed memory touches what the launch touched, so its tensors' contents need not be kept.
 */
export function dependsOnContents(func: Func): boolean {
  const seen = new Map<Value, boolean>();
  const of = (value: Value): boolean => {
    const known = seen.get(value);
    if (known !== undefined) return known;
    seen.set(value, false);
    const found = compute(value);
    seen.set(value, found);
    return found;
  };
  const compute = (value: Value): boolean => {
    const op = value.definition;
    if (op) {
      if (accessKind(op) !== null) return true;
      const inner = op.regions.some((region) => region.terminator.operands.some(of));
      return inner || op.operands.some(of);
    }
    const block = value.owner as Operation['regions'][number];
    const parent = block.parent;
    if (!parent) return false;
    return parent.operands.some(of) || block.terminator.operands.some(of);
  };
  let depends = false;
  walk(func.body, (op) => {
    if (depends) return;
    const mask = maskOf(op);
    if (accessKind(op) !== null) depends = of(op.operand(0)) || (mask !== undefined && of(mask));
    else if (op.name === 'scf.if') depends = of(op.operand(0));
    else if (op.name === 'scf.for') depends = op.operands.slice(0, 3).some(of);
    else if (op.name === 'scf.while')
      depends = op.region(0).terminator.operands.slice(0, 1).some(of);
  });
  return depends;
}
