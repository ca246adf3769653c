/**
 * Reductions, scans and maps. The combine region works on many elements at once: its scalars become
 * tiles with one lane for each pair to combine.
 *
 * A reduction combines neighbours pairwise, level by level (0 with 1, 2 with 3 …, then those
 * results), keeping the order, so that it is right for any associative region and, in floats, more
 * exact than going from left to right. A scan goes from left to right.
 */
import { isEvaluable } from '../ir/evaluate';
import type { Block, Operation, Value } from '../ir/ir';
import type { ScalarValue } from '../ir/numbers';
import { OPS, type OpName } from '../ir/ops';
import { shapeOf } from '../ir/types';
import type { FuncCompiler, Step } from './compile';
import { elementwiseKernel } from './elementwise';
import { splitAxis } from '../ir/tileIndices';
import { SIMD_FLOATS, simdExtremum } from './simd/extremum';
import { Tile, copyTile, elementAt, fillTile, setElement } from '../ir/tile';
import type { Numbers, TileDType, Kernel } from '../ir/tile';

/** Combines the first n lanes of `left` with those of `right` into `results`. */
export interface Combiner {
  readonly left: readonly Tile[];
  readonly right: readonly Tile[];
  readonly results: readonly Tile[];
  readonly run: Kernel;
}

/** The combine region over `lanes` lanes. */
export function compileCombine(compiler: FuncCompiler, region: Block, lanes: number): Combiner {
  const tiles = new Map<Value, Tile>();
  const args = region.args.map((arg) => {
    const tile = compiler.newTile(arg.type, lanes);
    tiles.set(arg, tile);
    return tile;
  });
  const half = args.length / 2;
  const [left, right] = [args.slice(0, half), args.slice(half)];
  const pure = region.ops.every(
    (op) => isEvaluable(op.name) || op.name === 'arith.constant' || op === region.terminator,
  );
  if (!pure) return laneByLane(compiler, region, left, right, lanes);
  const steps: Kernel[] = [];
  const tileOf = (value: Value): Tile => {
    let tile = tiles.get(value);
    if (!tile) {
      // A scalar from outside of the region.
      const outer = compiler.tile(value);
      const wide = new Tile(outer.dtype, lanes);
      steps.push((n) => fillTile(wide, outer, n));
      tiles.set(value, (tile = wide));
    }
    return tile;
  };
  for (const op of region.ops) {
    if (op === region.terminator) break;
    const out = compiler.newTile(op.result.type, lanes);
    if (op.name === 'arith.constant') {
      const value = op.attributes['value'] as ScalarValue;
      setElement(out, 0, typeof value === 'boolean' ? Number(value) : value);
      fillTile(out, out, lanes);
    } else {
      const inputs = op.operands.map(tileOf);
      steps.push(elementwiseKernel(op.name, op.attributes, inputs, out));
    }
    tiles.set(op.result, out);
  }
  const results = region.terminator.operands.map(tileOf);
  return {
    left,
    right,
    results,
    run: (n) => {
      for (const step of steps) step(n);
    },
  };
}

/** Regions with memory operations or branches run once a lane. */
function laneByLane(
  compiler: FuncCompiler,
  region: Block,
  left: readonly Tile[],
  right: readonly Tile[],
  lanes: number,
): Combiner {
  const args = region.args.map((arg) => compiler.define(arg, false));
  const steps = compiler.block(region);
  const ends = region.terminator.operands.map((value) => compiler.tile(value));
  const results = ends.map((tile) => new Tile(tile.dtype, lanes));
  const sources = [...left, ...right];
  return {
    left,
    right,
    results,
    run: (n) => {
      for (let i = 0; i < n; i++) {
        args.forEach((arg, j) => setLane(arg, 0, sources[j]!, i));
        for (const step of steps) step();
        ends.forEach((end, j) => setLane(results[j]!, i, end, 0));
      }
    },
  };
}
function setLane(to: Tile, i: number, from: Tile, j: number): void {
  if (i === 0) to.wide = false;
  setElement(to, i, elementAt(from, j));
}

