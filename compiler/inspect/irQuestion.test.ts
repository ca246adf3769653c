/** Questions about the IR: the answers come from its operations, whatever values are called. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler } from '../pipeline';
import type { CompileResult } from '../program';
import { findProfile } from '../targets/index';
import { answerIr, parseIrQuestion, type IrAnswer } from './irQuestion';
import { requestFor } from './testing/launches';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const SUMS = `def f(x_ptr, out_ptr, n):
    load = tl.load(x_ptr)
    total = tl.zeros((32,), dtype=tl.float32)
    for start in range(0, n, 16):
        # tt.load tt.load
        rows = start + tl.arange(0, 16)
        x = tl.load(x_ptr + rows[:, None] * 32 + tl.arange(0, 32)[None, :])
        total += tl.sum(x, axis=0)
    tl.store(out_ptr + tl.arange(0, 32), total + load)
`;

type Compiled = Extract<CompileResult, { readonly kind: 'compiled' }>;

function compiled(): Compiled {
  const args = { x_ptr: '*fp32:16', out_ptr: '*fp32:16', n: 'i32' } as const;
  const request = requestFor(parser, SUMS, args, findProfile('h100')!.target);
  const result = createCompiler(parser).compile({
    ...request,
    options: { ...request.options, keepIr: true },
  });
  if (result.kind !== 'compiled') throw new Error(JSON.stringify(result));
  return result;
}

const ask = (question: string): IrAnswer => answerIr(compiled(), parseIrQuestion(question));

describe('a question about the IR', () => {
  it('counts operations, inside and outside of loops', () => {
    expect(ask('count tt.load after lower')).toBe(2);
    expect(ask('count tt.load inside loops after lower')).toBe(1);
    expect(ask('count tt.load outside loops after lower')).toBe(1);
    expect(ask('count gpu.barrier inside loops after insert_barriers')).toBe(1);
    expect(ask('count gpu.barrier after lower')).toBe(0);
  });

  it('lists attributes, and elements of a tile that a thread holds', () => {
    expect(ask('list vector of tt.load after set_vector_width')).toEqual(['1', '4']);
    expect(ask('list vector of tt.load after lower')).toEqual(['none', 'none']);
    expect(ask('elements of tt.load after propagate_layouts')).toEqual(['1', '4']);
  });

  it('answers from the kernel and its schedule', () => {
    expect(ask('threads')).toBe(128);
    expect(ask('shared bytes')).toBe(2048);
    expect(ask('registers')).toBeGreaterThan(8);
    expect(ask('schedule stages')).toHaveLength(1);
    expect(ask('schedule dot path')).toEqual([]);
  });

  it('is refused where it is none, or of a pass that there is not', () => {
    expect(() => parseIrQuestion('count tt.load')).toThrow('no question');
    expect(() => parseIrQuestion('schedule colour')).toThrow('no question');
    expect(() => ask('count tt.load after coalesce')).toThrow('no pass coalesce');
  });
});
