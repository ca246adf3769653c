/**
 * Selects loops to version where branches are masked: every test within a loop costs as much as an
 * access there. Where all accesses of a loop over registers walk up through memory under masks that
 * only ever end, the thread's first and last element decide for all of them. Such a loop is lowered
 * twice: without any test, and with all of them for the edges. The pass marks the store or
 * reduction that owns the loop as `versioned`; `lower_tiles` writes the versions.
 *
 * Requires register forms (`select_register_forms`), and changes nothing else.
 */
import { AxisAnalysis } from '../4-distribute/axis_analysis';
import { maskOf } from '../ir/access';
import { walk } from '../ir/ir';
import type { Func, Operation, Value } from '../ir/ir';
import { formOf, isRematerialized, VERSIONED } from '../ir/registerForm';
import { shapeOf } from '../ir/types';
import type { CompileRequest } from '../program';
import { machineOf } from '../target';
import { accessesBehind } from './loopForm/versioning';

/** Most operations that a loop lowered twice may evaluate. */
const MOST_OPERATIONS = 32;

const UPPER_LIMITS: ReadonlySet<unknown> = new Set(['slt', 'sle', 'ult', 'ule']);

/** @returns whether it marked a loop. */
export function version_loops(func: Func, request: CompileRequest): boolean {
  if (!machineOf(request.target).masksBranches) return false;
  let axes: AxisAnalysis | undefined;
  let changed = false;
  walk(func.body, (op) => {
    if (formOf(op) !== 'loop') return;
    const { accesses, operations } = accessesBehind(op);
    if (accesses.length === 0 || operations > MOST_OPERATIONS) return;
    if (!request.options.checkBounds && !accesses.some(maskOf)) return;
    const facts = (axes ??= new AxisAnalysis(func));
    if (!accesses.every((access) => walksUp(facts, access))) return;
    op.attributes = { ...op.attributes, [VERSIONED]: true };
    changed = true;
  });
  return changed;
}

/**
 * Whether the access's addresses rise by one element from register to register, and its mask only
 * ends.
 */
function walksUp(axes: AxisAnalysis, op: Operation): boolean {
  const pointer = op.operand(0);
  const shape = shapeOf(pointer.type);
  const mask = maskOf(op);
  return (
    shape.length === 1 &&
    isRematerialized(pointer) &&
    axes.of(pointer).contiguity[0]! >= shape[0]! &&
    (mask === undefined || (isRematerialized(mask) && onlyEnds(axes, mask)))
  );
}

/** Whether a mask that holds for the last register of a thread holds for those before it. */
function onlyEnds(axes: AxisAnalysis, mask: Value): boolean {
  const op = mask.definition;
  const size = shapeOf(mask.type)[0] ?? 1;
  if (op?.name === 'arith.andi') return op.operands.every((operand) => onlyEnds(axes, operand));
  if (op?.name !== 'arith.cmpi' || !UPPER_LIMITS.has(op.attributes['predicate'])) return false;
  const [rising, limit] = op.operands.map((operand) => axes.of(operand));
  return rising!.contiguity[0]! >= size && limit!.constancy[0]! >= size;
}
