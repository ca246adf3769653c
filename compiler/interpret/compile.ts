/**
 * Turns a function into closures, once a launch: every operation becomes a step with its tiles at
 * hand, every block a list of steps. Nothing is looked up while programs run.
 */
import { isEvaluable } from '../ir/evaluate';
import type { Block, Operation, Value } from '../ir/ir';
import type { ScalarValue } from '../ir/numbers';
import type { Location } from '../ir/location';
import type { ElementType } from '../ir/types';
import { byteSize, elementCount, elementOf, shapeOf } from '../ir/types';
import { compileControl } from './control';
import { elementwiseKernel } from './elementwise';
import { isRename, lastUses, rootOf } from './liveness';
import type { Memory, MemoryRegion } from './memory';
import { atomicStep, compareExchangeStep, loadStep, storeStep } from './memoryOps';
import type { MemoryContext, PointerSource } from './memoryOps';
import { compileMap, compileReduce, compileScan } from './reduce';
import { compileSort } from './sort';
import {
  broadcastIndices,
  broadcastRun,
  sliceIndices,
  splitAxis,
  transposeIndices,
} from './shapes';
import {
  Tile,
  TilePool,
  copyTile,
  fillTile,
  gatherTile,
  repeatTile,
  setElement,
  tileDType,
} from './tile';
import { addptrStep, dotStep, gatherStep, histogramStep, pointerCastStep } from './tileOps';

export type Step = () => void;

/** What a launch shares between its steps. */
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

export class FuncCompiler {
  readonly pool = new TilePool();
  readonly #tiles = new Map<Value, Tile>();
  /** Of tiles that may go back to the pool. */
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
    const dtype = tileDType(value.type);
    const count = elementCount(value.type);
    const tile = pooled ? this.pool.take(dtype, count) : new Tile(dtype, count);
    if (pooled) this.#pooled.add(tile);
    this.#tiles.set(value, tile);
    return tile;
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
    const control = compileControl(this, op);
    if (control) return control;
    if (isEvaluable(op.name)) return this.#elementwise(op);
    return this.#structural(op);
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

