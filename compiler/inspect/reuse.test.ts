/**
 * Reuse of a cache in the order of programs: counted by hand, and for two orders of one matmul.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { CACHED, HIT, MISSED, STORED } from './constants';
import { ReuseMap } from './reuse';
import { lowered, WIDE } from './testing/kernels';
import { launchFor, ramp, requestFor } from './testing/launches';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

/** Each program reads one line of 32 floats of `x`, and the line of `w`, and writes one of `y`. */
const SCALE = `def scale(x_ptr, w_ptr, y_ptr):
    offsets = tl.program_id(0) * 32 + tl.arange(0, 32)
    x = tl.load(x_ptr + offsets)
    w = tl.load(w_ptr + tl.arange(0, 32))
    tl.store(y_ptr + offsets, x * w)
`;
const SIGNATURE = { x_ptr: '*fp32:16', w_ptr: '*fp32:16', y_ptr: '*fp32:16' };

function scale(programs: number, milliseconds = Infinity): ReuseMap {
  const inputs = launchFor(
    requestFor(parser, SCALE, SIGNATURE, WIDE),
    [programs, 1, 1],
    [{ data: ramp(32 * programs) }, { data: ramp(32) }, { data: new Float32Array(32 * programs) }],
  );
  return new ReuseMap(lowered(compiler, inputs.request), inputs, milliseconds);
}

/** Blocks of 32 × 32 of a product of square matrices; `tile` is a program's row and column. */
const product = (tile: string): string => `def product(a_ptr, b_ptr, c_ptr, N, BLOCK: tl.constexpr):
    width = N // BLOCK
${tile}
    rows = row * BLOCK + tl.arange(0, BLOCK)
    columns = column * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, N, BLOCK):
        inner = k + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + rows[:, None] * N + inner[None, :])
        b = tl.load(b_ptr + inner[:, None] * N + columns[None, :])
        total += tl.dot(a, b)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total)
`;
const BY_ROWS = `    row = tl.program_id(0) // width
    column = tl.program_id(0) % width`;
const GROUPED = `    group = tl.program_id(0) // (4 * width)
    row = group * 4 + tl.program_id(0) % 4
    column = tl.program_id(0) % (4 * width) // 4`;

function matmul(tile: string): ReuseMap {
  const n = 256;
  const request = requestFor(
    parser,
    product(tile),
    { a_ptr: '*fp32:16', b_ptr: '*fp32:16', c_ptr: '*fp32:16', N: 'i32:16', BLOCK: 32 },
    WIDE,
  );
  const data = (): { data: Float32Array } => ({ data: ramp(n * n) });
  const inputs = launchFor(request, [64, 1, 1], [data(), data(), data(), n]);
  return new ReuseMap(lowered(compiler, inputs.request), inputs, Infinity);
}

describe('reuse', () => {
  it('counts the lines that programs request, and those not in the cache', () => {
    const map = scale(4);
    expect(map.report).toMatchObject({ programs: 4, of: 4, end: { kind: 'complete' } });
    expect(map.report.touchedBytes).toBe(9 * 128);
    const large = { bytes: 1 << 20, atOnce: 1 };
    expect(map.waves(large)).toBe(4);
    // The line of `w` is read by all and fetched once.
    expect(map.frame(large, 3)).toMatchObject({
      wave: { lines: 2, missed: 1 },
      until: { lines: 8, missed: 5 },
      total: { lines: 8, missed: 5 },
    });
    // Two lines hold no `w` from one program to the next: `x` and `y` come between.
    expect(map.frame({ bytes: 256, atOnce: 1 }, 0).total).toEqual({ lines: 8, missed: 8 });
    // Four programs at once read `w` one after another.
    expect(map.frame({ bytes: 256, atOnce: 4 }, 0).total).toEqual({ lines: 8, missed: 5 });
  });
  it('shows the cache at the end of a wave, whichever wave was shown before', () => {
    const map = scale(4);
    const model = { bytes: 3 * 128, atOnce: 1 };
    const forward = [0, 1, 2, 3].map((wave) => map.frame(model, wave));
    const back = [3, 2, 1, 0].map((wave) => map.frame(model, wave)).reverse();
    expect(back).toEqual(forward);
    const [x, w, y] = forward[1]!.grids.map(({ flags }) => new Set(flags));
    // The second of four lines of `x` was fetched now, and the first is dropped.
    expect(x).toEqual(new Set([0, CACHED | MISSED]));
    expect(w).toEqual(new Set([CACHED | HIT]));
    expect(y).toEqual(new Set([0, CACHED | STORED]));
  });
  it('counts a line once an access, in whatever order lanes request it', () => {
    const text = `def columns(x_ptr, y_ptr):
    i = tl.arange(0, 64)
    tl.store(y_ptr + i, tl.load(x_ptr + i % 2 * 32 + i // 2))
`;
    const data = [{ data: ramp(64) }, { data: ramp(64) }];
    const request = requestFor(parser, text, { x_ptr: '*fp32:16', y_ptr: '*fp32:16' }, WIDE);
    const inputs = launchFor(request, [1, 1, 1], data);
    const map = new ReuseMap(lowered(compiler, request), inputs, Infinity);
    const total = { lines: 2, missed: 2 };
    expect(map.frame({ bytes: 1024, atOnce: 1 }, 0)).toMatchObject({ total });
  });
  it('follows what it can of a launch in the time that it has', () => {
    expect(scale(4, -1).report).toMatchObject({ programs: 0, of: 4, end: { kind: 'budget' } });
  });
  it('has fewer misses for programs in groups of rows than for rows', () => {
    const model = { bytes: 192 * 1024, atOnce: 4 };
    const [rows, grouped] = [BY_ROWS, GROUPED].map((tile) => matmul(tile).frame(model, 0).total);
    expect(grouped!.lines).toBe(rows!.lines);
    expect(grouped!.missed).toBeLessThan(0.7 * rows!.missed);
  });
});
