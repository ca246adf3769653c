/**
 * What TTGIR promises to `lower_tiles` beyond the values of its tiles: layouts that hold every
 * element, vectors of elements that lie side by side under one mask, operands that stay while they
 * are in fragments, places in workgroup memory that do not meet, and barriers between accesses that
 * do. No tile depends on them, so a wrong one
 * would show only in thread IR, as a fault of `lower_tiles`. The check mode interprets tiles with
 * this compiler, which keeps the first promise that is broken.
 */
import type { Func, Operation, Value } from '../ir/ir';
import { walk } from '../ir/ir';
import { isWellFormed, log2 } from '../ir/layoutAlgebra';
import { formatLocation } from '../ir/location';
import type { Tile } from '../ir/tile';
import { byteSize, elementOf, localBytes, shapeOf } from '../ir/types';
import { FuncCompiler } from './compile';
import type { LaunchState, Step } from './compile';

/** Arrays of slabs and of scratch for them lie apart from all else. */
const SLABS = [2 ** 41, 2 ** 42] as const;
const SCRATCH_SLABS = 2 ** 43;

interface Access {
  readonly write: boolean;
  readonly start: number;
  readonly end: number;
}
const meet = (a: Access, b: Access): boolean => a.start < b.end && b.start < a.end;

/** The first promise that a run found broken, with its place. */
export interface Promises {
  /** Whether barriers have been inserted. */
  readonly barriers: boolean;
  broken?: string;
}

/** A value whose layout leaves an element out, or gives a thread one twice. */
export function brokenLayout(func: Func): string | undefined {
  const lanes = log2(Math.max(1, Number(func.attributes['subgroupSize'] ?? 1)));
  const threads = { lanes, subgroups: log2(Number(func.attributes['threads'] ?? 1)) - lanes };
  let found: string | undefined;
  walk(func.body, (op) => {
    for (const { type } of op.results) {
      if (found || type.kind !== 'tensor' || !type.layout) continue;
      if (!isWellFormed(type.layout, type.shape, threads))
        found = `${formatLocation(op.location)}: the layout of ${op.name} does not cover its tile`;
    }
  });
  return found;
}

export class PromiseCompiler extends FuncCompiler {
  #pending: Access[] = [];
  /** Who stored into which bytes last. */
  #owners: { readonly value: Value | Operation; readonly access: Access }[] = [];

  constructor(
    state: LaunchState,
    private readonly promises: Promises,
  ) {
    super(state);
  }
  /** Another program begins: its workgroup memory is its own. */
  restart(): void {
    this.#pending = [];
    this.#owners = [];
  }

  override operation(op: Operation): Step | undefined {
    const step = super.operation(op);
    const check = this.#vector(op) ?? this.#memory(op);
    if (!check) return step;
    return step
      ? () => {
          check();
          step();
        }
      : check;
  }
  #break(op: Operation, what: string): void {
    this.promises.broken ??= `${formatLocation(op.location)}: ${what}`;
  }

  // ── vectors ───────────────────────────────────────────────────────────────────────────────────
  #vector(op: Operation): Step | undefined {
    const size = Number(op.attributes['vector'] ?? 1);
    if (size < 2 || (op.name !== 'tt.load' && op.name !== 'tt.store')) return undefined;
    const pointer = op.operand(0);
    const runs = runsOf(pointer, size);
    const element = elementOf(pointer.type);
    if (!runs || element.kind !== 'pointer') return undefined;
    const bytes = byteSize(element.pointee);
    const mask = op.operands[op.name === 'tt.load' ? 1 : 2];
    const [addresses, on] = [this.tile(pointer), mask && this.tile(mask)];
    return () => {
      if (!runs.every((run) => isOneVector(run, addresses, on, bytes)))
        this.#break(
          op,
          `the elements of a vector of ${size} do not lie side by side under one mask: a fault of ` +
            'the pass, or a wrong tl.multiple_of or tl.max_contiguous in the program',
        );
    };
  }

  // ── workgroup memory ──────────────────────────────────────────────────────────────────────────
  #memory(op: Operation): Step | undefined {
    if (op.name === 'gpu.barrier') return () => (this.#pending = []);
    const accesses = accessesOf(op);
    if (accesses.length === 0) return undefined;
    return () => {
      for (const { value, access } of accesses) {
        if (this.promises.barriers) this.#meets(op, access);
        this.#owns(op, value, access);
      }
      // Scratch is written, then a barrier inside of the operation, then read.
      if (isScratch(op)) this.#pending = [];
      for (const { access } of accesses)
        this.#pending.push(isScratch(op) ? { ...access, write: false } : access);
    };
  }
  #meets(op: Operation, access: Access): void {
    const before = this.#pending.find((each) => (each.write || access.write) && meet(each, access));
    if (!before) return;
    const kind = access.write ? (before.write ? 'WAW' : 'WAR') : 'RAW';
    const bytes = `bytes ${access.start} to ${access.end}`;
    this.#break(op, `${kind} hazard at ${bytes} of workgroup memory: no barrier before ${op.name}`);
  }
  #owns(op: Operation, value: Value | Operation, access: Access): void {
    if (access.write) {
      this.#owners = this.#owners.filter((each) => each.value !== value);
      this.#owners.push({ value, access });
      return;
    }
    const last = this.#owners.findLast((each) => meet(each.access, access));
    if (last && last.value !== value)
      this.#break(op, `${op.name} reads workgroup memory where another tile was stored meanwhile`);
  }
}

