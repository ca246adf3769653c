import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { definitionAt, Project, referencesAt, rename, renameAt, type Place } from './project';
import { outlineOf, type OutlineItem } from './outlineOf';

const MAIN = `import torch
import triton
import triton.language as tl
import helpers
from helpers import scale, twice as double

configs = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})]


@triton.autotune(configs=configs, key=["n"])
@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, scale(x) + helpers.scale(x) + double(x))


def run(x, n=3):
    grid = lambda META: (triton.cdiv(n, META["BLOCK"]),)
    add[grid](x, n=n, BLOCK=64)
    return [x for x in range(n)]


class Model:
    width = 3

    def forward(self, x):
        return run(x, self.width)
`;
const HELPERS = `import triton


@triton.jit
def scale(x):
    return x * 2


@triton.jit
def twice(x):
    return scale(x) + scale(x)
`;

let parser: Parser;
let project: Project;
beforeAll(async () => {
  parser = await testParser();
  project = new Project({ 'main.py': MAIN, 'helpers.py': HELPERS }, parser);
});

/** The position of the nth `what` in a file. */
function at(file: string, what: string, nth = 1) {
  const text = project.files[file]!;
  let index = -1;
  for (let i = 0; i < nth; i++) index = text.indexOf(what, index + 1);
  if (index < 0) throw new Error(`no ${what}`);
  const before = text.slice(0, index).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
const short = ({ file, start }: Place): string => `${file}:${start.line}:${start.column}`;
const applied = (file: string, places: readonly Place[], name: string): string => {
  const lines = project.files[file]!.split('\n');
  for (const { start, end } of places.filter((each) => each.file === file).toReversed()) {
    const line = lines[start.line - 1]!;
    lines[start.line - 1] = line.slice(0, start.column - 1) + name + line.slice(end.column - 1);
  }
  return lines.join('\n');
};

describe('definitions', () => {
  it.each([
    ['a local', 'offsets <', 1, 'main.py:13:5'],
    ['a parameter', 'BLOCK)', 1, 'main.py:12:19'],
    ['a keyword of a launch', 'BLOCK=64', 1, 'main.py:12:19'],
    ['a kernel', 'add[grid]', 1, 'main.py:12:5'],
    ['another file’s function', 'scale(x) +', 1, 'helpers.py:5:5'],
    ['an alias', 'double(x)', 1, 'helpers.py:10:5'],
    ['a configuration’s key', 'BLOCK": 64', 1, 'main.py:12:19'],
    ['a grid’s key', 'BLOCK"]', 1, 'main.py:12:19'],
    ['a module', 'helpers.scale', 1, 'helpers.py:1:1'],
    ['a comprehension’s variable', 'x for x', 1, 'main.py:21:19'],
  ])('of %s', (_, what, nth, where) => {
    expect(short(definitionAt(project, 'main.py', at('main.py', what, nth))!)).toBe(where);
  });
  it('through a module', () => {
    const { line, column } = at('main.py', 'helpers.scale');
    expect(short(definitionAt(project, 'main.py', { line, column: column + 9 })!)).toBe(
      'helpers.py:5:5',
    );
  });
  it('of what is not of the program: none', () => {
    expect(definitionAt(project, 'main.py', at('main.py', 'arange'))).toBeUndefined();
  });
});

describe('references', () => {
  it('go across files, through imports and modules', () => {
    expect(referencesAt(project, 'helpers.py', at('helpers.py', 'scale')).map(short)).toEqual([
      'helpers.py:5:5',
      'helpers.py:11:12',
      'helpers.py:11:23',
      'main.py:5:21',
      'main.py:15:31',
      'main.py:15:50',
    ]);
  });
  it('keep scopes apart', () => {
    // The comprehension's x is not the parameter's.
    expect(referencesAt(project, 'main.py', at('main.py', 'x, n=3')).map(short)).toEqual([
      'main.py:18:9',
      'main.py:20:15',
    ]);
  });
});

describe('rename', () => {
  it('takes a kernel’s parameter with its keywords, configurations and grids', () => {
    const found = rename(project, 'main.py', at('main.py', 'BLOCK: tl'), 'SIZE');
    if ('problem' in found) throw new Error(found.problem);
    expect(applied('main.py', found.places, 'SIZE')).toBe(MAIN.replaceAll('BLOCK', 'SIZE'));
  });
  it('takes a function in every file, and leaves aliases', () => {
    const found = rename(project, 'main.py', at('main.py', 'scale(x) +'), 'grow');
    if ('problem' in found) throw new Error(found.problem);
    expect(applied('helpers.py', found.places, 'grow')).toBe(HELPERS.replaceAll('scale', 'grow'));
    expect(applied('main.py', found.places, 'grow')).toBe(MAIN.replaceAll('scale', 'grow'));
    const alias = rename(project, 'main.py', at('main.py', 'double(x)'), 'two');
    if ('problem' in alias) throw new Error(alias.problem);
    expect(alias.places.map(short)).toEqual(['main.py:5:37', 'main.py:15:61']);
  });
  it('refuses what would change the program', () => {
    const refused = (what: string, name: string): boolean =>
      'problem' in rename(project, 'main.py', at('main.py', what), name);
    expect(refused('offsets <', 'n')).toBe(true);
    expect(refused('offsets <', 'class')).toBe(true);
    expect(refused('offsets <', '2x')).toBe(true);
    expect(refused('tl.arange', 't')).toBe(false);
    expect(renameAt(project, 'main.py', at('main.py', 'torch'))).toHaveProperty('problem');
    const shared = new Project(
      {
        'main.py': MAIN.replace(
          'def run',
          '@triton.autotune(configs, key=[])\n@triton.jit\ndef other(BLOCK):\n    pass\n\n\ndef run',
        ),
      },
      parser,
    );
    expect(rename(shared, 'main.py', at('main.py', 'BLOCK: tl'), 'SIZE')).toHaveProperty('problem');
  });
});

describe('the outline', () => {
  it('nests, and distinguishes kernels from functions', () => {
    const show = ({ name, kind, children }: OutlineItem): string =>
      `${kind} ${name}${children.length > 0 ? ` { ${children.map(show).join(', ')} }` : ''}`;
    expect(outlineOf(project, 'main.py').map(show)).toEqual([
      'variable configs',
      'kernel add',
      'function run',
      'class Model { variable width, function forward }',
    ]);
    const half = new Project({ 'a.py': 'def f(:\n  x = \n\ndef g(x):\n  return [\n' }, parser);
    expect(() => outlineOf(half, 'a.py')).not.toThrow();
  });
});
