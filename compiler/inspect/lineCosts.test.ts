/** Cost of a launch by line: known kernels, whose costs can be counted by hand. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { finalKernel } from './funcAfter';
import { lineCosts, sampleOf, type LineCost, type LineCosts } from './lineCosts';
import type { LaunchInputs } from './launch';
import { HEADER, launchFor, ramp, requestFor } from './testing/launches';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

function costsOf(inputs: LaunchInputs, budget?: number): LineCosts {
  const made = finalKernel(compiler, inputs.request);
  if (!made.ok) throw new Error(made.diagnostics[0]?.message);
  return lineCosts({ ...made, inputs, ...(budget === undefined ? {} : { budget }) });
}
/** The line with this text. */
function lineAt({ lines }: LineCosts, text: string, part: string): LineCost {
  const at = (HEADER + text).split('\n').findIndex((line) => line.includes(part)) + 1;
  const found = lines.find(({ line }) => line === at);
  if (!found) throw new Error(`no cost of line ${at}`);
  return found;
}

const ADD = `def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, mask=i < n)
    b = tl.load(y + i, mask=i < n)
    tl.store(out + i, a + b * 2.0, mask=i < n)
`;
function add(n: number): LaunchInputs {
  const request = requestFor(parser, ADD, {
    x: '*fp32',
    y: '*fp32',
    out: '*fp32',
    n: 'i32',
    B: 256,
  });
  const tensor = (): { data: Float32Array } => ({ data: ramp(n) });
  return launchFor(request, [n / 256, 1, 1], [tensor(), tensor(), tensor(), n]);
}

describe('the cost of a vector add by line', () => {
  it('has the bytes of each access at its line, and the arithmetic at its own', () => {
    const costs = costsOf(add(1024));
    expect(costs).toMatchObject({ sampled: 4, programs: 4, cut: false });
    expect(lineAt(costs, ADD, 'tl.load(x')).toMatchObject({ bytes: 4096, flops: 0, barriers: 0 });
    expect(lineAt(costs, ADD, 'tl.load(y')).toMatchObject({ bytes: 4096, exchanged: 0 });
    // A multiplication and an addition, or both at once.
    expect(lineAt(costs, ADD, 'tl.store')).toMatchObject({ bytes: 4096, flops: 2048 });
    expect(costs.total).toMatchObject({ bytes: 3 * 4096, flops: 2048 });
  });
  it('sums to the total, with what comes from no line', () => {
    const { lines, elsewhere, total } = costsOf(add(1024));
    for (const measure of ['bytes', 'flops', 'instructions', 'barriers', 'exchanged'] as const) {
      const sum = [...lines, elsewhere].reduce((all, line) => all + line[measure], 0);
      expect(sum, measure).toBe(total[measure]);
    }
    expect(total.registers).toBe(Math.max(...[...lines, elsewhere].map((each) => each.registers)));
    expect(total.registers).toBeGreaterThan(3);
  });
  it('is that of a sample where there are many programs', () => {
    const costs = costsOf(add(256 * 40));
    expect(costs).toMatchObject({ sampled: 4, programs: 40 });
    expect(costs.total.bytes).toBe(3 * 4096);
  });
  it('is cut where the programs compute too much', () => {
    const costs = costsOf(add(1024), 400);
    expect(costs).toMatchObject({ sampled: 1, cut: true });
    expect(costs.total.instructions).toBeLessThan(400);
  });
});

const DOT = `def mm(a, b, c, K, B: tl.constexpr):
    i = tl.arange(0, B)
    s = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, K, B):
        x = tl.load(a + i[:, None] * K + (k + i)[None, :])
        y = tl.load(b + (k + i)[:, None] * B + i[None, :])
        s += tl.dot(x, y, input_precision="ieee")
    tl.store(c + i[:, None] * B + i[None, :], s)
`;

describe('the cost of a matmul by line', () => {
  it('has products, barriers and shared memory at the product', () => {
    const request = requestFor(parser, DOT, {
      ...{ a: '*fp32', b: '*fp32', c: '*fp32', K: 'i32', B: 32 },
    });
    const [a, b, c] = [{ data: ramp(32 * 64) }, { data: ramp(64 * 32) }, { data: ramp(1024) }];
    const costs = costsOf(launchFor(request, [1, 1, 1], [a, b, c, 64]));
    const product = lineAt(costs, DOT, 'tl.dot');
    expect(product.flops).toBeGreaterThanOrEqual(2 * 32 * 32 * 64);
    expect(product.flops).toBeLessThan(2.2 * 32 * 32 * 64);
    expect(costs.total.barriers).toBeGreaterThanOrEqual(3);
    expect(product.loops).toBe(true);
    // Operands are stored once and read at least once.
    expect(costs.total.exchanged).toBeGreaterThanOrEqual(2 * 2 * 32 * 64 * 4);
    expect(lineAt(costs, DOT, 'x = tl.load').bytes).toBe(32 * 64 * 4);
    expect(lineAt(costs, DOT, 'x = tl.load').widest).toBe(4);
    expect(lineAt(costs, DOT, 'tl.store').loops).toBe(false);
  });
});

it('samples whole workgroups from the first to the last', () => {
  expect(sampleOf(1, 1)).toEqual([0]);
  expect(sampleOf(10, 1)).toEqual([0, 3, 6, 9]);
  expect(sampleOf(10, 4)).toEqual([0, 4, 8]);
});
