/**
 * torch against PyTorch: every expression of testdata/cases.py, evaluated in Pyodide and compared with
 * what PyTorch 2.13 made of it (testdata/expected.json): dtype, shape, strides and values, or the
 * error's type and text, or the printed form, to the character.
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
    'rarer.py',
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

function compare(actual: Described, expected: Described, name: string): void {
  if ('error' in expected) {
    expect(actual, 'should have raised').toHaveProperty('error');
    if ('error' in actual && !OWN_WORDS.test(name)) expect(actual).toEqual(expected);
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
