import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing';
import type { Func } from '../ir/ir';
import { createCompiler, type Compiler } from '../pipeline';
import type { CompileRequest } from '../program';
import { BASELINE_TARGET } from '../target';
import { MASKED, OUTSIDE, READ, WRITTEN } from './constants';
import { DebugSession } from './debugSession';
import { funcAfter } from './funcAfter';
import type { LaunchInputs } from './launch';
import { inspectLayouts } from './layouts';
import { emptyRaster, mark, MemoryMap } from './memoryMap';
import { blockedName, blockedOf, linearName } from './naming';
import { RaceMap } from './races';
import { launchFor, ramp, requestFor } from './testing';
import { dependsOnContents } from './trace';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

const WIDE = { ...BASELINE_TARGET, subgroupSize: 32 as const };
const lowered = (request: CompileRequest): Func => {
  const found = funcAfter(compiler, request, (record) => record.phase === 'lower');
  if (!found.ok) throw new Error(found.diagnostics.map((d) => d.message).join('\n'));
  return found.func;
};

const ADD = `def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x + 1.0, mask=mask)
`;
const add = (n = 100): LaunchInputs =>
  launchFor(
    requestFor(parser, ADD, { x_ptr: '*fp32:16', y_ptr: '*fp32:16', n: 'i32', BLOCK: 64 }, WIDE),
    [2, 1, 1],
    [{ data: ramp(100) }, { data: new Float32Array(100) }, n],
  );

describe('memory', () => {
  it('counts what a program reads, writes and masks off', () => {
    const inputs = add();
    const map = new MemoryMap(lowered(inputs.request), inputs, [1, 0, 0], 1);
    const report = map.report();
    expect(report.end).toEqual({ kind: 'complete' });
    expect(
      report.accesses.map(({ kind, active, masked, outside }) => [kind, active, masked, outside]),
    ).toEqual([
      ['load', 36, 28, 0],
      ['store', 36, 28, 0],
    ]);
    const [x, y] = report.tensors;
    expect(x).toMatchObject({
      name: 'x_ptr',
      reads: 36,
      writes: 0,
      distinctReads: 36,
      span: [64, 99],
    });
    expect(y).toMatchObject({ name: 'y_ptr', reads: 0, writes: 36, span: [64, 99] });
    const raster = map.raster(
      0,
      { pitch: 10, row: 6, column: 0, rows: 5, columns: 10, height: 5, width: 10 },
      { accesses: null, execution: null },
    );
    expect(raster.flags[3]).toBe(0);
    expect(raster.flags[4]).toBe(READ);
    // Row 10 begins at element 100, which is masked off.
    expect(raster.flags[40]).toBe(MASKED);
    expect(map.at(1, 70)).toEqual([{ access: 1, flags: WRITTEN, times: 1, executions: [0] }]);
  });
  it('leaves no row of a raster out', () => {
    for (const rows of [1, 7, 49, 55, 98, 300]) {
      const window = { pitch: 3, row: 5, column: 0, rows, columns: 3, height: rows, width: 3 };
      const raster = emptyRaster(window);
      for (let i = 0; i < rows * 3; i++) mark(raster, window, 15 + i, READ);
      expect(raster.counts.every((count) => count === 1)).toBe(true);
    }
  });
  it('marks what is out of range', () => {
    const inputs = add(110);
    const map = new MemoryMap(lowered(inputs.request), inputs, [1, 0, 0], 1);
    const [load] = map.report().accesses;
    expect(load).toMatchObject({ active: 36, outside: 10, masked: 18 });
    expect(load!.firstOutside[0]).toEqual({ element: 100, at: 36 });
    expect(map.at(0, 100)[0]!.flags).toBe(READ | OUTSIDE);
  });
  it('finds when contents do not matter', () => {
    expect(dependsOnContents(lowered(add().request))).toBe(false);
    const indirect = requestFor(
      parser,
      `def pick(i_ptr, x_ptr, BLOCK: tl.constexpr):
    i = tl.load(i_ptr + tl.arange(0, BLOCK))
    tl.store(x_ptr + i, 1.0)
`,
      { i_ptr: '*i32', x_ptr: '*fp32', BLOCK: 16 },
    );
    expect(dependsOnContents(lowered(indirect))).toBe(true);
    const counted = requestFor(
      parser,
      `def loop(n_ptr, x_ptr, BLOCK: tl.constexpr):
    n = tl.load(n_ptr)
    for k in range(n):
        tl.store(x_ptr + k * BLOCK + tl.arange(0, BLOCK), 1.0)
`,
      { n_ptr: '*i32', x_ptr: '*fp32', BLOCK: 16 },
    );
    expect(dependsOnContents(lowered(counted))).toBe(true);
  });
});

