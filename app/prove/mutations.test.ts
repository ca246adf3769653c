/**
 * Mistakes in kernels of the gallery, at small sizes on the interpreter: the ring alone shows each,
 * and the check says that it fails. What changes no algebra stays equal.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCompiler, type Compiler } from '../../compiler/pipeline';
import { nodeParser } from '../cli/nodeParser';
import { createNodeRunner } from '../cli/programProcess';
import type { ProgramEvent, RunOptions } from '../events';
import type { Runner } from '../runtime/runner';
import { withoutBenchmarks } from '../tutorials/mutations';
import { algebraSection } from './algebra';
import { kernelUses } from './kernelUses';
import type { ProofSection } from './report';

const ROOT = join(import.meta.dirname, '..', '..');

type Change = readonly [name: string, from: string, to: string];
interface Program {
  readonly file: string;
  /** Makes it small. */
  readonly sizes: readonly (readonly [string, string])[];
  readonly wrong: readonly Change[];
  readonly same: readonly Change[];
}

const VECTOR_ADD: Program = {
  file: 'vector_add.py',
  sizes: [['98432', '3000']],
  wrong: [
    ['a mask one element short', 'mask = offsets < n', 'mask = offsets < n - 1'],
    ['a wrong operand', 'x + y, mask=mask', 'x + x, mask=mask'],
    ['a wrong sign', 'x + y, mask=mask', 'x - y, mask=mask'],
    ['neighbours swapped', 'y_ptr + offsets, mask', 'y_ptr + (offsets ^ 1), mask'],
    [
      'the last block skipped',
      '(triton.cdiv(n, meta["BLOCK_SIZE"]),)',
      '(n // meta["BLOCK_SIZE"],)',
    ],
  ],
  same: [['operands in the other order', 'x + y, mask=mask', 'y + x, mask=mask']],
};
const SOFTMAX: Program = {
  file: 'fused_softmax.py',
  sizes: [['(1823, 781,', '(13, 45,']],
  wrong: [
    ['masked elements that count', 'other=-float("inf")', 'other=0.0'],
    ['a mask one column short', 'mask = columns < n_cols', 'mask = columns < n_cols - 1'],
    ['another reduction', 'tl.sum(numerator, axis=0)', 'tl.max(numerator, axis=0)'],
    ['another base', 'tl.exp(x -', 'tl.exp2(x -'],
    ['a product for a quotient', 'numerator / tl.sum', 'numerator * tl.sum'],
    ['the row before', 'x_ptr + row * x_stride', 'x_ptr + tl.maximum(row - 1, 0) * x_stride'],
  ],
  same: [
    ['no maximum subtracted', 'tl.exp(x - tl.max(x, axis=0))', 'tl.exp(x)'],
    [
      'exp by exp2',
      'tl.exp(x - tl.max(x, axis=0))',
      'tl.exp2((x - tl.max(x, axis=0)) * 1.4426950408889634)',
    ],
  ],
};
const MATMUL: Program = {
  file: 'matmul.py',
  sizes: [
    ['(600, 200)', '(40, 56)'],
    ['(200, 390)', '(56, 36)'],
    ['torch.randn(390', 'torch.randn(36'],
  ],
  wrong: [
    ['no accumulation', 'tl.dot(a, b, acc, ', 'tl.dot(a, b, '],
    ['a stale tile of A', 'a_ptrs += BLOCK_K * stride_ak', 'a_ptrs += 0'],
    ['a stale tile of B', 'b_ptrs += BLOCK_K * stride_bk', 'b_ptrs += 0'],
    ['columns of B swapped', '(columns % N)[None, :]', '(columns % N ^ 1)[None, :]'],
    [
      'neighbours of the bias swapped',
      'bias_ptr + columns, mask',
      'bias_ptr + (columns ^ 1), mask',
    ],
    ['a wrong sign', 'relu(acc + bias[None, :])', 'relu(acc - bias[None, :])'],
    ['another order', 'relu(acc + bias[None, :])', 'relu(acc) + bias[None, :]'],
    ['no activation', 'tl.where(x >= 0, x, 0.0)', 'tl.where(x >= 0, x, x)'],
    ['the last slice of K skipped', 'range(0, tl.cdiv(K, BLOCK_K))', 'range(0, K // BLOCK_K)'],
    [
      'rows swapped in a store',
      'c_ptr + rows[:, None] * stride_cm',
      'c_ptr + (rows ^ 1)[:, None] * stride_cm',
    ],
  ],
  same: [
    [
      'sums in another order',
      'acc = tl.dot(a, b, acc, input_precision="ieee")',
      'acc = tl.dot(a, b, input_precision="ieee") + acc',
    ],
    ['a maximum for a comparison', 'tl.where(x >= 0, x, 0.0)', 'tl.maximum(x, 0.0)'],
  ],
};
const ATTENTION: Program = {
  file: 'fused_attention.py',
  sizes: [['(2, 3, 200, 64)', '(1, 2, 100, 16)']],
  wrong: [
    ['no rescale of the sums', 'acc = acc * rescale[:, None]', 'acc = acc'],
    ['no rescale of the row sum', 'row_sum * rescale +', 'row_sum +'],
    ['a stale maximum', 'row_max = new_max', 'row_max = row_max'],
    ['a key too many', 'visible = keys[None, :] < length', 'visible = keys[None, :] <= length'],
    [
      'a query without itself',
      'queries[:, None] >= keys[None, :]',
      'queries[:, None] > keys[None, :]',
    ],
    [
      'a stale tile of V',
      'v = tl.load(v_ptrs + first * stride_row)',
      'v = tl.load(v_ptrs + start * stride_row)',
    ],
    ['no scale', 'q * (scale * 1.4426950408889634)', 'q * 1.4426950408889634'],
    ['another base', 'p = tl.exp2(', 'p = tl.exp('],
    ['no normalization', 'out = acc / row_sum[:, None]', 'out = acc'],
    ['no accumulation', 'tl.dot(p.to(v.dtype), v, acc, ', 'tl.dot(p.to(v.dtype), v, '],
  ],
  same: [
    [
      'rescaled at the end of a step',
      'acc = acc * rescale[:, None]',
      'acc = rescale[:, None] * acc',
    ],
    [
      'no running maximum',
      'new_max = tl.maximum(row_max, tl.max(scores, axis=1))',
      'new_max = row_max',
    ],
  ],
};

