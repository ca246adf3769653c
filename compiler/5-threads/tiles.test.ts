/** Operations on whole tiles and control flow: interpreter and GPU agree. */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import { attention, shapesAndScans, softmax, transpose } from '../4-distribute/testing/kernels';
import type { Func } from '../ir/ir';
import { parseFunc } from '../ir/parser';
import { BASELINE_TARGET } from '../target';
import type { Target } from '../target';
import { differences, EXACT } from './testing/differential';
import type { Tolerance } from './testing/differential';
import type { LaunchArgument } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const floats = (n: number, f: (i: number) => number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Float32Array.from({ length: n }, (_, i) => f(i)).buffer);
const ints = (n: number, f: (i: number) => number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Int32Array.from({ length: n }, (_, i) => f(i)).buffer);
const hash = (i: number): number => (Math.imul(i + 17, 0x9e3779b1) >>> 7) & 0xffff;

/** A function of one input and one output tile of N elements. */
const oneTile = (type: string, n: number, body: string): string => `
tt.func @tile(%x: !tt.ptr<${type}> {tt.divisibility = 16}, %out: !tt.ptr<${type}> {tt.divisibility = 16}, %n: i32) {
  %r = tt.make_range {start = 0, end = ${n}} : tensor<${n}xi32>
  %xs = tt.splat %x : tensor<${n}x!tt.ptr<${type}>>
  %xp = tt.addptr %xs, %r : tensor<${n}x!tt.ptr<${type}>>
  %os = tt.splat %out : tensor<${n}x!tt.ptr<${type}>>
  %op = tt.addptr %os, %r : tensor<${n}x!tt.ptr<${type}>>
  %v = tt.load %xp : tensor<${n}x${type}>
${body}
  tt.store %op, %result
  tt.return
}`;

const SCAN = (reverse: boolean): string => `
  %result = tt.scan %v {axis = 0, reverse = ${reverse}} : tensor<1024xi32> {
  ^(%a: i32, %b: i32):
    %c3 = arith.constant 3 : i32
    %m = arith.muli %a, %c3 : i32
    %s = arith.subi %m, %b : i32
    %k = arith.addi %a, %b : i32
    tt.scan.return %k
  }`;

const COLLATZ = `
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %zero = arith.constant 0 : i32
  %count, %last = scf.while %zero, %n : i32, i32 {
  ^(%i: i32, %m: i32):
    %go = arith.cmpi %m, %one {predicate = "sgt"} : i1
    scf.condition %go, %i, %m
  } {
  ^(%j: i32, %q: i32):
    %half = arith.divsi %q, %two : i32
    %rest = arith.remsi %q, %two : i32
    %odd = arith.cmpi %rest, %one {predicate = "eq"} : i1
    %next = scf.if %odd : i32 {
      %c3 = arith.constant 3 : i32
      %m3 = arith.muli %q, %c3 : i32
      %m31 = arith.addi %m3, %one : i32
      scf.yield %m31
    } else {
      scf.yield %half
    }
    %i1 = arith.addi %j, %one : i32
    scf.yield %i1, %next
  }
  %cs = tt.splat %count : tensor<64xi32>
  %result = arith.addi %v, %cs : tensor<64xi32>`;

/** A loop whose bound comes out of a reduction, with a reduction (barriers) in its body. */
const DATA_LOOP = `
  %most = tt.reduce %v {axis = 0} : i32 {
  ^(%a: i32, %b: i32):
    %m = arith.maxsi %a, %b : i32
    tt.reduce.return %m
  }
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %result, %swap = scf.for %zero, %most, %one, %v, %r : tensor<256xi32>, tensor<256xi32> {
  ^(%i: i32, %t: tensor<256xi32>, %u: tensor<256xi32>):
    %sum = tt.reduce %t {axis = 0} : i32 {
    ^(%aa: i32, %bb: i32):
      %mm = arith.addi %aa, %bb : i32
      tt.reduce.return %mm
    }
    %ss = tt.splat %sum : tensor<256xi32>
    %x1 = arith.xori %t, %ss : tensor<256xi32>
    scf.yield %u, %x1
  }`;

/**
 * Index of the largest, lowest on ties: two inputs, a region that is not commutative by its look.
 */
