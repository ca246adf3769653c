/** Undefined values that reach what a launch writes, and those that do not. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { fillOf } from '../inspect/fill';
import { createCompiler, type Compiler } from '../pipeline';
import { copy, ramp, two, XYN, type Case } from './testing/case';
import { launchOf, markedLine, proveInputs } from './testing/prove';
import type { UndefinedAnswer } from './report';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

const NAN = fillOf(0x7fc00000, 0x7fc00000);
/** @param empty storages that nothing has written. */
function answers(one: Case, ...empty: number[]): readonly UndefinedAnswer[] {
  const inputs = launchOf(parser, one);
  const storages = inputs.storages.map((storage, i) =>
    empty.includes(i) ? { ...storage, contents: NAN } : storage,
  );
  return proveInputs(compiler, { ...inputs, storages }).undefined;
}
const reduce = (body: string): Case => ({
  name: '',
  text: `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
${body}`,
  signature: XYN,
  grid: [1, 1, 1],
  args: [ramp(50), ramp(64), 50],
});

describe('lanes that a mask leaves out', () => {
  it.each([
    ['a sum', '    tl.store(y_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n)))  # !\n'],
    ['a maximum', '    tl.store(y_ptr, tl.max(tl.load(x_ptr + i, mask=i < n)))  # !\n'],
    ['a minimum', '    tl.store(y_ptr, tl.min(tl.load(x_ptr + i, mask=i < n)))  # !\n'],
    ['a store without the mask', '    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n))  # !\n'],
    [
      'a factor of 0, as a NaN is none',
      '    x = tl.load(x_ptr + i, mask=i < n)  # !\n    tl.store(y_ptr, tl.sum(x * (i < n).to(tl.float32)))\n',
    ],
    [
      'a condition',
      '    x = tl.load(x_ptr + n, mask=n < 0)  # !\n    if x > 1.0:\n        tl.store(y_ptr, 1.0)\n',
    ],
  ])('are a fault in %s', (_, body) => {
    const one = reduce(body);
    const [found] = answers(one);
    expect(found).toMatchObject({
      source: 'lanes',
      kind: 'load',
      argument: 'x_ptr',
      location: { line: markedLine(one) },
      answer: { kind: 'counterexample', programs: [[0, 0, 0]] },
    });
  });

  it.each([
    [
      'that are not stored',
      '    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)\n',
    ],
    [
      'that a where replaces',
      '    x = tl.load(x_ptr + i, mask=i < n)\n    tl.store(y_ptr, tl.sum(tl.where(i < n, x, 0.0)))\n',
    ],
  ])('are none %s', (_, body) => {
    expect(answers(reduce(body))).toMatchObject([
      { answer: { kind: 'checked', programs: 1, of: 1 } },
    ]);
  });

  it('are a fault where an address that is loaded from depends on them', () => {
    const one = reduce(
      '    a = tl.load(x_ptr + i, mask=i < n).to(tl.int32)  # !\n    tl.store(y_ptr + i, tl.load(y_ptr + a * 7 % 50 * (i < n)), mask=i < n)\n',
    );
    expect(answers(one)).toMatchObject([{ answer: { kind: 'checked' } }]);
    const free = reduce(
      '    a = tl.load(x_ptr + i, mask=i < n).to(tl.int32)  # !\n    tl.store(y_ptr + i, tl.load(y_ptr + a), mask=i < n)\n',
    );
    expect(answers(free)).toMatchObject([
      {
        location: { line: markedLine(free) },
        answer: {
          kind: 'counterexample',
          message: expect.stringContaining('the address of the load in line'),
          programs: [[0, 0, 0]],
        },
      },
    ]);
  });

  it('are not there with other, nor without a mask', () => {
    expect(
      answers(reduce('    tl.store(y_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0)))\n')),
    ).toEqual([]);
  });

  it('are a fault of the last program, where it alone has them', () => {
    const body = '    tl.store(y_ptr + tl.program_id(0), tl.sum(tl.load(x_ptr + i, mask=i < n)))\n';
    const one: Case = {
      name: '',
      text: copy(body),
      signature: XYN,
      grid: [3, 1, 1],
      args: two(150),
    };
    expect(answers(one)[0]!.answer).toMatchObject({ programs: [[2, 0, 0]] });
  });
});

describe('memory that nothing has written', () => {
  const sum = reduce('    tl.store(y_ptr, tl.load(y_ptr) + tl.sum(tl.load(x_ptr + i % n)))  # !\n');

  it('is a fault where a kernel adds to it', () => {
    expect(answers(sum, 1)).toMatchObject([
      { source: 'memory', argument: 'y_ptr', answer: { kind: 'counterexample' } },
    ]);
  });
  it.each([
    ['a sum', 'tl.atomic_add(y_ptr, 1.0)'],
    ['a maximum', 'tl.atomic_max(y_ptr, 1.0)'],
  ])('is a fault where an atomic makes %s of it', (_, atomic) => {
    const one = reduce(`    tl.store(x_ptr, 1.0)\n    ${atomic}  # !\n`);
    // A maximum of floats is two atomics, one for each sign.
    const found = answers(one, 1).filter(({ answer }) => answer.kind === 'counterexample');
    expect(found).toMatchObject([
      {
        source: 'memory',
        argument: 'y_ptr',
        location: { line: markedLine(one) },
        answer: {
          message: expect.stringContaining('the atomic in line'),
          values: [{ name: 'program' }, { name: 'first unwritten element', value: '0' }],
        },
      },
    ]);
  });
  it('is none where an exchange replaces it', () => {
    const one = reduce('    tl.store(x_ptr, 1.0)\n    tl.atomic_xchg(y_ptr + i, 1.0 * i)\n');
    expect(answers(one, 1)).toMatchObject([{ answer: { kind: 'checked' } }]);
  });
  it('decides nothing where contents of tensors were not kept', () => {
    const inputs = launchOf(parser, sum);
    const [x, y] = inputs.storages;
    const storages = [
      { ...x!, contents: null },
      { ...y!, contents: NAN },
    ];
    expect(proveInputs(compiler, { ...inputs, storages }).undefined).toMatchObject([
      { answer: { kind: 'undecided' } },
    ]);
  });
  it('is none where it is only written', () => {
    const fill = reduce('    tl.store(y_ptr + i, tl.load(x_ptr + i % n))\n');
    expect(answers(fill, 1)).toEqual([]);
  });
  it('is none where the kernel writes before it reads', () => {
    const body =
      '    tl.store(y_ptr + i, 1.0)\n    tl.store(y_ptr + i, tl.load(y_ptr + i) + 1.0)\n';
    expect(answers(reduce(body), 1)).toMatchObject([{ answer: { kind: 'checked' } }]);
  });
});
