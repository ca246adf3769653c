/** What the live page says of a text that nobody ran: only faults that are in the text. */
import { expect, it } from 'vitest';
import { testParser } from '../1-parse/testing';
import { createCompiler } from '../pipeline';
import { checkProgram } from './checkProgram';

const parser = await testParser();
const compiler = createCompiler(parser);

function told(head: string, value: string): string[] {
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

it('knows the numbers of modules that kernels may use', () => {
  expect(told('import math', 'x * math.pi')).toEqual([]);
  expect(told('import numpy as np', 'x * np.pi + np.e')).toEqual([]);
  expect(told('import math\nTURN = tl.constexpr(2 * math.pi)', 'x * TURN')).toEqual([]);
});

it('refuses a number that was imported by its name, as Triton does', () => {
  expect(told('from math import pi', 'x * pi')).toEqual(['error HC0104']);
});

it('judges nothing by names that it cannot read', () => {
  expect(told('from elsewhere import scale', 'scale(x)')).toEqual([]);
  expect(told('import elsewhere', 'elsewhere.scale(x)')).toEqual([]);
  expect(told('@wrap\ndef scale(x):\n    return x', 'scale(x)')).toEqual([]);
  expect(told('class Mode:\n    A = 1', 'x * Mode.A')).toEqual([]);
});

it('still refuses what no running would mend', () => {
  expect(told('import torch', 'torch.sum(x)')).toEqual(['error HC0109']);
  expect(told('def scale(x):\n    return x', 'scale(x)')).toEqual(['error HC0108']);
});

it('reads the names by which TorchInductor imports', () => {
  const head = 'from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math';
  expect(told(head, 'libdevice.rsqrt(x) + tl_math.abs(x)')).toEqual([]);
});
