import { describe, expect, it } from 'vitest';
import { mutationsOf, withoutBenchmarks } from './mutations';

const PROGRAM = `import torch


@triton.jit
def kernel(
    x_ptr, y_ptr, M, N, K,
    BM: tl.constexpr,
):
    """Sums of a - b, where a < b."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    # rows < M
    acc = tl.zeros((BM,), dtype=tl.float32)
    for k in range(0, K):
        x = tl.load(x_ptr + rows[:, None] * K + ks[None, :], mask=(rows < M) & (ks < K), other=0.0)
        acc += tl.dot(x, x, acc, input_precision="ieee")
    tl.store(y_ptr + rows, acc, mask=rows < M)


def run(x):
    n = x.numel() * 2
    kernel[(triton.cdiv(n, 16),)](x, x, n, x.stride(0), x.stride(1), BM=16)


measure("run", run, 1 < 2, "GB/s")


@triton.testing.perf_report([])
def benchmark():
    pass
`;

const mutations = mutationsOf(PROGRAM);
const by = (operator: string): string[] =>
  mutations.filter((one) => one.operator === operator).map(({ text }) => text);

describe('mutations', () => {
  it('change one line each, of a kernel or a launch', () => {
    const lines = PROGRAM.split('\n');
    for (const { line, text, program } of mutations) {
      const changed = program.split('\n');
      expect(changed).toHaveLength(lines.length);
      const differ = changed.flatMap((one, i) => (one === lines[i] ? [] : [i + 1]));
      expect(differ).toEqual([line]);
      expect(changed[line - 1]!.trim()).toBe(text);
      expect(line).toBeGreaterThan(9);
      expect(line < 17 || line === 21).toBe(true);
    }
    expect(new Set(mutations.map(({ program }) => program)).size).toBe(mutations.length);
  });

  it.each([
    ['bound off by one', 3, 'tl.store(y_ptr + rows, acc, mask=rows <= M)'],
    ['half-precision accumulator', 1, 'acc = tl.zeros((BM,), dtype=tl.float16)'],
    ['accumulator dropped from a dot', 1, 'acc += tl.dot(x, x, input_precision="ieee")'],
    ['overwritten, not added to', 1, 'acc = tl.dot(x, x, acc, input_precision="ieee")'],
    ['factor forgotten', 2, 'rows = tl.program_id(0) + tl.arange(0, BM)'],
    ['term forgotten', 3, 'tl.store(y_ptr, acc, mask=rows < M)'],
  ])('%s: %i places', (operator, places, text) => {
    expect(by(operator)).toHaveLength(places);
    expect(by(operator)).toContain(text);
  });

  it('leave out the last block of a grid, and swap strides', () => {
    const rest = 'x.stride(0), x.stride(1), BM=16)';
    expect(by('last block left out')).toEqual([`kernel[((n // 16),)](x, x, n, ${rest}`]);
    expect(by('strides swapped in a launch')).toHaveLength(1);
  });

  it('drop either half of a mask, fill with ones and turn the order of a matrix', () => {
    const load = 'x = tl.load(x_ptr + rows[:, None] * K + ks[None, :], ';
    expect(by('half of a mask')).toEqual([`${load}mask=(rows < M), other=0.0)`]);
    expect(by('other half of a mask')).toEqual([`${load}mask=(ks < K), other=0.0)`]);
    expect(by('other values of all masked loads')).toEqual([
      `${load}mask=(rows < M) & (ks < K), other=1.0)`,
    ]);
    expect(by('row-major taken for column-major')[0]).toContain('rows[:, None] + ks[None, :] * K');
  });
});

it('leaves out what a program measures', () => {
  const checked = withoutBenchmarks(PROGRAM);
  expect(checked).not.toContain('measure(');
  expect(checked).not.toContain('benchmark');
  expect(checked).toContain('kernel[(triton');
});
