/**
 * Which elements of an operation's operands an element of its results is computed from. Exact for
 * elementwise operations, operations that move elements, dots, reductions and scans; for others,
 * all elements.
 */
import { isRename } from '../interpret/liveness';
import { FuncCompiler, type LaunchState } from '../interpret/compile';
import type { Operation, Value } from '../ir/ir';
import { OPS, isRearrangement } from '../ir/ops';
import { Tile } from '../ir/tile';
import { splitAxis } from '../ir/tileIndices';
import { elementCount, shapeOf, type Type } from '../ir/types';

/** 1 for each element that is meant. */
export type ElementSet = Uint8Array;

export const everyElement = (value: Value): ElementSet =>
  new Uint8Array(elementCount(value.type)).fill(1);

/** The union; one of the two where it has all. */
export function union(a: ElementSet | undefined, b: ElementSet): ElementSet {
  if (!a || a === b) return b;
  const both = a.slice();
  for (let i = 0; i < both.length; i++) both[i]! |= b[i]!;
  return both;
}

/**
 * Sets of the operands' elements, for sets of the results' (undefined: none). Loops and branches
 * are not for this function.
 */
export function sourcesOf(
  op: Operation,
  results: readonly (ElementSet | undefined)[],
): (ElementSet | undefined)[] {
  const wanted = results.find((set) => set !== undefined);
  if (!wanted) return op.operands.map(() => undefined);
  if (isRename(op)) return op.operands.map((_, i) => (i === 0 ? wanted : undefined));
  if (isRearrangement(op.name) || MOVES.has(op.name)) return moved(op, results);
  const { kind } = OPS[op.name];
  if (op.name === 'tt.dot') return dotSources(op, wanted);
  if (op.name === 'tt.reduce' || op.name === 'tt.scan') {
    const all = results.reduce<ElementSet>((a, b) => (b ? union(a, b) : a), wanted);
    const along = axisSources(op, all);
    return op.operands.map(() => along);
  }
  const perElement = kind === 'elementwise' || kind === 'address' || kind === 'effect';
  return op.operands.map((operand) => {
    if (perElement || op.name === 'tt.map_elementwise') {
      const count = elementCount(operand.type);
      if (count === wanted.length) return wanted;
    }
    return everyElement(operand);
  });
}

const MOVES = new Set(['tt.join', 'tt.split', 'tt.cat']);

/** Runs the operation on the numbers of its operands' elements. */
function moved(op: Operation, results: readonly (ElementSet | undefined)[]) {
  const machine = new Numbering({} as LaunchState);
  const begins: number[] = [];
  let total = 0;
  for (const operand of op.operands) {
    const tile = new Tile('f64', elementCount(operand.type));
    for (let i = 0; i < tile.count; i++) tile.data[i] = total + i;
    machine.number(operand, tile);
    begins.push(total);
    total += tile.count;
  }
  machine.operation(op)?.();
  const all = new Uint8Array(total);
  op.results.forEach((result, r) => {
    const { data } = machine.tile(result);
    results[r]?.forEach((one, i) => {
      if (one) all[data[i]!] = 1;
    });
  });
  return op.operands.map((operand, i) => {
    const begin = begins[i]!;
    const part = all.subarray(begin, begin + elementCount(operand.type));
    return part.includes(1) ? part : undefined;
  });
}
class Numbering extends FuncCompiler {
  readonly #numbers = new Map<Value, Tile>();
  number(value: Value, tile: Tile): void {
    this.#numbers.set(value, tile);
  }
  override tile(value: Value): Tile {
    return this.#numbers.get(value)!;
  }
  override define(value: Value): Tile {
    const tile = this.newTile(value.type, elementCount(value.type));
    this.#numbers.set(value, tile);
    return tile;
  }
  override newTile(_type: Type, count: number): Tile {
    return new Tile('f64', count);
  }
}

/** A row of A and a column of B for each element. */
function dotSources(op: Operation, wanted: ElementSet): ElementSet[] {
  const [a, b] = [op.operand(0), op.operand(1)].map((value) => ({
    set: new Uint8Array(elementCount(value.type)),
  }));
  const shape = shapeOf(op.result.type);
  const [m, n] = [shape.at(-2)!, shape.at(-1)!];
  const k = shapeOf(op.operand(0).type).at(-1)!;
  wanted.forEach((one, flat) => {
    if (!one) return;
    const column = flat % n;
    const row = Math.floor(flat / n);
    const batch = Math.floor(row / m);
    a!.set.fill(1, row * k, (row + 1) * k);
    for (let p = 0; p < k; p++) b!.set[(batch * k + p) * n + column] = 1;
  });
  return [a!.set, b!.set, wanted];
}

/** All along the axis of a reduction; of a scan, up to the element. */
function axisSources(op: Operation, wanted: ElementSet): ElementSet {
  const shape = shapeOf(op.operand(0).type);
  const [, axis, inner] = splitAxis(shape, Number(op.attributes['axis']));
  const set = new Uint8Array(elementCount(op.operand(0).type));
  const scans = op.name === 'tt.scan';
  const backwards = op.attributes['reverse'] === true;
  wanted.forEach((one, flat) => {
    if (!one) return;
    const within = flat % inner;
    const rest = Math.floor(flat / inner);
    const outer = scans ? Math.floor(rest / axis) : rest;
    const at = rest % axis;
    const [first, end] = !scans ? [0, axis] : backwards ? [at, axis] : [0, at + 1];
    for (let i = first; i < end; i++) set[(outer * axis + i) * inner + within] = 1;
  });
  return set;
}
