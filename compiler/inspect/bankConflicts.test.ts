/**
 * The accesses of shared memory in small kernels, written as thread IR, and the trips that they
 * take.
 */
import { GPU_FACTS } from '../machine';
import { describe, expect, it } from 'vitest';
import type { ThreadKernel } from '../ir/thread/kernel';
import { parseThreads } from '../ir/thread/parser';
import { assertValidThreads } from '../ir/thread/verifier';
import { degree, sharedAccesses } from './bankConflicts';

const KERNEL = {
  ...{ threads: 64, programs: 1, subgroupSize: 32, oneByOne: false, sharedInStorage: false },
  ...{ workgroupBytes: 0, accesses: [], debugSites: [], machine: GPU_FACTS, reports: true },
};
function kernelOf(lines: string): ThreadKernel {
  const func = parseThreads(`thread.func @k(
  %out: memref<?xu32, storage> {group = 0, written = true},
  %n: u32 {word = {kind = "grid", axis = 0}}
) attributes {threads = 64, subgroupSize = 32} {
  %words = thread.alloc : memref<4096xu32, workgroup>
  %vectors = thread.alloc : memref<1024xvec4<u32>, workgroup>
  %counters = thread.alloc : memref<64xatomic<u32>, workgroup>
  %tid = thread.thread_id : u32
  %zero = thread.constant 0 : u32
  %one = thread.constant 1 : u32
  %c2 = thread.constant 2 : u32
  %c32 = thread.constant 32 : u32
${lines}
  thread.return
}`);
  assertValidThreads(func, 'the parser');
  return { ...KERNEL, func };
}
/** Kind, trips, the least trips, threads. */
const counted = (lines: string): unknown[] =>
  sharedAccesses(kernelOf(lines), 32).map((access) => {
    const { kind, counted } = access;
    return counted ? [kind, counted.trips, counted.ideal, counted.threads] : [kind];
  });

describe('the words requested of one bank', () => {
  it('count once each', () => {
    expect(degree([0, 1, 2, 31])).toBe(1);
    expect(degree([0, 32, 64, 64])).toBe(3);
  });
});

describe('accesses of shared memory', () => {
  it('take a trip for each different word of a bank', () => {
    const lines = `
  %column = thread.mul %tid, %c32 : u32
  thread.store %words, %column, %tid
  %pair = thread.mul %tid, %c2 : u32
  %x = thread.load %words, %pair : u32
  %y = thread.load %words, %zero : u32`;
    expect(counted(lines)).toEqual([
      ['write', 64, 2, 64],
      ['read', 4, 2, 64],
      ['read', 2, 2, 64],
    ]);
  });
  it('go eight threads at a time where a thread moves 16 bytes, and by components one word', () => {
    const [whole, part] = sharedAccesses(
      kernelOf(`
  %v = thread.load %vectors, %tid : vec4<u32>
  thread.store_component %vectors, %tid, %one, %tid`),
      32,
    );
    expect(whole).toMatchObject({ bytes: 16, counted: { trips: 8, ideal: 8, threads: 64 } });
    expect(part).toMatchObject({ bytes: 4, counted: { trips: 8, ideal: 2, threads: 64 } });
    expect(part!.counted!.first.slice(0, 3)).toEqual([1, 5, 9]);
  });
  it('are made by the threads that the branches and loops around them leave', () => {
    const lines = `
  %few = thread.lt %tid, %c2 : bool
  thread.if %few {
    thread.store %words, %tid, %tid
    thread.yield
  } else {
    thread.store %words, %tid, %one
    thread.yield
  }
  thread.for %tid {test = "top"} {
  ^(%k: u32):
    thread.store %words, %tid, %k
    thread.yield
  }`;
    expect(counted(lines)).toEqual([
      ['write', 1, 1, 2],
      ['write', 2, 2, 62],
      ['write', 2, 2, 63],
    ]);
  });
  it('are made by all threads where data decides', () => {
    const lines = `
  %many = thread.lt %tid, %n : bool
  thread.if %many {
    thread.store %words, %tid, %tid
    thread.yield
  } else {
    thread.yield
  }`;
    expect(counted(lines)).toEqual([['write', 2, 2, 64]]);
  });
  it('stand at the first iteration of a loop, each region at its own', () => {
    const lines = `
  %first = thread.mul %tid, %c2 : u32
  %end = thread.for %c2, %first {test = "top"} : u32 {
  ^(%k: u32, %at: u32):
    %x = thread.load %words, %at : u32
    %next = thread.add %at, %one : u32
    thread.yield %next
  } then {
  ^(%l: u32, %then: u32):
    %y = thread.load %words, %then : u32
    %z = thread.load %words, %l : u32
    thread.yield %then
  }
  %w = thread.load %words, %end : u32`;
    const found = sharedAccesses(kernelOf(lines), 32).map(({ counted }) => counted);
    expect(found.map((each) => each?.first.slice(0, 3))).toEqual([
      [0, 2, 4],
      [1, 3, 5],
      [1, 1, 1],
      undefined,
    ]);
    expect(found.map((each) => each?.trips)).toEqual([4, 4, 2, undefined]);
  });
  it('are not counted where the address depends on data', () => {
    const lines = `
  %at = thread.load %out, %tid : u32
  %old = thread.atomic_rmw %counters, %at, %one {kind = "add"} : u32
  %new = thread.atomic_rmw %counters, %tid, %one {kind = "add"} : u32`;
    expect(counted(lines)).toEqual([['atomic'], ['atomic', 2, 2, 64]]);
  });
});
