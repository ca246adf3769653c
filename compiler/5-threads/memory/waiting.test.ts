import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../../1-parse/parser';
import { testParser } from '../../1-parse/testing/testParser';
import { lowerText } from '../../2-lower/testing/lowerText';
import type { Func } from '../../ir/ir';
import { runsAlone, waits } from './waiting';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

function kernelWaits(...body: string[]): boolean {
  return waits(lowered({ p: '*i32', q: '*i32', n: 'i32' }, ...body));
}
function lowered(args: Record<string, string>, ...body: string[]): Func {
  const text = [
    'import triton',
    'import triton.language as tl',
    '',
    '@triton.jit',
    'def kernel(p, q, n):',
    ...body.map((line) => `    ${line}`),
    '',
  ].join('\n');
  const { func, diagnostics } = lowerText(parser, text, 'kernel', args);
  expect(diagnostics).toEqual([]);
  return func!;
}

describe('waits', () => {
  it('for a lock, by compare and exchange or by exchange', () => {
    expect(kernelWaits('while tl.atomic_cas(p, 0, 1) == 1:', '    pass')).toBe(true);
    expect(kernelWaits('while tl.atomic_xchg(p, 1) == 1:', '    pass')).toBe(true);
  });

  it('for a flag, read by an atomic that changes nothing or by a load', () => {
    expect(kernelWaits('while tl.atomic_add(p, 0) < n:', '    pass')).toBe(true);
    expect(kernelWaits('while tl.load(p) < n:', '    pass')).toBe(true);
    expect(kernelWaits('seen = 0', 'while seen < n:', '    seen = tl.load(p)')).toBe(true);
  });

  it('not for work drawn from a counter, nor for what the loop itself moves on', () => {
    const queue = ['i = tl.atomic_add(p, 1)', 'while i < n:', '    tl.store(q + i, i)'];
    expect(kernelWaits(...queue, '    i = tl.atomic_add(p, 1)')).toBe(false);
    const count = ['i = 0', 'while i < n:', '    tl.atomic_add(q, i)', '    i += 1'];
    expect(kernelWaits(...count)).toBe(false);
    expect(kernelWaits('i = 0', 'while tl.load(p + i) < n:', '    i += 1')).toBe(false);
    expect(kernelWaits('tl.atomic_cas(p, 0, 1)')).toBe(false);
  });
});

describe('runsAlone', () => {
  const alone = (dtype: string, ...body: string[]): boolean =>
    runsAlone(lowered({ p: dtype, q: dtype, n: 'i32' }, ...body));

  it('where 64 bits change in one step', () => {
    expect(alone('*i64', 'tl.store(q, tl.atomic_add(p, n))')).toBe(true);
    expect(alone('*i64', 'tl.atomic_max(p, n)')).toBe(true);
    expect(alone('*i64', 'tl.atomic_cas(p, n.to(tl.int64), n.to(tl.int64))')).toBe(true);
    expect(alone('*fp64', 'tl.atomic_add(p, 1.0)')).toBe(true);
  });
  it('not where its words change apart, nor for 32 bits', () => {
    expect(alone('*i64', 'tl.atomic_add(p, n)')).toBe(false);
    expect(alone('*i64', 'tl.atomic_xor(p, n)')).toBe(false);
    expect(alone('*fp32', 'tl.store(q, tl.atomic_max(p, 1.0))')).toBe(false);
    expect(alone('*fp16', 'tl.atomic_add(p, 1.0)')).toBe(false);
  });
});
