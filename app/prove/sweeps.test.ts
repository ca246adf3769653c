/**
 * `hippocamp_testing` on the interpreter: sweeps find mistakes at edges, strides and dtypes, make
 * the case smaller and write it down as a program; right kernels agree, and a seed decides all.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeRunner } from '../cli/programProcess';
import type { ProgramEvent, RunOptions } from '../events';
import type { Runner } from '../runtime/runner';
import type { EventOf } from './algebra';
import { sweepSections } from './sweeps';

const ROOT = join(import.meta.dirname, '..', '..');

let runner: Runner;
beforeAll(async () => {
  runner = await createNodeRunner(ROOT, () => {});
}, 120_000);
afterAll(() => runner?.dispose());

async function run(text: string, ring = false): Promise<readonly ProgramEvent[]> {
  const events: ProgramEvent[] = [];
  const options: RunOptions = {
    ...{ adapter: 'interpreter', maxBytes: null, check: false, seed: 0, measures: false },
    ...(ring ? { ring } : {}),
  };
  await runner.run({ 'main.py': text }, 'main.py', options, (event) => events.push(event));
  return events;
}
const sweepsOf = (events: readonly ProgramEvent[]): EventOf<'sweep'>[] =>
  events.filter((event) => event.type === 'sweep');
const printed = (events: readonly ProgramEvent[]): string =>
  events.flatMap((event) => (event.type === 'print' ? [event.text] : [])).join('');
const errorOf = (events: readonly ProgramEvent[]): string =>
  events.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic.message] : [])).join();

const ADD = `import torch, triton
import triton.language as tl
from hippocamp_testing import assert_close, gradients_close, one_of, sweep, tensor


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x, y, BLOCK):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK=BLOCK)
    return out


`;
const SWEEP =
  'report = sweep(add, lambda x, y: x + y, x=tensor("M", "N"), y=tensor("M", "N"), BLOCK=one_of(64, 128), sizes={"M": range(30), "N": range(70)}, cases=40, raises=False)\n';
const changed = (from: string, to: string): string => {
  if (!ADD.includes(from)) throw new Error(`no ${from}`);
  return ADD.replace(from, to);
};

describe('a sweep', () => {
  it('agrees with a right kernel in every case, and prints how many had what', async () => {
    const events = await run(ADD + SWEEP);
    const [sweep] = sweepsOf(events);
    expect(sweep).toMatchObject({ name: 'add', total: 40, passed: 40, failed: 0, failure: null });
    expect(printed(events)).toMatch(/sweep of add: 40 cases, seed 0\n {2}float32 +\d+ passed/);
    for (const kind of ['bfloat16', 'transposed', 'broadcast', 'denormal', 'nan'])
      expect(printed(events)).toMatch(new RegExp(`  ${kind} +\\d+ passed`));
    expect(sweepSections({ engine: '', events })).toMatchObject([
      { check: 'sweep', findings: [{ verdict: 'holds', location: { line: 23 } }] },
    ]);
  });

  it('is the same for the same seed, and another for another one', async () => {
    const again = 'print("@" + str([str(sorted(c["sizes"].items())) for c in report.cases]))\n';
    const seeded = SWEEP.replace('cases=40', 'cases=40, seed=1');
    const text = ADD + SWEEP + again + SWEEP + again + seeded + again;
    const [first, second, other] = printed(await run(text)).match(/^@.*$/gm)!;
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each([
    ['the last block skipped', 'triton.cdiv(n, BLOCK)', 'n // BLOCK', 'M=1, N=1', 'nan, expected'],
    ['a mask one short', 'offsets < n', 'offsets < n - 1', 'M=1, N=1', 'nan, expected'],
    ['no mask for the store', 'x + y, mask=mask', 'x + y', 'M=1, N=1', ''],
    ['strides ignored', 'y.contiguous()', 'y', 'M=2, N=', 'expected'],
    [
      'a wrong dtype',
      'torch.empty_like(x)',
      'torch.empty_like(x, dtype=torch.float16)',
      '',
      'the result is float16, where the reference gives float32',
    ],
    [
      'an input written',
      'x_ptr + offsets, mask=mask)',
      'x_ptr + offsets, mask=mask)\n    tl.store(x_ptr + offsets, x * 0, mask=mask)',
      '',
      'changes x',
    ],
    [
      'half of it unwritten',
      'x + y, mask=mask',
      'x + y, mask=mask & (offsets % 2 == 0)',
      '',
      'nan, expected',
    ],
  ])('finds %s and makes it small', async (_, from, to, smallest, message) => {
    const events = await run(changed(from, to) + SWEEP);
    const failure = sweepsOf(events)[0]?.failure;
    expect(failure?.case).toContain(smallest);
    expect(failure?.message).toContain(message);
    // The case by itself is a program that fails with the same words.
    const alone = await run(failure!.program!);
    expect(alone.at(-1)).toMatchObject({ outcome: 'error' });
    expect(errorOf(alone)).toContain(failure!.message.replace(/^\w+: /, ''));
    expect(failure!.program).not.toContain('sweep(');
    expect(sweepSections({ engine: '', events })[0]!.findings[0]).toMatchObject({
      verdict: 'fails',
      witnesses: [{ name: 'smallest case', value: failure!.case }],
    });
  });

  it('counts what the function itself refuses, and not what it fails at', async () => {
    const text = changed(
      '    x, y = x.contiguous(), y.contiguous()',
      '    assert x.is_contiguous() and y.is_contiguous(), "not contiguous"',
    );
    const events = await run(text + SWEEP);
    const [sweep] = sweepsOf(events);
    expect(sweep).toMatchObject({ failed: 0, failure: null });
    expect(sweep!.refused).toBeGreaterThan(3);
    expect(sweep!.passed + sweep!.refused).toBe(40);
    const fails = await run(
      text.replace('out = torch.empty_like(x)', 'out = torch.empty_like(x).reshape(7, -5)') + SWEEP,
    );
    expect(sweepsOf(fails)[0]).toMatchObject({ failed: 1, failure: { line: 17 } });
  });

  it('fails where every case is refused', async () => {
    const text = changed('n = x.numel()', 'n = x.numel() + "1"');
    const events = await run(text + SWEEP + 'print(report.passed)\n');
    expect(sweepsOf(events)[0]).toMatchObject({ passed: 0, refused: 40, failure: null });
    expect(printed(events)).toContain('False');
    const raised = await run(text + SWEEP.replace(', raises=False', ''));
    expect(errorOf(raised)).toMatch(
      /SweepFailed: add refuses every case, .*TypeError: unsupported/,
    );
  });

  it('compares integers as numbers, and looks around a tensor that may change', async () => {
    const whole = (body: string): string => `import torch
from hippocamp_testing import sweep, tensor

def total(x):
    ${body}

`;
    for (const [body, reference, message] of [
      [
        'return x.sum(dim=0).to(torch.int32)',
        'lambda x: x.sum(dim=0) * 0.5 + x.sum(dim=0) * 0.5',
        null,
      ],
      [
        'return x.to(torch.float32).mean(dim=0).to(torch.int64)',
        'lambda x: x.to(torch.float64).mean(dim=0)',
        'wrong',
      ],
      ['return (x * 100).sum(dim=0).to(torch.int8)', 'lambda x: (x * 100).sum(dim=0)', 'wrong'],
      ['x.zero_(); return x', 'lambda x: x * 0', null],
      [
        'torch.as_strided(x, (x.numel() + 1,), (1,), x.storage_offset()).zero_() if x.storage_offset() else x.zero_(); return x',
        'lambda x: x * 0',
        'writes memory around x',
      ],
    ] as const) {
      const events = await run(
        whole(body) +
          `sweep(total, ${reference}, x=tensor("N", dtype=torch.int64), sizes={"N": range(1, 40)}, changes=("x",), cases=20, raises=False)\n`,
      );
      const failure = sweepsOf(events)[0]?.failure;
      if (message === null) expect(failure, body).toBeNull();
      else expect(failure?.message, body).toContain(message);
    }
  });

  it('is what docs/sweeps.md shows', async () => {
    const kernel = readFileSync(join(import.meta.dirname, 'kernels', 'online_softmax.py'), 'utf8')
      .split('\nx = torch.randn')[0]!
      .replaceAll('online_softmax', 'softmax');
    const docs = readFileSync(join(ROOT, 'docs', 'sweeps.md'), 'utf8');
    const [, shown] = /```python\n([^]*?)```/.exec(docs)!;
    const library = readFileSync(join(ROOT, 'app/python/hippocamp_testing.py'), 'utf8');
    const [quoted] = / {4}from hippocamp_testing import .*\n[^]*?\n {4}\)\n/.exec(library)!;
    for (const text of [shown!, quoted.replaceAll(/^ {4}/gm, '')]) {
      const events = await run(`${kernel}\n${text}`);
      expect(errorOf(events)).not.toContain('Error');
      expect(sweepsOf(events)).toMatchObject([{ name: 'softmax', passed: 100, failure: null }]);
      const wrong = kernel.replace('mask=columns < N)', 'mask=columns < N - 1)');
      const found = sweepsOf(await run(`${wrong}\n${text}`))[0];
      expect(found?.failure).not.toBeNull();
    }
  }, 60_000);

  it('raises SweepFailed, unless it is to go on', async () => {
    const events = await run(
      changed('offsets < n', 'offsets < n - 1') + SWEEP.replace(', raises=False', ''),
    );
    expect(errorOf(events)).toMatch(/SweepFailed: add fails at M=1, N=1/);
  });

  it('runs nothing in the ring, whose floats are no numbers', async () => {
    const events = await run(ADD + SWEEP, true);
    expect(sweepsOf(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ outcome: 'ok' });
  });
});

describe('tolerances', () => {
  const MATMUL = `import torch, triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, M, N, K, B: tl.constexpr, BK: tl.constexpr, SUM: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), SUM)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(a, b, input_precision="ieee").to(SUM)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def matmul(a, b, B, BK):
    a, b = a.contiguous(), b.contiguous()
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    dot_kernel[(triton.cdiv(M, B), triton.cdiv(N, B))](a, b, c, M, N, K, B, BK, SUM)
    return c


sweep(matmul, lambda a, b: a @ b, a=tensor("M", "K"), b=tensor("K", "N"), B=one_of(16, 32), BK=one_of(16, 64),
      sizes={"M": range(40), "N": range(40), "K": range(400)}, terms="K", cases=30, raises=False)
`;

  it('let every order of sums in float32 pass', async () => {
    const [sweep] = sweepsOf(await run(MATMUL.replace('B, BK, SUM)\n', 'B, BK, tl.float32)\n')));
    expect(sweep).toMatchObject({ passed: 30, failure: null });
  });
  it('do not let sums in float16 pass, and name them', async () => {
    const text = MATMUL.replace('B, BK, SUM)\n', 'B, BK, tl.float16)\n').replaceAll(
      '"K")',
      '"K", values="normal")',
    );
    const failure = sweepsOf(await run(text))[0]?.failure;
    expect(failure?.message).toMatch(
      /arithmetic in float16 has such errors, in float32 it has not/,
    );
  });

  it('do not let a variance by a difference of squares pass', async () => {
    const variance = (body: string): string => `import torch
from hippocamp_testing import sweep, tensor

def variance(x):
    return ${body}

sweep(variance, lambda x: x.var(1, unbiased=False), x=tensor("M", "N"), sizes={"M": range(1, 20), "N": range(1, 100)},
      terms="N", dtypes=[torch.float32], cases=40, raises=False)
`;
    const one = sweepsOf(await run(variance('(x * x).mean(1) - x.mean(1) ** 2')))[0];
    expect(one?.failure?.message).toContain('elements of the result are wrong');
    const two = sweepsOf(await run(variance('(x - x.mean(1, keepdim=True)).square().mean(1)')))[0];
    expect(two).toMatchObject({ passed: 40, failure: null });
  });

  it('allow an error besides where numbers cancel on the way', async () => {
    const gelu = (atol: string): string => `import torch
from hippocamp_testing import sweep, tensor

def gelu(x):
    return 0.5 * x * (1 + torch.erf(x * 0.7071067811865476))

sweep(gelu, torch.nn.functional.gelu, x=tensor("N"), sizes={"N": range(400, 500)}, ${atol}cases=30, terms=1,
      dtypes=[torch.float32], raises=False)
`;
    expect(sweepsOf(await run(gelu('')))[0]?.failure).not.toBeNull();
    expect(sweepsOf(await run(gelu('atol=1e-6, ')))[0]).toMatchObject({ passed: 30 });
    const narrow = sweepsOf(await run(gelu('atol=1e-12, ')))[0]?.failure;
    expect(narrow?.program).toContain('atol=1e-12)');
  });

  it('are of the element, not of the tensor', async () => {
    const events = await run(`import torch
from hippocamp_testing import assert_close
x = torch.tensor([1e6, 1.0, 1e-6])
y = x * 2
assert_close(y, lambda x: x * 2, x)
y[2] += 1e-9
assert_close(y, lambda x: x * 2, x)
`);
    expect(errorOf(events)).toMatch(
      /1 of 3 elements of the result are wrong; the worst is \[2\]: 2.001e-06/,
    );
  });
});

describe('gradients', () => {
  const SCALE = (backward: string): string => `import torch
from hippocamp_testing import gradients_close, sweep, tensor

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return ${backward}

def scale(x, w):
    return Scale.apply(x, w)

x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.25, 4.0]])
w = torch.tensor([1.0, 2.0, 3.0])
gradients_close(scale, lambda x, w: x * x * w, x=x, w=w)
sweep(scale, lambda x, w: x * x * w, x=tensor("M", "N"), w=tensor("N"), sizes={"M": range(20), "N": range(20)}, gradients=True, cases=40, dtypes=[torch.float32], raises=False)
print("all right")
`;
  it('of a right backward agree', async () => {
    const events = await run(SCALE('2 * x * w * g, (x * x * g).sum(0)'));
    expect(printed(events)).toContain('all right');
    expect(sweepsOf(events)[0]).toMatchObject({ passed: 40, failure: null });
  });
  it.each([
    [
      'a factor',
      'x * w * g, (x * x * g).sum(0)',
      /gradient of x .*Along \[\d, \d\] of x: the backward/,
    ],
    ['a sign', '2 * x * w * g, -(x * x * g).sum(0)', /gradient of w .*Along \[\d\] of w/],
    ['one that is missing', '2 * x * w * g, None', /the gradient of w is missing/],
    ['a mean', '2 * x * w * g, (x * x * g).mean(0)', /gradient of w .*central differences/],
  ])('find %s', async (_, backward, message) => {
    expect(errorOf(await run(SCALE(backward)))).toMatch(message);
  });
  it('find a reference whose own backward is wrong', async () => {
    const text = SCALE('x * w * g, (x * x * g).sum(0)').replaceAll(
      'lambda x, w: x * x * w',
      'scale',
    );
    expect(errorOf(await run(text))).toMatch(/the reference's own backward is wrong/);
  });
});