describe('races', () => {
  const racing = (stride: number): RaceMap => {
    const request = requestFor(
      parser,
      `def w(x_ptr, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * STRIDE + tl.arange(0, BLOCK)
    tl.store(x_ptr + o, 1.0)
`,
      { x_ptr: '*fp32', STRIDE: stride, BLOCK: 16 },
    );
    const inputs = launchFor(request, [4, 1, 1], [{ data: new Float32Array(64) }]);
    return new RaceMap(lowered(request), inputs, 0, 4);
  };
  it('finds elements that two programs write', () => {
    expect(racing(16).report).toMatchObject({ writeWrite: 0, readWrite: 0, programs: 4 });
    const { report } = racing(12);
    expect(report.writeWrite).toBe(12);
    expect(report.shown[0]).toEqual({
      parameter: 0,
      element: 12,
      kind: 'write-write',
      programs: [0, 1],
    });
  });
  it('finds a read of what another program writes, and leaves atomics alone', () => {
    const request = requestFor(
      parser,
      `def shift(x_ptr, c_ptr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o + 1)
    tl.store(x_ptr + o, x)
    tl.atomic_add(c_ptr, 1)
`,
      { x_ptr: '*fp32', c_ptr: '*i32', BLOCK: 16 },
    );
    const inputs = launchFor(
      request,
      [2, 1, 1],
      [{ data: new Float32Array(64) }, { data: new Int32Array(1) }],
    );
    const { report } = new RaceMap(lowered(request), inputs, 0, 2);
    expect(report).toMatchObject({ writeWrite: 0, readWrite: 1 });
    expect(report.shown).toEqual([
      { parameter: 0, element: 16, kind: 'read-write', programs: [0, 1] },
    ]);
  });
});

