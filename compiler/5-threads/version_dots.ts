/**
 * Selects dots from global memory that get two versions of their loop along K: tests of each load
 * cost a quarter of the time. Where the addresses of both operands are linear along K, a row's (or
 * column's) first and last step decide for all steps between them. The pass marks such a dot as
 * `versioned`; `lower_tiles` writes a loop without tests, the test of the ends in front of it, and
 * a loop with all tests.
 *
 * Requires register forms (`select_register_forms`), and changes nothing else.
 * @throws RegroupNeeded where pointers of different binding groups meet
 */
import { AxisAnalysis } from '../4-distribute/axis_analysis';
import { maskOf } from '../ir/access';
import { walk } from '../ir/ir';
import type { Func, Operation, Value } from '../ir/ir';
import { strategyOf } from '../ir/ops/dot';
import { isRematerialized, VERSIONED } from '../ir/registerForm';
import { shapeOf } from '../ir/types';
import type { CompileRequest } from '../program';
import { planMemory } from './memory/groups';
import { Parameters } from './uniforms';

/** @returns whether it marked a dot. */
export function version_dots(func: Func, request: CompileRequest): boolean {
  // Without bounds checks there is no test to leave out.
  if (!request.options.checkBounds) return false;
  const dots: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'tt.dot' && strategyOf(op) === 'direct') dots.push(op);
  });
  if (dots.length === 0) return false;
  const axes = new AxisAnalysis(func);
  const { specialization, target } = request;
  const memory = planMemory(func, new Parameters(func, specialization), { f16: target.f16 });
  let changed = false;
  for (const dot of dots) {
    const decided = ([0, 1] as const).every((side) => {
      const load = dot.operand(side).definition!;
      return !memory.of(load).computed && endsDecide(axes, load, side);
    });
    if (!decided) continue;
    dot.attributes = { ...dot.attributes, [VERSIONED]: true };
    changed = true;
  }
  return changed;
}

/** Whether no step of K between the first and the last is out of range where those are in range. */
function endsDecide(axes: AxisAnalysis, load: Operation, side: 0 | 1): boolean {
  return (
    !maskOf(load) && isRematerialized(load.result) && isLinear(axes, load.operand(0), 1 - side)
  );
}

/** Whether a tile of integers or addresses is `x + k * y` along a dimension, modulo 2³². */
function isLinear(axes: AxisAnalysis, value: Value, dim: number): boolean {
  const size = shapeOf(value.type)[dim];
  if (value.type.kind !== 'tensor' || size === 1) return true;
  const isConstant = (tile: Value): boolean => axes.of(tile).constancy[dim]! >= size!;
  if (isConstant(value)) return true;
  const op = value.definition;
  switch (op?.name) {
    case 'tt.make_range':
      return true;
    case 'tt.broadcast':
      return isLinear(axes, op.operand(0), dim);
    case 'tt.expand_dims': {
      const axis = Number(op.attributes['axis']);
      return isLinear(axes, op.operand(0), dim > axis ? dim - 1 : dim);
    }
    case 'arith.addi':
    case 'arith.subi':
    case 'tt.addptr':
      return op.operands.every((operand) => isLinear(axes, operand, dim));
    case 'arith.muli': {
      const [x, y] = [op.operand(0), op.operand(1)];
      return (isConstant(x) && isLinear(axes, y, dim)) || (isConstant(y) && isLinear(axes, x, dim));
    }
    default:
      return false;
  }
}
