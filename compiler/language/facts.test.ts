import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { outline } from '../1-parse/outline';
import { argumentSpec, type ArgumentText } from '../2-lower/testing/lowerText';
import { createCompiler } from '../pipeline';
import { DEFAULT_OPTIONS } from '../program';
import { BASELINE_TARGET } from '../target';
import { compileWithFacts, factAt, type ExpressionFact } from './facts';
import { factMarkdown, hintText } from './factText';

const HEAD = 'import triton\nimport triton.language as tl\n\n';
const ADD = `${HEAD}@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * 2, mask=mask)
`;
const HELPERS = `${HEAD}@triton.jit
def twice(a):
    return a + a


@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    y = tl.load(x_ptr + tl.arange(0, 2 * BLOCK))
    acc = tl.zeros([BLOCK], tl.float32)
    for i in range(0, 8):
        acc += tl.load(x_ptr + i * BLOCK + tl.arange(0, BLOCK))
    for j in tl.static_range(3):
        acc += j
    tl.store(x_ptr + tl.arange(0, BLOCK), twice(x) + acc)
    tl.store(x_ptr + tl.arange(0, 2 * BLOCK), twice(y))
`;

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

function factsOf(
  text: string,
  kernel: string,
  args: Record<string, ArgumentText>,
): ExpressionFact[] {
  const found = outline({ 'a.py': text }, parser).find(({ name }) => name === kernel)!;
  const { result, facts } = compileWithFacts(createCompiler(parser), {
    program: found.program,
    specialization: {
      arguments: found.parameters.map(({ name }, i) => argumentSpec(args[name]!, i)),
      numWarps: 4,
    },
    target: BASELINE_TARGET,
    options: DEFAULT_OPTIONS,
  });
  expect(result.kind).toBe('compiled');
  return [...facts];
}
const int = (value: number): ArgumentText => ({ constexpr: { kind: 'int', value: String(value) } });

/** The fact under the `|`. */
function at(facts: readonly ExpressionFact[], text: string, marked: string): ExpressionFact {
  const index = text.indexOf(marked.replace('|', '')) + marked.indexOf('|');
  const before = text.slice(0, index).split('\n');
  const fact = factAt(facts, 'a.py', before.length, before.at(-1)!.length + 1);
  if (!fact) throw new Error(`nothing at ${marked}`);
  return fact;
}
const context = { specialization: 'add', programs: 96 };

describe('facts of a vector addition', () => {
  let facts: ExpressionFact[];
  beforeAll(() => {
    facts = factsOf(ADD, 'add', {
      x_ptr: '*fp32:16',
      out_ptr: '*fp32:16',
      n: 'i32:16',
      BLOCK: int(1024),
    });
  });

  it('shape, dtype and axes of every expression', () => {
    const [offsets] = at(facts, ADD, '|offsets < n').instances;
    expect(offsets).toMatchObject({
      type: 'int32[1024]',
      axis: { contiguity: [1024], divisibility: [1024], constancy: [1] },
    });
    expect(at(facts, ADD, '    ma|sk = ').instances[0]!.type).toBe('int1[1024]');
    expect(at(facts, ADD, '* BLO|CK').instances[0]!.type).toBe('constexpr[1024]');
    expect(at(facts, ADD, 'add(x_|ptr').instances[0]).toMatchObject({
      type: 'pointer<fp32>',
      axis: { divisibility: [16] },
    });
  });

  it('mask, bytes, vector and layout of a load and a store', () => {
    const load = at(facts, ADD, 'x = tl.load|(').instances[0]!;
    expect(load.access).toMatchObject({
      kind: 'load',
      bytes: 4096,
      elements: 1024,
      elementBytes: 4,
      mask: 'mask',
      maskConstancy: [16],
      vector: 4,
      repeated: false,
    });
    // 128 threads hold 1024 elements, four neighbours at a time.
    expect(load.layout).toMatchObject({ registers: 8, runs: [4] });
    const store = at(facts, ADD, 'tl.sto|re(out_ptr').instances[0]!;
    expect(store.access).toMatchObject({ kind: 'store', bytes: 4096, mask: 'mask' });
  });

  it('read well', () => {
    const text = factMarkdown(at(facts, ADD, 'x = tl.load|('), context);
    expect(text).toContain('`fp32[1024]`');
    expect(text).toContain('reads at most 4 KiB a program (1024 × 4 B) · 384 KiB in 96 programs');
    expect(text).toContain('mask `mask`, the same for 16 in a row');
    expect(factMarkdown(at(facts, ADD, '|offsets < n'), context)).toContain(
      'divisible by 1024 · contiguous 1024 · constant 1',
    );
    expect(hintText(at(facts, ADD, '    |x = tl'))).toBe('fp32[1024]');
  });
});

describe('facts of inlined helpers and loops', () => {
  let facts: ExpressionFact[];
  beforeAll(() => {
    facts = factsOf(HELPERS, 'kernel', { x_ptr: '*fp32:16', BLOCK: int(64) });
  });
  it('tell instances apart, with the calls', () => {
    const { instances } = at(facts, HELPERS, 'return |a + a');
    expect(instances.map(({ type, calls }) => [type, calls.map(({ line }) => line)])).toEqual([
      ['fp32[64]', [18]],
      ['fp32[128]', [19]],
    ]);
    const text = factMarkdown(at(facts, HELPERS, 'return |a + a'), context);
    expect(text).toContain('inlined at a.py:19');
  });
  it('say that a load is repeated, and what an unrolled variable was', () => {
    expect(at(facts, HELPERS, 'acc += tl.load|(').instances[0]!.access).toMatchObject({
      bytes: 256,
      repeated: true,
      mask: null,
    });
    expect(at(facts, HELPERS, 'for |j in').instances.map(({ type }) => type)).toEqual([
      'constexpr[0]',
      'constexpr[1]',
      'constexpr[2]',
    ]);
    expect(at(facts, HELPERS, 'for |i in').instances[0]!.type).toBe('int32');
    // Carried through the loop: a tile, not what a first reading took it for.
    expect(at(facts, HELPERS, '|acc += tl').instances.map(({ type }) => type)).toEqual([
      'fp32[64]',
    ]);
  });
});