let runner: Runner;
let compiler: Compiler;
beforeAll(async () => {
  runner = await createNodeRunner(ROOT, () => {});
  compiler = createCompiler(await nodeParser(ROOT));
}, 120_000);
afterAll(() => runner?.dispose());

async function run(text: string, ring: boolean): Promise<readonly ProgramEvent[]> {
  const events: ProgramEvent[] = [];
  const options: RunOptions = {
    adapter: 'interpreter',
    maxBytes: null,
    check: false,
    seed: 0,
    measures: false,
    ...(ring ? { ring } : {}),
  };
  await runner.run({ 'main.py': text }, 'main.py', options, (event) => events.push(event));
  return events;
}

/** @returns whether the ring shows a difference, and what the check says. */
async function check(
  text: string,
): Promise<{ readonly shows: boolean; readonly section: ProofSection }> {
  const ring = await run(text, true);
  const ordinary = await run(text, false);
  const shows = ring.some(
    (event) =>
      (event.type === 'comparison' && event.mismatches > 0) ||
      (event.type === 'diagnostic' && event.diagnostic.severity === 'error'),
  );
  const section = algebraSection({
    ordinary: { engine: 'the interpreter', events: ordinary },
    rings: [{ engine: 'the interpreter', events: ring }],
    usesOf: kernelUses(ring, compiler),
    milliseconds: 0,
  });
  return { shows, section };
}

describe('a run after one in the ring that ended with an error', () => {
  const text = `import torch, triton
import triton.language as tl
@triton.jit
def k(x_ptr, y_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y_ptr + i, tl.exp(tl.load(x_ptr + i)) / 3)
x = torch.arange(4, device="cuda", dtype=torch.float32)
y = torch.empty(4, device="cuda")
k[(1,)](x, y, B=4)
print(y, torch.exp(x) / 3)
`;
  const printed = (events: readonly ProgramEvent[]): string =>
    events.flatMap((event) => (event.type === 'print' ? [event.text] : [])).join('');

  // Nothing tidies Python between these runs: a run begins by itself with none of the former's.
  it.each([
    ['an exception', 'raise ValueError("no")\n'],
    ['a function without meaning in the ring', 'torch.linalg.inv(torch.eye(3))\n'],
    [
      'an atomic without meaning in the ring',
      '@triton.jit\ndef a(p):\n    tl.atomic_add(p, 1.5)\na[(3,)](x)\nprint(x)\n',
    ],
    ['a launch that is refused', 'k[(1,)](x)\n'],
    ['a backward pass', 'torch.ones(2, requires_grad=True).to(torch.int32).sum().backward()\n'],
    ['too deep a recursion', 'def f():\n    f()\nf()\n'],
    ['an exit', 'import sys\nsys.exit(3)\n'],
    ['a text that does not parse', 'x = = 3\n'],
  ])('has ordinary floats: %s', async (_, last) => {
    const before = printed(await run(text, false));
    const ring = await run(text + last, true);
    expect(ring.at(-1)).toMatchObject({ type: 'finished', outcome: 'error' });
    expect(printed(ring)).not.toContain(before);
    expect(printed(await run(text, false))).toBe(before);
  });
});

describe.each([VECTOR_ADD, SOFTMAX, MATMUL, ATTENTION])('$file', ({ file, sizes, wrong, same }) => {
  const path = join(ROOT, 'public', 'examples', file);
  let text = withoutBenchmarks(readFileSync(path, 'utf8'));
  const changed = (whole: string, from: string, to: string): string => {
    if (!whole.includes(from)) throw new Error(`${file} has no ${from}`);
    return whole.replace(from, () => to);
  };
  for (const [from, to] of sizes) text = changed(text, from, to).replaceAll(from, to);

  it('holds', async () => {
    const { shows, section } = await check(text);
    expect(shows).toBe(false);
    expect(section.findings.length).toBeGreaterThan(0);
    expect(section.findings.map(({ verdict }) => verdict)).not.toContain('fails');
    expect(section.findings.map(({ verdict }) => verdict)).not.toContain('inapplicable');
  });
  it.each(same)('holds with %s', async (_, from, to) => {
    const { section } = await check(changed(text, from, to));
    expect(
      section.findings.every(
        ({ verdict, message }) => verdict === 'holds' || message.startsWith('equal in the ring'),
      ),
    ).toBe(true);
  });
  it.each(wrong)('fails with %s', async (_, from, to) => {
    const { shows, section } = await check(changed(text, from, to));
    expect(shows).toBe(true);
    expect(section.findings.map(({ verdict }) => verdict)).toContain('fails');
  });
});

it('has thirty mistakes and more', () => {
  const all = [VECTOR_ADD, SOFTMAX, MATMUL, ATTENTION].flatMap(({ wrong }) => wrong);
  expect(all.length).toBeGreaterThanOrEqual(30);
});