/** `count` runs of `length` elements, from one stride to another. */
function copyRuns(
  to: Tile,
  toStart: number,
  toStride: number,
  from: Tile,
  fromStart: number,
  fromStride: number,
  count: number,
  length: number,
): void {
  if (from.wide || to.wide) {
    for (let r = 0; r < count; r++)
      for (let i = 0; i < length; i++)
        setElement(to, toStart + r * toStride + i, elementAt(from, fromStart + r * fromStride + i));
    return;
  }
  const [o, a] = [to.data, from.data];
  for (let r = 0; r < count; r++) {
    const [p, q] = [toStart + r * toStride, fromStart + r * fromStride];
    for (let i = 0; i < length; i++) o[p + i] = a[q + i]!;
  }
}

/**
 * Combines neighbouring runs of `inner` elements, `pairs` times. `to` may be `from`: what is
 * written lies before what is still to be read.
 */
type Pairs = (from: Numbers, to: Numbers, pairs: number, inner: number) => void;

function extremumOf(name: OpName): 'max' | 'min' | undefined {
  const definition = OPS[name];
  return definition.kind === 'elementwise' ? definition.loops?.simd : undefined;
}

/**
 * The loop of a region that is one plain operation on its two arguments: of most sums and maxima.
 */
function pairsOf(region: Block, dtype: TileDType): Pairs | undefined {
  const [op, end] = region.ops;
  if (!op || region.ops.length !== 2 || end!.operands[0] !== op.results[0]) return undefined;
  const [left, right] = region.args;
  if (op.operands.length !== 2 || op.operand(0) !== left || op.operand(1) !== right)
    return undefined;
  if (dtype !== 'f32' && dtype !== 'i32') return undefined;
  switch (op.name) {
    case 'arith.addf':
    case 'arith.addi':
      return (from, to, pairs, inner) => {
        for (let p = 0, o = 0, a = 0; p < pairs; p++, a += inner)
          for (let i = 0; i < inner; i++, o++, a++) to[o] = from[a]! + from[a + inner]!;
      };
    case 'arith.maxnumf':
      return (from, to, pairs, inner) => {
        for (let p = 0, o = 0, a = 0; p < pairs; p++, a += inner)
          for (let i = 0; i < inner; i++, o++, a++) {
            const [x, y] = [from[a]!, from[a + inner]!];
            const z = Math.max(x, y);
            to[o] = z === z ? z : x !== x ? y : x;
          }
      };
    case 'arith.minnumf':
      return (from, to, pairs, inner) => {
        for (let p = 0, o = 0, a = 0; p < pairs; p++, a += inner)
          for (let i = 0; i < inner; i++, o++, a++) {
            const [x, y] = [from[a]!, from[a + inner]!];
            const z = Math.min(x, y);
            to[o] = z === z ? z : x !== x ? y : x;
          }
      };
    case 'arith.maxsi':
      return (from, to, pairs, inner) => {
        for (let p = 0, o = 0, a = 0; p < pairs; p++, a += inner)
          for (let i = 0; i < inner; i++, o++, a++)
            to[o] = from[a]! > from[a + inner]! ? from[a]! : from[a + inner]!;
      };
    case 'arith.minsi':
      return (from, to, pairs, inner) => {
        for (let p = 0, o = 0, a = 0; p < pairs; p++, a += inner)
          for (let i = 0; i < inner; i++, o++, a++)
            to[o] = from[a]! < from[a + inner]! ? from[a]! : from[a + inner]!;
      };
    default:
      return undefined;
  }
}

