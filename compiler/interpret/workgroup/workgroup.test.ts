/** Findings of the workgroup interpreter in small kernels, written as thread IR. */
import { GPU_FACTS } from '../../machine';
import { describe, expect, it } from 'vitest';
import { Block } from '../../ir/ir';
import type { ThreadKernel } from '../../ir/thread/kernel';
import { parseThreads } from '../../ir/thread/parser';
import { assertValidThreads } from '../../ir/thread/verifier';
import { pointer as pointerTo, scalar } from '../../ir/types';
import type { BoundsAccess } from '../../program';
import { runWorkgroups } from './index';
import type { WorkgroupOptions, WorkgroupResult } from './index';

const KERNEL = {
  ...{ programs: 1, subgroupSize: 0, oneByOne: false, sharedInStorage: false, workgroupBytes: 0 },
  ...{ accesses: [], machine: GPU_FACTS, reports: true, debugSites: [] },
};
/** @param valid whether the kernel keeps the rules of thread IR. */
function kernelOf(lines: string, kernel: Partial<ThreadKernel> = {}, valid = true): ThreadKernel {
  const func = parseThreads(`thread.func @k(
  %out: memref<?xu32, storage> {group = 0, written = true}
) attributes {threads = 32, subgroupSize = 32} {
${lines}
  thread.return
}`);
  if (valid) assertValidThreads(func, 'the parser');
  return { ...KERNEL, threads: 32, func, ...kernel };
}

/** Runs a kernel whose argument is a buffer of u32. */
function run(
  kernel: ThreadKernel,
  words = 32,
  options: Partial<WorkgroupOptions> = {},
): WorkgroupResult & { readonly out: Uint32Array } {
  const out = new Uint32Array(words);
  const result = runWorkgroups({
    kernel,
    parameters: [pointer],
    specialization: {
      arguments: [{ kind: 'pointer', dtype: 'int32', divisibleBy16: true, group: 0 }],
      numWarps: 1,
    },
    args: [4096],
    memory: [{ address: 4096, bytes: new Uint8Array(out.buffer) }],
    grid: [1, 1, 1],
    ...options,
  });
  return { ...result, out };
}
const pointer = new Block([pointerTo(scalar('i32'))]).args[0]!;

const kinds = ({ findings }: WorkgroupResult): string[] => findings.map(({ kind }) => kind);
const numbers = (f: (i: number) => number, length = 32): number[] =>
  Array.from({ length }, (_, i) => f(i));

/** Each thread hands its number to the next one by way of shared memory. */
const rotate = (barrier: string): string => `
  %words = thread.alloc : memref<32xu32, workgroup>
  %tid = thread.thread_id : u32
  %one = thread.constant 1 : u32
  %last = thread.constant 31 : u32
  thread.store %words, %tid, %tid
  ${barrier}
  %next = thread.add %tid, %one : u32
  %at = thread.and %next, %last : u32
  %v = thread.load %words, %at : u32
  thread.store %out, %tid, %v`;
const BARRIER = 'thread.barrier {workgroup = true, storage = false}';

describe('hazards in shared memory', () => {
  it('finds nothing where a barrier stands between', () => {
    const result = run(kernelOf(rotate(BARRIER)));
    expect(result.findings).toEqual([]);
    expect([...result.out]).toEqual(numbers((i) => (i + 1) % 32));
  });
  it('finds a read of what another thread wrote, and says where', () => {
    const [finding, ...more] = run(kernelOf(rotate(''))).findings;
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ kind: 'RAW', memory: 'words' });
    expect(finding!.message).toBe(
      'RAW hazard at word 1 of words between thread 1 and thread 0: no barrier',
    );
    expect([finding!.before?.location.line, finding!.location.line]).toEqual([9, 13]);
  });
  it('finds one around the back edge of a loop', () => {
    const loop = (last: string): ThreadKernel =>
      kernelOf(`
  %words = thread.alloc : memref<32xu32, workgroup>
  %tid = thread.thread_id : u32
  %two = thread.constant 2 : u32
  %last = thread.constant 31 : u32
  thread.for %two {test = "top"} {
  ^(%k: u32):
    thread.store %words, %tid, %k
    ${BARRIER}
    %at = thread.sub %last, %tid : u32
    %v = thread.load %words, %at : u32
    thread.store %out, %tid, %v
    ${last}
    thread.yield
  }`);
    expect(kinds(run(loop('')))).toEqual(['WAR']);
    expect(kinds(run(loop(BARRIER)))).toEqual([]);
  });
  it('does not take a barrier of storage for one of workgroup memory', () => {
    const other = 'thread.barrier {workgroup = false, storage = true}';
    expect(kinds(run(kernelOf(rotate(other))))).toEqual(['RAW']);
  });
  it('finds a write over what another thread reads', () => {
    const kernel = kernelOf(`${rotate(BARRIER)}
  thread.store %words, %tid, %one`);
    expect(kinds(run(kernel))).toEqual(['WAR']);
  });
  it('finds two threads that write one word', () => {
    const kernel = kernelOf(`
  %word = thread.alloc : memref<u32, workgroup>
  %tid = thread.thread_id : u32
  thread.store %word, %tid`);
    expect(kinds(run(kernel))).toEqual(['WAW']);
  });
  it('lets atomic updates meet, and no load beside them', () => {
    const count = (barrier: string): ThreadKernel =>
      kernelOf(`
  %count = thread.alloc : memref<atomic<u32>, workgroup>
  %tid = thread.thread_id : u32
  %one = thread.constant 1 : u32
  %old = thread.atomic_rmw %count, %one {kind = "add"} : u32
  ${barrier}
  %all = thread.atomic_load %count : u32
  thread.store %out, %tid, %all`);
    const right = run(count(BARRIER));
    expect(right.findings).toEqual([]);
    expect([...right.out]).toEqual(numbers(() => 32));
    expect(kinds(run(count('')))).toEqual(['RAW']);
  });
  it('finds a word that nobody wrote', () => {
    const kernel = kernelOf(`
  %words = thread.alloc : memref<32xu32, workgroup>
  %tid = thread.thread_id : u32
  %v = thread.load %words, %tid : u32
  thread.store %out, %tid, %v`);
    expect(kinds(run(kernel))).toEqual(['uninitialized']);
  });
  it('looks at the tensors where that is wanted', () => {
    const kernel = kernelOf(`
  %zero = thread.constant 0 : u32
  %tid = thread.thread_id : u32
  thread.store %out, %zero, %tid`);
    expect(kinds(run(kernel))).toEqual([]);
    expect(kinds(run(kernel, 32, { watchTensors: true }))).toEqual(['WAW']);
  });
});

