import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { languageApi, mergeApis, type Api } from './api';
import { completionsAt } from './complete';
import { describeAt } from './describe';
import { signatureAt } from './signature';

/** As `app/cli/pythonApi` reads it from the packages. */
const PACKAGES: Api = {
  torch: {
    empty_like: { kind: 'function', signature: '(input, *, dtype=None)', doc: 'An empty one.' },
    rand: { kind: 'function', signature: '(*size, dtype=None)' },
    nn: { kind: 'module' },
    Tensor: { kind: 'class', signature: '(*args)' },
    float32: { kind: 'value' },
  },
  'torch.nn': {
    functional: { kind: 'module' },
    Linear: { kind: 'class', signature: '(n, m)', base: 'torch.nn.Module' },
    Module: { kind: 'class' },
  },
  'torch.nn.functional': { softmax: { kind: 'function', signature: '(input, dim=None)' } },
  'torch.nn.Linear': {},
  'torch.nn.Module': { parameters: { kind: 'method', signature: '()' } },
  'torch.Tensor': {
    sum: { kind: 'method', signature: '(dim=None)' },
    shape: { kind: 'property' },
    T: { kind: 'property' },
  },
  triton: {
    jit: { kind: 'function', signature: '(fn=None)' },
    cdiv: { kind: 'function', signature: '(x, y)' },
    language: { kind: 'module' },
  },
  builtins: {
    range: { kind: 'class' },
    len: { kind: 'function', signature: '(obj, /)' },
    open: { kind: 'function' },
  },
};
const HEAD = `import torch
import torch.nn.functional as F
import triton
import triton.language as tl
import helpers
from helpers import scale

WIDTH = 3


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Adds."""
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    HERE
    tl.store(out_ptr + offsets, x)


def host(x, y: torch.Tensor):
    out = torch.empty_like(x)
    grid = lambda meta: (1,)
    THERE
    return out


z = host(1, 2)
TOP
`;
const HELPERS = `@triton.jit
def scale(x, by=2):
    """Scales.

    By two."""
    return x * by
`;
let parser: Parser;
let api: Api;
beforeAll(async () => {
  parser = await testParser();
  api = mergeApis(PACKAGES, languageApi());
});

/** The program with `typed` in place of a mark; `|` is the cursor. */
function program(typed: string, mark = 'HERE'): { files: Record<string, string>; index: number } {
  const text = HEAD.replace(mark, typed).replace(/HERE|THERE|TOP/g, 'pass');
  const index = text.indexOf('|');
  return { files: { 'a.py': text.replace('|', ''), 'helpers.py': HELPERS }, index };
}
function labels(typed: string, mark?: string): string[] {
  const { files, index } = program(typed, mark);
  const { items } = completionsAt(files, parser, api, 'a.py', index);
  return items.toSorted((a, b) => a.rank - b.rank).map(({ label }) => label);
}
const signature = (typed: string, mark?: string) => {
  const { files, index } = program(typed, mark);
  const found = signatureAt(files, parser, api, 'a.py', index);
  return (
    found &&
    `${found.label} @ ${found.active === null ? '-' : found.parameters[found.active]!.name}`
  );
};

