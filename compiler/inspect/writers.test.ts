import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { BASELINE_TARGET } from '../target';
import { requestFor } from './testing/launches';
import { NOBODY, SEVERAL } from './constants';
import { writersOf, type Writers } from './writers';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

const OUT = 2 ** 36;
const IN = 2 ** 37;

function writers(
  text: string,
  parameters: Parameters<typeof requestFor>[2],
  args: readonly (number | bigint | boolean)[],
  grid: readonly [number, number, number],
  shape: readonly number[],
  strides?: readonly number[],
): Writers {
  const request = requestFor(parser, text, parameters, BASELINE_TARGET);
  const { func, diagnostics } = compiler.optimize(request, {});
  if (!func) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const count = shape.reduce((product, size) => product * size, 1);
  const target = {
    address: OUT,
    bytes: 4 * count,
    elementBytes: 4,
    offset: 0,
    shape,
    strides: strides ?? shape.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, 1)),
  };
  return writersOf({ func, args, grid, target, patience: 5000 });
}
const owners = (found: Writers): number[] => {
  if (!found.known) throw new Error(found.reason);
  return [...found.owners];
};

describe('writers', () => {
  it('of blocks with a mask, whatever is stored', () => {
    const text = `def k(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.exp(x) / tl.sum(x), mask=mask)
`;
    const parameters = { x_ptr: '*fp32:16', out_ptr: '*fp32:16', n: 'i32', BLOCK: 4 };
    const found = writers(text, parameters, [IN, OUT, 9], [3, 1, 1], [10]);
    expect(owners(found)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, NOBODY]);
    expect(found).toMatchObject({ known: true, written: 9, location: { line: 9 } });
  });

  it('of tiles, also in a transposed tensor and through a loop over K', () => {
    const text = `def k(a_ptr, out_ptr, K, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, K):
        a = tl.load(a_ptr + rows * K + k)
        acc += a[:, None] * a[None, :]
    tl.store(out_ptr + rows[:, None] * 4 + columns[None, :], acc)
`;
    const parameters = { a_ptr: '*fp32:16', out_ptr: '*fp32:16', K: 'i32', BLOCK: 2 };
    const args = [IN, OUT, 1000];
    const expected = [0, 0, 2, 2, 0, 0, 2, 2, 1, 1, 3, 3, 1, 1, 3, 3];
    expect(owners(writers(text, parameters, args, [2, 2, 1], [4, 4]))).toEqual(expected);
    const turned = [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3];
    expect(owners(writers(text, parameters, args, [2, 2, 1], [4, 4], [1, 4]))).toEqual(turned);
  });

  it('of a loop whose pointers move, inside of a branch', () => {
    const text = `def k(out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    pointers = out_ptr + pid * 8 + tl.arange(0, BLOCK)
    if pid < n:
        for i in range(0, 2):
            tl.store(pointers, 1.0)
            pointers += BLOCK
`;
    const parameters = { out_ptr: '*fp32:16', n: 'i32', BLOCK: 4 };
    const found = writers(text, parameters, [OUT, 2], [3, 1, 1], [24]);
    const expected = Array.from({ length: 24 }, (_, i) => (i < 8 ? 0 : i < 16 ? 1 : NOBODY));
    expect(owners(found)).toEqual(expected);
  });

  it('are several where programs add to one element', () => {
    const text = `def k(out_ptr, BLOCK: tl.constexpr):
    tl.atomic_add(out_ptr + tl.program_id(0) + tl.arange(0, BLOCK), 1.0)
`;
    const found = writers(text, { out_ptr: '*fp32:16', BLOCK: 2 }, [OUT], [2, 1, 1], [3]);
    expect(owners(found)).toEqual([0, SEVERAL, 1]);
  });

  it('are refused where addresses are loaded, or elements share memory', () => {
    const text = `def k(index_ptr, out_ptr, BLOCK: tl.constexpr):
    index = tl.load(index_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr + index, 1.0)
`;
    const parameters = { index_ptr: '*i32:16', out_ptr: '*fp32:16', BLOCK: 2 };
    const found = writers(text, parameters, [IN, OUT], [1, 1, 1], [4]);
    expect(found).toMatchObject({ known: false, reason: /what its tensors hold/ });
    const plain = `def k(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), 1.0)
`;
    const expanded = writers(
      plain,
      { out_ptr: '*fp32:16', BLOCK: 4 },
      [OUT],
      [1, 1, 1],
      [2, 4],
      [0, 1],
    );
    expect(expanded).toMatchObject({ known: false, reason: /share memory/ });
  });
});
