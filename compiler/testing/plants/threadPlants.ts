/** Faults of the lowering to threads, and of the passes on thread IR. */
import { ThreadBuilder } from '../../ir/thread/builder';
import type { ThreadOp, ThreadValue } from '../../ir/thread/ir';
import type { ThreadKernel } from '../../ir/thread/kernel';
import { allThreads, oneThread, swapOperands } from './plant';
import type { Plant } from './plant';

/** Puts an operation that `make` builds in the place of an operand. */
function replaceOperand(
  { func }: ThreadKernel,
  op: ThreadOp,
  index: number,
  make: (b: ThreadBuilder, old: ThreadValue) => ThreadValue,
): void {
  const b = ThreadBuilder.editing(func);
  const made = b.before(op, () => make(b, op.operand(index)));
  op.setOperand(index, made);
  b.finish();
}
/** One iteration less than the loop is to run. */
function oneIterationLess(kernel: ThreadKernel, loop: ThreadOp): void {
  replaceOperand(kernel, loop, 0, (b, count) => b.x`${count} - ${b.u32(1)}`);
}
/** Whether the operation, a branch, guards an access to a tensor. */
const accesses = (name: 'thread.load' | 'thread.store') => (op: ThreadOp) =>
  op.regions[0]?.ops.some((inner) => inner.name === name && isElement(inner.operand(0))) ?? false;
const isElement = ({ type }: ThreadValue): boolean =>
  type.kind === 'memory' && type.space === 'storage';

export const THREAD_PLANTS: readonly Plant[] = [
  {
    pass: 'lower_tiles',
    fault: 'forgets a barrier',
    kernel: 'matmul',
    runThreads: (kernel) => oneThread(kernel, 'thread.barrier', undefined, 1).erase(),
    verdict: 'failed',
    message: /RAW hazard at word \d+ of shared_words/,
  },
  {
    pass: 'lower_tiles',
    fault: 'takes another component of a vector',
    kernel: 'matmul',
    runThreads: (kernel) => {
      const ofSum = ({ result, operands, attributes: { index } }: ThreadOp): boolean =>
        index === 1 && result.uses.size > 0 && operands[0]?.definition?.name === 'thread.for';
      const extract = oneThread(kernel, 'thread.extract', ofSum, -1);
      extract.attributes = { ...extract.attributes, index: 0 };
    },
  },
  {
    pass: 'lower_tiles',
    fault: 'runs the loop over keys once too little',
    kernel: 'attention',
    runThreads: (kernel) =>
      oneIterationLess(kernel, oneThread(kernel, 'thread.for', undefined, -1)),
  },
  {
    pass: 'merge_guards',
    fault: 'takes the version without tests where a run is masked',
    kernel: 'matmul, pipelined',
    runThreads: (kernel) => {
      const inLoop = ({ parent, results }: ThreadOp): boolean =>
        results.length > 4 && parent?.parent?.parent?.parent?.name === 'thread.for';
      const branch = oneThread(kernel, 'thread.if', inLoop);
      replaceOperand(kernel, branch, 0, (b) => b.bool(true));
    },
  },
  {
    pass: 'predicate_loads',
    fault: 'reads the first element in the place of one behind the end',
    kernel: 'matmul, predicated',
    runThreads: (kernel) => {
      const address = ({ result }: ThreadOp): boolean =>
        [...result.uses].some((user) => user.name === 'thread.load' && user.operand(1) === result);
      for (const select of allThreads(kernel, 'thread.select', address))
        replaceOperand(kernel, select, 2, (b) => b.u32(0));
    },
  },
  {
    pass: 'defer_reports',
    fault: 'forgets what it is to report',
    kernel: 'matmul, out of range',
    runThreads: (kernel) => {
      for (const guard of allThreads(
        kernel,
        'thread.guard',
        (op) => op.attributes['deferred'] === true,
      ))
        replaceOperand(kernel, guard, 0, (b) => b.bool(false));
    },
    message: /no longer fails: .*load out of range/,
  },
  {
    pass: 'lower_guards',
    fault: 'drops the mask beside the test of the range',
    kernel: 'moments',
    runThreads: (kernel) => {
      const branch = oneThread(kernel, 'thread.if', accesses('thread.load'), -1);
      const test = branch.operand(0).definition!;
      branch.setOperand(0, test.operand(1));
    },
  },
  {
    pass: 'lower_guards',
    fault: 'takes the element behind the last one for one in range',
    kernel: 'out of range',
    runThreads: (kernel) => {
      const lengths = kernel.func.body.args.filter(({ name }) => name?.startsWith('end'));
      for (const end of lengths.slice(0, 1))
        for (const user of [...end.uses]) {
          const index = user.operands.indexOf(end);
          replaceOperand(kernel, user, index, (b, old) => b.x`${old} + ${b.u32(1)}`);
        }
    },
    message: /no longer fails: .*load out of range/,
  },
  {
    pass: 'pack_halves',
    fault: 'packs two halves the other way round',
    kernel: 'attention, delayed',
    runThreads: (kernel) => {
      const pack = oneThread(kernel, 'thread.pack2x16float');
      swapOperands(pack.operand(0).definition!);
    },
  },
  {
    pass: 'eliminate_dead_registers',
    fault: 'removes a store to a tensor',
    kernel: 'matmul',
    runThreads: (kernel) => {
      const branch = oneThread(kernel, 'thread.if', accesses('thread.store'));
      branch
        .region(0)
        .ops.find(({ name }) => name === 'thread.store')!
        .erase();
    },
  },
  {
    pass: 'rotate_loops',
    fault: 'tests for one iteration too little',
    kernel: 'matmul, software',
    runThreads: (kernel) => {
      const rotated = ({ attributes: { test } }: ThreadOp): boolean => test === 'bottom';
      oneIterationLess(kernel, oneThread(kernel, 'thread.for', rotated));
    },
  },
  {
    pass: 'bound_loops',
    fault: 'gives a loop a budget of a few operations',
    kernel: 'steps',
    runThreads: (kernel) => {
      const budget = oneThread(kernel, 'thread.alloc', ({ result }) => result.name === 'budget');
      replaceOperand(kernel, budget, 0, (b) => b.u32(2));
    },
    verdict: 'failed',
  },
  {
    pass: 'insert_optimization_barriers',
    fault: 'combines the bits with a word that is not 0',
    kernel: 'steps',
    runThreads: (kernel) => {
      const barrier = oneThread(kernel, 'thread.optimization_barrier');
      const grid = kernel.func.body.args.find(({ name }) => name === 'grid_x')!;
      barrier.setOperand(1, grid);
    },
  },
  {
    pass: 'sequentialize_copies',
    fault: 'copies the other one of two values',
    kernel: 'pair',
    runThreads: (kernel) => {
      const copy = oneThread(kernel, 'thread.copy');
      const step = copy.parent!.terminator;
      const other = step.operands.find(
        (value) => value !== copy.result && value.type === copy.result.type,
      );
      copy.setOperand(0, other!);
    },
  },
  {
    pass: 'sequentialize_copies',
    fault: 'forgets a copy',
    kernel: 'pair',
    runThreads: (kernel) => {
      const copy = oneThread(kernel, 'thread.copy');
      copy.result.replaceAllUsesWith(copy.operand(0));
      copy.erase();
    },
    verdict: 'refused',
    named: 'emit',
  },
];