describe('races within a program', () => {
  const stored = (value: string): RaceMap['report'] => {
    const request = requestFor(
      parser,
      `def w(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i // 4, ${value})
`,
      { x_ptr: '*fp32', out_ptr: '*fp32', BLOCK: 16 },
    );
    const data = Float32Array.from({ length: 16 }, (_, i) => i);
    const inputs = launchFor(request, [1, 1, 1], [{ data }, { data: new Float32Array(8) }]);
    return new RaceMap(lowered(request), inputs, 0, 1).report;
  };
  it('finds lanes that write different values to an element', () => {
    const report = stored('x');
    expect(report).toMatchObject({ writeWrite: 0, readWrite: 0, lanes: 4 });
    expect(report.names).toEqual(['x_ptr', 'out_ptr']);
    expect(report.shown[0]).toEqual({
      parameter: 1,
      element: 0,
      kind: 'lanes',
      programs: [0, 0],
    });
  });
  it.each(['1.0', 'tl.zeros_like(x)', '(i // 4).to(tl.float32)'])(
    'leaves lanes alone that write the same: %s',
    (value) => {
      expect(stored(value)).toMatchObject({ writeWrite: 0, readWrite: 0, lanes: 0 });
    },
  );
  it('finds stores beside the view that was passed', () => {
    const request = requestFor(
      parser,
      `def w(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, 1.0, i <= n)
`,
      { x_ptr: '*fp32', n: 'i32', BLOCK: 16 },
    );
    const made = launchFor(request, [1, 1, 1], [{ data: new Float32Array(32) }, 8]);
    const view = (shape: number[], strides: number[]): RaceMap['report'] => {
      const args = made.args.map((arg) =>
        arg.kind === 'pointer' ? { ...arg, shape, strides } : arg,
      );
      return new RaceMap(lowered(request), { ...made, args }, 0, 1).report;
    };
    expect(view([8], [1])).toMatchObject({
      besideView: 1,
      firstBeside: { parameter: 0, element: 8 },
    });
    expect(view([9], [1])).toMatchObject({ besideView: 0, firstBeside: null });
    // The columns of a matrix: between them lies what is not the view's.
    expect(view([16, 2], [2, 1])).toMatchObject({ besideView: 0 });
    expect(view([16], [2])).toMatchObject({ besideView: 4 });
  });
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
    expect(report.exchanges.length).toBeGreaterThan(0);
    // No two threads of a subgroup meet in one bank.
    expect(report.exchanges.every(({ counted }) => counted?.trips === counted?.ideal)).toBe(true);
    expect(report.exchanges.every(({ counted }) => counted !== null)).toBe(true);
    expect(report.exchanges.every(({ location }) => location.file === 'k.py')).toBe(true);
  });
  it('are named as Triton names them', () => {
    const report = inspectLayouts(compiler, add().request);
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

describe('the debugger', () => {
  const SUM = `def total(x_ptr, y_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], tl.float32)
    for k in range(0, N, BLOCK):
        x = tl.load(x_ptr + k + tl.arange(0, BLOCK))
        acc += x
    tl.store(y_ptr, tl.sum(acc, 0))
`;
  const session = (): DebugSession => {
    const request = requestFor(parser, SUM, { x_ptr: '*fp32', y_ptr: '*fp32', N: 64, BLOCK: 16 });
    const inputs = launchFor(request, [1, 1, 1], [{ data: ramp(64) }, { data: ramp(1) }]);
    return new DebugSession(lowered(request), inputs, [0, 0, 0]);
  };
  const finish = (debug: DebugSession): void => {
    while (!debug.advance(50));
  };
  /** The line within the kernel, from its `def` as 1. */
  const line = (debug: DebugSession): number | undefined => {
    const { next } = debug.state();
    return next ? next.location.line - 4 : undefined;
  };
  const none = new Map<string, null>();

  it('stops at a breakpoint in every round of a loop', () => {
    const debug = session();
    const at = new Map([['k.py:9', null]]);
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      debug.begin('continue', at);
      finish(debug);
      expect(line(debug)).toBe(5);
      seen.push(debug.watch('acc[1]'));
    }
    expect(seen).toEqual(['0', '1', '18', '51']);
    debug.begin('continue', at);
    finish(debug);
    expect(debug.state()).toMatchObject({ next: null, failure: null });
    expect(debug.watch('acc[1]')).toBe(String(1 + 17 + 33 + 49));
  });
  it('steps over lines and back again', () => {
    const debug = session();
    const lines: (number | undefined)[] = [line(debug)];
    for (let i = 0; i < 4; i++) {
      debug.begin('over', none);
      finish(debug);
      lines.push(line(debug));
    }
    // The end of a round belongs to the `for`, as in Python's debuggers.
    expect(lines).toEqual([2, 3, 4, 5, 3]);
    const { steps } = debug.state();
    debug.begin('op', none);
    finish(debug);
    expect(debug.state().steps).toBe(steps + 1);
    debug.beginBack('op');
    finish(debug);
    expect(debug.state().steps).toBe(steps);
    debug.beginBack('stop');
    finish(debug);
    expect(line(debug)).toBe(5);
  });
  it('shows variables with their statistics, and watches', () => {
    const debug = session();
    debug.begin('continue', new Map([['k.py:10', null]]));
    finish(debug);
    const acc = debug.state().frames[0]!.variables.find(({ name }) => name === 'acc');
    expect(acc).toMatchObject({ type: 'tensor<16xf32>', count: 16, min: 96, max: 156, nans: 0 });
    expect(debug.watch('acc[-1]')).toBe('156');
    expect(debug.watch('acc[16]')).toContain('out of range');
    expect(debug.watch('nothing')).toBe('not computed yet');
    expect(debug.values(acc!.key)?.values[1]).toBe(100);
  });
  it('binds names as Python does, where one is given another’s value', () => {
    const request = requestFor(
      parser,
      `def swap(x_ptr, n):
    old = n + 1
    new = n + 2
    last = old
    old = new
    tl.store(x_ptr, last + old)
`,
      { x_ptr: '*i32', n: 'i32' },
    );
    const inputs = launchFor(request, [1, 1, 1], [{ data: new Int32Array(1) }, 10]);
    const debug = new DebugSession(lowered(request), inputs, [0, 0, 0]);
    const seen: string[] = [];
    while (debug.state().next) {
      seen.push(['old', 'new', 'last'].map((name) => debug.watch(name)).join(' '));
      debug.begin('over', none);
      finish(debug);
    }
    expect(seen.at(-1)).toBe('12 12 11');
    expect(seen[1]).toBe('11 not computed yet not computed yet');
  });
  it('shows a sum right after the dot that passes have rewritten', () => {
    const request = requestFor(
      parser,
      `def square(x_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i[:, None] * B + i[None, :])
    acc = tl.zeros((B, B), tl.float32)
    for k in range(n):
        acc = tl.dot(x, x, acc)
    tl.store(x_ptr + i[:, None] * B + i[None, :], acc)
`,
      { x_ptr: '*fp32', n: 'i32', B: 16 },
    );
    const inputs = launchFor(request, [1, 1, 1], [{ data: ramp(256) }, 2]);
    const sums = (pass: string): string[] => {
      const found = funcAfter(compiler, request, ({ name }) => name === pass);
      if (!found.ok) throw new Error(`no ${pass}`);
      const debug = new DebugSession(found.func, inputs, [0, 0, 0]);
      const seen: string[] = [];
      while (debug.state().next) {
        debug.begin('op', none);
        finish(debug);
        const now = `${debug.watch('k')}: ${debug.watch('acc[0, 0]')}`;
        if (now !== seen.at(-1)) seen.push(now);
      }
      return seen;
    };
    const expected = sums('lower');
    expect(expected.slice(-4)).toEqual(['0: 0', '0: 19840', '1: 19840', '1: 39680']);
    expect(sums('stage_operands')).toEqual(expected);
  });
});
