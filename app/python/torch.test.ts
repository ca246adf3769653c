/**
 * torch against PyTorch: every expression of testdata/cases.py, evaluated in Pyodide and compared
 * with what PyTorch 2.13 made of it (testdata/expected.json): dtype, shape, strides and values, or
 * the error's type and text, or the printed form, to the character.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import expectedCases from './testdata/expected.json';
import { startPython } from './testing/python';
import type { TestPython } from './testing/python';

type Described =
  | { tensor: string; shape: number[]; stride: number[]; values: (number | string | boolean)[] }
  | { list: Described[] }
  | { plain: string }
  | { number: number | string }
  | { error: string; text: string };
interface Case {
  group: string;
  case: string;
  expected: Described;
}

/** Relative tolerance by dtype: sums and transcendental functions differ in their last bits. */
const TOLERANCE: Record<string, number> = {
  'torch.float64': 1e-12,
  'torch.float32': 2e-6,
  'torch.complex128': 1e-12,
  'torch.complex64': 2e-6,
  'torch.float16': 2 ** -10,
  'torch.bfloat16': 2 ** -7,
};

/** Errors whose words are ours: what we say is more, or other, than PyTorch's. */
const OWN_WORDS = /^(setitem|x\.sum\('a'\)|torch\.randn\(2, dtype)/;

/** Without the node and the versions that PyTorch names of a tensor that was changed in place. */
const wordsOf = (text: string): string => text.replace(/(by an inplace operation: ).*/s, '$1…');

let results: Map<string, Described>;
let python: TestPython;

beforeAll(async () => {
  python = await startPython();
  const { pyodide } = python;
  for (const name of [
    'cases.py',
    'fourier.py',
    'layers.py',
    'linear.py',
    'published.py',
    'rarer.py',
    'versions.py',
    'windows.py',
  ]) {
    const text = readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8');
    pyodide.FS.writeFile(`/lib/hippocamp/${name}`, text);
  }
  const text = pyodide.runPython(`
import json, torch
from cases import GROUPS, evaluate
json.dumps([
    [group, case, evaluate(case, group, torch)] for group, all in GROUPS.items() for case in all
])`) as string;
  results = new Map(
    (JSON.parse(text) as [string, string, Described][]).map(([group, name, value]) => [
      `${group}: ${name}`,
      value,
    ]),
  );
}, 300_000);

const groups = new Map<string, Case[]>();
for (const each of expectedCases as Case[])
  groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
for (const [group, cases] of groups) {
  describe(group, () => {
    for (const each of cases) {
      it(each.case, () => {
        const actual = results.get(`${group}: ${each.case}`);
        if (!actual) throw new Error('was not evaluated');
        compare(actual, each.expected, each.case);
      });
    }
  });
}

it('transforms tensors of the GPU too, of every kind of length', () => {
  const made = python.pyodide.runPython(`
import torch
found = []
for n in (8, 12, 67):
    x = torch.arange(float(n), device="cuda", requires_grad=True)
    y = torch.fft.irfft(torch.fft.rfft(x), n)
    y.sum().backward()
    found.append((str(y.device), str(x.grad.device), torch.allclose(y, x, atol=1e-4)))
str(found)`) as string;
  expect(made).toBe(`[${Array(3).fill("('cuda:0', 'cuda:0', True)").join(', ')}]`);
});

it('takes tolerances without a limit, and refuses others than positive ones', () => {
  const made = python.pyodide.runPython(`
import torch
found = []
x = torch.arange(4.0)
for close in (torch.allclose, torch.isclose, torch.testing.assert_close):
    for rtol, atol in ((0, float("inf")), (float("inf"), 0), (-1.0, 0), (0, float("nan"))):
        try:
            found.append(str(close(x, x + 1, rtol=rtol, atol=atol)))
        except RuntimeError as error:
            found.append(str(error))
"\\n".join(found)`) as string;
  const refused = ['rtol', 'atol'].map(
    (name, i) => `${name} must be greater than or equal to zero, but got ${['-1', 'nan'][i]}`,
  );
  const lines = made.split('\n');
  expect(lines.slice(0, 4)).toEqual(['True', 'True', ...refused]);
  expect(lines.slice(4, 8)).toEqual([
    'tensor([True, True, True, True])',
    'tensor([True, True, True, True])',
    ...refused,
  ]);
  expect(lines.slice(8)).toEqual(['None', 'None', ...refused]);
});

function compare(actual: Described, expected: Described, name: string): void {
  if ('error' in expected) {
    expect(actual, 'should have raised').toHaveProperty('error');
    if ('error' in actual && !OWN_WORDS.test(name))
      expect({ ...actual, text: wordsOf(actual.text) }).toEqual({
        ...expected,
        text: wordsOf(expected.text),
      });
    return;
  }
  if ('list' in expected) {
    if (!('list' in actual)) return expect(actual).toEqual(expected);
    expect(actual.list.length).toBe(expected.list.length);
    expected.list.forEach((part, i) => compare(actual.list[i]!, part, name));
    return;
  }
  if ('number' in expected && 'number' in actual) {
    expect(Number(actual.number)).toBeCloseTo(Number(expected.number), 5);
    return;
  }
  if (!('tensor' in expected) || !('tensor' in actual)) {
    expect(actual).toEqual(expected);
    return;
  }
  expect([actual.tensor, actual.shape, actual.stride]).toEqual([
    expected.tensor,
    expected.shape,
    expected.stride,
  ]);
  const tolerance = TOLERANCE[expected.tensor] ?? 0;
  expected.values.forEach((value, i) => {
    const got = actual.values[i];
    if (typeof value === 'number' && typeof got === 'number') {
      // Near zero what counts is the size of the other elements.
      const scale = Math.max(Math.abs(value), 1);
      if (Math.abs(got - value) > tolerance * scale)
        throw new Error(`element ${i}: ${got}, PyTorch ${value}`);
    } else if (value !== got) {
      throw new Error(`element ${i}: ${String(got)}, PyTorch ${String(value)}`);
    }
  });
}

it('fills empty memory as PyTorch does in its deterministic mode', () => {
  const run = python.run(`
import numpy as np
import torch

NAN = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn)
INTS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.uint16, torch.uint32)
for device in ("cpu", "cuda"):
    for dtype in (*NAN, *INTS, torch.bool, torch.complex64, torch.complex128):
        like = torch.zeros(3, 5, device=device, dtype=dtype)
        made = [
            torch.empty(3, 5, device=device, dtype=dtype), torch.empty_like(like), like.new_empty(3, 5),
            torch.empty_strided((3, 5), (1, 3), device=device, dtype=dtype), torch.empty_like(like.T),
            like.new_empty_strided((3, 5), (7, 1)), torch.zeros(0, dtype=dtype, device=device).resize_(3, 5),
        ]
        for t in made:
            if dtype.is_complex:
                found = torch.view_as_real(t).isnan()
            elif dtype in NAN:
                found = t.float().isnan()
            elif dtype is torch.bool:
                found = t
            else:
                found = t.to(torch.int64) == torch.iinfo(dtype).max
            assert bool(found.all()), (dtype, t)
        for t in (
            torch.zeros(3, device=device, dtype=dtype), torch.zeros_like(like), like.new_zeros(2, 2),
            torch.eye(3, dtype=dtype, device=device)[0, 1:],
        ):
            assert not bool((t != 0).any()), (dtype, t)
grown = torch.ones(2).resize_(4)
assert grown.tolist()[:2] == [1, 1] and bool(grown[2:].isnan().all())
assert bool(torch.Tensor(3).isnan().all()) and torch.LongTensor(2).tolist() == [2**63 - 1] * 2
assert np.isnan(np.empty(3)).all() and np.isnan(np.empty_like(np.zeros((2, 3)).T)).all()
assert not np.zeros(3).any() and not np.zeros_like(np.ones((2, 3)).T).any()
`);
  expect(run.errors).toBe('');
  expect(run.outcome).toBe('ok');
});