describe('completion', () => {
  it('of members, whatever is half typed around', () => {
    for (const typed of [
      'y = tl.|',
      'tl.|',
      'y = tl.load(x_ptr, mask=tl.|',
      'if tl.|:',
      'for i in tl.|',
      'tl.store(\n        tl.|',
    ])
      expect(labels(typed), typed).toEqual(
        expect.arrayContaining(['load', 'dot', 'float32', 'constexpr']),
      );
    expect(labels('y = tl.math.|')).toContain('exp2');
    expect(labels('y = tl.math.|')).not.toContain('load');
    expect(labels('y = F.|', 'THERE')).toEqual(['softmax']);
    expect(labels('y = torch.nn.functional.|', 'THERE')).toEqual(['softmax']);
    expect(labels('@triton.|', 'TOP')).toContain('jit');
    expect(labels('helpers.|')).toEqual(['scale']);
  });
  it('of a tile’s and a tensor’s methods', () => {
    expect(labels('x.|')).toEqual(expect.arrayContaining(['to', 'sum', 'shape']));
    expect(labels('(x + 1).to(tl.float32).|')).toContain('to');
    expect(labels('offsets[:, None].|')).toContain('broadcast_to');
    expect(labels('out.|', 'THERE')).toEqual(['sum', 'shape', 'T']);
    expect(labels('y.T.|', 'THERE')).toContain('sum');
    expect(labels('z.|', 'TOP')).toContain('sum');
    expect(labels('torch.nn.Linear(1, 2).|', 'THERE')).toEqual(['parameters']);
  });
  it('of names in reach: locals, parameters, what Python has in kernels', () => {
    const inKernel = labels('y = |');
    expect(inKernel).toEqual(
      expect.arrayContaining(['x', 'offsets', 'BLOCK', 'n', 'add', 'tl', 'scale', 'range']),
    );
    expect(inKernel).not.toContain('grid');
    expect(inKernel).not.toContain('open');
    expect(labels('|', 'THERE')).toEqual(
      expect.arrayContaining(['grid', 'out', 'WIDTH', 'open', 'with']),
    );
  });
  it('of keywords: those not given yet, first', () => {
    expect(labels('tl.load(x_ptr, |')[0]).toBe('mask=');
    expect(labels('tl.load(x_ptr, mask=n, o|')).not.toContain('mask=');
    expect(labels('tl.load(x_ptr, mask=n, o|')).toContain('other=');
    expect(labels('tl.load(x_ptr, mask=|')).not.toContain('other=');
    expect(labels('add[grid](x, |', 'THERE').slice(0, 3)).toEqual(['out_ptr=', 'n=', 'BLOCK=']);
    expect(labels('add[grid](x, |', 'THERE')).toContain('num_warps=');
    expect(labels('scale(x, |')).toContain('by=');
    // A comma in a string separates nothing.
    expect(labels("scale('a, b', |")).toContain('by=');
  });
  it('of imports', () => {
    expect(labels('import |', 'TOP')).toEqual(['helpers', 'torch', 'triton']);
    expect(labels('from helpers import |', 'TOP')).toEqual(['scale']);
    expect(labels('from torch.nn import |', 'TOP')).toContain('Linear');
    expect(labels('import torch.|', 'TOP')).toEqual(['nn']);
  });
  it('is silent in strings, comments, numbers and new names', () => {
    for (const typed of ['y = "tl.|', '# tl.|', 'y = 1.|', 'def |'])
      expect(labels(typed), typed).toEqual([]);
  });
});

describe('signatures', () => {
  it('show the parameter that is typed', () => {
    expect(signature('tl.load(|')).toMatch(/^tl\.load\(pointer, .* @ pointer$/);
    expect(signature('tl.load(x_ptr, |')).toMatch(/ @ mask$/);
    expect(signature('tl.load(x_ptr + (1, 2)[0], other=|')).toMatch(/ @ other$/);
    expect(signature('y = tl.sum(tl.load(|')).toMatch(/^tl\.load/);
    expect(signature('y = tl.sum(tl.load(x_ptr), |')).toMatch(/^tl\.sum.* @ axis$/);
    expect(signature('y = x.to(|')).toBe(
      'x.to(dtype, fp_downcast_rounding=None, bitcast=False) @ dtype',
    );
    expect(signature('torch.rand(1, 2, |', 'THERE')).toBe('torch.rand(*size, dtype=None) @ size');
    expect(signature('y = x + 1|')).toBeUndefined();
  });
  it('of launches and helpers in other files', () => {
    expect(signature('add[grid](x, out, |', 'THERE')).toMatch(/^add\(x_ptr, .*num_ctas=1\) @ n$/);
    expect(signature('scale(x, |')).toBe('scale(x, by=2) @ by');
    expect(signature('helpers.scale(x, |')).toBe('scale(x, by=2) @ by');
  });
});

describe('hovers', () => {
  const hover = (typed: string, mark?: string) => {
    const { files, index } = program(typed, mark);
    const before = files['a.py']!.slice(0, index).split('\n');
    const position = { line: before.length, column: before.at(-1)!.length + 1 };
    return describeAt(files, parser, api, 'a.py', position);
  };
  it('say what a name is', () => {
    expect(hover('y = tl.lo|ad(x_ptr)')).toMatchObject({
      code: expect.stringMatching(/^tl\.load\(pointer, /) as string,
      doc: expect.stringContaining('Reads the elements') as string,
    });
    expect(hover('y = t|l.load(x_ptr)')?.code).toBe('(module) triton.language');
    expect(hover('y = sca|le(x)')).toMatchObject({
      code: '@triton.jit def scale(x, by=2)',
      doc: 'Scales.\n\nBy two.',
    });
    expect(hover('y = BLO|CK')?.code).toBe('(parameter) BLOCK: tl.constexpr');
    expect(hover('y = x.sh|ape')).toMatchObject({ code: '(property) x.shape' });
    expect(hover('y = WID|TH')?.code).toBe('(variable) WIDTH = 3');
    expect(hover('y = torch.empty_|like(x)', 'THERE')?.doc).toBe('An empty one.');
    expect(hover('y = le|n(x)', 'THERE')?.code).toBe('len(obj, /)');
  });
});
