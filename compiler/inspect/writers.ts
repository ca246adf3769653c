/**
 * Which program of a launch writes each element of a storage. Only what the addresses and masks of
 * the stores depend on is interpreted (no loads, no dots, no values), so a whole grid takes little
 * time; a kernel whose addresses depend on what tensors hold is refused, never guessed.
 */
import { FuncCompiler, type LaunchState, type Step } from '../interpret/compile';
import { BudgetExceeded, runInterpreter, Stopped } from '../interpret/index';
import { accessKind, isMaskedOff, maskOf } from '../ir/access';
import type { Block, Func, Operation, Value } from '../ir/ir';
import { walk } from '../ir/ir';
import type { Location } from '../ir/location';
import { rowMajorStrides } from '../ir/types';
import { NOBODY, SEVERAL } from './constants';
import { linearProgram } from './launch';
import { bytesOfAccess } from './trace';

export interface Target {
  /** Address of the storage, and its size. */
  readonly address: number;
  readonly bytes: number;
  /** The tensor in it: elements. */
  readonly elementBytes: number;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

export type Writers =
  | {
      readonly known: true;
      /** For each element in row-major order a program's linear index (x fastest), or `NOBODY`,
       * `SEVERAL`. */
      readonly owners: Int32Array;
      /** Elements that a program writes. */
      readonly written: number;
      /** The store that wrote first. */
      readonly location: Location | null;
    }
  | { readonly known: false; readonly reason: string };

export interface WritersOptions {
  readonly func: Func;
  /** One for each argument of the function; storages lie apart. */
  readonly args: readonly (number | bigint | boolean)[];
  readonly grid: readonly [number, number, number];
  readonly target: Target;
  /** Milliseconds, after which it gives up. */
  readonly patience: number;
}

const BUDGET = 400_000_000;

export function writersOf(options: WritersOptions): Writers {
  const { func, args, grid, target, patience } = options;
  const needed = neededFor(func);
  if (needed === null)
    return refusal('the addresses that the kernel stores to depend on what its tensors hold');
  const indexOf = elementIndex(target);
  if (indexOf === null) return refusal('elements of this tensor share memory');
  const count = target.shape.reduce((product, size) => product * size, 1);
  const owners = new Int32Array(count).fill(NOBODY);
  const end = target.address + target.bytes;
  let written = 0;
  let location: Location | null = null;
  const onStore: OnStore = (op, addresses, mask, id, n) => {
    const program = linearProgram(grid, id);
    const size = bytesOfAccess(op);
    for (let i = 0; i < n; i++) {
      if (isMaskedOff(mask, i)) continue;
      const address = addresses[addresses.length === 1 ? 0 : i]!;
      if (!(address >= target.address && address + size <= end)) continue;
      const at = indexOf(address - target.address);
      if (at < 0) continue;
      const owner = owners[at]!;
      if (owner === NOBODY) {
        owners[at] = program;
        written++;
        location ??= op.location;
      } else if (owner !== program) owners[at] = SEVERAL;
    }
  };
  const until = performance.now() + patience;
  try {
    runInterpreter({
      func,
      args,
      memory: [],
      grid,
      budget: BUDGET,
      shouldStop: () => performance.now() > until,
      compilerFor: (state) => new StoreCompiler(state, needed, onStore),
    });
  } catch (error) {
    if (error instanceof Stopped || error instanceof BudgetExceeded)
      return refusal('the launch has too many programs to follow here');
    return refusal(error instanceof Error ? error.message : String(error));
  }
  return { known: true, owners, written, location };
}

const refusal = (reason: string): Writers => ({ known: false, reason });

type OnStore = (
  op: Operation,
  addresses: Float64Array,
  mask: Uint8Array | undefined,
  program: readonly [number, number, number],
  count: number,
) => void;

/** Runs what is needed; a store is reported, and does not happen. */
class StoreCompiler extends FuncCompiler {
  constructor(
    state: LaunchState,
    private readonly needed: ReadonlySet<Operation>,
    private readonly onStore: OnStore,
  ) {
    super(state);
  }
  override operation(op: Operation): Step | undefined {
    const step = super.operation(op);
    const kind = accessKind(op);
    if (kind === null || kind === 'load') return this.needed.has(op) ? step : undefined;
    const mask = maskOf(op);
    const pointer = this.tile(op.operand(0));
    const on = mask ? (this.tile(mask).data as Uint8Array) : undefined;
    const addresses = pointer.data as Float64Array;
    return () => this.onStore(op, addresses, on, this.state.programId, pointer.count);
  }
}

/** The operations that decide where stores go; null where a load is among them. */
function neededFor(func: Func): ReadonlySet<Operation> | null {
  const ops = new Set<Operation>();
  const values = new Set<Value>();
  const queue: Value[] = [];
  let reads = false;
  const need = (value: Value | undefined): void => {
    if (!value || values.has(value)) return;
    values.add(value);
    queue.push(value);
  };
  /** The operation has to run, and so does what decides whether it does. */
  const needOp = (op: Operation): void => {
    if (ops.has(op)) return;
    ops.add(op);
    if (op.name === 'scf.for') op.operands.slice(0, 3).forEach(need);
    else if (op.name === 'scf.if') need(op.operand(0));
    else if (op.name === 'scf.while') {
      op.operands.forEach(need);
      for (const region of op.regions) region.terminator.operands.forEach(need);
    }
    for (const region of op.regions) ops.add(region.terminator);
    const parent = op.parent?.parent;
    if (parent) needOp(parent);
  };
  walk(func.body, (op) => {
    const kind = accessKind(op);
    if (op.name === 'tt.return') ops.add(op);
    if (kind === null || kind === 'load') return;
    needOp(op);
    need(op.operand(0));
    need(maskOf(op));
    // The result of an atomic may decide where others go.
  });
  for (let value = queue.pop(); value; value = queue.pop()) {
    const op = value.definition;
    if (!op) {
      argument(value, value.owner as Block, need, needOp);
      continue;
    }
    if (accessKind(op) !== null) reads = true;
    needOp(op);
    const index = op.results.indexOf(value);
    switch (op.name) {
      case 'scf.for':
        need(op.operand(3 + index));
        need(op.region(0).terminator.operands[index]);
        break;
      case 'scf.if':
        for (const region of op.regions) need(region.terminator.operands[index]);
        break;
      default:
        op.operands.forEach(need);
        // Reductions and scans: their combining functions.
        if (op.name !== 'scf.while')
          for (const region of op.regions) walk(region, (inner) => void ops.add(inner));
    }
  }
  return reads ? null : ops;
}

/** A loop's variable, or what it carries. */
function argument(
  value: Value,
  block: Block,
  need: (value: Value | undefined) => void,
  needOp: (op: Operation) => void,
): void {
  const loop = block.parent;
  if (!loop) return;
  needOp(loop);
  const index = block.args.indexOf(value);
  if (loop.name === 'scf.for') {
    if (index === 0) return;
    need(loop.operand(2 + index));
    need(block.terminator.operands[index - 1]);
  } else {
    loop.operands.forEach(need);
  }
}

/**
 * From bytes in the storage to the tensor's row-major index, −1 beside it; null where two elements
 * may lie in one place.
 */
function elementIndex(target: Target): ((byte: number) => number) | null {
  const { shape, strides, elementBytes, offset } = target;
  const steps = rowMajorStrides(shape);
  const axes = shape
    .map((size, axis) => ({ size, stride: strides[axis]!, step: steps[axis]! }))
    .filter(({ size }) => size !== 1)
    .sort((a, b) => b.stride - a.stride);
  let reach = 0;
  for (const { size, stride } of [...axes].reverse()) {
    if (stride <= reach) return null;
    reach += stride * (size - 1);
  }
  return (byte) => {
    let rest = byte / elementBytes - offset;
    if (rest < 0 || !Number.isInteger(rest)) return -1;
    let index = 0;
    for (const { size, stride, step } of axes) {
      const at = Math.floor(rest / stride);
      if (at >= size) return -1;
      index += at * step;
      rest -= at * stride;
    }
    return rest === 0 ? index : -1;
  };
}
