/** Gluon: the layouts that accesses get of the program, and what is refused, at its line. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { walk } from '../ir/ir';
import { lowerText } from './testing/lowerText';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const HEAD = `from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import tma, mbarrier
import triton
import triton.language as tl

@gluon.jit
def kernel(X, Y):
    l: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])
    r = gl.arange(0, 16, gl.SliceLayout(1, l))
    c = gl.arange(0, 32, gl.SliceLayout(0, l))
    p = r[:, None] * 32 + c[None, :]
`;
const FIRST = HEAD.split('\n').length;
const BLOCKED =
  '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>';

const SHARED = 'gl.SwizzledSharedLayout(1, 1, 1, ';

function lowered(body: string): ReturnType<typeof lowerText> {
  const text = HEAD + body.replaceAll(/^/gm, '    ') + '\n';
  return lowerText(parser, text, 'kernel', { X: '*fp32', Y: '*fp32' });
}
function accesses(body: string): unknown[] {
  const { func, diagnostics } = lowered(body);
  expect(diagnostics).toEqual([]);
  const found: unknown[] = [];
  walk(func!.body, (op) => {
    if (op.attributes['layout'] !== undefined) found.push([op.name, op.attributes['layout']]);
  });
  return found;
}

describe('the author’s layouts', () => {
  it('reach every access through arithmetic, new dimensions and reductions', () => {
    const found = accesses('x = gl.load(X + p)\ngl.store(Y + r, gl.sum(x * 2, 1))');
    expect(found).toEqual([
      ['tt.load', BLOCKED],
      ['tt.store', `#ttg.slice<{dim = 1, parent = ${BLOCKED}}>`],
    ]);
  });

  it('are kept by what a loop carries', () => {
    const found = accesses(
      'a = gl.zeros([16, 32], gl.float32, l)\nfor i in range(3):\n    a += gl.load(X + p + i)\ngl.store(Y + p, a)',
    );
    expect(found.map((each) => (each as string[])[1])).toEqual([BLOCKED, BLOCKED]);
  });

  it('stand at a conversion, and not at ranges', () => {
    const found = accesses(
      'm: gl.constexpr = gl.BlockedLayout([2, 1], [8, 4], [1, 4], [0, 1])\n' +
        'x = gl.convert_layout(gl.load(X + p), m)\n' +
        'i = gl.arange(0, 16, gl.SliceLayout(1, m))\nj = gl.arange(0, 32, gl.SliceLayout(0, m))\n' +
        'gl.store(Y + i[:, None] * 32 + j[None, :], x)',
    );
    expect(found.map((each) => (each as string[])[0])).toEqual([
      'tt.load',
      'ttg.convert_layout',
      'tt.store',
    ]);
  });

  it('are the compiler’s where the program leaves them to it', () => {
    expect(
      accesses('i = gl.arange(0, 64, gl.CoalescedLayout())\ngl.store(Y + i, gl.load(X + i))'),
    ).toEqual([]);
  });
});

describe('tiles without a layout', () => {
  it('take the one that they meet, and what they were computed of does, too', () => {
    const found = accesses(
      'i = gl.arange(0, 16)[:, None] * 32 + gl.arange(0, 32)[None, :]\n' +
        'gl.store(Y + p, gl.set_auto_layout(gl.load(X + i), l) + gl.arange(0, 32)[None, :])',
    );
    expect(found.filter((each) => (each as string[])[0] !== 'ttg.convert_layout')).toEqual([
      ['tt.load', BLOCKED],
      ['tt.store', BLOCKED],
    ]);
  });

  it('are Triton’s own: Gluon’s operations are none of a kernel under @triton.jit', () => {
    const text = HEAD.replace('@gluon.jit', '@triton.jit') + '    gl.store(Y + p, p)\n';
    const { diagnostics } = lowerText(parser, text, 'kernel', { X: '*fp32', Y: '*fp32' });
    expect(diagnostics[0]!.message).toBe(
      'gl.BlockedLayout is of Gluon: a kernel under @triton.jit cannot call it',
    );
  });
});

describe('a layout that does not fit is refused at its line', () => {
  const other = 'm: gl.constexpr = gl.BlockedLayout([2, 1], [8, 4], [1, 4], [0, 1])\n';
  it.each([
    [
      `${other}x = gl.load(X + p)\ny = x + gl.convert_layout(x, m)`,
      2,
      'convert one with gl.convert_layout',
    ],
    [`${other}x = gl.convert_layout(gl.load(X + p), m)\ngl.store(Y + p, x)`, 2, 'gl.store'],
    [
      `${other}x = gl.load(X + p)\nif gl.program_id(0) > 3:\n    x = gl.convert_layout(x, m)\ngl.store(Y + p, gl.convert_layout(x, l))`,
      2,
      'on one path through this branch or loop',
    ],
    [
      `${other}x = gl.load(X + p)\nfor i in range(gl.program_id(0)):\n    x = gl.convert_layout(x, m)\ngl.store(Y + p, gl.convert_layout(x, l))`,
      2,
      'on one path through this branch or loop',
    ],
    [
      'x = gl.load(X + gl.arange(0, 16, gl.BlockedLayout([1], [32], [4], [0])))\ny = x[:, None]',
      1,
      'SliceLayout(1',
    ],
    ['x = gl.arange(0, 16, gl.BlockedLayout([1], [32], [2], [0]))', 0, 'num_warps=4'],
    ['x = gl.arange(0, 16, gl.BlockedLayout([1], [64], [4], [0]))', 0, '64 threads a warp'],
    ['x = gl.arange(0, 16, l)', 0, 'has 2 dimensions'],
    ['x = gl.arange(0, 16, 3)', 0, 'must be a layout'],
    ['m: gl.constexpr = gl.BlockedLayout([1], [32], [4, 1], [0])', 0, 'one length'],
    ['m: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], [[1]])', 0, 'several CTAs'],
    [
      'm: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])',
      0,
      'particular hardware',
    ],
    ['m: gl.constexpr = gl.DotOperandLayout(0, l, 2)', 0, 'particular hardware'],
    ['b = mbarrier.allocate_mbarrier()', 0, 'gl.nvidia.hopper.mbarrier.allocate_mbarrier'],
    ['tma.async_copy_global_to_shared(X, [0, 0], Y, Y)', 0, 'gl.nvidia.hopper.tma'],
    [
      's = gl.allocate_shared_memory(gl.float32, [64], gl.NVMMASharedLayout(128, 16))',
      0,
      'gl.SwizzledSharedLayout',
    ],
    ['s = gl.allocate_shared_memory(gl.float32, [64], l)', 0, 'got BlockedLayout'],
    [
      `s = gl.allocate_shared_memory(gl.float32, [64], ${SHARED}[1, 0]))`,
      0,
      'the shared memory has 1',
    ],
    [
      `s = gl.allocate_shared_memory(gl.float32, [3, 64], ${SHARED}[0]))\nx = s.load(l)`,
      1,
      '.index',
    ],
    [
      `s = gl.allocate_shared_memory(gl.float32, [3, 64], ${SHARED}[0]))\nt = s.index(3)`,
      1,
      'no buffer 3 of 3',
    ],
    [
      `s = gl.allocate_shared_memory(gl.float32, [64], ${SHARED}[0]))\nt = s.slice(48, 32)`,
      1,
      'from 48 to 80',
    ],
    [
      `s = gl.allocate_shared_memory(gl.float32, [16], ${SHARED}[0]))\ns.store(r)`,
      1,
      'got int32[16]',
    ],
    [
      `s = gl.allocate_shared_memory(gl.int32, [16], ${SHARED}[0]))\ns.store(r)\nt = s.load(l)`,
      2,
      'has 2 dimensions',
    ],
    [
      `s = gl.allocate_shared_memory(gl.int32, [16], ${SHARED}[0]))\nt = s.reshape([4, 4])`,
      1,
      'reshape of shared memory',
    ],
    ['i = gl.arange(0, 64)\ngl.store(Y + i, gl.load(X + i))', 1, 'has no layout'],
    [
      'i = tl.arange(0, 64)',
      0,
      'tl.arange is of Triton: a kernel under @gluon.jit cannot call it. Use gl.arange',
    ],
    ['x = tl.sort(gl.load(X + r))', 0, 'tl.sort is of Triton'],
    ['gl.warp_specialize([], [])', 0, 'gl.warp_specialize of Gluon is not supported'],
    ['x = gl.rand(0, p)', 0, 'gl has no rand'],
    ['x = gl.histogram(r, 16)', 0, 'layout must be a layout'],
    ['x = gl.histogram(p, 16, layout=gl.SliceLayout(0, l))', 0, 'takes a 1-D tile'],
    ['x = gl.dot_fma(p, p, p)', 0, 'gl.dot_fma of Gluon is not supported'],
  ])('%s', (body, line, words) => {
    const { func, diagnostics } = lowered(body);
    expect(func).toBeUndefined();
    expect(diagnostics[0]!.message).toContain(words);
    expect(diagnostics[0]!.location.line).toBe(FIRST + line);
  });

  it('with the warps of the launch alone: a record of its fields is no tile', () => {
    const { diagnostics } = lowered('m = gl.BlockedLayout([1], [32], [4], [0])');
    expect(diagnostics[0]!.code).toBe('HC0204');
  });
});
