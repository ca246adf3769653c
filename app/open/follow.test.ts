/** The modules of a repository that a file imports, and nothing else. */
import { describe, expect, it } from 'vitest';
import { MOST_FILES } from '../state/fileNames';
import { follow } from './follow';
import { importsOf } from './imports';

async function followed(repository: Record<string, string>, path: string) {
  const asked: string[] = [];
  const result = await follow(path, repository[path]!, (each) => {
    asked.push(each);
    return Promise.resolve(repository[each] ?? null);
  });
  return { ...result, names: Object.keys(result.files).toSorted(), asked };
}

it('leaves a file alone that imports what there is', async () => {
  const text = 'import torch\nimport triton.language as tl\nfrom typing import (\n  Any,\n)\n';
  const { files, entry, asked } = await followed({ 'a/b/k.py': text }, 'a/b/k.py');
  expect({ files, entry, asked }).toEqual({ files: { 'k.py': text }, entry: 'k.py', asked: [] });
});

it('takes siblings along', async () => {
  const made = await followed({ 'a/k.py': 'import util\n', 'a/util.py': 'X = 1' }, 'a/k.py');
  expect(made).toMatchObject({ names: ['k.py', 'util.py'], entry: 'k.py' });
});

it('keeps the folders that relative imports need', async () => {
  const made = await followed(
    {
      'src/ops/norm/k.py': 'from .util import X\nfrom ..common import Y, helpers\n',
      'src/ops/norm/util.py': 'from . import deep\nX = deep.X\n',
      'src/ops/norm/deep.py': 'X = 1\n',
      'src/ops/common/__init__.py': 'Y = 2\n',
      'src/ops/common/helpers.py': 'Z = 3\n',
      'src/ops/norm/__init__.py': 'from .everything import *\n',
    },
    'src/ops/norm/k.py',
  );
  expect(made.names).toEqual([
    'ops/common/__init__.py',
    'ops/common/helpers.py',
    'ops/norm/deep.py',
    'ops/norm/k.py',
    'ops/norm/util.py',
  ]);
  expect(made.entry).toBe('ops/norm/k.py');
  expect(made.missing).toEqual([]);
});

it('follows absolute imports of the package that the file lies in', async () => {
  const made = await followed(
    {
      'fla/ops/gla/chunk.py': 'from fla.ops.utils import cumsum\nfrom fla.utils import device\n',
      'fla/ops/utils/__init__.py': 'from .cumsum import cumsum\n',
      'fla/ops/utils/cumsum.py': 'def cumsum(): pass\n',
      'fla/utils.py': 'device = 1\n',
    },
    'fla/ops/gla/chunk.py',
  );
  expect(made.entry).toBe('fla/ops/gla/chunk.py');
  expect(made.names).toContain('fla/ops/utils/cumsum.py');
  expect(made.names).toContain('fla/utils.py');
});

it('names what the repository does not have', async () => {
  const made = await followed({ 'p/k.py': 'from .gone import X\nimport transformers\n' }, 'p/k.py');
  expect(made.missing).toEqual(['.gone X']);
});

it('requests no module above the repository', async () => {
  const made = await followed({ 'k.py': 'from ...x import y\nfrom . import z\n' }, 'k.py');
  expect(made.asked).toEqual([]);
  expect(made.missing).toEqual(['...x', '.']);
});

it('ends where modules import each other, and where they never end', async () => {
  const cycle = { 'p/a.py': 'from . import b\n', 'p/b.py': 'from . import a\n' };
  expect((await followed(cycle, 'p/a.py')).names).toEqual(['p/a.py', 'p/b.py']);
  let count = 0;
  const endless = await follow('p/m0.py', 'from . import m1\n', (path) => {
    count++;
    const number = Number(/m(\d+)\.py$/.exec(path)?.[1]);
    return Promise.resolve(`from . import m${number + 1}, n${number}\n`);
  });
  expect(count).toBeLessThanOrEqual(200);
  expect(Object.keys(endless.files).length).toBeLessThanOrEqual(MOST_FILES);
});

describe('imports of a text', () => {
  it.each([
    [
      'import a.b as c, d',
      [
        { level: 0, module: ['a', 'b'], names: null },
        { level: 0, module: ['d'], names: null },
      ],
    ],
    ['from ..a import (b as c,  # why\n  d)', [{ level: 2, module: ['a'], names: ['b', 'd'] }]],
    ['    from . import *', [{ level: 1, module: [], names: ['*'] }]],
    ['"""\nimport a\n"""', []],
    ['x = "import a"', []],
    [
      'from a import b; import c',
      [
        { level: 0, module: ['a'], names: ['b'] },
        { level: 0, module: ['c'], names: null },
      ],
    ],
    ['from a import b \\\n  , c', [{ level: 0, module: ['a'], names: ['b', 'c'] }]],
    ['from a import (.*+)', [{ level: 0, module: ['a'], names: [] }]],
    ['importer = 1\nfromage = 2', []],
  ])('%j', (text, expected) => {
    expect(importsOf(text)).toMatchObject(expected);
  });
  it('are known for tried where they stand in the body of a try', () => {
    const text =
      'try:\n    from .a import x\nexcept ImportError:\n    from a import x\nfrom .b import y\n';
    expect(importsOf(text).map(({ isTried }) => isTried)).toEqual([true, false, false]);
  });
});
