/** Every kernel's barriers, on targets that need most of them: right, and how many nothing needs. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing';
import { fuzzCase, fuzzInputs } from '../5-emit/testing/fuzzCase';
import { compileFunc } from '../5-emit/testing/run';
import {
  attention,
  matmul,
  MORE_CASES,
  shapesAndScans,
  softmax,
  transpose,
} from '../4-distribute/testKernels';
import type { Func } from '../ir/ir';
import { BASELINE_TARGET, type Target } from '../target';
import { checkBarriers } from './barriers';

const HEAD = `var<workgroup> shared_words: array<u32, 64>;
fn main(
) {
`;
const kernel = (...lines: readonly string[]): string => `${HEAD}${lines.join('\n')}\n}\n`;
const linesOf = (wgsl: string): readonly (readonly [number, number])[] =>
  checkBarriers(wgsl, 32).races.map(({ lines }) => lines);

describe('checkBarriers', () => {
  it('tells a missing barrier, with both lines', () => {
    const write = 'shared_words[tid] = 1u;';
    const read = 'let x = shared_words[(tid + 1u) % 32u];';
    expect(linesOf(kernel(write, read))).toEqual([[4, 5]]);
    expect(linesOf(kernel(write, 'workgroupBarrier();', read))).toEqual([]);
    expect(linesOf(kernel(write, 'let x = shared_words[tid];'))).toEqual([]);
  });

  it('tells one that is missing around the back edge of a loop', () => {
    const loop = (last: string): string =>
      kernel(
        'for (var k = 0u; k < n; k++) {',
        'shared_words[tid] = 1u;',
        'workgroupBarrier();',
        'let x = shared_words[31u - tid];',
        last,
        '}',
      );
    expect(linesOf(loop(''))).toEqual([[7, 5]]);
    expect(linesOf(loop('workgroupBarrier();'))).toEqual([]);
  });

  it('follows branches by the threads that take them', () => {
    const own = ['if (tid == 3u) {', 'shared_words[5u] = 1u;', '}'];
    expect(linesOf(kernel(...own))).toEqual([]);
    expect(linesOf(kernel(...own, 'let x = shared_words[5u];'))).toEqual([[5, 7]]);
    expect(linesOf(kernel('if (data) {', 'shared_words[5u] = 1u;', '}'))).toEqual([[5, 5]]);
  });

  it('tells a barrier that separates nothing', () => {
    const text = kernel(
      'shared_words[tid] = 1u;',
      'workgroupBarrier();',
      'let x = shared_words[tid];',
    );
    expect(checkBarriers(text, 32).redundant).toEqual([5]);
  });

  it('takes an address that depends on data for any', () => {
    const text = kernel('shared_words[tid] = 1u;', 'let x = shared_words[data];');
    expect(linesOf(text)).toEqual([[4, 5]]);
  });
});

const GPU: Target = { ...BASELINE_TARGET, subgroupSize: 32, maxWorkgroupBytes: 32_768 };
const STORED: Target = { ...GPU, name: 'SwiftShader', subgroupSize: 4, exchangeInStorage: true };
const TARGETS = { baseline: BASELINE_TARGET, gpu: GPU, storage: STORED };

const ACROSS = 'scans across';
const KERNELS: readonly (readonly [string, () => Func])[] = [
  ['softmax', () => softmax(1, 1024)],
  ['matmul', () => matmul({ M: 64, N: 64, K: 32 })],
  ['attention', () => attention(32, 32, 32)],
  ['transpose', () => transpose(64, 64)],
  ['scans', () => shapesAndScans(32, 64, 1)],
  [ACROSS, () => shapesAndScans(32, 64, 0)],
  ...MORE_CASES.map(({ name, make }) => [name, make] as const),
];

describe.each(Object.entries(TARGETS))('barriers for %s', (place, target) => {
  it.each(KERNELS)('%s', (name, make) => {
    const { wgsl, workgroupSize } = compileFunc(make(), target);
    const { races, redundant } = checkBarriers(wgsl, workgroupSize);
    expect(races).toEqual([]);
    // Beside a histogram's counters in workgroup memory, those of the exchange in storage come in pairs.
    // A scan across rows of subgroups of 32 has one barrier too many.
    if (place !== 'storage')
      expect(redundant.length).toBe(place === 'gpu' && name === ACROSS ? 1 : 0);
  });
});

it.each(KERNELS)('%s: without any one of its barriers there is a race', (_, make) => {
  const { wgsl, workgroupSize } = compileFunc(make(), GPU);
  const lines = wgsl.split('\n');
  const own = lines.flatMap((line, i) =>
    line.trim() === 'workgroupBarrier();' &&
    lines[i - 1]?.trim() !== 'storageBarrier();' &&
    lines[i + 1]?.trim() !== 'storageBarrier();'
      ? [i]
      : [],
  );
  const { redundant } = checkBarriers(wgsl, workgroupSize);
  for (const i of own.filter((line) => !redundant.includes(line + 1))) {
    const without = lines.with(i, '').join('\n');
    expect(checkBarriers(without, workgroupSize).races, `line ${i + 1}`).not.toEqual([]);
  }
});

describe('barriers of random kernels', () => {
  let parser: Parser;
  beforeAll(async () => {
    parser = await testParser();
  });
  const OPTIONS = { elements: 64, statements: 5 };
  it.each([GPU, STORED])('for $name', (target) => {
    let judged = 0;
    const property = fc.property(fuzzInputs(OPTIONS), (input) => {
      const test = fuzzCase(input, target, parser, OPTIONS);
      const { wgsl, workgroupSize } = compileFunc(test.make(), test.target, test.launch);
      const { races, barriers } = checkBarriers(wgsl, workgroupSize);
      if (barriers > 0) judged++;
      expect(races, test.description).toEqual([]);
    });
    fc.assert(property, { seed: 11, numRuns: 60 });
    expect(judged).toBeGreaterThan(10);
  });
});
