/** The layouts of a kernel's tiles, the conversions between them, and their names. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { inspectLayouts } from './layouts';
import { blockedName, blockedOf, linearName } from './naming';
import { requestFor } from './testing/launches';
import { maskedAdd, WIDE } from './testing/kernels';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

describe('layouts', () => {
  it('lists tiles by the program’s names, with conversions', () => {
    const request = requestFor(
      parser,
      `def t(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + cols[None, :])
    tl.store(y_ptr + cols[:, None] * M + rows[None, :], tl.trans(x))
`,
      { x_ptr: '*fp32:16', y_ptr: '*fp32:16', M: 32, N: 32 },
      WIDE,
    );
    const report = inspectLayouts(compiler, request);
    if (!report.ok) throw new Error('does not compile');
    const x = report.tiles.find((tile) => tile.variable === 'x');
    expect(x).toMatchObject({ shape: [32, 32], type: 'tensor<32x32xf32>', from: 'tt.load' });
    expect(report.conversions.map(({ kind, bytes }) => [kind, bytes])).toEqual([['memory', 4096]]);
    expect(report.sharedAccesses.length).toBeGreaterThan(0);
    // No two threads of a subgroup meet in one bank.
    expect(report.sharedAccesses.every(({ counted }) => counted?.trips === counted?.ideal)).toBe(
      true,
    );
    expect(report.sharedAccesses.every(({ counted }) => counted !== null)).toBe(true);
    expect(report.sharedAccesses.every(({ location }) => location.file === 'k.py')).toBe(true);
  });
  it('are named as Triton names them', () => {
    const report = inspectLayouts(compiler, maskedAdd(parser).request);
    if (!report.ok) throw new Error('does not compile');
    const x = report.tiles.find((tile) => tile.variable === 'x')!;
    expect(linearName(x.layout)).toMatchInlineSnapshot(
      `"#ttg.linear<{register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>"`,
    );
    expect(blockedName(blockedOf(x.layout, x.shape)!)).toMatchInlineSnapshot(
      `"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>"`,
    );
  });
  it('are blocked in two dimensions, whatever the order', () => {
    const layout = {
      register: [
        [0, 1],
        [0, 2],
      ],
      lane: [
        [0, 4],
        [0, 8],
        [1, 0],
        [2, 0],
        [4, 0],
      ],
      subgroup: [[8, 0]],
    };
    expect(blockedOf(layout, [16, 16])).toEqual({
      sizePerThread: [1, 4],
      threadsPerWarp: [8, 4],
      warpsPerCTA: [2, 1],
      order: [1, 0],
    });
    const swizzled = {
      ...layout,
      lane: [
        [0, 4],
        [1, 0],
        [0, 8],
        [2, 0],
        [4, 0],
      ],
    };
    expect(blockedOf(swizzled, [16, 16])).toBeNull();
  });
});