const ARGMAX = `
  %most, %where = tt.reduce %v, %r {axis = 0} : i32, i32 {
  ^(%a: i32, %i: i32, %b: i32, %j: i32):
    %gt = arith.cmpi %a, %b {predicate = "sgt"} : i1
    %eq = arith.cmpi %a, %b {predicate = "eq"} : i1
    %lt = arith.cmpi %i, %j {predicate = "slt"} : i1
    %tie = arith.andi %eq, %lt : i1
    %left = arith.ori %gt, %tie : i1
    %m = arith.select %left, %a, %b : i32
    %k = arith.select %left, %i, %j : i32
    tt.reduce.return %m, %k
  }
  %ws = tt.splat %where : tensor<512xi32>
  %ms = tt.splat %most : tensor<512xi32>
  %result = arith.subi %ws, %ms : tensor<512xi32>`;

/** Old values of atomics on distinct places, and a scalar one that everybody sees. */
const ATOMIC = `
  %old = tt.atomic_rmw %op, %v {kind = "max"} : tensor<64xi32>
  %c5 = arith.constant 5 : i32
  %before = tt.atomic_rmw %out, %c5 {kind = "add"} : i32
  %bs = tt.splat %before : tensor<64xi32>
  %result = arith.addi %old, %bs : tensor<64xi32>`;

describe.skipIf(software.kind === 'missing')('tiles', () => {
  let gpu: OpenedDevice;
  const targets: [string, () => Target][] = [
    ['subgroups', () => gpu.target],
    ['none', () => ({ ...BASELINE_TARGET, name: 'small', maxInvocations: 64 })],
  ];
  beforeAll(async () => {
    gpu = await openDawn();
  });
  async function check(
    target: Target,
    make: () => Func,
    args: readonly LaunchArgument[],
    tolerance: Tolerance = EXACT,
  ): Promise<void> {
    const found = await differences(
      { device: gpu.device, target },
      make,
      args,
      [1, 1, 1],
      tolerance,
    );
    expect(found.slice(0, 5)).toEqual([]);
  }

  describe.each(targets)('with %s', (_, target) => {
    it.each([0, 1])('shapes, scans, gathers, histograms along %i', async (axis) =>
      check(target(), () => shapesAndScans(16, 32, axis), [
        ints(512, hash),
        ints(512, () => -1),
        ints(64, () => 1000),
      ]),
    );
    it.each([false, true])('a scan, reverse %s', async (reverse) =>
      check(target(), () => parseFunc(oneTile('i32', 1024, SCAN(reverse))), [
        ints(1024, hash),
        ints(1024, () => -1),
        [0],
      ]),
    );
    it('a while loop', async () =>
      check(target(), () => parseFunc(oneTile('i32', 64, COLLATZ)), [
        ints(64, hash),
        ints(64, () => -1),
        [27],
      ]));
    it('a loop bounded by data, with barriers', async () =>
      check(target(), () => parseFunc(oneTile('i32', 256, DATA_LOOP)), [
        ints(256, (i) => hash(i) % 6),
        ints(256, () => -1),
        [0],
      ]));
    it('argmax', async () =>
      check(target(), () => parseFunc(oneTile('i32', 512, ARGMAX)), [
        ints(512, (i) => hash(i) % 100),
        ints(512, () => -1),
        [0],
      ]));
    it('atomics', async () =>
      check(target(), () => parseFunc(oneTile('i32', 64, ATOMIC)), [
        ints(64, hash),
        ints(64, (i) => 30_000 - i),
        [0],
      ]));
    it('attention', async () => {
      const n = 16 * 16;
      const tensors = [1, 2, 3].map((k) => floats(4 * n, (i) => Math.sin(i * k)));
      await check(
        target(),
        () => attention(16, 16, 16),
        [...tensors, floats(4 * n, () => NaN), ...attentionScalars(attention(16, 16, 16))],
        { ulps: 64, absolute: 1e-5 },
      );
    });
    it('transpose', async () =>
      check(target(), () => transpose(32, 64), [floats(2048, (i) => i), floats(2048, () => NaN)]));
    it('softmax', async () =>
      check(
        target(),
        () => softmax(2, 256),
        [floats(512, (i) => Math.sin(i) * 9), floats(512, () => NaN), [256], [250]],
        { ulps: 16, absolute: 1e-9 },
      ));
  });
});

/** The scalars of the attention kernel: all of them lengths or strides of 16. */
function attentionScalars(func: Func): number[][] {
  return func.body.args.filter((arg) => arg.type.kind !== 'pointer').map(() => [16]);
}