  #structural(op: Operation): Step | undefined {
    const { state } = this;
    const operand = (i: number) => this.tile(op.operand(i));
    const optional = (i: number) => (op.operands[i] ? this.tile(op.operands[i]) : undefined);
    const result = () => this.define(op.result, true);
    switch (op.name) {
      case 'arith.constant': {
        const out = this.define(op.result, false);
        const value = op.attributes['value'] as ScalarValue;
        setElement(out, 0, typeof value === 'boolean' ? Number(value) : value);
        fillTile(out, out, out.count);
        return undefined;
      }
      case 'tt.make_range': {
        const out = this.define(op.result, false);
        const start = Number(op.attributes['start']);
        for (let i = 0; i < out.count; i++) out.data[i] = start + i;
        return undefined;
      }
      case 'tt.get_program_id':
      case 'tt.get_num_programs': {
        const out = result();
        const axis = Number(op.attributes['axis']) as 0 | 1 | 2;
        const source = op.name === 'tt.get_program_id' ? state.programId : state.grid;
        return () => {
          out.data[0] = source[axis];
        };
      }
      case 'tt.addptr': {
        const out = result();
        const pointee = elementOf(op.result.type) as { pointee: ElementType };
        return addptrStep(operand(0), operand(1), byteSize(pointee.pointee), out);
      }
      case 'tt.int_to_ptr':
      case 'tt.ptr_to_int':
        return pointerCastStep(operand(0), result());
      case 'tt.splat': {
        const out = result();
        const x = operand(0);
        return () => fillTile(out, x, out.count);
      }
      case 'tt.broadcast': {
        const [from, to] = [shapeOf(op.operand(0).type), shapeOf(op.result.type)];
        const run = broadcastRun(from, to);
        if (!run) return this.#gather(op, broadcastIndices(from, to));
        const x = operand(0);
        const out = result();
        return () => repeatTile(out, x, run);
      }
      case 'tt.trans': {
        const order = op.attributes['order'] as readonly number[];
        return this.#gather(op, transposeIndices(shapeOf(op.operand(0).type), order));
      }
      case 'tt.join': {
        // [a0 b0 a1 b1 …]: two sources, so a buffer with one after the other.
        const n = elementCount(op.operand(0).type);
        return this.#gatherTwo(
          op,
          Int32Array.from({ length: 2 * n }, (_, i) => (i >> 1) + (i & 1) * n),
        );
      }
      case 'tt.cat': {
        const shape = shapeOf(op.operand(0).type);
        const [outer, axis, inner] = splitAxis(shape, Number(op.attributes['axis']));
        const half = axis * inner;
        const indices = Int32Array.from({ length: 2 * outer * half }, (_, i) => {
          const within = i % (2 * half);
          const second = within >= half;
          return Math.floor(i / (2 * half)) * half + (within % half) + (second ? outer * half : 0);
        });
        return this.#gatherTwo(op, indices);
      }
      case 'tt.split': {
        const [low, high] = op.results.map((value) => this.define(value, true)) as [Tile, Tile];
        const x = operand(0);
        const even = Int32Array.from({ length: low.count }, (_, i) => 2 * i);
        const odd = even.map((i) => i + 1);
        return () => {
          gatherTile(low, x, even);
          gatherTile(high, x, odd);
        };
      }
      case 'tt.gather': {
        const axis = Number(op.attributes['axis']);
        const shape = splitAxis(shapeOf(op.result.type), axis);
        const size = shapeOf(op.operand(0).type)[axis]!;
        return gatherStep(shape, size, operand(0), operand(1), result());
      }
      case 'tt.load': {
        const out = result();
        return loadStep(op, operand(0), optional(1), optional(2), out, this.#context(op));
      }
      case 'tt.store':
        return storeStep(op, operand(0), operand(1), optional(2), this.#context(op));
      case 'tt.atomic_rmw': {
        const out = result();
        return atomicStep(op, operand(0), operand(1), optional(2), out, this.#context(op));
      }
      case 'tt.atomic_cas': {
        const out = result();
        const context = this.#context(op);
        return compareExchangeStep(op, operand(0), operand(1), operand(2), out, context);
      }
      case 'tt.dot': {
        const shape = shapeOf(op.result.type);
        const batch = shape.length === 3 ? shape[0]! : 1;
        const k = shapeOf(op.operand(0).type).at(-1)!;
        const size = [batch, shape.at(-2)!, shape.at(-1)!, k] as const;
        return dotStep(size, operand(0), operand(1), operand(2), result());
      }
      case 'tt.reduce':
        return compileReduce(this, op);
      case 'tt.scan':
        return compileScan(this, op);
      case 'tt.sort':
        return compileSort(this, op);
      case 'tt.map_elementwise':
        return compileMap(this, op);
      case 'tt.histogram':
        return histogramStep(operand(0), optional(1), result());
      case 'tt.print': {
        const values = op.operands.map((value) => this.tile(value));
        return () => state.onPrint(op, values);
      }
      case 'tt.assert':
        return this.#assert(op, operand(0), optional(1));
      case 'ttg.read_fragments':
      case 'ttg.extract_slice': {
        const origin = op.attributes['origin'] as readonly number[];
        const [from, to] = [shapeOf(op.operand(0).type), shapeOf(op.result.type)];
        return this.#gather(op, sliceIndices(from, origin, to));
      }
      case 'ttg.local_alloc':
        this.define(op.result, false);
        return undefined;
      case 'ttg.local_store':
        return this.#localStore(op);
      case 'ttg.local_load': {
        const out = result();
        const source = operand(0);
        return () => copyTile(out, source);
      }
      case 'gpu.barrier':
      case 'tt.return':
        return undefined;
      default:
        throw new Error(`the interpreter does not know ${op.name}`);
    }
  }

  #gather(op: Operation, indices: Int32Array): Step {
    const out = this.define(op.result, true);
    const x = this.tile(op.operand(0));
    return () => gatherTile(out, x, indices);
  }
  #gatherTwo(op: Operation, indices: Int32Array): Step {
    const [a, b] = [this.tile(op.operand(0)), this.tile(op.operand(1))];
    const out = this.define(op.result, true);
    const both = new Tile(a.dtype, 2 * a.count);
    return () => {
      both.wide = a.wide || b.wide;
      if (both.wide) {
        for (let i = 0; i < a.count; i++) {
          setElement(both, i, a.wide ? a.big![i]! : BigInt(a.data[i]!));
          setElement(both, a.count + i, b.wide ? b.big![i]! : BigInt(b.data[i]!));
        }
      } else {
        both.data.set(a.data);
        both.data.set(b.data, a.count);
      }
      gatherTile(out, both, indices);
    };
  }
  #localStore(op: Operation): Step {
    const [x, target] = [this.tile(op.operand(0)), this.tile(op.operand(1))];
    const slice = op.attributes['slice'] as readonly number[] | undefined;
    if (!slice) return () => copyTile(target, x);
    const part = shapeOf(op.operand(1).type);
    const indices = sliceIndices(shapeOf(op.operand(0).type), slice, part);
    return () => gatherTile(target, x, indices);
  }
  #assert(op: Operation, condition: Tile, mask: Tile | undefined): Step {
    const message = String(op.attributes['message']);
    const shape = shapeOf(op.operand(0).type);
    return () => {
      for (let i = 0; i < condition.count; i++)
        if (!condition.data[i] && (!mask || mask.data[i])) {
          this.state.onAssert(op.location, message, shape.length > 0 ? i : null, shape);
          return;
        }
    };
  }

  #context(op: Operation) {
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
  if (op) {
    switch (op.name) {
      case 'tt.addptr':
      case 'tt.splat':
      case 'tt.unsplat':
      case 'tt.broadcast':
      case 'tt.expand_dims':
      case 'tt.reshape':
      case 'tt.trans':
      case 'tt.bitcast':
      case 'ttg.convert_layout':
      case 'ttg.extract_slice':
        return argumentOf(op.operand(0), seen);
      case 'scf.for':
        return argumentOf(op.operand(3 + op.results.indexOf(pointer)), seen);
      default:
        return undefined;
    }
  }
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
