/**
 * The lines of the program that WGSL quotes, and how much is written before a kernel is refused:
 * less for a driver that compiles slowly.
 */
import { CPU_FACTS } from '../machine';
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { requestFor } from '../inspect/testing/launches';
import { createCompiler } from '../pipeline';
import { BASELINE_TARGET } from '../target';
import { Writer } from './writer';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const SORT = `def sort(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at)))
`;
const SOFTWARE = {
  ...BASELINE_TARGET,
  name: 'SwiftShader',
  machine: CPU_FACTS,
  subgroupSize: 4,
  sharedMemoryInStorage: true,
  slicedLaunches: true,
} as const;

it.each([
  ['2^14 elements on the CPU', 2 ** 14, SOFTWARE, 'compiled'],
  ['2^20 elements on the CPU', 2 ** 20, SOFTWARE, 'HC0510'],
])('sorts a tile of %s: %s', (_, n, target, expected) => {
  const request = requestFor(parser, SORT, { x_ptr: '*fp32', out_ptr: '*fp32', N: n }, target);
  const result = createCompiler(parser).compile(request);
  if (result.kind !== 'failed') expect(result.kind).toBe(expected);
  else {
    const [found] = result.diagnostics;
    expect(found?.code).toBe(expected);
    expect(found?.message).toMatch(/compiles as slowly.*: a thread computes \d+ values/);
    expect(found?.location.file).toBe('k.py');
  }
});

it.each([
  ['20,000 where it is slow', true, 20_000, /compiles as slowly .*more than 20000 lines/],
  ['150,000 elsewhere', false, 150_000, /too large: its WGSL has more than 150000 lines/],
])('writes no more lines than %s', (_, software, most, message) => {
  const writer = new Writer(0, software);
  for (let i = 0; i < most; i++) writer.line('a();');
  expect(() => writer.line('a();')).toThrow(message);
});

const SCALE = `def scale(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)  # not a \u2028line break
    tl.store(x_ptr + at, tl.maximum(x, 0.0) * 2.0, mask=at < n)
`;
it('quotes the line of the program above what it became, unless that is disabled', () => {
  const request = requestFor(
    parser,
    SCALE,
    { x_ptr: '*fp32', n: 'i32', BLOCK: 128 },
    BASELINE_TARGET,
  );
  const textWith = (quotes: boolean): string[] => {
    const options = { ...request.options, quotes };
    const result = createCompiler(parser).compile({ ...request, options });
    if (result.kind !== 'compiled') throw new Error(result.kind);
    expect(result.kernel.sourceMap).toHaveLength(result.kernel.wgsl.split('\n').length - 1);
    return result.kernel.wgsl.split('\n');
  };
  const isQuote = (line: string): boolean => /^ *\/\/ \d+: /.test(line);
  const [quoted, plain] = [textWith(true), textWith(false)];
  const lines = quoted.filter(isQuote).map((line) => line.trim());
  const text = Object.values(request.program.files)[0]!;
  for (const start of ['x = tl.load', 'tl.store']) {
    const at = text.split('\n').findIndex((line) => line.trim().startsWith(start));
    const line = text.split('\n')[at]!.trim().replace('\u2028', ' ');
    expect(lines).toContain(`// ${at + 1}: ${line}`);
  }
  expect(plain.filter(isQuote)).toEqual([]);
  expect(quoted.filter((line) => !isQuote(line))).toEqual(plain);
});

it('wraps long lines behind commas and before operators, in the fewest parentheses', () => {
  const writer = new Writer(1);
  const term = (i: number): string => `select(0u, max(distance_${i}, length), inside_${i} << 2u)`;
  writer.line(`let sum = min(${[1, 2, 3].map(term).join(', ')}) + 1u;`);
  writer.line(
    `let v = ${['a', 'b', 'c'].map((x) => `vec4<f32>(${x}_register, 12345678.0f)`).join(' * ')};`,
  );
  expect(writer.lines.map(({ text }) => text).join('\n')).toMatchInlineSnapshot(`
    "  let sum = min(select(0u, max(distance_1, length), inside_1 << 2u),
          select(0u, max(distance_2, length), inside_2 << 2u),
          select(0u, max(distance_3, length), inside_3 << 2u)) + 1u;
      let v = vec4<f32>(a_register, 12345678.0f) * vec4<f32>(b_register, 12345678.0f)
          * vec4<f32>(c_register, 12345678.0f);"
  `);
});
