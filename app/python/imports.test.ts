/**
 * Imports of what is not here: the line, what is missing, and what to do. And the small packages
 * that are.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { startPython } from './testing/python';
import type { TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 120_000);

function reported(source: string, files: Record<string, string> = {}) {
  const result = python.run(source, { files });
  expect(result.outcome).toBe('error');
  const found = result.events.flatMap((e) => (e.type === 'diagnostic' ? [e.diagnostic] : []));
  expect(found).toHaveLength(1);
  const { code, message, location } = found[0]!;
  return { code, message, errors: result.errors, at: `${location.file}:${location.line}` };
}

describe('an import that fails', () => {
  it.each([
    ['import flash_attn', "No module named 'flash_attn': flash_attn needs CUDA"],
    [
      'from vllm.utils import x',
      "No module named 'vllm': the package vllm is not here. Packages (in Settings",
    ],
    [
      'from helpers import x',
      'neither a file helpers.py of this program nor a package that is here',
    ],
    ['from triton.experimental import tlx', 'Hippocamp’s triton.experimental has no tlx'],
    ['import torch.utils.cpp_extension', 'it compiles C++ and CUDA'],
    ['import torch.nn.functionals', 'no such module. torch.nn.functional is there'],
    ['import IPython.kernel', 'Hippocamp’s IPython has no such module'],
    ['from IPython import get_ipython', 'Hippocamp’s IPython has no get_ipython'],
    [
      'from torch import randnn',
      'Hippocamp’s torch has no randnn; the nearest name that it has: randn',
    ],
    ['from .utils import x', 'a relative import names it, and this program has no file utils.py'],
    ['from . import utils', 'this program has no file utils.py'],
    ['from ..lib.utils import x', 'the dots lead above the program’s folder'],
  ])('%s', (line, message) => {
    const found = reported(`import torch\n${line}\n`);
    expect(found.code).toBe('HC0905');
    expect(found.message).toContain(message);
    expect(found.message).not.toContain('/lib/');
    expect(found.at).toBe('main.py:2');
    expect(found.errors.toLowerCase()).toContain(message.split(': ').at(-1)!.toLowerCase());
  });

  it('is reported at the line of the file that has it', () => {
    const found = reported('import inner\n', { 'inner.py': '\n\nimport xformers.ops\n' });
    expect(found.at).toBe('inner.py:3');
    expect(found.message).toContain('the package xformers is not here');
  });

  it('names the file that a folder of the program lacks', () => {
    const found = reported('from lib.ops import x\n', { 'lib/other.py': '' });
    expect(found.message).toContain('the folder lib has no file ops.py');
  });

  it('stays what the program catches', () => {
    const result = python.run(`
try:
    import flash_attn
except ImportError as error:
    print(error)
try:
    from torch import nothing_like_it
except ImportError as error:
    print(type(error).__name__)
`);
    expect(result).toMatchObject({
      outcome: 'ok',
      output: "No module named 'flash_attn'\nImportError\n",
    });
  });
});

describe('a file with relative imports', () => {
  const UTILS = {
    'a/b/utils.py': 'from ..top import TOP\nNAME = __name__\n',
    'a/top.py': 'TOP = 1',
  };
  it('runs as a module of its package, after the package', () => {
    const source =
      'from .utils import NAME, TOP\nfrom . import SAID\nprint(__name__, NAME, TOP, SAID)\n';
    const files = { ...UTILS, 'a/b/__init__.py': 'SAID = "init"\n' };
    const result = python.run(source, { files, entry: 'a/b/run.py' });
    expect(result).toMatchObject({ outcome: 'ok', output: '__main__ a.b.utils 1 init\n' });
  });

  it('runs beside its files, where the program’s folder is the package', () => {
    const files = { ...UTILS, 'a/b/more.py': 'from ...k import K\n', 'k.py': 'K = 2\n' };
    const top =
      'from .a.b.utils import TOP\nfrom .a.b.more import K\nimport k\nprint(TOP, K, k.K)\n';
    expect(python.run(top, { files })).toMatchObject({ outcome: 'ok', output: '1 2 2\n' });
    const init = { 'k.py': 'K = 3\n', '__init__.py': 'from .k import K\n' };
    expect(python.run('from . import K\nprint(K)\n', { files: init }).output).toBe('3\n');
    // Nothing of it is left for the next program.
    expect(reported('from .k import K\n').message).toContain('has no file k.py');
  });

  it('runs as a script where it tries them, and imports from beside it', () => {
    const source =
      'try:\n    from .near import X\nexcept ImportError:\n    from near import X\n' +
      'import other\nprint(X, other.Y, __package__)\n';
    const files = {
      'lib/__init__.py': 'import absent_here\n',
      'lib/near.py': 'X = 4\n',
      'lib/other.py': 'Y = 5\n',
    };
    const result = python.run(source, { files, entry: 'lib/run.py' });
    expect(result).toMatchObject({ outcome: 'ok', output: '4 5 None\n' });
  });

  it('is not taken for one of which a text speaks', () => {
    const source =
      '"""\nfrom ... to the end\nfrom .k import run\n"""\nimport near\nprint(near.X, __package__)\n';
    const files = { 'lib/near.py': 'X = 4\n' };
    const result = python.run(source, { files, entry: 'lib/run.py' });
    expect(result).toMatchObject({ outcome: 'ok', output: '4 None\n' });
  });
});

describe('small packages', () => {
  it('tell their versions as installed ones do', () => {
    const result = python.run(`
import importlib.metadata, numpy, torch, triton
for module in (torch, triton, numpy):
    assert importlib.metadata.version(module.__name__) == module.__version__
try:
    importlib.metadata.version("flash_attn")
except importlib.metadata.PackageNotFoundError:
    print("not there")
`);
    expect(result).toMatchObject({ outcome: 'ok', output: 'not there\n' });
  });

  it('are there', () => {
    const result = python.run(`
import torch
from tqdm import tqdm, trange
from tqdm.auto import tqdm as same
from typing_extensions import Literal, Self, TypedDict, override
with tqdm(range(3), desc="x") as bar:
    print(list(bar), len(bar), bar.n, same is tqdm, list(trange(2)))
tqdm.write("line")
print(Literal[1], Self is not None)
`);
    expect(result).toMatchObject({
      outcome: 'ok',
      output: '[0, 1, 2] 3 3 True [0, 1]\nline\ntyping.Literal[1] True\n',
    });
  });

  it('time a statement', () => {
    const result = python.run(`
import torch
import torch.utils.benchmark as benchmark
x = torch.ones(4)
made = [benchmark.Timer("f(x)", globals={"f": f, "x": x}, sub_label="4", description=name).timeit(10)
        for name, f in (("add", lambda x: x + x), ("mul", lambda x: x * x))]
print(all(m.mean > 0 and m.median > 0 and len(m.times) > 0 for m in made))
lines = str(benchmark.Compare(made)).splitlines()
print(lines[0].split(), lines[2].split()[0])
`);
    expect(result).toMatchObject({ outcome: 'ok', output: "True\n['add', 'mul'] 4\n" });
  });
});

it('writes no file outside of the program’s folder', () => {
  const result = python.run('print("ran")', { files: { '../lib/hippocamp/torch.py': 'x' } });
  expect(result).toMatchObject({ outcome: 'error', output: '' });
  expect(result.errors).toContain("outside of the program's folder");
  expect(python.run('import torch\nprint(torch.ones(1).item())').output).toBe('1.0\n');
});

it('reads byte-order marks and declared encodings as Python reads files', () => {
  const files = {
    'marked.py': '\uFEFFTWO = "é"\n',
    'latin.py': '# coding: latin-1\nNAME = "é"\n',
  };
  const source = '\uFEFFimport marked, latin\nprint(marked.TWO, latin.NAME)\n';
  expect(python.run(source, { files })).toMatchObject({ outcome: 'ok', output: 'é é\n' });
});
