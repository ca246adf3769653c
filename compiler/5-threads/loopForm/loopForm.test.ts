/** Tiles far larger than a thread's registers: emitted as loops, compiled quickly, right. */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../../app/cli/dawn';
import type { OpenedDevice } from '../../../app/cli/dawn';
import { softmax, vectorAdd } from '../../4-distribute/testing/kernels';
import { parseFunc } from '../../ir/parser';
import { BASELINE_TARGET } from '../../target';
import { differences, EXACT } from '../testing/differential';
import { compileFunc } from '../testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const floats = (n: number, f: (i: number) => number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Float32Array.from({ length: n }, (_, i) => f(i)).buffer);

/** %r and %c: the rows and columns of a tile; %of: the offsets of its elements, row after row. */
const OFFSETS = (rows: number, columns: number): string => `
  %r = tt.make_range {start = 0, end = ${rows}} : tensor<${rows}xi32>
  %c = tt.make_range {start = 0, end = ${columns}} : tensor<${columns}xi32>
  %r1 = tt.expand_dims %r {axis = 1} : tensor<${rows}x1xi32>
  %c1 = tt.expand_dims %c {axis = 0} : tensor<1x${columns}xi32>
  %w = arith.constant dense<${columns}> : tensor<${rows}x1xi32>
  %rw = arith.muli %r1, %w : tensor<${rows}x1xi32>
  %rb = tt.broadcast %rw : tensor<${rows}x${columns}xi32>
  %cb = tt.broadcast %c1 : tensor<${rows}x${columns}xi32>
  %of = arith.addi %rb, %cb : tensor<${rows}x${columns}xi32>`;

/** x += y in place, one tile, with a column of small tiles broadcast along it. */
const IN_PLACE = (rows: number, columns: number): string => `
tt.func @in_place(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32> {tt.divisibility = 16}) {${OFFSETS(rows, columns)}
  %xs = tt.splat %x : tensor<${rows}x${columns}x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %of : tensor<${rows}x${columns}x!tt.ptr<f32>>
  %ys = tt.splat %y : tensor<${rows}x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<${rows}x!tt.ptr<f32>>
  %v = tt.load %xp : tensor<${rows}x${columns}xf32>
  %k = tt.load %yp : tensor<${rows}xf32>
  %k1 = tt.expand_dims %k {axis = 1} : tensor<${rows}x1xf32>
  %kb = tt.broadcast %k1 : tensor<${rows}x${columns}xf32>
  %s = arith.addf %v, %kb : tensor<${rows}x${columns}xf32>
  tt.store %xp, %s
  %sums = tt.reduce %s {axis = 1} : tensor<${rows}xf32> {
  ^(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m
  }
  tt.store %yp, %sums
  tt.return
}`;

/** The sums of the products of two tiles along an axis. */
const PRODUCTS = (rows: number, columns: number, axis: number): string => `
tt.func @products(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32> {tt.divisibility = 16}, %o: !tt.ptr<f32> {tt.divisibility = 16}) {${OFFSETS(rows, columns)}
  %xs = tt.splat %x : tensor<${rows}x${columns}x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %of : tensor<${rows}x${columns}x!tt.ptr<f32>>
  %ys = tt.splat %y : tensor<${rows}x${columns}x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %of : tensor<${rows}x${columns}x!tt.ptr<f32>>
  %v = tt.load %xp : tensor<${rows}x${columns}xf32>
  %k = tt.load %yp : tensor<${rows}x${columns}xf32>
  %s = arith.mulf %v, %k : tensor<${rows}x${columns}xf32>
  %sums = tt.reduce %s {axis = ${axis}} : tensor<${axis ? rows : columns}xf32> {
  ^(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tt.reduce.return %m
  }
  %q = tt.make_range {start = 0, end = ${axis ? rows : columns}} : tensor<${axis ? rows : columns}xi32>
  %os = tt.splat %o : tensor<${axis ? rows : columns}x!tt.ptr<f32>>
  %op = tt.addptr %os, %q : tensor<${axis ? rows : columns}x!tt.ptr<f32>>
  tt.store %op, %sums
  tt.return
}`;

