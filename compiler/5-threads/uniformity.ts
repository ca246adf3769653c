/**
 * Which scalars WGSL can prove to be the same in all threads of a workgroup. All scalars of a
 * program are; but where a barrier stands in a branch or loop, WGSL demands a proof of the
 * condition, and takes none for what was loaded from writable memory or came out of a reduction.
 */
import { walk } from '../ir/ir';
import type { Block, Func, Operation, Value } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import type { MemoryPlan } from './memory/groups';
import { isSerialized } from './memory/wideAtomics';

/**
 * Whether an atomic of one address orders what the program's other threads load and store around
 * it: a lock is taken before any thread reads what it guards, and given back after every thread's
 * stores.
 */
export function ordersMemory(op: Operation): boolean {
  if (op.name !== 'tt.atomic_rmw' && op.name !== 'tt.atomic_cas') return false;
  return op.operand(0).type.kind !== 'tensor' && op.attributes['semantics'] !== 'relaxed';
}

/** Whether an operation makes every thread wait for the others, in it or in its regions. */
export function hasBarrier(op: Operation): boolean {
  if (op.name === 'gpu.barrier' || 'scratch' in op.attributes) return true;
  if (op.name === 'tt.histogram' || ordersMemory(op) || isSerialized(op)) return true;
  return op.regions.some((region) => region.ops.some(hasBarrier));
}

/** Operations whose lowering may take values from other lanes of a subgroup. */
const CROSS_LANES: ReadonlySet<string> = new Set([
  'tt.reduce',
  'tt.scan',
  'tt.dot',
  'tt.gather',
  'tt.sort',
  'ttg.convert_layout',
  'ttg.load_fragments',
  'ttg.read_fragments',
]);
export function crossesLanes(op: Operation): boolean {
  return CROSS_LANES.has(op.name) || op.regions.some((region) => region.ops.some(crossesLanes));
}

/** The scalar values that are provably uniform. */
export function provablyUniform(func: Func, memory: MemoryPlan): ReadonlySet<Value> {
  // Optimistic: everything is, until something says no; loops need the greatest solution.
  const not = new Set<Value>();
  const uniform = (value: Value | undefined): boolean =>
    value !== undefined && value.type.kind !== 'tensor' && !not.has(value);
  let changed = true;
  const deny = (value: Value | undefined): void => {
    if (value && !not.has(value)) {
      not.add(value);
      changed = true;
    }
  };
  const terminator = (block: Block | undefined): readonly Value[] =>
    block?.ops.at(-1)?.operands ?? [];
  while (changed) {
    changed = false;
    walk(func.body, (op) => {
      switch (op.name) {
        case 'scf.for': {
          const body = op.regions[0];
          const bounds = op.operands.slice(0, 3).every(uniform);
          const yields = terminator(body);
          if (!bounds) deny(body?.args[0]);
          op.results.forEach((result, i) => {
            const same = bounds && uniform(op.operands[i + 3]) && uniform(yields[i]);
            if (same) return;
            deny(result);
            deny(body?.args[i + 1]);
          });
          return;
        }
        case 'scf.while': {
          const [before, after] = op.regions;
          const [condition, ...forwarded] = terminator(before);
          const next = terminator(after);
          before?.args.forEach((arg, i) => {
            if (!uniform(condition) || !uniform(op.operands[i]) || !uniform(next[i])) deny(arg);
          });
          forwarded.forEach((value, i) => {
            if (uniform(condition) && uniform(value)) return;
            deny(after?.args[i]);
            deny(op.results[i]);
          });
          return;
        }
        case 'scf.if': {
          const [yes, no] = op.regions.map(terminator);
          op.results.forEach((result, i) => {
            if (!uniform(op.operand(0)) || !uniform(yes?.[i]) || !uniform(no?.[i])) deny(result);
          });
          return;
        }
        case 'tt.load':
          if (memory.of(op).group.written || !op.operands.every(uniform)) deny(op.result);
          return;
        default: {
          const proven = hasTrait(op.name, 'pure') && op.operands.every(uniform);
          if (!proven) for (const result of op.results) deny(result);
        }
      }
    });
  }
  const out = new Set<Value>();
  const add = (value: Value): void => {
    if (uniform(value)) out.add(value);
  };
  func.body.args.forEach(add);
  walk(func.body, (op) => {
    op.results.forEach(add);
    for (const region of op.regions) region.args.forEach(add);
  });
  return out;
}
