/** Printed thread IR in, WGSL and the description of the launch out. */
import { GPU_FACTS } from '../machine';
import { describe, expect, test } from 'vitest';
import { UNKNOWN_LOCATION } from '../ir/location';
import type { ThreadKernel } from '../ir/thread/kernel';
import { parseThreads } from '../ir/thread/parser';
import { assertValidThreads } from '../ir/thread/verifier';
import { DEFAULT_OPTIONS } from '../program';
import type { BoundsAccess, CompiledKernel } from '../program';
import { BASELINE_TARGET } from '../target';
import { emit } from './emit';

/**
 * Threads pass an element on through workgroup memory, sum a number of elements, and report a
 * position out of range.
 */
const KERNEL = `thread.func @k(
  %x: memref<?xf32, storage> {group = 0, written = false},
  %y: memref<?xf32, storage> {group = 1, written = true},
  %length: u32 {word = {kind = "scalar", path = [2], dtype = "int32", word = 0}}
) attributes {threads = 32} {
  %words = thread.alloc : memref<32xf32, workgroup>
  %c0_u32 = thread.constant 0 : u32
  %c1_u32 = thread.constant 1 : u32
  %c31_u32 = thread.constant 31 : u32
  %cst = thread.constant 0.0 : f32
  %tid = thread.thread_id : u32
  %inside = thread.lt %tid, %length : bool
  %v = thread.if %inside : f32 {
    %load = thread.load %x, %tid : f32
    thread.yield %load
  } else {
    thread.yield %cst
  }
  thread.store %words, %tid, %v
  thread.barrier {workgroup = true, storage = false}
  %back = thread.sub %c31_u32, %tid : u32
  %other = thread.load %words, %back : f32
  %sum = thread.for %length, %other {test = "top"} : f32 {
  ^(%k: u32, %acc: f32):
    %term = thread.load %x, %k : f32
    %next = thread.add %acc, %term : f32
    thread.yield %next
  }
  thread.if %inside {
    thread.store %y, %tid, %sum
    thread.yield
  } else {
    thread.report_bounds %c0_u32, %c0_u32, %c1_u32, %tid {half = 0}
    thread.yield
  }
  thread.return
}
`;

const ACCESS: BoundsAccess = {
  kind: 'store',
  argument: [1],
  location: UNKNOWN_LOCATION,
  others: [],
  elementBytes: 4,
  counted: true,
};
function emitted(): CompiledKernel {
  const func = parseThreads(KERNEL);
  assertValidThreads(func, 'the test');
  const kernel: ThreadKernel = {
    func,
    threads: 32,
    programs: 1,
    subgroupSize: 0,
    oneByOne: false,
    sharedInStorage: false,
    workgroupBytes: 128,
    accesses: [ACCESS],
    machine: GPU_FACTS,
    reports: true,
    debugSites: [],
  };
  return emit(kernel, {
    program: { files: {}, functions: {}, entry: '' },
    specialization: { arguments: [], numWarps: 1 },
    target: BASELINE_TARGET,
    options: DEFAULT_OPTIONS,
  });
}

describe('emit', () => {
  test('prints a branch, a loop, workgroup memory and a report as WGSL', () => {
    expect(emitted().wgsl).toMatchInlineSnapshot(`
      "@group(0) @binding(0) var<storage, read> x: array<f32>;
      @group(0) @binding(1) var<storage, read_write> y: array<f32>;
      struct Args { v0: vec4<u32> }
      @group(0) @binding(2) var<uniform> args: Args;
      @group(0) @binding(3) var<storage, read_write> report: array<atomic<u32>, 64>;
      var<workgroup> words: array<f32, 32>;

      fn report_bounds(
        at: u32, half: u32, program: u32, access: u32, count: u32, distance: u32
      ) {
        atomicAdd(&report[at + half], count);
        var slot = at + 4u;
        var tries = 0u;
        loop {
          if (tries == 64u || slot >= at + 64u) { break; }
          tries++;
          let claim = atomicCompareExchangeWeak(&report[slot], 0u, access + 1u);
          if (claim.exchanged || claim.old_value == access + 1u) {
            atomicMax(&report[slot + 1u], ~program);
            atomicMax(&report[slot + 2u], ~distance);
            break;
          }
          // The weak exchange may fail without a reason.
          slot += select(0u, 3u, claim.old_value != 0u);
        }
      }

      @compute @workgroup_size(32)
      fn main(
        @builtin(workgroup_id) program: vec3<u32>,
        @builtin(local_invocation_index) tid: u32,
      ) {
        let inside = tid < args.v0.x;
        var v: f32 = 0.0f;
        if (inside) {
          v = x[tid];
        }
        words[tid] = v;
        workgroupBarrier();
        let back = 31u - tid;
        let other = words[back];
        var sum: f32 = other;
        for (var k = 0u; k < 0xffffffffu; k++) {
          if (k >= args.v0.x) { break; }
          let term = x[k];
          sum = sum + term;
        }
        if (inside) {
          y[tid] = sum;
        } else {
          report_bounds(0u, 0u, 0u, 0u, 1u, tid);
        }
      }
      "
    `);
  });

  test('describes the launch: threads, bindings, uniforms, memory and the report', () => {
    const { wgsl, entryLine, sourceMap, ...launch } = emitted();
    expect(sourceMap).toHaveLength(wgsl.split('\n').length - 1);
    expect(wgsl.split('\n')[entryLine - 1]).toMatch(/^@compute /);
    expect(launch).toMatchInlineSnapshot(`
      {
        "bindings": [
          {
            "access": "read",
            "group": 0,
          },
          {
            "access": "read_write",
            "group": 1,
          },
        ],
        "boundsReport": {
          "accesses": [
            {
              "argument": [
                1,
              ],
              "counted": true,
              "elementBytes": 4,
              "kind": "store",
              "location": {
                "column": 1,
                "endColumn": 1,
                "endLine": 1,
                "file": "<unknown>",
                "line": 1,
              },
              "others": [],
            },
          ],
        },
        "entryPoint": "main",
        "features": [],
        "name": "k",
        "oneByOne": false,
        "programs": 1,
        "registers": 4,
        "uniforms": [
          {
            "dtype": "int32",
            "kind": "scalar",
            "path": [
              2,
            ],
            "word": 0,
          },
        ],
        "workgroupBytes": 128,
        "workgroupSize": 32,
      }
    `);
  });
});