describe.skipIf(software.kind === 'missing')('rolled tiles', () => {
  let gpu: OpenedDevice;
  beforeAll(async () => {
    gpu = await openDawn();
  });
  const small = () => ({ device: gpu.device, target: BASELINE_TARGET });

  it.each([65_536, 1_048_576])('adds vectors in one tile of %i', async (n) => {
    const args = [floats(n, (i) => i), floats(n, (i) => i * 0.25), floats(n, () => NaN), [n - 100]];
    const found = await differences(small(), () => vectorAdd(n), args, [1, 1, 1]);
    expect(found.slice(0, 5)).toEqual([]);
    const kernel = compileFunc(vectorAdd(n), BASELINE_TARGET);
    expect(kernel.wgsl.split('\n').length).toBeLessThan(200);
  });

  // A software adapter's loops: whole programs go without tests, the one at the edge with all of
  // them.
  it.each([3008, 3072, 16])(
    'adds %i elements in programs of 1024, whole ones untested',
    async (n) => {
      const args = [
        floats(3072, (i) => i),
        floats(3072, (i) => i * 0.25),
        floats(3072, () => -7),
        [n],
      ];
      const make = () => vectorAdd(1024);
      const there = { device: gpu.device, target: gpu.target };
      expect(await differences(there, make, args, [3, 1, 1], EXACT)).toEqual([]);
      const kernel = compileFunc(make(), gpu.target);
      expect(kernel.workgroupSize).toBe(gpu.target.subgroupSize);
      const [whole, edge] = kernel.wgsl.split(' else {');
      // But for the one that leaves the loop after its last iteration.
      const tests = whole!.replaceAll(/if \(r(_\d+)? == \d+u\) \{ break; \}/g, '');
      expect(tests).not.toMatch(/for \(var[^}]*if/);
      expect(edge).toMatch(/distance(_\d+)? =/);
    },
  );

  it.each([1024, 1000, 3])(
    'softmax of rows of %i in one subgroup, without a barrier',
    async (n) => {
      const args = [floats(4096, (i) => Math.sin(i) * 4), floats(4096, () => NaN), [1024], [n]];
      const make = () => softmax(1, 1024);
      const there = { device: gpu.device, target: gpu.target };
      const found = await differences(there, make, args, [4, 1, 1], { ulps: 20, absolute: 1e-9 });
      expect(found.slice(0, 5)).toEqual([]);
      expect(compileFunc(make(), gpu.target).wgsl).not.toContain('workgroupBarrier');
    },
  );

  it('softmax of 131072 columns', async () => {
    const n = 131_072;
    const args = [floats(n, (i) => Math.sin(i) * 4), floats(n, () => NaN), [n], [n - 5]];
    const found = await differences(small(), () => softmax(1, n), args, [1, 1, 1], {
      ulps: 200,
      absolute: 1e-12,
    });
    expect(found.slice(0, 5)).toEqual([]);
  });

  it.each([
    [4, 64],
    [16, 16],
  ])('changes a tile of %i×%i in place', async (rows, columns) => {
    const args = [floats(rows * columns, (i) => i % 1000), floats(rows, (i) => i / 8)];
    const make = () => {
      const func = parseFunc(IN_PLACE(rows, columns));
      // Software drivers take minutes for large indexed arrays.
      func.attributes['scalarizedRegisters'] = 4;
      return func;
    };
    const few = { device: gpu.device, target: { ...BASELINE_TARGET, maxInvocations: 32 } };
    const found = await differences(few, make, args, [1, 1, 1], EXACT);
    expect(found.slice(0, 5)).toEqual([]);
  });

  // 1024 results a thread: taken one by one in a loop.
  it.each([
    [1024, 1024, 1],
    [16_384, 64, 1],
    [64, 4096, 0],
    [16, 32_768, 1],
  ])('reduces a tile of %i×%i along %i', async (rows, columns, axis) => {
    const n = rows * columns;
    const args = [
      floats(n, (i) => (i * 7) % 13),
      floats(n, (i) => (i % 5) - 2),
      floats(axis === 1 ? rows : columns, () => NaN),
    ];
    const make = () => parseFunc(PRODUCTS(rows, columns, axis));
    for (const target of [BASELINE_TARGET, gpu.target]) {
      const found = await differences({ device: gpu.device, target }, make, args, [1, 1, 1], EXACT);
      expect(found.slice(0, 5)).toEqual([]);
    }
    const kernel = compileFunc(make(), BASELINE_TARGET);
    expect(kernel.wgsl.split('\n').length).toBeLessThan(1500);
  });
});