/** The elements of each vector, by their places in the tile, row-major. */
function runsOf({ type }: Value, size: number): number[][] | undefined {
  const layout = type.kind === 'tensor' ? type.layout : undefined;
  if (!layout || layout.register.length < log2(size)) return undefined;
  const shape = shapeOf(type);
  const place = (basis: readonly number[]): number =>
    basis.reduce((at, coordinate, d) => at * shape[d]! + coordinate, 0);
  const steps = layout.register.slice(0, log2(size)).map(place);
  const within = steps.reduce((mask, step) => mask | step, 0);
  const offsets = Array.from({ length: size }, (_, i) =>
    steps.reduce((at, step, bit) => at + ((i >> bit) & 1) * step, 0),
  );
  const count = shape.reduce((a, b) => a * b, 1);
  const runs: number[][] = [];
  for (let at = 0; at < count; at++)
    if ((at & within) === 0) runs.push(offsets.map((offset) => at + offset));
  return runs;
}
function isOneVector(
  run: readonly number[],
  { data }: Tile,
  mask: Tile | undefined,
  bytes: number,
): boolean {
  const [first] = run as readonly [number];
  const on = mask ? mask.data[first] : 1;
  if (mask && run.some((at) => mask.data[at] !== on)) return false;
  const start = Number(data[first]);
  if (!on) return true;
  return (
    start % (bytes * run.length) === 0 &&
    run.every((at, i) => Number(data[at]) === start + i * bytes)
  );
}

function isScratch(op: Operation): boolean {
  return op.attributes['scratch'] !== undefined;
}
/** Its places in memory. */
function accessesOf(
  op: Operation,
): readonly { readonly value: Value | Operation; readonly access: Access }[] {
  if (op.name === 'ttg.local_store') return placed(op.operand(1), true);
  if (op.name === 'ttg.local_load' || op.name === 'ttg.load_fragments')
    return placed(op.operand(0), false);
  if (op.name === 'ttg.local_gather') return placed(op.operand(1), false);
  if (op.name === 'ttg.local_scatter') return placed(op.operand(2), true);
  if (op.name === 'tt.dot') return [0, 1].flatMap((side) => placed(op.operand(side), false));
  if (!isScratch(op)) return [];
  const slabs = Number(op.attributes['scratchSlabs'] ?? 1);
  const array = op.attributes['scratchInRows'] === true ? SLABS[0] : SCRATCH_SLABS;
  const start = (slabs === 1 ? 0 : array) + Number(op.attributes['scratch']);
  const end = start + Number(op.attributes['scratchBytes']) / slabs;
  return [{ value: op, access: { write: true, start, end } }];
}
function placed(
  value: Value,
  write: boolean,
): readonly { readonly value: Value; readonly access: Access }[] {
  const { type, definition } = value;
  const offset = definition?.attributes['offset'];
  if (type.kind !== 'memdesc' || offset === undefined) return [];
  const start = (type.slabs ? SLABS[type.slabs[0] as 0 | 1] : 0) + Number(offset);
  const words = definition?.attributes['words'] === true;
  return [{ value, access: { write, start, end: start + localBytes(type, words) } }];
}
