/**
 * Turns a function into closures, once a launch: every operation becomes a step, by its definition,
 * with its tiles at hand, every block a list of steps. Nothing is looked up while programs run.
 */
import { pointsIntoOperand } from '../ir/access';
import type { Block, Operation, Value } from '../ir/ir';
import type { Location } from '../ir/location';
import { OPS } from '../ir/ops';
import type { Step, TileMachine } from '../ir/ops/machine';
import { Tile, TilePool, fillTile, tileDType } from '../ir/tile';
import { elementCount, type Type } from '../ir/types';
import { compileFor, compileIf, compileWhile } from './control';
import { dotStep } from './dot';
import { elementwiseKernel } from './elementwise';
import { isRename, lastUses, rootOf } from './liveness';
import type { Memory, MemoryRegion } from './memory';
import { atomicStep, compareExchangeStep, loadStep, storeStep } from './memoryOps';
import type { MemoryContext, PointerSource } from './memoryOps';
import { compileMap, compileReduce, compileScan } from './reduce';
import { compileSort } from './sort';

export type { Step };
const nothing: Step = () => undefined;

/** State that a launch shares between its steps. */
export interface LaunchState {
  readonly memory: Memory;
  readonly programId: [number, number, number];
  readonly grid: readonly [number, number, number];
  /** Counts work; throws where the budget is spent or the launch was stopped. */
  readonly tick: (operations: number) => void;
  readonly onPrint: (op: Operation, values: readonly Tile[]) => void;
  readonly onAssert: (
    location: Location,
    message: string,
    element: number | null,
    shape: readonly number[],
  ) => void;
  readonly onOutOfRange: MemoryContext['onOutOfRange'];
  /** The storage that a pointer argument points into. */
  readonly regionOf: (argument: Value) => MemoryRegion | undefined;
}

export class FuncCompiler implements TileMachine {
  readonly pool = new TilePool();
  readonly #tiles = new Map<Value, Tile>();
  /** Buffers of tiles that may go back to the pool. */
  readonly #pooled = new Set<Tile>();

  constructor(readonly state: LaunchState) {}

  // ── tiles ─────────────────────────────────────────────────────────────────────────────────────
  tile(value: Value): Tile {
    const tile = this.#tiles.get(rootOf(value));
    if (!tile) throw new Error(`no tile for ${value.name ?? 'a value'}`);
    return tile;
  }
  /** A tile for a value; kept for the whole launch unless `pooled`. */
  define(value: Value, pooled: boolean): Tile {
    const count = elementCount(value.type);
    const tile = pooled
      ? this.pool.take(tileDType(value.type), count)
      : this.newTile(value.type, count);
    if (pooled) this.#pooled.add(tile);
    this.#tiles.set(value, tile);
    return tile;
  }
  /** A tile for `count` elements of a value's type. */
  newTile(type: Type, count: number): Tile {
    return new Tile(tileDType(type), count);
  }
  alias(value: Value, tile: Tile): void {
    this.#tiles.set(value, tile);
  }

  /** The steps of a block. Its arguments have their tiles already. */
  block(block: Block): Step[] {
    const last = lastUses(block);
    const endingAt = new Map<number, Value[]>();
    for (const [value, index] of last) {
      const list = endingAt.get(index);
      if (list) list.push(value);
      else endingAt.set(index, [value]);
    }
    const steps: Step[] = [];
    const mine = new Set<Value>();
    block.ops.forEach((op, index) => {
      for (const result of op.results) mine.add(result);
      const step = this.operation(op);
      if (step) steps.push(step);
      for (const value of endingAt.get(index) ?? []) if (mine.has(value)) this.#release(value);
    });
    return steps;
  }
  #release(value: Value): void {
    const tile = this.#tiles.get(value);
    if (!tile || !this.#pooled.has(tile)) return;
    this.#pooled.delete(tile);
    this.pool.give(tile);
  }

  // ── operations ────────────────────────────────────────────────────────────────────────────────
  operation(op: Operation): Step | undefined {
    if (isRename(op)) return undefined;
    const definition = OPS[op.name];
    switch (definition.kind) {
      case 'elementwise':
        return this.#elementwise(op);
      case 'terminator':
        return op.name === 'tt.return' ? undefined : nothing;
      default:
        return definition.interpret(this, op);
    }
  }

