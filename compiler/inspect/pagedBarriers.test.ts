/** Barriers of paged decoding on subgroup matrices: thin dots share memory with all that comes between them. */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing';
import type { Choices } from '../4-distribute/index';
import { pagedKernel } from '../5-emit/testing/pagedKernel';
import { compileFunc } from '../5-emit/testing/run';
import { MATRIX_TARGET } from '../testing/targets';
import { checkBarriers } from './barriers';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const some: [BN: number, choices: Partial<Choices>][] = [
  [32, {}],
  [64, {}],
  [128, {}],
  [64, { turns: 1 }],
  [64, { reduceLate: false, tablesAhead: false }],
  [64, { issueAtOnce: false }],
];
it.each(some)('keys by %i: right, and none too many: %j', (BN, choices) => {
  const { wgsl, workgroupSize } = compileFunc(pagedKernel(parser, BN), MATRIX_TARGET, { choices });
  expect(wgsl).toContain('subgroupMatrixMultiplyAccumulate');
  expect(/k_\d+\+\+;$/m.test(wgsl)).toBe(choices.turns !== 1);
  const { races, redundant } = checkBarriers(wgsl, workgroupSize);
  expect([races, redundant]).toEqual([[], []]);
});

it('every barrier of both turns is needed', () => {
  const { wgsl, workgroupSize } = compileFunc(pagedKernel(parser, 64), MATRIX_TARGET, {});
  const lines = wgsl.split('\n');
  const barriers = lines.flatMap((line, i) => (line.trim() === 'workgroupBarrier();' ? [i] : []));
  expect(barriers.length).toBeGreaterThan(12);
  for (const i of barriers) {
    const { races } = checkBarriers(lines.with(i, '').join('\n'), workgroupSize);
    expect(races, `line ${i + 1}`).not.toEqual([]);
  }
});
