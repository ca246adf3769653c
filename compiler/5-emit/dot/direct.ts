/**
 * tt.dot from global memory (`4-distribute/directDots.ts`): a loop along K, a few steps a turn, in which each
 * thread loads what its block of the accumulator needs. Products are added in the order of K, as fused
 * multiply-adds of whole vectors along N (integers: products and sums), so the sums are those of a dot from
 * workgroup memory. Halves are widened where they are multiplied, exactly.
 *
 * Tests of each load cost a quarter of the time. Where addresses are linear along K, those of the first
 * and of the last step tell for all, and the loop is written twice: without tests, and with all of them, one
 * step a turn, since a turn of it is paid for even where it is not taken (`leaveEarly.ts`).
 */
import { STEPS } from '../../4-distribute/directDots';
import { maskOf } from '../../ir/access';
import type { Operation, Value } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount } from '../../ir/layout';
import { shapeOf } from '../../ir/types';
import { layoutOf } from '../emission';
import type { Emission } from '../emission';
import { registerCoordinate } from '../layouts';
import { boundsOf } from '../memory/bounds';
import { runLength } from '../memory/runs';
import { evaluate, loop, outsideLoops } from '../rolled/values';
import type { Bit, Index, Pass } from '../rolled/values';
import { components, vectorOf } from './pack';

export function emitDirectDot(e: Emission, op: Operation): void {
  const [a, b, acc] = [op.operand(0), op.operand(1), op.operand(2)];
  const layout = layoutOf(acc);
  const [one, two] = layout.register;
  const alongN = one?.[1] === 1 && two?.[1] === 2;
  const width = alongN ? 4 : 1;
  const start = e.registers(acc);
  const hint = e.hint(op.result);
  const type = e.registerTypeOf(acc);
  const sums = Array.from({ length: registerCount(layout) / width }, (_, i) =>
    alongN
      ? e.variable(hint, `vec4<${type}>`, vectorOf(type, start.slice(4 * i, 4 * i + 4)))
      : e.variable(hint, type, start[i]!),
  );
  const isHalf = (value: Value): boolean => e.registerTypeOf(value) === 'f16';
  const depth = Math.log2(shapeOf(a.type)[1]!);
  /** The loop, 2^`steps` of K a turn. */
  const emit = (steps: number, narrow = false): void => {
    const turn = (pass: Pass): void => {
      // Of halves, what is widened already.
      const names = new Map<string, string>();
      const widened = (text: string): string => {
        const name = names.get(text) ?? e.let('x', text);
        names.set(text, name);
        return name;
      };
      for (let k = 0; k < 1 << steps; k++)
        sums.forEach((sum, i) => {
          const r = i * width;
          const row = evaluate(e, pass, a, indexOf(layoutOf(a), 0, layout, r, k, steps));
          const columns = Array.from({ length: width }, (_, j) =>
            evaluate(e, pass, b, indexOf(layoutOf(b), 1, layout, r + j, k, steps)),
          );
          const whole = alongN ? `vec4<${type}>` : type;
          const column = alongN ? vectorOf(e.registerTypeOf(b), columns) : columns[0]!;
          const x = isHalf(a) ? widened(`f32(${row})`) : row;
          const y = isHalf(b) ? widened(`${whole}(${column})`) : column;
          e.writer.line(
            type === 'f32'
              ? `${sum} = fma(${alongN ? `${whole}(${x})` : x}, ${y}, ${sum});`
              : `${sum} += ${x} * ${y};`,
          );
        });
    };
    loop(e, [a, b], depth - steps, turn, { narrow, carriesMuch: true });
  };
  const loads = [a.definition!, b.definition!] as const;
  const tests = loads.map((load, side) =>
    e.writer.at(load.location, () => endTests(e, load, side as 0 | 1)),
  );
  const steps = Math.log2(STEPS);
  if (tests.some((test) => test === undefined) || tests.every((test) => test!.length === 0)) {
    emit(steps);
  } else {
    const all = e.let('all_inside', tests.flatMap((test) => test!).join(' & '));
    e.writer.ifElse(
      all,
      () => {
        for (const load of loads) e.free.set(load, undefined);
        emit(steps);
        for (const load of loads) e.free.delete(load);
      },
      () => emit(0, true),
    );
  }
  e.setRegisters(op.result, alongN ? sums.flatMap((sum) => components(sum)) : sums);
}

