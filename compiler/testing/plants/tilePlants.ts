/** Faults of lowering and of the passes of `3-optimize`. */
import { Builder } from '../../ir/builder';
import type { Func, Operation } from '../../ir/ir';
import { elementCount } from '../../ir/types';
import { all, inLoop, loopOf, one, swapOperands } from './plant';
import type { Plant } from './plant';

const typeOf = (op: Operation): string => JSON.stringify(op.result.type);
/** Replaces the uses of one operation by another's, of the same type. */
function merge(from: Operation, into: Operation): void {
  if (from === into || typeOf(from) !== typeOf(into)) throw new Error('nothing to merge');
  from.result.replaceAllUsesWith(into.result);
}
/** The loop's first value of what it counts, where its body uses the value of the iteration. */
function takeFirstIteration(func: Func): void {
  const loop = loopOf(func);
  const [count] = loop.region(0).args;
  if (!count || count.uses.size === 0) throw new Error('the loop does not use its count');
  count.replaceAllUsesWith(loop.operand(0));
}
function dropStoreMask(func: Func): void {
  const store = one(func, 'tt.store', (op) => op.operands.length === 3);
  store.operands = store.operands.slice(0, 2);
}

export const OPTIMIZE_PLANTS: readonly Plant[] = [
  {
    pass: 'lower',
    fault: 'drops the mask of a store',
    kernel: 'narrow',
    run: dropStoreMask,
    verdict: 'failed',
    message: /store out of range of 'out' at element 50/,
  },
  {
    pass: 'lower',
    fault: 'exchanges the operands of a subtraction',
    kernel: 'matmul',
    run: (func) => swapOperands(one(func, 'arith.subi', inLoop)),
    unseen: 'what it makes is the reference; tests of Triton judge it (`conformance`)',
  },
  {
    pass: 'address_words',
    fault: 'loads the next address of the table',
    kernel: 'table',
    run: (func) => {
      const load = one(func, 'tt.load');
      const b = Builder.before(load);
      load.setOperand(0, b.addptr(load.operand(0), b.i32(1)));
    },
  },
  {
    pass: 'canonicalize',
    fault: 'exchanges the operands of a subtraction',
    kernel: 'matmul',
    run: (func) => swapOperands(one(func, 'arith.subi', inLoop)),
  },
  {
    pass: 'canonicalize',
    nth: 1,
    fault: 'drops a mask that is not always true',
    kernel: 'narrow',
    run: dropStoreMask,
    verdict: 'failed',
    message: /store out of range/,
  },
  {
    pass: 'loop_aware_cse',
    fault: 'merges sums that begin equal and become different',
    kernel: 'two counts',
    run: (func) => {
      const loop = loopOf(func);
      const [sum, other] = loop.results.filter(({ uses }) => uses.size > 0);
      const squares = loop.results.find(({ name }) => name === 'squares');
      if (!sum || !other || !squares || sum === squares) throw new Error('no two sums');
      squares.replaceAllUsesWith(sum);
    },
  },
  {
    pass: 'eliminate_common_subexpressions',
    fault: 'merges a quotient with the remainder of the same operands',
    kernel: 'matmul',
    run: (func) => {
      const remainder = all(func, 'arith.remsi').find((rest) =>
        all(func, 'arith.divsi').some((op) => sameOperands(op, rest)),
      );
      if (!remainder) throw new Error('no remainder beside a quotient');
      const quotient = one(func, 'arith.divsi', (op) => sameOperands(op, remainder));
      merge(remainder, quotient);
    },
  },
  {
    pass: 'eliminate_common_subexpressions',
    nth: 1,
    fault: 'merges offsets of one type whose operands differ',
    kernel: 'matmul',
    run: (func) => {
      const offsets = all(func, 'arith.addi', (op) => elementCount(op.result.type) === 256);
      merge(offsets[1]!, offsets[0]!);
    },
    verdict: 'failed',
    message: /out of range/,
  },
  {
    pass: 'fold_dot_accumulator',
    fault: 'forgets what was accumulated',
    kernel: 'matrix product',
    run: (func) => one(func, 'tt.dot').setOperand(2, loopOf(func).operand(3)),
  },
  {
    pass: 'split_pointers',
    fault: "moves each pointer by the other one's step",
    kernel: 'matmul',
    run: (func) => {
      const [a, b] = all(
        func,
        'tt.addptr',
        (op) => inLoop(op) && elementCount(op.result.type) === 1,
      );
      const [x, y] = [a!.operand(1), b!.operand(1)];
      a!.setOperand(1, y);
      b!.setOperand(1, x);
    },
    verdict: 'failed',
    message: /out of range/,
  },
  {
    pass: 'narrow_int64',
    fault: 'compares numbers below 0 without their sign',
    kernel: 'narrow',
    run: (func) => {
      const compare = one(
        func,
        'arith.cmpi',
        (op) => op.operand(0).definition?.name === 'arith.subi',
      );
      compare.attributes = { ...compare.attributes, predicate: 'ult' };
    },
  },
  {
    pass: 'narrow_int64',
    fault: 'adds the offset of a head where it multiplies',
    kernel: 'attention',
    run: (func) => {
      const product = one(
        func,
        'arith.muli',
        (op) => op.operand(0).definition?.name === 'tt.get_program_id' && !isConstant(op),
        -1,
      );
      const b = Builder.before(product);
      const [x, y] = product.operands;
      product.result.replaceAllUsesWith(b.binary('arith.addi', x!, y!));
    },
    verdict: 'failed',
    message: /out of range/,
  },
  {
    pass: 'unroll_loops',
    fault: 'begins the rest at the first iteration',
    kernel: 'unrolled',
    run: (func) => one(func, 'scf.for', undefined, 1).setOperand(0, loopOf(func).operand(0)),
  },
  {
    pass: 'fp_sanitizer',
    fault: 'squares another number',
    kernel: 'ring products',
    run: (func) => {
      const product = all(func, 'arith.muli').at(-1)!;
      product.setOperand(0, product.operand(1));
    },
    unseen:
      'it changes what floats are; `prove` compares its results with those of torch in the ring',
  },
  {
    pass: 'simplify_masks',
    fault: 'takes a mask for always true that is so for full blocks only',
    kernel: 'narrow',
    run: (func) => {
      const compare = one(func, 'arith.cmpi', ({ result }) =>
        [...result.uses].some((user) => user.name === 'tt.store'),
      );
      compare.result.replaceAllUsesWith(
        Builder.before(compare).constant(compare.result.type, true),
      );
    },
    verdict: 'failed',
    message: /out of range/,
  },
  {
    pass: 'hoist_loop_invariants',
    fault: 'hoists the mask along K, which changes',
    kernel: 'matmul',
    run: takeFirstIteration,
    verdict: 'failed',
    message: /out of range/,
  },
  {
    pass: 'hoist_loop_invariants',
    fault: 'hoists the keys of a block',
    kernel: 'attention',
    run: takeFirstIteration,
  },
  {
    pass: 'eliminate_dead_code',
    fault: 'drops what moves a pointer that the loop carries',
    kernel: 'matmul',
    run: (func) => {
      const body = loopOf(func).region(0);
      body.terminator.setOperand(1, body.args[2]!);
    },
  },
  {
    pass: 'eliminate_dead_code',
    fault: 'drops the store of a result',
    kernel: 'attention',
    run: (func) => one(func, 'tt.store').erase(),
  },
];

function sameOperands(a: Operation, b: Operation): boolean {
  return a.operands.every((each, i) => each === b.operand(i));
}
function isConstant(op: Operation): boolean {
  return op.operands.some((each) => each.definition?.name === 'arith.constant');
}
