/** Leftovers of a run: settings are put back, anything else is named. */
import { beforeAll, expect, it } from 'vitest';
import { CHANGES, IMPORTS } from './testing/changes';
import { startPython, type TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 120_000);

/** @returns what is left of the last run. */
function tidy(): readonly string[] {
  const host = python.pyodide.pyimport('_hippocamp_host') as { tidy(): string };
  return JSON.parse(host.tidy()) as string[];
}
function print(expression: string): string {
  const { outcome, output, errors } = python.run(`${IMPORTS}print(${expression})`);
  expect(outcome, errors).toBe('ok');
  return output;
}
const settings = Object.entries(CHANGES).filter(([, { left }]) => left === undefined);
/** Ordinary calls after which Python keeps something in a module or a class. */
const KEEPS = [
  'import ast; t = "x = 1"; print(ast.get_source_segment(t, ast.parse(t).body[0]))',
  'import tempfile; print(tempfile.gettempdir()); tempfile.NamedTemporaryFile().close()',
  'import string; print(string.Template("$a").substitute(a=1))',
  'import sys; sys.displayhook(1)',
  'import uuid; print(uuid.uuid1())',
];
const patches = Object.entries(CHANGES).filter(([, { left }]) => left !== undefined);
/** Ways to JavaScript, or to what leads there. */
const REACHES = [
  'import js',
  'from js import JSON',
  'import pyodide_js',
  'from pyodide.ffi import create_proxy',
  'import pyodide.http',
  'from pyodide.code import run_js',
  'import importlib; importlib.import_module("js")',
  'import pickle; pickle.loads(b"cjs\\nJSON\\n.")',
  'import _hippocamp',
  'import _hippocamp_bridge',
];

it.each(settings)('puts back: %s', (_name, { set, read }) => {
  const before = print(read);
  expect(tidy()).toEqual([]);
  const { outcome, errors } = python.run(`${IMPORTS}${set}\n`);
  expect(outcome, errors).toBe('ok');
  expect(tidy()).toEqual([]);
  expect(print(read)).toBe(before);
});

it('lets ordinary programs be', () => {
  const { outcome, errors } =
    python.run(`import collections, dataclasses, enum, functools, itertools, re, typing
import numpy as np, torch, triton, triton.language as tl
from typing import Match, Pattern

@dataclasses.dataclass
class Point:
    x: float

class Kind(enum.Enum):
    ONE = 1

@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)

x = torch.zeros(16, requires_grad=True)
(x * 2).sum().backward()
kernel[(1,)](torch.zeros(16, device="cuda"), BLOCK=16)
torch.testing.assert_close(x.detach(), torch.zeros(16))
print(np.random.rand(2).shape, re.sub("a", "b", "a"), Point(1.0), Kind.ONE)
`);
  expect(outcome, errors).toBe('ok');
  expect(tidy()).toEqual([]);
});

it.each(KEEPS)('lets what Python keeps be: %s', (program) => {
  expect(tidy()).toEqual([]);
  // Twice: the module is new at first.
  for (let i = 0; i < 2; i++) {
    const { outcome, errors } = python.run(`${program}\n`);
    expect(outcome, errors).toBe('ok');
    expect(tidy()).toEqual([]);
  }
});

it.each(REACHES)('names JavaScript: %s', (reach) => {
  expect(tidy()).toEqual([]);
  const { outcome, errors } = python.run(`${reach}\n`);
  expect(outcome, errors).toBe('ok');
  expect(tidy()).toEqual(['JavaScript']);
  python.pyodide.runPython('import _hippocamp_host; _hippocamp_host._baseline.javascript.hide()');
});

// Last: each of them stays.
it.each(patches)('names: %s', (_name, { set, left }) => {
  python.run(`${IMPORTS}${set}\n`);
  expect(tidy().join(' ')).toContain(left);
});
