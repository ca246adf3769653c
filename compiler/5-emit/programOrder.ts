/**
 * Which programs come first. A GPU starts workgroups in order, so where later programs have longer loops
 * (causal attention: a block of queries sees all keys before it), the longest would begin last and end alone.
 * Such programs are counted backwards. Triton leaves their order open.
 */
import { constantOf } from '../ir/builder';
import { Block, type Func, type Operation, type Value, walk } from '../ir/ir';

/** Whether a loop takes more turns the higher the program's id along x is. */
export function growsAlongX(func: Func): boolean {
  const loops: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'scf.for') loops.push(op);
  });
  const known = new Map<Value, Slope>();
  const slopes = loops.map((loop) =>
    together(slopeOf(loop.operand(1), known), opposite(slopeOf(loop.operand(0), known))),
  );
  return slopes.includes('up') && !slopes.includes('down');
}

/** How a scalar follows the id. */
type Slope = 'flat' | 'up' | 'down' | 'unknown';

function opposite(slope: Slope): Slope {
  return slope === 'up' ? 'down' : slope === 'down' ? 'up' : slope;
}
/** Of a sum, a minimum or a maximum. */
function together(a: Slope, b: Slope): Slope {
  if (a === 'flat' || a === b) return b;
  return b === 'flat' ? a : 'unknown';
}

function slopeOf(value: Value, known: Map<Value, Slope>): Slope {
  const before = known.get(value);
  if (before) return before;
  const slope = compute(value, known);
  known.set(value, slope);
  return slope;
}
function compute(value: Value, known: Map<Value, Slope>): Slope {
  const op = value.definition;
  // What a loop carries may be anything; a parameter is the same for all programs.
  if (!op) return value.owner instanceof Block && value.owner.parent ? 'unknown' : 'flat';
  const of = (index: number): Slope => slopeOf(op.operand(index), known);
  switch (op.name) {
    case 'tt.get_program_id':
      return Number(op.attributes['axis'] ?? 0) === 0 ? 'up' : 'flat';
    case 'arith.addi':
    case 'arith.minsi':
    case 'arith.maxsi':
      return together(of(0), of(1));
    case 'arith.subi':
      return together(of(0), opposite(of(1)));
    case 'arith.muli': {
      const [a, b] = [of(0), of(1)];
      if (a !== 'flat' && b !== 'flat') return a === b && a === 'up' ? 'up' : 'unknown';
      // Sizes and strides are taken to be positive.
      const factor = constantOf(op.operand(a === 'flat' ? 0 : 1));
      const slope = together(a, b);
      return typeof factor === 'number' && factor < 0 ? opposite(slope) : slope;
    }
    case 'arith.divsi':
    case 'arith.divui':
      return of(1) === 'flat' ? of(0) : 'unknown';
    case 'arith.extsi':
    case 'arith.extui':
    case 'arith.trunci':
      return of(0);
    default:
      if (op.regions.length > 0) return 'unknown';
      return op.operands.every((_, index) => of(index) === 'flat') ? 'flat' : 'unknown';
  }
}
