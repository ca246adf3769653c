/**
 * Unrolls loops over registers: selects how many elements an iteration takes, as the attribute
 * `unroll` of the store or reduction that owns the loop; `lower_tiles` writes the iterations. A
 * store takes several runs only in a version without tests; code with tests is for edges.
 *
 * Requires register forms (`select_register_forms`), and changes nothing else.
 */
import { walk } from '../ir/ir';
import type { Func } from '../ir/ir';
import { formOf, UNROLL } from '../ir/registerForm';
import type { CompileRequest } from '../program';
import { machineOf } from '../target';

/** Elements that an iteration of a store takes without tests, and one of a reduction. */
const LARGE_CODE = { store: 16, reduce: 8 };
/**
 * On a CPU an iteration costs as much as a few accesses, so a reduction's takes more; but a store's
 * iteration has loads, too, and a dozen accesses are more code than a core keeps decoded while
 * another thread shares it.
 */
const SMALL_CODE = { store: 8, reduce: 16 };
/** A reduction to many results combines them for each of its results. */
const MANY_RESULTS = 8;

/** @returns whether it unrolled a loop. */
export function unroll_register_loops(func: Func, { target }: CompileRequest): boolean {
  const { store, reduce } = machineOf(target).smallCodeCache ? SMALL_CODE : LARGE_CODE;
  let changed = false;
  walk(func.body, (op) => {
    const form = formOf(op);
    if (op.name !== 'tt.reduce' && op.name !== 'tt.store') return;
    if (form !== 'loop' && form !== 'array') return;
    const unroll = op.name === 'tt.store' ? store : form === 'array' ? MANY_RESULTS : reduce;
    op.attributes = { ...op.attributes, [UNROLL]: unroll };
    changed = true;
  });
  return changed;
}
