/** Diagnostics of the live page for a text that nobody ran: only faults that are in the text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler } from '../pipeline';
import { checkProgram, type LastLaunches } from './checkProgram';

const parser = await testParser();
const compiler = createCompiler(parser);

function reported(head: string, value: string): string[] {
  const text = `import triton
import triton.language as tl
${head}
@triton.jit
def kernel(X, B: tl.constexpr):
    o = tl.arange(0, B)
    x = tl.load(X + o)
    tl.store(X + o, ${value})

kernel[(1,)](x, B=64)
`;
  return checkProgram({ 'a.py': text }, parser, compiler).diagnostics.map(
    ({ code, severity }) => `${severity} ${code}`,
  );
}

it('has the numbers of modules that kernels may use', () => {
  expect(reported('import math', 'x * math.pi')).toEqual([]);
  expect(reported('import numpy as np', 'x * np.pi + np.e')).toEqual([]);
  expect(reported('import math\nTURN = tl.constexpr(2 * math.pi)', 'x * TURN')).toEqual([]);
});

it('refuses a number that was imported by its name, as Triton does', () => {
  expect(reported('from math import pi', 'x * pi')).toEqual(['error HC0104']);
});

it('judges nothing by names that it cannot read', () => {
  expect(reported('from elsewhere import scale', 'scale(x)')).toEqual([]);
  expect(reported('import elsewhere', 'elsewhere.scale(x)')).toEqual([]);
  expect(reported('@wrap\ndef scale(x):\n    return x', 'scale(x)')).toEqual([]);
  expect(reported('class Mode:\n    A = 1', 'x * Mode.A')).toEqual([]);
});

it('still refuses what no running would mend', () => {
  expect(reported('import torch', 'torch.sum(x)')).toEqual(['error HC0109']);
  expect(reported('def scale(x):\n    return x', 'scale(x)')).toEqual(['error HC0108']);
});

it('reads the names by which TorchInductor imports', () => {
  const head = 'from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math';
  expect(reported(head, 'libdevice.rsqrt(x) + tl_math.abs(x)')).toEqual([]);
});

const attention = readFileSync(
  join(import.meta.dirname, '..', '..', 'public', 'examples', 'fused_attention.py'),
  'utf8',
);
const kernelOf = (text: string) =>
  checkProgram({ 'a.py': text }, parser, compiler).kernels.find(
    ({ name }) => name === 'attention_kernel',
  )!;

it('finds shapes that fit only where all blocks have one size', () => {
  const line = attention.split('\n').findIndex((text) => text.includes('tl.dot(p.to(')) + 1;
  const broken = attention.replace('tl.dot(p.to(v.dtype), v, acc', 'tl.dot(p, tl.trans(v), acc');
  const { diagnostics } = checkProgram({ 'a.py': broken }, parser, compiler);
  expect(diagnostics.map(({ code, location }) => [code, location.line])).toEqual([
    ['HC0202', line],
  ]);
});

it('takes what the function that launches sets, and other sizes for the rest', () => {
  const { parameters, guess } = kernelOf(attention);
  const constants = guess!.arguments.flatMap((argument, i) =>
    argument.kind === 'constexpr' && argument.value.kind === 'int'
      ? [`${parameters[i]!.name}=${argument.value.value}`]
      : [],
  );
  expect(constants).toEqual(['HEAD_DIM=128', 'BLOCK_M=64', 'BLOCK_N=32']);
});

it('judges by what the kernel was launched with, where it was', () => {
  const { guess } = kernelOf(attention);
  const sizes = [16, 16, 16];
  const square = guess!.arguments.map((argument) =>
    argument.kind === 'constexpr' && argument.value.kind === 'int'
      ? { ...argument, value: { ...argument.value, value: String(sizes.pop()) } }
      : argument,
  );
  const broken = attention.replace('tl.dot(p.to(v.dtype), v, acc', 'tl.dot(p, tl.trans(v), acc');
  const codes = (launched: LastLaunches): string[] =>
    checkProgram({ 'a.py': broken }, parser, compiler, launched).diagnostics.map(
      ({ code }) => code,
    );
  expect(codes({ attention_kernel: [{ ...guess!, arguments: square }] })).toEqual([]);
  expect(codes({ attention_kernel: [guess!] })).toEqual(['HC0202']);
  // Launched with other parameters, it is guessed again.
  expect(codes({ attention_kernel: [{ ...guess!, arguments: square.slice(1) }] })).toEqual([
    'HC0202',
  ]);
});

it.each([
  ['two blocks that must be equal', 'tl.arange(0, BLOCK_A) + tl.arange(0, BLOCK_B)'],
  ['one that must be larger', 'tl.arange(0, BLOCK_B // BLOCK_A) + 1'],
  ['one that must be smaller', 'tl.arange(0, BLOCK_A // BLOCK_B) + 1'],
])('says nothing of a kernel with %s', (_, offsets) => {
  const text = `import triton
import triton.language as tl
@triton.jit
def kernel(X, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    o = ${offsets}
    tl.store(X + o, tl.load(X + o))
`;
  expect(checkProgram({ 'a.py': text }, parser, compiler).diagnostics).toEqual([]);
});

it('takes a pointer for one to integers where floats do not compile', () => {
  const text = `import triton
import triton.language as tl
@triton.jit
def kernel(X, Y, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(Y + o, tl.load(X + tl.load(Y + o)) * 0.5)
`;
  expect(checkProgram({ 'a.py': text }, parser, compiler).diagnostics).toEqual([]);
});

it('doubts what other sizes change, and nothing else', () => {
  const reported = (statement: string): string[] =>
    checkProgram(
      {
        'a.py': `import triton
import triton.language as tl
@triton.jit
def kernel(X, BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr):
    a = tl.arange(0, BLOCK_A)
    b = tl.arange(0, BLOCK_B)
    ${statement}
    tl.store(X + a, a)
`,
      },
      parser,
      compiler,
    ).diagnostics.map(({ severity, code }) => `${severity} ${code}`);
  expect(reported('c = tl.arange(0, 100)')).toEqual(['error HC0203']);
  expect(reported('c = a + tl.arange(0, 2 * BLOCK_A)')).toEqual(['warning HC0202']);
  expect(reported('c = a + tl.reshape(b, (BLOCK_A,))')).toEqual([]);
});
