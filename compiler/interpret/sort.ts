/**
 * Sorting networks: the pairs of a step together, so that the compare region runs on many at once.
 */
import type { Operation } from '../ir/ir';
import { shapeOf } from '../ir/types';
import type { FuncCompiler, Step } from './compile';
import { compileCombine } from './reduce';
import { Tile, copyTile, elementAt, setElement } from '../ir/tile';

export function compileSort(compiler: FuncCompiler, op: Operation): Step {
  const input = compiler.tile(op.operand(0));
  const output = compiler.define(op.result, true);
  const length = shapeOf(op.operand(0).type).at(-1)!;
  const steps = Math.log2(length);
  const keep = Number(op.attributes['keep']);
  const first = Number(op.attributes['first']);
  const descending = op.attributes['descending'] === true;
  const work = new Tile(input.dtype, input.count);
  const half = Math.max(1, input.count / 2);
  const { left, right, results, run } = compileCombine(compiler, op.region(0), half);
  const [lower, upper] = [left[0]!, right[0]!];
  const [greater, isNaN] = results;
  const wins = new Uint8Array(half);

  /** Compares the elements at `low` with those at `high`: greater than them, and being NaN. */
  const compare = (a: Tile, b: Tile, low: Int32Array, high: Int32Array): void => {
    a.wide = b.wide = false;
    low.forEach((at, i) => setElement(a, i, elementAt(work, at)));
    high.forEach((at, i) => setElement(b, i, elementAt(work, at)));
    run(low.length);
  };
  /** Place of compact index c once only the lowest 2 ** keep of 2 ** stage elements are left. */
  const place = (c: number, stage: number): number =>
    Math.floor(c / 2 ** keep) * 2 ** stage + (c % 2 ** keep);
  const down = (at: number, stage: number): boolean =>
    stage < steps ? Math.floor(at / 2 ** stage) % 2 === 1 : descending;
  /** Sorts bitonic runs of 2 ** bits elements. */
  const merge = (bits: number, stage: number, spread: number): void => {
    const pairs = input.count / 2 ** (spread - keep) / 2;
    const low = new Int32Array(pairs);
    const high = new Int32Array(pairs);
    for (let bit = bits - 1; bit >= 0; bit--) {
      for (let q = 0; q < pairs; q++) {
        const c = Math.floor(q / 2 ** bit) * 2 ** (bit + 1) + (q % 2 ** bit);
        low[q] = spread === keep ? c : place(c, spread);
        high[q] = low[q]! + 2 ** bit;
      }
      compare(lower, upper, low, high);
      for (let q = 0; q < pairs; q++) wins[q] = greater!.data[q]! ? 1 : 0;
      compare(lower, upper, high, low);
      for (let q = 0; q < pairs; q++) {
        const flip = down(low[q]!, stage);
        const [a, b] = [elementAt(work, low[q]!), elementAt(work, high[q]!)];
        setElement(work, low[q]!, (wins[q] === 1) !== flip ? b : a);
        setElement(work, high[q]!, (greater!.data[q]! !== 0) === flip ? a : b);
      }
    }
  };
  /** The better half of two runs that were sorted in opposite directions, into the lower one. */
  const better = (stage: number): void => {
    const pairs = input.count / 2 ** (stage - keep);
    const low = Int32Array.from({ length: pairs }, (_, c) => place(c, stage));
    const high = low.map((at) => at + 2 ** (stage - 1));
    compare(lower, upper, low, high);
    for (let q = 0; q < pairs; q++) wins[q] = greater!.data[q]! ? 1 : 0;
    compare(lower, upper, high, low);
    for (let q = 0; q < pairs; q++) {
      const wanted = descending ? wins[q] === 1 : greater!.data[q]! !== 0;
      // A NaN loses.
      if (!wanted && !isNaN!.data[q]!) setElement(work, low[q]!, elementAt(work, high[q]!));
    }
  };
  return () => {
    copyTile(work, input);
    if (input.count > 1) {
      for (let stage = first; stage <= keep; stage++) merge(stage, stage, keep);
      for (let stage = keep + 1; stage <= steps; stage++) {
        better(stage);
        merge(keep, stage, stage);
      }
    }
    output.wide = false;
    for (let c = 0; c < output.count; c++) setElement(output, c, elementAt(work, place(c, steps)));
  };
}
