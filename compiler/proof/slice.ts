/**
 * Traces of the addresses of a launch, without what computes no address: products, sums and the
 * stores of results are left out, so that all programs of a grid can be looked at.
 *
 * Guarantee: each access is reported as `traceAccesses` reports it, with its addresses and mask.
 * Everything is executed where an address depends on memory that the kernel writes.
 */
import { accessKind, carriedFrom, maskOf, WrittenMemory } from '../ir/access';
import type { Func, Operation, Value } from '../ir/ir';
import { walk } from '../ir/ir';
import { OPS } from '../ir/ops';
import { elementAt, type Tile } from '../ir/tile';
import { FuncCompiler, type LaunchState, type Step } from '../interpret/compile';
import { BudgetExceeded, runInterpreter, Stopped } from '../interpret/index';
import { isRename } from '../interpret/liveness';
import { EnoughSeen, type OnAccess, type TraceEnd, type TraceOptions } from '../inspect/trace';

/** The values that addresses, masks, and the conditions and bounds of what is around depend on. */
export function addressSlice(roots: Iterable<Value>): Set<Value> {
  const needed = new Set<Value>();
  const open = [...roots];
  for (let value = open.pop(); value; value = open.pop()) {
    if (needed.has(value)) continue;
    needed.add(value);
    const op = value.definition;
    open.push(...carriedFrom(value));
    if (op && !isControl(op)) open.push(...op.operands);
    else if (op) open.push(...controlsOf(op));
    else for (const around of surroundings(value)) open.push(...controlsOf(around));
  }
  return needed;
}

const isControl = ({ name }: Operation): boolean =>
  name === 'scf.for' || name === 'scf.while' || name === 'scf.if';

/** The operands that decide what a loop or a branch executes. */
function controlsOf(op: Operation): readonly Value[] {
  switch (op.name) {
    case 'scf.if':
      return [op.operand(0)];
    case 'scf.for':
      return op.operands.slice(0, 3);
    case 'scf.while':
      return [op.region(0).terminator.operand(0)];
    default:
      return [];
  }
}

function* surroundings(value: Value): Generator<Operation> {
  const { owner } = value;
  let block = 'args' in owner ? owner : owner.parent;
  for (; block?.parent; block = block.parent.parent) yield block.parent;
}

/** The values that decide where an access goes and when it happens. */
export function decidersOf(op: Operation): Set<Value> {
  const roots = [op.operand(0)];
  const mask = maskOf(op);
  if (mask) roots.push(mask);
  for (let block = op.parent; block?.parent; block = block.parent.parent)
    roots.push(...controlsOf(block.parent));
  return addressSlice(roots);
}

/** Whether some of the values come from memory. */
export function readsMemory(values: ReadonlySet<Value>): boolean {
  return [...values].some(({ definition }) => definition && accessKind(definition) !== null);
}

class SliceCompiler extends FuncCompiler {
  constructor(
    state: LaunchState,
    /** Null where everything is executed. */
    private readonly needed: ReadonlySet<Value> | null,
    private readonly onAccess: OnAccess,
    private readonly onLoop?: OnLoop,
  ) {
    super(state);
  }

  override operation(op: Operation): Step | undefined {
    const { needed } = this;
    const kept =
      !needed ||
      isControl(op) ||
      isRename(op) ||
      OPS[op.name].kind === 'terminator' ||
      op.results.some((result) => needed.has(result));
    const step = kept ? super.operation(op) : this.#without(op);
    if (op.name === 'scf.for' && this.onLoop) return this.#counted(op, step, this.onLoop);
    if (accessKind(op) === null) return step;
    const mask = maskOf(op);
    const addresses = this.tile(op.operand(0)).data as Float64Array;
    const on = mask ? (this.tile(mask).data as Uint8Array) : undefined;
    const stored = !needed && op.name === 'tt.store' ? this.tile(op.operand(1)).data : undefined;
    return () => {
      this.onAccess(op, addresses, on, this.state.programId, stored);
      step?.();
    };
  }
  #counted(op: Operation, step: Step | undefined, onLoop: OnLoop): Step {
    const [lower, upper, by] = [0, 1, 2].map((i) => this.tile(op.operand(i))) as [Tile, Tile, Tile];
    return () => {
      const span = Number(elementAt(upper, 0)) - Number(elementAt(lower, 0));
      onLoop(op, Math.max(0, Math.ceil(span / Number(elementAt(by, 0)))));
      step?.();
    };
  }
  /** Gives the results tiles, for whoever copies them; nobody looks at their elements. */
  #without(op: Operation): undefined {
    for (const result of op.results) this.define(result, true);
    return undefined;
  }
}

/** Called before a loop, with how often its body will be executed. */
export type OnLoop = (op: Operation, iterations: number) => void;

/** Runs the programs, or of each only what its addresses need. */
export function traceAddresses(
  options: TraceOptions & { readonly onLoop?: OnLoop },
  whole = false,
): TraceEnd {
  const { func, args, memory, grid, range, budget, onAccess, onLoop } = options;
  const needed = whole ? null : sliceOf(func);
  try {
    runInterpreter({
      func,
      args,
      memory,
      grid,
      range,
      ...(budget === undefined ? {} : { budget }),
      onOutOfRange: () => {},
      onAssert: () => {},
      compilerFor: (state) => new SliceCompiler(state, needed, onAccess, onLoop),
    });
    return { kind: 'complete' };
  } catch (error) {
    if (error instanceof EnoughSeen || error instanceof BudgetExceeded || error instanceof Stopped)
      return { kind: 'budget' };
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

/** The slice of all accesses; null where memory that the kernel writes decides an address. */
export function sliceOf(func: Func): ReadonlySet<Value> | null {
  const all = new Set<Value>();
  walk(func.body, (op) => {
    const own = accessKind(op) !== null ? decidersOf(op) : addressSlice(controlsOf(op));
    for (const value of own) all.add(value);
  });
  const written = new WrittenMemory(func);
  for (const { definition } of all) {
    if (!definition) continue;
    const kind = accessKind(definition);
    if (kind === 'atomic') return null;
    if (kind === 'load' && written.has(definition.operand(0))) return null;
  }
  return all;
}
