/** Kernels in tile IR, run on memory: what they store, report and print. */
import { describe, expect, test } from 'vitest';
import { parseFunc } from '../ir/parser';
import { BudgetExceeded, OutOfRangeError, Stopped, runInterpreter } from './index';
import type { PrintRecord } from './index';
import { OutOfRangeLog } from './outOfRange';

const bytes = (array: ArrayBufferView) =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function run(
  text: string,
  arrays: readonly ArrayBufferView[],
  scalars: readonly (number | bigint)[] = [],
  grid: readonly [number, number, number] = [1, 1, 1],
  more: Partial<Parameters<typeof runInterpreter>[0]> = {},
): void {
  const memory = arrays.map((array, i) => ({ address: 4096 * (i + 1), bytes: bytes(array) }));
  runInterpreter({
    func: parseFunc(text),
    args: [...memory.map((m) => m.address), ...scalars],
    memory,
    grid,
    ...more,
  });
}

const ADD = `tt.func @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %pid = tt.get_program_id {axis = 0} : i32
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %range = tt.make_range {start = 0, end = 8} : tensor<8xi32>
  %s = tt.splat %start : tensor<8xi32>
  %offs = arith.addi %s, %range : tensor<8xi32>
  %ns = tt.splat %n : tensor<8xi32>
  %mask = arith.cmpi %offs, %ns {predicate = "slt"} : tensor<8xi1>
  %xp = tt.splat %x : tensor<8x!tt.ptr<f32>>
  %xa = tt.addptr %xp, %offs : tensor<8x!tt.ptr<f32>>
  %xv = tt.load %xa, %mask : tensor<8xf32>
  %sum = arith.addf %xv, %xv : tensor<8xf32>
  %yp = tt.splat %y : tensor<8x!tt.ptr<f32>>
  %ya = tt.addptr %yp, %offs : tensor<8x!tt.ptr<f32>>
  tt.store %ya, %sum, %mask
  tt.return
}`;

