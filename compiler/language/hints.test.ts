/**
 * The table of hints is true: a kernel compiled with and without each hint differs, or does not,
 * and hints that change nothing are reported. docs/hints.md, hovers and signature help are the
 * table's.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import type { Parser } from '../1-parse/parser';
import { createCompiler } from '../pipeline';
import { DEFAULT_OPTIONS, type ArgumentSpec } from '../program';
import { BASELINE_TARGET } from '../target';
import { LANGUAGE_DOCS } from './docs';
import { CALL_HINTS, LAUNCH_HINTS, LOOP_HINTS, type Hint } from './hints';

const HEAD = 'import triton\nimport triton.language as tl\n\n@triton.jit\n';
const loop = (hints: string, first = 'pass'): string => `${HEAD}def kernel(x, y, n):
    ${first}
    total = tl.zeros((64,), tl.float32)
    for i in tl.range(0, n, 64${hints}):
        at = i + tl.arange(0, 64)
        total += tl.load(x + at, at < n)
    tl.store(y + tl.arange(0, 64), total)
`;
const DOT = `${HEAD}def kernel(x, y, n):
    i = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    a = tl.load(x + i)
    tl.store(y + i, tl.dot(a, a))
`;

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

function compile(
  text: string,
  numWarps?: number,
  numStages?: 1,
): { wgsl: string; reported: string[] } {
  const pointer: ArgumentSpec = {
    kind: 'pointer',
    dtype: 'float32',
    divisibleBy16: true,
    group: 0,
  };
  const result = createCompiler(parser).compile({
    program: {
      files: { 'main.py': text },
      entry: 'kernel',
      functions: {
        kernel: {
          id: 'kernel',
          name: 'kernel',
          file: 'main.py',
          line: 4,
          globals: {
            tl: { kind: 'triton', path: 'triton.language' },
            triton: { kind: 'triton', path: 'triton' },
          },
          defaults: {},
        },
      },
    },
    specialization: {
      arguments: [
        pointer,
        { ...pointer, group: 1 },
        { kind: 'scalar', dtype: 'int32', divisibleBy16: false },
      ],
      ...(numWarps === undefined ? { numWarps: 4 } : { numWarps, statedWarps: true }),
      ...(numStages === undefined ? {} : { numStages }),
    },
    target: BASELINE_TARGET,
    options: { ...DEFAULT_OPTIONS, quotes: false },
  });
  if (result.kind !== 'compiled') throw new Error(JSON.stringify(result));
  const reported = result.diagnostics.filter(({ code }) => code === 'HC0906');
  expect(reported.every(({ severity }) => severity === 'info')).toBe(true);
  return { wgsl: result.kernel.wgsl, reported: reported.map(({ message }) => message) };
}

describe('hints of a loop', () => {
  it.each(LOOP_HINTS)('$name is $word', ({ name, word }) => {
    const value = /num_stages|factor/.test(name) ? '4' : 'True';
    const plain = compile(loop(''));
    const hinted = compile(loop(`, ${name}=${value}`));
    expect(hinted.wgsl === plain.wgsl).toBe(word === 'ignored');
    expect(plain.reported).toEqual([]);
    const said = `${name} of tl.range has no effect on kernel here: it runs the same without`;
    const fewer = 'num_stages=4 of this loop is 2 here: its tiles are loaded 1 iteration early';
    expect(hinted.reported).toEqual(
      word === 'ignored' ? [said] : name === 'num_stages' ? [fewer] : [],
    );
  });

  it('are reported together, and not where they ask for nothing', () => {
    const useless = 'tl.assume(tl.load(y) > 0)';
    const reported = compile(loop(', disable_licm=True, flatten=True', useless)).reported;
    expect(reported).toEqual([
      'tl.assume, flatten of tl.range, disable_licm of tl.range have no effect on kernel here: ' +
        'it runs the same without',
    ]);
    const silent = ', num_stages=1, flatten=False, warp_specialize=False, loop_unroll_factor=None';
    expect(compile(loop(silent)).reported).toEqual([]);
  });
});

describe('num_stages that prefetch nothing', () => {
  const staged = (line: string, size = 64): string => `${HEAD}def kernel(x, y, n):
    at = tl.arange(0, ${size})
    total = tl.zeros((${size},), tl.float32)
    for i in tl.range(0, n, ${size}, num_stages=2):
        ${line}
    tl.store(y + at, total + at)
`;
  it.each([
    ['total += tl.load(x + i + at)', undefined],
    ['tl.store(y + i + at, tl.load(x + i + at))', 'it writes memory at line 9'],
    ['tl.atomic_add(y, 1.0)', 'it writes memory at line 9'],
    ['tl.debug_barrier(); total += tl.load(x + i + at)', 'it has a barrier at line 9'],
    ['total += i', 'it loads no tile outside of branches and inner loops'],
    ['total += tl.load(x + at + tl.sum(total).to(tl.int32))', 'addresses at line 9 depend on what'],
    ['total += tl.load(x + i + at, volatile=True)', 'the load at line 9 is volatile'],
  ])('%s: %s', (line, why) => {
    const reported = compile(staged(line)).reported;
    const said = `num_stages=2 prefetches no load of this loop here: ${why}`;
    expect(reported).toEqual(why ? [expect.stringContaining(said)] : []);
  });

  it.each([2, 3, 20])('%i that prefetch by one iteration say so', (stages) => {
    const text = staged('total += tl.load(x + i + at)');
    const made = compile(text.replace('num_stages=2', `num_stages=${stages}`));
    expect(made.wgsl).toBe(compile(text).wgsl);
    const fewer = `num_stages=${stages} of this loop is 2 here: its tiles are loaded 1 iteration early`;
    expect(made.reported).toEqual(stages > 2 ? [fewer] : []);
  });

  it('names the registers of a tile that is too large', () => {
    expect(compile(staged('total += tl.load(x + i + at)', 32768)).reported).toEqual([
      expect.stringMatching(/: its tiles take \d+ registers a thread or more, not 64$/),
    ]);
  });
});

it('a large loop_unroll_factor is cut, and the kernel says so', () => {
  const cut = compile(loop(', loop_unroll_factor=100000'));
  expect(cut.reported).toEqual([
    expect.stringMatching(
      /^the loop is unrolled by \d+, not by 100000, so that .* 2048 operations$/,
    ),
  ]);
  const used = /by (\d+),/.exec(cut.reported[0]!)![1]!;
  expect(compile(loop(`, loop_unroll_factor=${used}`))).toEqual({ wgsl: cut.wgsl, reported: [] });
});

it('num_stages of a launch is that of loops without their own', () => {
  const one = compile(loop(', num_stages=1'));
  expect(compile(loop(''), undefined, 1).wgsl).toBe(one.wgsl);
  const three = compile(loop(', num_stages=3'));
  expect(compile(loop(', num_stages=3'), undefined, 1).wgsl).toBe(three.wgsl);
  expect(three.wgsl).not.toBe(one.wgsl);
});

it('tl.assume is followed where something follows from it', () => {
  const plain = compile(loop(''));
  for (const [condition, changes] of [
    ['n % 64 == 0', true],
    ['(n % 64 == 0) & (n > 0)', true],
    ['n < 1', true],
    ['n > 0', false],
    ['tl.load(y) > 0', false],
  ] as const) {
    const { wgsl, reported } = compile(loop('', `tl.assume(${condition})`));
    expect(wgsl !== plain.wgsl, condition).toBe(changes);
    expect(reported.length > 0, condition).toBe(condition.includes('load'));
  }
});

it('eviction_policy and cache_modifier change nothing', () => {
  const plain = compile(loop(''));
  for (const hint of ["eviction_policy='evict_first'", "cache_modifier='.ca'"]) {
    const text = loop('').replace('at < n)', `at < n, ${hint})`);
    expect(compile(text).wgsl).toBe(plain.wgsl);
  }
  expect(CALL_HINTS.map(({ word }) => word)).toEqual(['approximated', 'ignored']);
});

it('num_warps sets the threads of a kernel, and one that has others says so', () => {
  const threadsOf = (text: string, warps?: number): [number, number] => {
    const { wgsl, reported } = compile(text, warps);
    return [Number(/@workgroup_size\((\d+)/.exec(wgsl)![1]), reported.length];
  };
  const large = loop('').replaceAll('64', '1024');
  expect([1, 4, 8].map((warps) => threadsOf(large, warps))).toEqual([
    [64, 1],
    [128, 0],
    [256, 0],
  ]);
  expect([undefined, 1, 8, 16].map((warps) => threadsOf(DOT, warps))).toEqual([
    [64, 0],
    [32, 0],
    [256, 0],
    [256, 1],
  ]);
  expect(LAUNCH_HINTS.find(({ name }) => name === 'num_warps')?.word).toBe('approximated');
});

describe('what is said of hints', () => {
  const rows = (hints: readonly Hint[]): string[] =>
    hints.map(({ name, word, note }) => {
      const names = name.split(', ').map((each) => `\`${each}\``);
      return `- ${names.join(', ')}: ${word}. ${note}`;
    });

  it('in docs/hints.md is the table', () => {
    const path = join(import.meta.dirname, '..', '..', 'docs', 'hints.md');
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(lines).toEqual([LAUNCH_HINTS, LOOP_HINTS, CALL_HINTS].flatMap(rows));
  });

  it('in the hover of tl.range names those that are ignored', () => {
    const { range = '' } = LANGUAGE_DOCS;
    const named = LOOP_HINTS.filter(({ name }) => range.includes(`\`${name}\``));
    expect(named).toEqual(LOOP_HINTS.filter(({ word }) => word === 'ignored'));
    expect(range).toContain('have no effect here');
  });
});