it('counts the bits that are 1', () => {
  const kernel = kernelOf(`
  %tid = thread.thread_id : u32
  %word = thread.constant 4042322160 : u32
  %x = thread.sub %word, %tid : u32
  %v = thread.count_one_bits %x : u32
  thread.store %out, %tid, %v`);
  const ones = (x: number): number => x.toString(2).replaceAll('0', '').length;
  expect([...run(kernel).out]).toEqual(numbers((i) => ones(4042322160 - i)));
});

it('reverses bits', () => {
  const kernel = kernelOf(`
  %tid = thread.thread_id : u32
  %v = thread.reverse_bits %tid : u32
  thread.store %out, %tid, %v`);
  const reversed = (x: number): number =>
    parseInt([...x.toString(2).padStart(32, '0')].reverse().join(''), 2);
  expect([...run(kernel).out]).toEqual(numbers(reversed));
});

describe('an optimization barrier', () => {
  const hidden = (zero: number): string => `
  %tid = thread.thread_id : u32
  %x = thread.convert %tid : f32
  %word = thread.constant ${zero} : u32
  %hidden = thread.optimization_barrier %x, %word : f32
  %v = thread.bitcast %hidden : u32
  thread.store %out, %tid, %v`;
  const bits = (zero: number): number[] => [...run(kernelOf(hidden(zero))).out];
  it('leaves the bits as they are, and combines them with a word that is not 0', () => {
    const floats = new Uint32Array(Float32Array.from(numbers((i) => i)).buffer);
    expect(bits(0)).toEqual([...floats]);
    expect(bits(3)).toEqual([...floats].map((each) => (each ^ 3) >>> 0));
  });
});

describe('lanes that part', () => {
  const half = (body: string): ThreadKernel =>
    kernelOf(
      `
  %tid = thread.thread_id : u32
  %half = thread.constant 16 : u32
  %low = thread.lt %tid, %half : bool
  thread.if %low {
    ${body}
    thread.yield
  } else {
    thread.yield
  }`,
      { subgroupSize: 32 },
      // The verifier refuses it, too: nothing proves that all lanes arrive.
      false,
    );
  it('finds threads that do not arrive at a barrier', () => {
    expect(run(half(BARRIER)).findings[0]?.message).toBe('16 of 32 threads arrive at a barrier');
  });
  it('finds a lane that a shuffle reads and that takes no part', () => {
    const far = '%v = thread.subgroup_shuffle_xor %tid, %half : u32';
    expect(run(half(far)).findings[0]?.message).toBe('lane 0 reads lane 16');
  });
  it('runs a loop as often as each lane requires', () => {
    const result = run(
      kernelOf(`
  %tid = thread.thread_id : u32
  %zero = thread.constant 0 : u32
  %sum = thread.for %tid, %zero {test = "top"} : u32 {
  ^(%k: u32, %acc: u32):
    %next = thread.add %acc, %k : u32
    thread.yield %next
  }
  thread.store %out, %tid, %sum`),
    );
    expect([...result.out]).toEqual(numbers((i) => (i < 2 ? 0 : (i * (i - 1)) / 2)));
  });
  it('exchanges two carried values at once', () => {
    const result = run(
      kernelOf(`
  %tid = thread.thread_id : u32
  %c = thread.constant 3 : u32
  %x, %y = thread.for %c, %tid, %c {test = "top"} : u32, u32 {
  ^(%k: u32, %a: u32, %b: u32):
    thread.yield %b, %a
  }
  thread.store %out, %tid, %x`),
    );
    expect([...result.out]).toEqual(numbers(() => 3));
  });
  it('ends a while loop lane by lane, with what the condition forwarded', () => {
    const result = run(
      kernelOf(`
  %tid = thread.thread_id : u32
  %one = thread.constant 1 : u32
  %most = thread.constant 40 : u32
  %last = thread.while %tid : u32 {
  ^(%v: u32):
    %double = thread.add %v, %v : u32
    %small = thread.lt %double, %most : bool
    thread.condition %small, %double
  } do {
  ^(%w: u32):
    %up = thread.add %w, %one : u32
    thread.yield %up
  }
  thread.store %out, %tid, %last`),
    );
    const expected = (v: number): number => (2 * v < 40 ? expected(2 * v + 1) : 2 * v);
    expect([...result.out]).toEqual(numbers(expected));
  });
});