describe('the interpreter', () => {
  test('adds, masked, over a grid', () => {
    const x = Float32Array.from({ length: 20 }, (_, i) => i + 0.5);
    const y = new Float32Array(20);
    run(ADD, [x, y], [20], [3, 1, 1]);
    expect([...y]).toEqual([...x].map((v) => 2 * v));
  });

  test('runs a part of the programs', () => {
    const x = new Float32Array(24).fill(1);
    const y = new Float32Array(24);
    run(ADD, [x, y], [24], [3, 1, 1], { range: { first: 1, end: 2 } });
    expect([...y].map((v) => v / 2).join('')).toBe('000000001111111100000000');
  });

  test('reports an access out of range with its argument and program', () => {
    const x = new Float32Array(24);
    const y = new Float32Array(20);
    let error: unknown;
    try {
      run(ADD, [x, y], [24], [3, 1, 1]);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(OutOfRangeError);
    const e = error as OutOfRangeError;
    expect([e.access, e.argument, e.element, e.programId, e.location.line]).toEqual([
      'store',
      'y',
      20,
      [2, 0, 0],
      16,
    ]);
  });

  test('goes on past accesses out of range where it may only report them', () => {
    const x = new Float32Array(20).fill(1);
    const y = new Float32Array(22);
    const reported: OutOfRangeError[] = [];
    run(ADD, [x, y], [24], [3, 1, 1], { onOutOfRange: (error) => reported.push(error) });
    expect(reported.map((e) => `${e.access} ${e.element}`)).toEqual([
      'load 20',
      'load 21',
      'load 22',
      'load 23',
      'store 22',
      'store 23',
    ]);
    expect([...y.subarray(18)]).toEqual([2, 2, 0, 0]);
  });

  test('gives 0 for what is out of range, and `other` only for what is masked', () => {
    const text = `tt.func @copy(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0, end = 8} : tensor<8xi32>
  %end = arith.constant dense<6> : tensor<8xi32>
  %mask = arith.cmpi %i, %end {predicate = "slt"} : tensor<8xi1>
  %other = arith.constant dense<9> : tensor<8xi32>
  %xs = tt.splat %x : tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<8x!tt.ptr<i32>>
  %v = tt.load %xp, %mask, %other : tensor<8xi32>
  %ys = tt.splat %y : tensor<8x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<i32>>
  tt.store %yp, %v
  tt.return
}`;
    const [x, y] = [Int32Array.of(1, 2, 3), new Int32Array(7)];
    const log = new OutOfRangeLog();
    run(text, [x, y], [], [1, 1, 1], { onOutOfRange: log.add });
    expect([...y]).toEqual([1, 2, 3, 0, 0, 0, 9]);
    const found = log
      .found()
      .map(({ first, count }) => `${first.access} ${count} ${first.element}`);
    expect(found).toEqual(['load 3 3', 'store 1 7']);
  });

  test('keeps carried values apart when they trade places', () => {
    const z = new Int32Array(2);
    run(
      `tt.func @fibonacci(%z: !tt.ptr<i32>, %n: i32) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %a, %b = scf.for %c0, %n, %c1, %c0, %c1 : i32, i32 {
        ^(%i: i32, %p: i32, %q: i32):
          %next = arith.addi %p, %q : i32
          scf.yield %q, %next
        }
        tt.store %z, %a
        %at = tt.addptr %z, %c1 : !tt.ptr<i32>
        tt.store %at, %b
        tt.return
      }`,
      [z],
      [10],
    );
    expect([...z]).toEqual([55, 89]);
  });

  test('runs while loops, and stops on request or out of budget', () => {
    const text = `tt.func @count(%z: !tt.ptr<i32>, %n: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r = scf.while %c0 : i32 {
      ^(%i: i32):
        %go = arith.cmpi %i, %n {predicate = "ne"} : i1
        scf.condition %go, %i
      } do {
      ^(%j: i32):
        %k = arith.addi %j, %c1 : i32
        scf.yield %k
      }
      tt.store %z, %r
      tt.return
    }`;
    const z = new Int32Array(1);
    run(text, [z], [7]);
    expect(z[0]).toBe(7);
    expect(() => run(text, [z], [-1], [1, 1, 1], { budget: 10_000 })).toThrow(BudgetExceeded);
    expect(() => run(text, [z], [-1], [1, 1, 1], { shouldStop: () => true })).toThrow(Stopped);
  });

  test('computes i64 beyond 2⁵³ exactly', () => {
    const w = BigInt64Array.of(2n ** 62n, 0n);
    run(
      `tt.func @wide(%w: !tt.ptr<i64>, %m: i64) {
        %one = arith.constant 1 : i32
        %v = tt.load %w : i64
        %a = arith.addi %v, %m : i64
        %b = arith.muli %a, %a : i64
        %at = tt.addptr %w, %one : !tt.ptr<i64>
        tt.store %at, %b
        tt.return
      }`,
      [w],
      [3n],
    );
    expect(w[1]).toBe(BigInt.asIntN(64, (2n ** 62n + 3n) ** 2n));
  });

  test('reduces and scans along either axis, keeping the order', () => {
    // Composition of affine maps x → ax + b: associative, not commutative.
    const x = Float32Array.from({ length: 32 }, (_, i) => ((i * 7) % 5) - 2);
    const y = new Float32Array(8 + 32);
    run(
      `tt.func @r(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
        %i = tt.make_range {start = 0, end = 32} : tensor<32xi32>
        %xs = tt.splat %x : tensor<32x!tt.ptr<f32>>
        %xa = tt.addptr %xs, %i : tensor<32x!tt.ptr<f32>>
        %v = tt.load %xa : tensor<32xf32>
        %t = tt.reshape %v : tensor<4x8xf32>
        %a, %b = tt.reduce %t, %t {axis = 0} : tensor<8xf32>, tensor<8xf32> {
        ^(%la: f32, %lb: f32, %ra: f32, %rb: f32):
          %0 = arith.mulf %la, %ra : f32
          %1 = arith.mulf %lb, %ra : f32
          %2 = arith.addf %1, %rb : f32
          tt.reduce.return %0, %2
        }
        %j = tt.make_range {start = 0, end = 8} : tensor<8xi32>
        %ys = tt.splat %y : tensor<8x!tt.ptr<f32>>
        %ya = tt.addptr %ys, %j : tensor<8x!tt.ptr<f32>>
        tt.store %ya, %b
        %s = tt.scan %t {axis = 1, reverse = true} : tensor<4x8xf32> {
        ^(%l: f32, %r: f32):
          %3 = arith.addf %l, %r : f32
          tt.scan.return %3
        }
        %flat = tt.reshape %s : tensor<32xf32>
        %c8 = arith.constant dense<8> : tensor<32xi32>
        %k = arith.addi %i, %c8 : tensor<32xi32>
        %zs = tt.splat %y : tensor<32x!tt.ptr<f32>>
        %za = tt.addptr %zs, %k : tensor<32x!tt.ptr<f32>>
        tt.store %za, %flat
        tt.return
      }`,
      [x, y],
    );
    for (let j = 0; j < 8; j++) {
      let b = x[j]!;
      for (let i = 1; i < 4; i++) b = b * x[8 * i + j]! + x[8 * i + j]!;
      expect(y[j]).toBe(b);
    }
    for (let i = 0; i < 4; i++)
      for (let j = 0; j < 8; j++)
        expect(y[8 + 8 * i + j]).toBe(x.slice(8 * i + j, 8 * i + 8).reduce((p, q) => p + q));
  });

  test('multiplies tiles', () => {
    const a = Float32Array.from({ length: 8 }, (_, i) => i + 1);
    const c = new Float32Array(4);
    const load = (name: string, base: string, shape: string) => `
      %${name}i = tt.make_range {start = 0, end = 8} : tensor<8xi32>
      %${name}s = tt.splat ${base} : tensor<8x!tt.ptr<f32>>
      %${name}p = tt.addptr %${name}s, %${name}i : tensor<8x!tt.ptr<f32>>
      %${name}v = tt.load %${name}p : tensor<8xf32>
      %${name} = tt.reshape %${name}v : tensor<${shape}xf32>`;
    run(
      `tt.func @dot(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
        ${load('a', '%x', '2x4')}
        ${load('b', '%x', '4x2')}
        %acc = arith.constant dense<1.0> : tensor<2x2xf32>
        %d = tt.dot %a, %b, %acc {inputPrecision = "ieee"} : tensor<2x2xf32>
        %f = tt.reshape %d : tensor<4xf32>
        %i = tt.make_range {start = 0, end = 4} : tensor<4xi32>
        %s = tt.splat %z : tensor<4x!tt.ptr<f32>>
        %p = tt.addptr %s, %i : tensor<4x!tt.ptr<f32>>
        tt.store %p, %f
        tt.return
      }`,
      [a, c],
    );
    expect([...c]).toEqual([51, 61, 115, 141]);
  });

  test('adds atomically and hands prints over', () => {
    const z = Int32Array.of(5);
    const records: PrintRecord[] = [];
    run(
      `tt.func @a(%z: !tt.ptr<i32>) {
        %p = tt.splat %z : tensor<8x!tt.ptr<i32>>
        %i = tt.make_range {start = 0, end = 8} : tensor<8xi32>
        %old = tt.atomic_rmw %p, %i {kind = "add"} : tensor<8xi32>
        tt.print %old {prefix = "old", hex = false, signed = [true]}
        tt.return
      }`,
      [z],
      [],
      [1, 1, 1],
      { onPrint: (record) => records.push(record) },
    );
    expect(z[0]).toBe(33);
    expect(records[0]!.operands[0]!.values).toEqual([5, 5, 6, 8, 11, 15, 20, 26]);
  });
});

describe('products of integers', () => {
  const product = (dtype: 'i32' | 'i64'): string =>
    `tt.func @dot(%a: !tt.ptr<T>, %o: !tt.ptr<T>) {
  %r = tt.make_range {start = 0, end = 4} : tensor<4xi32>
  %c = tt.expand_dims %r {axis = 1} : tensor<4x1xi32>
  %two = arith.constant dense<4> : tensor<4x1xi32>
  %rows = arith.muli %c, %two : tensor<4x1xi32>
  %x = tt.broadcast %rows : tensor<4x4xi32>
  %d = tt.expand_dims %r {axis = 0} : tensor<1x4xi32>
  %y = tt.broadcast %d : tensor<4x4xi32>
  %offs = arith.addi %x, %y : tensor<4x4xi32>
  %pa = tt.splat %a : tensor<4x4x!tt.ptr<T>>
  %qa = tt.addptr %pa, %offs : tensor<4x4x!tt.ptr<T>>
  %po = tt.splat %o : tensor<4x4x!tt.ptr<T>>
  %qo = tt.addptr %po, %offs : tensor<4x4x!tt.ptr<T>>
  %v = tt.load %qa : tensor<4x4xT>
  %z = tt.dot %v, %v, %v {inputPrecision = "ieee"} : tensor<4x4xT>
  tt.store %qo, %z
  tt.return
}
`.replaceAll(/\bT\b|(?<=x)T(?=>)/g, dtype);

  test.each(['i32', 'i64'] as const)('of %s wrap, also where doubles do not hold them', (dtype) => {
    const width = dtype === 'i32' ? 32 : 64;
    const values = Array.from({ length: 16 }, (_, i) =>
      BigInt.asIntN(width, 0x9e3779b97f4a7c15n * BigInt(i + 1)),
    );
    const a = dtype === 'i32' ? Int32Array.from(values, Number) : BigInt64Array.from(values);
    const out = a.slice();
    run(product(dtype), [a, out]);
    const wanted = values.map((start, at) => {
      const [i, j] = [at >> 2, at & 3];
      const sum = [0, 1, 2, 3].reduce(
        (all, k) => all + values[4 * i + k]! * values[4 * k + j]!,
        start,
      );
      return BigInt.asIntN(width, sum);
    });
    expect([...out].map(BigInt)).toEqual(wanted);
  });
});
