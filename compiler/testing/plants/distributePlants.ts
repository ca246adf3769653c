/** Faults of distribution, and of the decisions that `lower_tiles` reads. */
import { Builder } from '../../ir/builder';
import type { Func, Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { all, inLoop, loopOf, one, swapOperands } from './plant';
import type { Plant } from './plant';

/** Writes attributes. */
function set(op: Operation, attributes: Operation['attributes']): void {
  op.attributes = { ...op.attributes, ...attributes };
}
function layoutOf(op: Operation): Layout {
  const { type } = op.result;
  if (type.kind !== 'tensor' || !type.layout) throw new Error('no layout');
  return type.layout;
}
function withLayout(op: Operation, layout: Layout): void {
  const { type } = op.result;
  if (type.kind === 'tensor') op.result.type = { ...type, layout };
}
/** Exchanges the tiles of two stores to workgroup memory. */
function swapStaged(func: Func): void {
  const [a, b] = all(func, 'ttg.local_store', inLoop);
  const [x, y] = [a!.operand(0), b!.operand(0)];
  a!.setOperand(0, y);
  b!.setOperand(0, x);
}
/** A result of a dot that stays in subgroup matrices begins from 0 in every iteration. */
function forgetSum(func: Func): void {
  one(func, 'tt.dot', inLoop).setOperand(2, loopOf(func).operand(3));
}

const STAGING: readonly Plant[] = [
  {
    pass: 'scalarize_carried_offsets',
    fault: 'moves the offset by one element too few',
    kernel: 'carried',
    run: (func) => {
      const next = one(func, 'arith.addi', (op) => inLoop(op) && op.result.type.kind === 'scalar');
      next.setOperand(1, Builder.before(next).i32(63));
    },
  },
  {
    pass: 'choose_threads',
    fault: 'takes more threads than the target has',
    kernel: 'matmul',
    run: (func) => Object.assign(func.attributes, { threads: 512 }),
    unseen: 'no number of threads changes a result: WebGPU refuses a workgroup that is too large',
  },
  {
    pass: 'select_dot_path',
    fault: 'gives a subgroup half of its rows',
    kernel: 'matrix product',
    run: (func) => set(one(func, 'tt.dot'), { block: [8, 16] }),
    verdict: 'refused',
    named: 'lower_tiles',
  },
  {
    pass: 'propagate_layouts',
    fault: 'gives two registers the same element',
    kernel: 'matmul',
    run: (func) => {
      const load = one(func, 'tt.load', inLoop);
      const { register, ...rest } = layoutOf(load);
      withLayout(load, { ...rest, register: register.map(() => register[0]!) });
    },
    verdict: 'failed',
    message: /the layout of tt.load does not cover its tile/,
  },
  {
    pass: 'set_vector_width',
    fault: 'loads elements that do not lie side by side as a vector',
    kernel: 'matmul',
    run: (func) => set(one(func, 'tt.load', inLoop), { vector: 2 }),
    verdict: 'failed',
    message: /elements of a vector of 2 do not lie side by side/,
  },
  {
    pass: 'stage_operands',
    fault: 'stages the right operand as the left one',
    kernel: 'matmul',
    run: swapStaged,
  },
  {
    pass: 'stage_operands',
    fault: 'stages the first slice of K twice',
    kernel: 'matmul, split loads',
    run: (func) => set(one(func, 'ttg.local_store', inLoop, 2), { slice: [0, 0] }),
  },
  {
    pass: 'split_loads',
    fault: 'loads the first slice of K twice',
    kernel: 'matmul, split loads',
    run: (func) => {
      const slice = one(func, 'ttg.extract_slice', ({ attributes: { origin } }) =>
        (origin as number[]).some((at) => at > 0),
      );
      set(slice, { origin: [0, 0] });
    },
  },
  {
    pass: 'keep_accumulators_in_fragments',
    fault: 'begins from 0 in every iteration',
    kernel: 'matrix product',
    run: forgetSum,
  },
  {
    pass: 'banded_epilogue',
    fault: 'stores the first band of rows twice',
    kernel: 'matrix product, many rows',
    run: (func) => set(one(func, 'ttg.read_fragments', undefined, -1), { origin: [0, 0] }),
  },
  {
    pass: 'merge_reductions',
    fault: 'exchanges the results of two reductions',
    kernel: 'moments',
    run: (func) => swapOperands(one(func, 'tt.reduce')),
  },
  {
    pass: 'overlap_stores_with_mma',
    fault: 'loads the first tile in place of the second, before the loop',
    kernel: 'matrix product',
    run: (func) => {
      const second = one(
        func,
        'arith.addi',
        (op) => op.parent?.parent?.name === 'scf.if' && op.result.type.kind === 'scalar',
      );
      second.result.replaceAllUsesWith(second.operand(0));
    },
  },
  {
    pass: 'pipeline_loads',
    fault: 'carries the tile that it has just used',
    kernel: 'matmul, pipelined',
    run: (func) => {
      const body = loopOf(func).region(0);
      body.terminator.setOperand(3, body.args[4]!);
    },
  },
  {
    pass: 'delay_reductions',
    fault: 'sums what the weights are computed from',
    kernel: 'attention, delayed',
    run: (func) => {
      const reduce = one(
        func,
        'tt.reduce',
        (op) => inLoop(op) && op.operand(0).definition?.name === 'math.exp2',
      );
      reduce.setOperand(0, reduce.operand(0).definition!.operand(0));
    },
  },
  {
    pass: 'sink_past_loops',
    fault: 'computes the columns behind the loop from the row of the program',
    kernel: 'matmul',
    run: (func) => {
      const [columns, rows] = all(
        func,
        'tt.splat',
        (op) => behindLoop(op) && op.operand(0).definition?.name === 'arith.muli',
      );
      columns!.setOperand(0, rows!.operand(0));
    },
  },
];

/** Faults of decisions that change no tile. */
const PLACES: readonly Plant[] = [
  {
    pass: 'allocate_shared_memory',
    fault: 'gives both operands the same place',
    kernel: 'matmul',
    run: (func) => set(one(func, 'ttg.local_alloc', undefined, 1), { offset: 0 }),
    verdict: 'failed',
    message: /WAW|reads workgroup memory where another tile was stored/,
  },
  {
    pass: 'insert_barriers',
    fault: 'forgets the barrier between the stores and the dot',
    kernel: 'matmul',
    run: (func) => one(func, 'gpu.barrier', undefined, 1).erase(),
    verdict: 'failed',
    message: /RAW hazard at bytes \d+ to \d+ of workgroup memory/,
  },
  {
    pass: 'insert_barriers',
    fault: 'forgets that the next iteration stores again',
    kernel: 'attention',
    run: (func) => one(func, 'gpu.barrier', inLoop).erase(),
    verdict: 'failed',
    message: /hazard at bytes \d+ to \d+ of workgroup memory/,
  },
  {
    pass: 'order_stores',
    fault: 'forgets the barrier before a store to what others have loaded',
    kernel: 'reversed',
    run: (func) => one(func, 'gpu.barrier').erase(),
  },
  {
    pass: 'select_register_forms',
    fault: 'loads again what the kernel has overwritten',
    kernel: 'overwritten',
    run: (func) => set(one(func, 'tt.load'), { form: 'rematerialized' }),
  },
  {
    pass: 'version_loops',
    fault: 'decides by the last element of a mask that begins late',
    kernel: 'long',
    run: (func) => set(one(func, 'tt.store'), { versioned: true }),
  },
  {
    pass: 'version_dots',
    fault: 'decides by the ends of addresses that go up and down along K',
    kernel: 'bent, out of range',
    run: (func) => all(func, 'tt.dot').forEach((dot) => set(dot, { versioned: true })),
  },
  {
    pass: 'unroll_register_loops',
    fault: 'takes 12 elements in an iteration, which do not divide a tile',
    kernel: 'long',
    run: (func) => set(one(func, 'tt.reduce'), { unroll: 12 }),
  },
];

export const DISTRIBUTE_PLANTS: readonly Plant[] = [...STAGING, ...PLACES];

function behindLoop(op: Operation): boolean {
  for (let at = op.previous; at; at = at.previous) if (at.name === 'scf.for') return true;
  return false;
}
