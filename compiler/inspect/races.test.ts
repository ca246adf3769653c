/** Races between programs and between the lanes of one, and stores beside a view. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { RaceMap } from './races';
import { launchFor, requestFor } from './testing/launches';
import { lowered } from './testing/kernels';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
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
    return new RaceMap(lowered(compiler, request), inputs, 0, 4);
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
    const { report } = new RaceMap(lowered(compiler, request), inputs, 0, 2);
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
    return new RaceMap(lowered(compiler, request), inputs, 0, 1).report;
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
      return new RaceMap(lowered(compiler, request), { ...made, args }, 0, 1).report;
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