it('counts bank conflicts by access', () => {
  const kernel = kernelOf(`
  %words = thread.alloc : memref<1024xu32, workgroup>
  %tid = thread.thread_id : u32
  %stride = thread.constant 32 : u32
  %apart = thread.mul %tid, %stride : u32
  thread.store %words, %tid, %tid
  ${BARRIER}
  thread.store %words, %apart, %tid`);
  const counts = [...run(kernel, 32, { countBanks: true }).banks.values()];
  expect(counts).toEqual([
    { accesses: 1, conflicts: 0 },
    { accesses: 1, conflicts: 31 },
  ]);
});

it('collects prints, failed assertions and elements out of range', () => {
  const site = { file: 'k.py', line: 7, column: 1, endLine: 7, endColumn: 2 };
  const access: BoundsAccess = {
    location: site,
    kind: 'store',
    argument: [0],
    others: [],
    elementBytes: 4,
    counted: true,
  };
  const kernel = kernelOf(
    `
  %tid = thread.thread_id : u32
  %zero = thread.constant 0 : u32
  %last = thread.constant 30 : u32
  %late = thread.gt %tid, %last : bool
  thread.if %late {
    thread.print_iteration
    thread.print_record %zero, %tid, %last, %zero {site = 0}
    thread.report_bounds %zero, %zero, %tid, %last {half = 1}
    thread.yield
  } else {
    thread.yield
  }
  thread.assert_record %late, %zero, %tid {site = 1}`,
    { accesses: [access] },
  );
  const { printed, failed, outOfRange } = run(kernel);
  expect(printed).toEqual([{ program: 0, iteration: 1, site: 0, index: 31, low: 30, high: 0 }]);
  expect(failed).toEqual([{ program: 0, site: 1, index: 31 }]);
  expect(outOfRange).toEqual([{ count: 31, counted: true, access, program: 0, distance: 30 }]);
});

it('multiplies matrices that a subgroup reads from shared memory', () => {
  const kernel = kernelOf(
    `
  %words = thread.alloc : memref<128xf32, workgroup>
  %tid = thread.thread_id : u32
  %x = thread.convert %tid : f32
  %zero = thread.constant 0 : u32
  %half = thread.constant 64 : u32
  %two = thread.constant 32 : u32
  thread.store %words, %tid, %x
  %up = thread.add %tid, %two : u32
  thread.store %words, %up, %x
  ${BARRIER}
  %a = thread.matrix_load %words, %zero {stride = 8, transposed = false} : !thread.left<f32, 8x8>
  %b = thread.matrix_load %words, %zero {stride = 8, transposed = true} : !thread.right<f32, 8x8>
  %c = thread.matrix_zero : !thread.result<f32, 8x8>
  %d = thread.matrix_multiply_accumulate %a, %b, %c : !thread.result<f32, 8x8>
  %e = thread.copy %d : !thread.result<f32, 8x8>
  thread.matrix_store %words, %half, %e {stride = 8}
  ${BARRIER}
  %at = thread.add %tid, %half : u32
  %r = thread.load %words, %at : f32
  %bits = thread.convert %r : u32
  %copied = thread.copy %bits : u32
  thread.store %out, %tid, %copied`,
    { subgroupSize: 32 },
  );
  const { findings, out } = run(kernel);
  expect(findings).toEqual([]);
  const a = (i: number, k: number): number => (8 * i + k) % 32;
  expect([...out]).toEqual(
    numbers((at) => {
      const [i, j] = [Math.floor(at / 8), at % 8];
      return numbers((k) => a(i, k) * a(j, k), 8).reduce((x, y) => x + y);
    }),
  );
});