export function compileReduce(compiler: FuncCompiler, op: Operation): Step {
  const inputs = op.operands.map((value) => compiler.tile(value));
  const outputs = op.results.map((value) => compiler.define(value, true));
  const shape = shapeOf(op.operand(0).type);
  const [outer, axis, inner] = splitAxis(shape, Number(op.attributes['axis']));
  if (axis === 1) return () => inputs.forEach((input, i) => copyTile(outputs[i]!, input));
  const level = inputs.length === 1 ? pairsOf(op.region(0), inputs[0]!.dtype) : undefined;
  const extremum = extremumOf(op.region(0).ops[0]!.name);
  const simd = extremum && inputs[0]!.dtype === 'f32' ? simdExtremum() : undefined;
  if (level && extremum && simd) {
    const [from, to] = [inputs[0]!.data, outputs[0]!.data];
    return () => {
      const floats = simd.floats(from.length);
      floats.set(from);
      for (let size = axis; size > 1; size /= 2) {
        const pairs = (outer * size) / 2;
        if (inner === 1 && pairs % SIMD_FLOATS === 0) simd.pairs(extremum, pairs);
        else if (inner % SIMD_FLOATS === 0)
          for (let p = 0; p < pairs; p++) {
            const at = 2 * p * inner;
            simd.both(extremum, at, at + inner, p * inner, inner);
          }
        else level(floats, floats, pairs, inner);
      }
      to.set(floats.subarray(0, to.length));
    };
  }
  if (level) {
    const [from, to] = [inputs[0]!.data, outputs[0]!.data];
    const scratch = new Tile(inputs[0]!.dtype, (outer * axis * inner) / 2).data;
    return () => {
      for (let size = axis; size > 1; size /= 2)
        level(size === axis ? from : scratch, size === 2 ? to : scratch, (outer * size) / 2, inner);
    };
  }
  const combiner = compileCombine(compiler, op.region(0), (outer * axis * inner) / 2);
  const { left, right, results, run } = combiner;
  return () => {
    let level: readonly Tile[] = inputs;
    for (let size = axis; size > 1; size /= 2) {
      const pairs = (outer * size) / 2;
      level.forEach((from, j) => {
        left[j]!.wide = right[j]!.wide = false;
        copyRuns(left[j]!, 0, inner, from, 0, 2 * inner, pairs, inner);
        copyRuns(right[j]!, 0, inner, from, inner, 2 * inner, pairs, inner);
      });
      run(pairs * inner);
      level = results;
    }
    outputs.forEach((output, j) => {
      output.wide = false;
      copyRuns(output, 0, 0, results[j]!, 0, 0, 1, output.count);
    });
  };
}

export function compileScan(compiler: FuncCompiler, op: Operation): Step {
  const inputs = op.operands.map((value) => compiler.tile(value));
  const outputs = op.results.map((value) => compiler.define(value, true));
  const shape = shapeOf(op.operand(0).type);
  const [outer, axis, inner] = splitAxis(shape, Number(op.attributes['axis']));
  const reverse = op.attributes['reverse'] === true;
  const { left, right, results, run } = compileCombine(compiler, op.region(0), outer * inner);
  const at = (k: number) => (reverse ? axis - 1 - k : k) * inner;
  const stride = axis * inner;
  return () => {
    outputs.forEach((output, j) => {
      output.wide = left[j]!.wide = false;
      copyRuns(output, at(0), stride, inputs[j]!, at(0), stride, outer, inner);
      copyRuns(left[j]!, 0, inner, inputs[j]!, at(0), stride, outer, inner);
    });
    for (let k = 1; k < axis; k++) {
      inputs.forEach((input, j) => {
        right[j]!.wide = false;
        copyRuns(right[j]!, 0, inner, input, at(k), stride, outer, inner);
      });
      run(outer * inner);
      outputs.forEach((output, j) => {
        copyRuns(output, at(k), stride, results[j]!, 0, inner, outer, inner);
      });
      // Not straight into `left`: a result may be one of the arguments.
      const next = results.map((result) => (left.includes(result) ? clone(result) : result));
      left.forEach((tile, j) => {
        tile.wide = false;
        copyRuns(tile, 0, inner, next[j]!, 0, inner, outer, inner);
      });
    }
  };
}
function clone(tile: Tile): Tile {
  const copy = new Tile(tile.dtype, tile.count);
  copyTile(copy, tile);
  return copy;
}

/** The region of a map runs once for each element: it may branch and loop. */
export function compileMap(compiler: FuncCompiler, op: Operation): Step {
  const inputs = op.operands.map((value) => compiler.tile(value));
  const outputs = op.results.map((value) => compiler.define(value, true));
  const region = op.region(0);
  const args = region.args.map((arg) => compiler.define(arg, false));
  const steps = compiler.block(region);
  const ends = region.terminator.operands.map((value) => compiler.tile(value));
  // Results may share memory with inputs that die here: each has all its elements before it is
  // written.
  const results = outputs.map((output) => new Tile(output.dtype, output.count));
  const count = outputs[0]?.count ?? 0;
  return () => {
    for (const result of results) result.wide = false;
    for (let i = 0; i < count; i++) {
      args.forEach((arg, j) => setLane(arg, 0, inputs[j]!, i));
      for (const step of steps) step();
      ends.forEach((end, j) => setElement(results[j]!, i, elementAt(end, 0)));
    }
    outputs.forEach((output, j) => copyTile(output, results[j]!));
  };
}