/**
 * The register of an operand for register `r` of the accumulator, at step `k` of a turn of 2^`steps`: `side`
 * is the dimension that both have.
 */
function indexOf(
  operand: Layout,
  side: 0 | 1,
  accumulator: Layout,
  r: number,
  k: number,
  steps: number,
): Index {
  const own = registerCoordinate(accumulator, r, side);
  return operand.register.map((basis): Bit => {
    const [mine, summed] = [basis[side]!, basis[1 - side]!];
    if (mine !== 0) return (own & mine) === 0 ? 0 : 1;
    const bit = Math.log2(summed);
    return bit < steps ? (((k >> bit) & 1) as Bit) : { counter: bit - steps };
  });
}

/** So far addresses may move along K: nothing in between wraps around. */
const FARTHEST = 2 ** 30;

/**
 * That all that a thread loads of an operand is in range: for each of its rows (or columns) the first and the
 * last step of K, and that addresses move little enough from one to the next that none between
 * them wraps around. Undefined where that does not tell: under masks, or where addresses are not linear.
 */
function endTests(e: Emission, load: Operation, side: 0 | 1): string[] | undefined {
  const pointer = load.operand(0);
  const summed = 1 - side;
  if (maskOf(load) || e.memory.of(load).computed || e.kept.has(load.result)) return undefined;
  if (!e.later.has(load.result) || !isLinear(e, pointer, summed)) return undefined;
  const run = runLength(e, load);
  const bounds = boundsOf(e, load, 'load', run);
  if (!bounds) return [];
  const { register } = layoutOf(pointer);
  const low = Math.log2(run);
  const steps = shapeOf(pointer.type)[summed]!;
  const limit = Math.floor(FARTHEST / steps);
  const pass = outsideLoops();
  const tests: string[] = [];
  // Of a run only the first address is computed: along K, the others follow it one by one.
  const alongRun = register.some((basis, i) => i < low && basis[summed] === 1);
  const mine = register.flatMap((basis, i) => (basis[side] && i >= low ? [i] : []));
  for (let n = 0; n < 1 << mine.length; n++) {
    /** The address at a step of K, rounded down to where a run begins. */
    const at = (k: number): string => {
      const index = register.map((basis, i): Bit => {
        if (i < low) return 0;
        if (basis[side]) return mine.includes(i) ? (((n >> mine.indexOf(i)) & 1) as Bit) : 0;
        return (k & basis[summed]!) === 0 ? 0 : 1;
      });
      return evaluate(e, pass, pointer, index);
    };
    const first = at(0);
    tests.push(`(${bounds.inside(first)})`, `(${bounds.inside(at(steps - 1))})`);
    if (!alongRun) tests.push(`(u32(${at(1)} - ${first} + ${limit}i) <= ${2 * limit}u)`);
  }
  return tests.map((test) => e.let('inside', test));
}

/** Whether a tile of integers or addresses is `x + k * y` along a dimension, modulo 2³². */
function isLinear(e: Emission, value: Value, dim: number): boolean {
  const size = shapeOf(value.type)[dim];
  if (value.type.kind !== 'tensor' || size === 1) return true;
  const isConstant = (tile: Value): boolean => e.axes.of(tile).constancy[dim]! >= size!;
  if (isConstant(value)) return true;
  const op = value.definition;
  switch (op?.name) {
    case 'tt.make_range':
      return true;
    case 'tt.broadcast':
      return isLinear(e, op.operand(0), dim);
    case 'tt.expand_dims': {
      const axis = Number(op.attributes['axis']);
      return isLinear(e, op.operand(0), dim > axis ? dim - 1 : dim);
    }
    case 'arith.addi':
    case 'arith.subi':
    case 'tt.addptr':
      return op.operands.every((operand) => isLinear(e, operand, dim));
    case 'arith.muli': {
      const [x, y] = [op.operand(0), op.operand(1)];
      return (isConstant(x) && isLinear(e, y, dim)) || (isConstant(y) && isLinear(e, x, dim));
    }
    default:
      return false;
  }
}
