/**
 * Dots from global memory, as software adapters have them: the interpreter's sums, wherever memory
 * ends.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../../app/cli/dawn';
import type { OpenedDevice } from '../../../app/cli/dawn';
import { matmul } from '../../4-distribute/testing/kernels';
import { parseFunc } from '../../ir/parser';
import { BASELINE_TARGET } from '../../target';
import { differences, EXACT } from '../testing/differential';
import { compileFunc, launchKernel } from '../testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const [M, N, K] = [16, 32, 32];
const floats = (n: number, f: (i: number) => number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Float32Array.from({ length: n }, (_, i) => f(i)).buffer);
/** 31 such steps are 5 modulo 2³². */
const ROUND = Number(BigInt.asIntN(32, 5n * 3186588639n));
const CLOSE = { ulps: 8, absolute: 1e-4 };

/** One coordinate times its step. */
const along = (name: string, size: number, axis: 0 | 1, step: string): string => `
  %${name}r = tt.make_range {start = 0, end = ${size}} : tensor<${size}xi32>
  %${name}e = tt.expand_dims %${name}r {axis = ${axis}} : tensor<${axis === 1 ? `${size}x1` : `1x${size}`}xi32>
  %${name}s = tt.splat ${step} : tensor<${axis === 1 ? `${size}x1` : `1x${size}`}xi32>
  %${name}o = arith.muli %${name}e, %${name}s : tensor<${axis === 1 ? `${size}x1` : `1x${size}`}xi32>`;
const tile = (name: string, rows: number, columns: number, pointer: string): string => {
  const shape = `${rows}x${columns}`;
  return `
  %${name}rb = tt.broadcast %${name}mo : tensor<${shape}xi32>
  %${name}cb = tt.broadcast %${name}no : tensor<${shape}xi32>
  %${name}at = arith.addi %${name}rb, %${name}cb : tensor<${shape}xi32>
  %${name}ps = tt.splat ${pointer} : tensor<${shape}x!tt.ptr<f32>>
  %${name}p = tt.addptr %${name}ps, %${name}at : tensor<${shape}x!tt.ptr<f32>>`;
};
/**
 * c = a · b, one program; the steps of rows and columns are arguments. `stores`: what is written
 * to.
 */
const DOT = (stores = '%c', [m, n, k] = [M, N, K]): string => `
tt.func @product(%a: !tt.ptr<f32> {tt.divisibility = 16}, %b: !tt.ptr<f32> {tt.divisibility = 16}, %c: !tt.ptr<f32> {tt.divisibility = 16}, %am: i32, %ak: i32, %bk: i32, %bn: i32) {
  %one = arith.constant 1 : i32
  %width = arith.constant ${n} : i32${along('am', m, 1, '%am')}${along('an', k, 0, '%ak')}${tile('a', m, k, '%a')}${along('bm', k, 1, '%bk')}${along('bn', n, 0, '%bn')}${tile('b', k, n, '%b')}${along('cm', m, 1, '%width')}${along('cn', n, 0, '%one')}${tile('c', m, n, stores)}
  %x = tt.load %ap : tensor<${m}x${k}xf32>
  %y = tt.load %bp : tensor<${k}x${n}xf32>
  %z = arith.constant dense<0.0> : tensor<${m}x${n}xf32>
  %d = tt.dot %x, %y, %z {inputPrecision = "ieee"} : tensor<${m}x${n}xf32>
  tt.store %cp, %d
  tt.return
}`;

