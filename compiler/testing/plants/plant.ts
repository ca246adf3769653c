/**
 * For tests: faults as a pass might have them, planted by changing what the pass leaves. Each names
 * its pass, and a kernel that the pass changes.
 */
import type { Func, Operation } from '../../ir/ir';
import { walk } from '../../ir/ir';
import type { ThreadOp } from '../../ir/thread/ir';
import type { ThreadKernel } from '../../ir/thread/kernel';
import type { ThreadOpName } from '../../ir/thread/ops';
import type { OpName } from '../../ir/ops';
import type { CompiledKernel } from '../../program';
import type { PlantedKernel } from './kernels';

export interface Plant {
  readonly pass: string;
  /** Which of the passes of this name, where there are several: 0 is the first. */
  readonly nth?: number;
  /** The fault, as a sentence about the pass. */
  readonly fault: string;
  readonly kernel: PlantedKernel;
  /** Changes the IR behind the pass. @throws where there is nothing to change */
  readonly run?: (func: Func) => void;
  readonly runThreads?: (kernel: ThreadKernel) => void;
  /** The same for what `emit` prints. */
  readonly runText?: (kernel: CompiledKernel) => CompiledKernel;
  /**
   * `failed`: the run stops, or finds a hazard. `refused`: the pass that is named cannot follow,
   * and the compiler says so. Else a result differs.
   */
  readonly verdict?: 'failed' | 'refused';
  /** A pattern of the finding's message. */
  readonly message?: RegExp;
  /**
   * The pass that the finding names instead, where `lower_tiles` refuses what the pass decided.
   */
  readonly named?: string;
  /** Why check mode does not see it. */
  readonly unseen?: string;
}

/** All operations that match, outer before inner, in program order. */
export function all(func: Func, name: OpName, fits: (op: Operation) => boolean = any): Operation[] {
  const found: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === name && fits(op)) found.push(op);
  });
  return found;
}
const any = (): boolean => true;

/** One of them. @throws where there are not so many */
export function one(
  func: Func,
  name: OpName,
  fits: (op: Operation) => boolean = any,
  index = 0,
): Operation {
  const found = all(func, name, fits).at(index);
  if (!found) throw new Error(`no ${name} to spoil`);
  return found;
}
export const inLoop = (op: Operation): boolean => op.parent?.parent?.name === 'scf.for';
export const loopOf = (func: Func): Operation => one(func, 'scf.for');

/** Exchanges two operands. */
export function swapOperands(op: Operation | ThreadOp, i = 0, j = 1): void {
  const [x, y] = [op.operands[i], op.operands[j]];
  if (!x || !y || x === y) throw new Error(`nothing to swap in ${op.name}`);
  const change = op as Operation;
  change.operands = change.operands.map(
    (each, at) => (at === i ? y : at === j ? x : each) as never,
  );
}

/** The same for thread IR. */
export function allThreads(
  { func }: ThreadKernel,
  name: ThreadOpName,
  fits: (op: ThreadOp) => boolean = () => true,
): ThreadOp[] {
  const found: ThreadOp[] = [];
  walk(func.body, (op) => {
    if (op.name === name && fits(op)) found.push(op);
  });
  return found;
}
export function oneThread(
  kernel: ThreadKernel,
  name: ThreadOpName,
  fits: (op: ThreadOp) => boolean = () => true,
  index = 0,
): ThreadOp {
  const found = allThreads(kernel, name, fits).at(index);
  if (!found) throw new Error(`no ${name} to spoil`);
  return found;
}
