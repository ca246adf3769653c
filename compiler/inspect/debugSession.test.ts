/** Stepping through a program in tile IR, with its variables and watches. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { DebugSession } from './debugSession';
import { funcAfter } from './funcAfter';
import { launchFor, ramp, requestFor } from './testing/launches';
import { lowered } from './testing/kernels';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
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
    return new DebugSession(lowered(compiler, request), inputs, [0, 0, 0]);
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
    const debug = new DebugSession(lowered(compiler, request), inputs, [0, 0, 0]);
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