  #elementwise(op: Operation): Step {
    const out = this.define(op.result, true);
    const n = out.count;
    const before: Step[] = [];
    const inputs = op.operands.map((operand) => {
      const tile = this.tile(operand);
      if (tile.count === n) return tile;
      // A scalar condition of select.
      const wide = new Tile(tile.dtype, n);
      before.push(() => fillTile(wide, tile, n));
      return wide;
    });
    const kernel = elementwiseKernel(op.name, op.attributes, inputs, out);
    if (before.length === 0) return () => kernel(n);
    return () => {
      for (const step of before) step();
      kernel(n);
    };
  }

  // ── what definitions need of a launch (`TileMachine`) ─────────────────────────────────────────
  get programId(): LaunchState['programId'] {
    return this.state.programId;
  }
  get grid(): LaunchState['grid'] {
    return this.state.grid;
  }
  load(op: Operation): Step {
    const [pointer, mask, other] = this.#operands(op);
    const out = this.define(op.result, true);
    return loadStep(op, pointer!, mask, other, out, this.context(op));
  }
  store(op: Operation): Step {
    const [pointer, value, mask] = this.#operands(op);
    return storeStep(op, pointer!, value!, mask, this.context(op));
  }
  atomic(op: Operation): Step {
    const [pointer, value, mask] = this.#operands(op);
    const out = this.define(op.result, true);
    return atomicStep(op, pointer!, value!, mask, out, this.context(op));
  }
  compareExchange(op: Operation): Step {
    const [pointer, compare, value] = this.#operands(op);
    const out = this.define(op.result, true);
    return compareExchangeStep(op, pointer!, compare!, value!, out, this.context(op));
  }
  readonly dot = dotStep;
  reduce(op: Operation): Step {
    return compileReduce(this, op);
  }
  scan(op: Operation): Step {
    return compileScan(this, op);
  }
  sort(op: Operation): Step {
    return compileSort(this, op);
  }
  map(op: Operation): Step {
    return compileMap(this, op);
  }
  loop(op: Operation): Step {
    return compileFor(this, op);
  }
  whileLoop(op: Operation): Step {
    return compileWhile(this, op);
  }
  branch(op: Operation): Step {
    return compileIf(this, op);
  }
  print(op: Operation, values: readonly Tile[]): void {
    this.state.onPrint(op, values);
  }
  assert(op: Operation, message: string, element: number | null, shape: readonly number[]): void {
    this.state.onAssert(op.location, message, element, shape);
  }

  #operands(op: Operation): Tile[] {
    return op.operands.map((value) => this.tile(value));
  }
  context(op: Operation): MemoryContext {
    const { memory, programId, onOutOfRange } = this.state;
    return { memory, programId, onOutOfRange, source: this.#sourceOf(op.operand(0), new Set()) };
  }
  /** The one argument that a pointer comes from, where that is plain. */
  #sourceOf(pointer: Value, seen: Set<Value>): PointerSource | undefined {
    const argument = argumentOf(pointer, seen);
    const region = argument && this.state.regionOf(argument);
    return argument && region && { name: argument.name ?? 'pointer', region };
  }
}

/** The function argument that a pointer is computed from, if there is exactly one. */
export function argumentOf(pointer: Value, seen: Set<Value> = new Set()): Value | undefined {
  if (seen.has(pointer)) return undefined;
  seen.add(pointer);
  const op = pointer.definition;
  // A loop may exchange pointers: its result is what its argument is.
  if (op?.name === 'scf.for')
    return argumentOf(op.region(0).args[1 + op.results.indexOf(pointer)]!, seen);
  if (op) return pointsIntoOperand(op.name) ? argumentOf(op.operand(0), seen) : undefined;
  const block = pointer.owner as Block;
  if (!block.parent) return pointer;
  if (block.parent.name !== 'scf.for') return undefined;
  const index = block.args.indexOf(pointer) - 1;
  if (index < 0) return undefined;
  // The carried pointer must come back to itself: what is yielded derives from this argument.
  const start = argumentOf(block.parent.operand(3 + index), seen);
  const next = derivesFrom(block.terminator.operand(index), pointer);
  return next ? start : undefined;
}
function derivesFrom(value: Value, from: Value): boolean {
  for (let v = value; ;) {
    if (v === from) return true;
    const op = v.definition;
    if (!op || (op.name !== 'tt.addptr' && op.name !== 'ttg.convert_layout')) return false;
    v = op.operand(0);
  }
}