describe.skipIf(software.kind === 'missing')('dots from global memory', () => {
  let gpu: OpenedDevice;
  beforeAll(async () => {
    gpu = await openDawn();
  });
  const a = floats(M * K, (i) => Math.sin(i));
  const c = floats(M * N, () => NaN);
  const make = () => parseFunc(DOT());

  /** The product where what is out of range counts as 0, in f64. */
  const expected = (left: Uint8Array, right: Uint8Array, steps: readonly number[]): number[] => {
    const [x, y] = [left, right].map((bytes) => new Float32Array(bytes.buffer));
    const read = (from: Float32Array, at: number): number => from[at | 0] ?? 0;
    const [am, ak, bk, bn] = steps.map((step) => (i: number) => Math.imul(i, step));
    return Array.from({ length: M * N }, (_, i) => {
      const [row, column] = [Math.floor(i / N), i % N];
      let sum = 0;
      for (let j = 0; j < K; j++)
        sum += read(x!, am!(row) + ak!(j)) * read(y!, bk!(j) + bn!(column));
      return sum;
    });
  };

  it.each([
    ['row by row', [K, 1, N, 1], K, 0],
    ['columns of both', [1, M, 1, K], K, 0],
    ['one row again and again', [0, 1, 0, 1], K, 0],
    ['backwards, out of range', [K, 1, -N, 1], K, 1],
    ['beyond the end', [K, 1, N, 1], K - 3, 1],
    ['steps that wrap around', [2 ** 27, 1, 2 ** 27, 1], K, 1],
    ['both ends in range, what lies between them not', [K, 1, ROUND, 1], K, 1],
  ] as const)('%s', async (_, steps, rows, bad) => {
    const right = floats(rows * N, (i) => Math.cos(i * 3));
    const args = [a, right, c, ...steps.map((step) => [step])];
    const func = make();
    const result = await launchKernel(gpu.device, func, compileFunc(func, gpu.target), args);
    const got = new Float32Array(result.buffers[2]!.buffer);
    const wanted = expected(a, right, steps);
    expect(Math.max(...wanted.map((x, i) => Math.abs(x - got[i]!)))).toBeLessThan(1e-4);
    expect(Math.min(1, result.report[0]!)).toBe(bad);
  });

  it('reads runs along K, whose later addresses nobody computes', async () => {
    const known = (): ReturnType<typeof make> =>
      parseFunc(
        DOT('%c', [8, 8, 8])
          .replace('tt.splat %ak', 'tt.splat %one')
          .replace('tt.splat %am ', 'tt.splat %width '),
      );
    const args = [
      floats(64, (i) => Math.sin(i)),
      floats(64, (i) => Math.cos(i * 3)),
      floats(64, () => NaN),
      ...[8, 1, 8, 1].map((step) => [step]),
    ];
    const there = { device: gpu.device, target: gpu.target };
    expect(await differences(there, known, args, [1, 1, 1], CLOSE)).toEqual([]);
  });

  /**
   * The product of tiles of `element`, summed in `sum`, whose rows are known to lie one after the
   * other.
   */
  const typed = (element: string, sum: string): ReturnType<typeof make> => {
    const text = DOT('%c', [32, 32, 32])
      .replaceAll(/tt.splat %(ak|bn) /g, 'tt.splat %one ')
      .replaceAll(/tt.splat %(am|bk) /g, 'tt.splat %width ')
      .replace('dense<0.0>', sum === 'i32' ? 'dense<0>' : 'dense<0.0>');
    const lines = text.split('\n').map((line) => {
      if (line.includes('tt.func'))
        return line.replace('%c: !tt.ptr<f32>', `%c: !tt.ptr<${sum}>`).replaceAll('f32', element);
      return line.replaceAll('f32', /^ *%(c\w*|z|d) = /.test(line) ? sum : element);
    });
    return parseFunc(lines.join('\n'));
  };
  /** Numbers from 1 to 2 and their opposites, as the upper bits of a float whose 1 has these. */
  const narrow = (one: number, steps: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(
      Uint16Array.from({ length: 1024 }, (_, i) => one + ((i * 37) % steps) + (i % 3 ? 0 : 0x8000))
        .buffer,
    );
  it.each([
    ['f16', 'f32', narrow(0x3c00, 1024), CLOSE],
    ['bf16', 'f32', narrow(0x3f80, 128), CLOSE],
    ['i8', 'i32', Uint8Array.from({ length: 1024 }, (_, i) => (i * 37) % 256), EXACT],
  ] as const)('of %s, in whole vectors, without a barrier', async (element, sum, data, close) => {
    const there = { device: gpu.device, target: gpu.target };
    const args = [data, data, floats(1024, () => NaN), ...[0, 0, 0, 0].map((step) => [step])];
    const product = (): ReturnType<typeof make> => typed(element, sum);
    expect(await differences(there, product, args, [1, 1, 1], close)).toEqual([]);
    const { wgsl } = compileFunc(product(), gpu.target);
    expect(wgsl).not.toMatch(/Barrier|shared_words/);
  });

  it.each([{}, { direct: true }, { direct: false }])(
    'multiplies a loaded tile by itself (%o)',
    async (choices) => {
      const square = () => parseFunc(DOT('%c', [16, 16, 16]).replace('%x, %y', '%x, %x'));
      const args = [
        ...[floats(256, (i) => (i % 7) - 3), floats(1, () => NaN), floats(256, () => NaN)],
        ...[16, 1, 0, 0].map((step) => [step]),
      ];
      for (const target of [gpu.target, BASELINE_TARGET]) {
        const there = { device: gpu.device, target };
        expect(await differences(there, square, args, [1, 1, 1], EXACT, { choices })).toEqual([]);
      }
    },
  );

  it('has no barrier, and no test where everything is in range', () => {
    const { wgsl } = compileFunc(make(), gpu.target);
    expect(wgsl).not.toMatch(/Barrier|shared_words/);
    const [free, tested] = wgsl.split(' else {');
    expect(free!.slice(free!.indexOf('for (var'))).not.toContain('inside');
    expect(tested).toMatch(/inside_\d+ =/);
  });

  it('is only for memory that the kernel does not write, and for software adapters', () => {
    const written = parseFunc(DOT('%a'));
    expect(compileFunc(written, gpu.target).wgsl).toContain('shared_words');
    expect(compileFunc(make(), BASELINE_TARGET).wgsl).toContain('workgroupBarrier');
  });

  it('is elsewhere what a tuner may ask for, where operands allow it', async () => {
    const choices = { direct: true };
    for (const subgroupSize of ['none', 32] as const) {
      const target = { ...BASELINE_TARGET, subgroupSize, maxInvocations: 1024 };
      const { wgsl } = compileFunc(make(), target, { choices });
      expect(wgsl).not.toMatch(/Barrier|shared_words|var<workgroup>/);
      expect(compileFunc(parseFunc(DOT('%a')), target, { choices }).wgsl).toContain('shared_words');
    }
    // As a GPU without subgroups would run it, here.
    const there = { device: gpu.device, target: BASELINE_TARGET };
    const args = [a, floats(K * N, (i) => Math.cos(i)), c, [K], [1], [N], [1]];
    expect(await differences(there, make, args, [1, 1, 1], CLOSE, { choices })).toEqual([]);
  });

  it('masked, in a loop, at the edges', async () => {
    const [m, n, k] = [40, 48, 80];
    const args = [
      floats(m * k, (i) => Math.sin(i)),
      floats(k * n, (i) => Math.cos(i * 3)),
      floats(m * n, () => NaN),
      [m],
      [n],
      [k],
    ];
    const product = () => matmul({ M: 16, N: 32, K: 32 });
    const there = { device: gpu.device, target: gpu.target };
    expect(await differences(there, product, args, [3, 2, 1], CLOSE)).toEqual([]);
    expect(compileFunc(product(), gpu.target).wgsl).not.toMatch(/Barrier/);
  });
});
