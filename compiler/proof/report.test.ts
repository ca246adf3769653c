/** Answers about kernels, wrong and right (`testing/`). */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { ramp, XYN, type Case } from './testing/case';
import { ONLY_HERE } from './testing/onlyHere';
import { RIGHT } from './testing/right';
import { WRONG } from './testing/wrong';
import { answersOf, launchOf, markedLine, proveInputs } from './testing/prove';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

const prove = (test: Case) => proveInputs(compiler, launchOf(parser, test));
/** Right kernels of which no proof for every n is expected: data, or sizes of one launch. */
const NOT_FOR_EVERY_N = [
  'split k with atomics',
  'a histogram with atomics',
  'the last block moved back, where both write the same',
  'a lock that orders programs',
  'bits in place of division',
  'one program that chooses between two tensors',
];

describe('a wrong kernel has a counterexample at its line', () => {
  it.each(WRONG.map((test) => [test.name, test] as const))('%s', (_, test) => {
    const found = answersOf(prove(test)).filter(({ answer }) => answer.kind === 'counterexample');
    expect(found.length).toBeGreaterThan(0);
    for (const { lines } of found) expect(lines).toContain(markedLine(test));
  });
});

describe('a right kernel is not accused', () => {
  it.each(RIGHT.map((test) => [test.name, test] as const))('%s', (name, test) => {
    const answers = answersOf(prove(test));
    expect(answers.length).toBeGreaterThan(0);
    for (const { answer } of answers) expect(answer.kind).not.toBe('counterexample');
    const every = answers.every(({ answer }) => answer.kind === 'every');
    expect(every).toBe(!NOT_FOR_EVERY_N.includes(name));
  });
});

describe('a kernel that is right for the sizes of one launch is proved for no others', () => {
  it.each(ONLY_HERE.map((test) => [test.name, test] as const))('%s', (_, test) => {
    const marked = answersOf(prove(test)).filter(
      ({ lines, answer }) => lines.includes(markedLine(test)) && answer.kind !== 'every',
    );
    expect(marked.length).toBeGreaterThan(0);
    for (const { answer } of marked) expect(answer.kind).toBe('launch');
  });
});

describe('the answer', () => {
  const named = (list: readonly Case[], name: string): Case =>
    list.find((test) => test.name === name)!;

  it('states the relations under which it holds for every n', () => {
    const proof = prove(named(RIGHT, 'a masked addition'));
    expect(proof.relations).toEqual([
      'n >= 1',
      'grid.x = ((n + 63) // 64)',
      'x_ptr, y_ptr have n elements',
    ]);
  });
  it('states the ranges that tl.assume gives scalars', () => {
    const proof = prove({
      name: 'a distance of which a range is assumed',
      text: `def k(x_ptr, y_ptr, d, BLOCK: tl.constexpr):
    tl.assume(d < 8)
    tl.assume(d >= 2)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i + d, tl.load(x_ptr + i))
`,
      signature: { x_ptr: '*fp32', y_ptr: '*fp32', d: 'i32', BLOCK: 64 },
      grid: [2, 1, 1],
      args: [ramp(128), ramp(136), 3],
    });
    expect(proof.relations).toEqual([
      'd >= 2',
      'd <= 7',
      'grid.x = 2',
      'x_ptr has 128 elements',
      'y_ptr has 136 elements',
    ]);
  });
  it('states them also of a scalar that could be a multiple', () => {
    const proof = prove({
      name: 'groups of which the number is bounded',
      text: `def k(x_ptr, y_ptr, n, K, BLOCK: tl.constexpr):
    tl.assume(K <= 64)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i + K // 32, mask=i < n), mask=i < n)
`,
      signature: { x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', K: 'i32', BLOCK: 64 },
      grid: [2, 1, 1],
      args: [ramp(102), ramp(100), 100, 64],
    });
    expect(proof.relations).toContain('K <= 64');
    expect(proof.relations.join()).not.toContain('multiple');
  });
  it('states the program, the place and the element of an access out of bounds', () => {
    const proof = prove(named(WRONG, 'a mask that admits one element more'));
    expect(proof.bounds[0]).toMatchObject({
      kind: 'load',
      argument: 'x_ptr',
      answer: {
        kind: 'counterexample',
        message: 'load of element 100 of x_ptr of 100 elements',
        programs: [[1, 0, 0]],
      },
    });
  });
  it('names the operation that overflows before such an access', () => {
    const proof = prove(named(WRONG, 'an index that overflows 32 bits'));
    expect(proof.bounds[0]).toMatchObject({
      answer: {
        kind: 'counterexample',
        message:
          'load of element -2094967296 of x_ptr of 128 elements: 22 * 100000000 = 2200000000 ' +
          'leaves int32 and becomes -2094967296 in line 7',
      },
    });
  });
  it('names no overflow of another lane, nor one of unsigned integers', () => {
    const body = (index: string): Case => ({
      name: '',
      text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = ${index}
    tl.store(y_ptr + at, 1.0, mask=i < 2)
`,
      signature: XYN,
      grid: [1, 1, 1],
      args: [ramp(64), ramp(64), 100_000_000],
    });
    // Lanes that the mask leaves out overflow; the first lane that is out of range does not.
    for (const index of ['i * n', '((i + 1).to(tl.uint32) * 2 + 2147483647).to(tl.int64)'])
      expect(prove(body(index)).bounds[0]!.answer).toMatchObject({
        message: expect.not.stringContaining('leaves') as string,
      });
  });
  it('states both programs of a race, and what they store', () => {
    const proof = prove(named(WRONG, 'blocks that overlap'));
    expect(proof.races).toMatchObject([
      {
        argument: 'y_ptr',
        answer: {
          kind: 'counterexample',
          programs: [
            [0, 0, 0],
            [1, 0, 0],
          ],
          values: [
            { name: 'element', value: '32' },
            { name: 'stored by program (0, 0, 0)', value: '33' },
            { name: 'stored by program (1, 0, 0)', value: '34' },
          ],
        },
      },
    ]);
  });
  it('counts the programs that were evaluated where data decides', () => {
    const proof = prove(named(RIGHT, 'a histogram with atomics'));
    expect(proof.bounds[1]!.answer).toMatchObject({ kind: 'checked', programs: 16, of: 16 });
  });
});
