/**
 * Operations that can be a loop over a thread's registers (`5-threads/loopForm/`), found
 * before distribution. With costly barriers that decides how many threads a workgroup has: a tile
 * that is walked in a loop costs the same code however few threads share it, any other takes a name
 * for each register.
 */
import { accessKind, WrittenMemory } from '../ir/access';
import { type Func, type Operation, outermostLoop, type Value, walk } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { elementCount, shapeOf } from '../ir/types';
import { AxisAnalysis } from './axis_analysis';
import { CheapValues, isTile } from './layoutRules';
import { accessOrder } from './memoryLayouts';

/** Without reductions there is no barrier to save, and a small tile's code is least with names. */
const SMALL = 256;
/**
 * Loops over one tile, each of which computes again what it needs: with more, names are cheaper.
 */
const MOST_LOOPS = 8;

const RENAMINGS = new Set(['tt.broadcast', 'tt.expand_dims', 'tt.splat']);
/** Elementwise by their results, but not walked in loops. */
const NAMED = new Set(['tt.bitcast', 'tt.int_to_ptr', 'tt.ptr_to_int', 'tt.map_elementwise']);

/** Elements of the largest tile that takes registers with names; 0 without one. */
export function largestNamed(func: Func): number {
  let [largest, named, loops, reductions] = [1, 0, 0, 0];
  const orders = new Map<string, string>();
  const axes = new AxisAnalysis(func);
  const cheap = new CheapValues();
  const name = (value: Value): void => {
    const own = unrenamed(value);
    if (isTile(own)) named = Math.max(named, elementCount(own.type));
  };
  const written = new WrittenMemory(func);
  walk(func.body, (op) => {
    const tiles = [...op.operands, ...op.results].filter(isTile);
    for (const tile of tiles) largest = Math.max(largest, elementCount(tile.type));
    for (const region of op.regions) region.args.forEach(name);
    if (tiles.length === 0) return;
    if (!hasLoopForm(op)) tiles.forEach(name);
    // Results that are not few, and what is loaded from memory that changes, lie in arrays, which
    // slow drivers take longest for.
    if (op.name === 'tt.reduce') {
      reductions++;
      op.results.forEach(name);
    }
    if (op.name === 'tt.load' && written.has(op.operand(0))) name(op.result);
    if (op.name === 'tt.store' || op.name === 'tt.reduce') loops++;
    // A value that an outer loop does not change would be computed again in each of its iterations.
    for (const operand of op.operands)
      if (isTile(operand) && outermostLoop(op, operand) && !cheap.has(operand)) name(operand);
    // Accesses in different orders end in a conversion of the tile, which names its registers.
    if (accessKind(op) === null) return;
    const shape = shapeOf(op.operand(0).type);
    const order = accessOrder(op, axes).join();
    if (shape.length > 1 && (orders.get(shape.join()) ?? order) !== order) name(op.operand(0));
    orders.set(shape.join(), order);
  });
  const small = reductions === 0 && largest <= SMALL;
  return small || loops > MOST_LOOPS ? largest : named;
}

/**
 * Whether there are reductions, and no other operation through which threads tell each other of a
 * tile.
 */
export function onlyReduces(func: Func): boolean {
  let [reductions, others] = [0, 0];
  walk(func.body, (op) => {
    if (op.name === 'tt.reduce') reductions++;
    else if (![...op.operands, ...op.results].some(isTile)) return;
    else if (!hasLoopForm(op) && !op.name.startsWith('scf.')) others++;
  });
  return reductions > 0 && others === 0;
}

/**
 * Operations by which programs communicate or wait for each other, or whose report needs a
 * program's number outside of its code.
 */
const COMMUNICATION = new Set([
  'tt.atomic_rmw',
  'tt.atomic_cas',
  'tt.print',
  'tt.assert',
  'gpu.barrier',
  'scf.while',
]);

/** Whether programs have nothing to do with each other, so that each may be a lane of a vector. */
export function isIndependent(func: Func): boolean {
  let independent = true;
  walk(func.body, (op) => {
    independent &&= !COMMUNICATION.has(op.name);
  });
  return independent;
}

/** The value to which a renaming gives other coordinates: that one has registers. */
function unrenamed(value: Value): Value {
  const op = value.definition;
  return op && RENAMINGS.has(op.name) ? unrenamed(op.operand(0)) : value;
}

function hasLoopForm(op: Operation): boolean {
  if (op.name === 'tt.load' || op.name === 'tt.store' || op.name === 'tt.reduce') return true;
  if (op.name === 'tt.make_range' || op.name === 'arith.constant') return true;
  if (RENAMINGS.has(op.name)) return true;
  return hasTrait(op.name, 'elementwise') && !NAMED.has(op.name);
}
