/**
 * Our front end against Triton 3.8's own on the kernels of `kernels/`: the same operations of the
 * same types on every line, and the same refusals. `testdata/kernels.json` is what `expected.py`
 * wrote down.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Parser } from '../../compiler/1-parse/parser';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { compareCase, readCases, type Written } from './compare';

const CASES = readCases(
  JSON.parse(readFileSync(new URL('./testdata/kernels.json', import.meta.url), 'utf8')) as Written,
);

/** Differences from Triton, each with its reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  filtered_comprehension: 'Triton 3.8 leaves the filter out, without a word',
  too_many: 'Triton 3.8 takes the first values in silence, the versions after it refuse',
  counter_reassigned: 'as counter_after',
  counters_in_branches: 'Triton carries the undefined counter on',
  returns_tensor: "Triton's front end takes it, what comes after does not",
  zero_step: 'the loop would not end',
  counter_after: 'Triton leaves the counter undefined after its loop; here it has its last value',
};

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

describe('kernels have the types they have in Triton', () => {
  CASES.forEach((one, i) => {
    if (DIFFERENT[one.kernel]) return;
    test(`${one.file} ${one.kernel} ${i}`, () => {
      const texts = Object.fromEntries(
        Object.keys(one.files).map((name) => [
          name,
          readFileSync(new URL(`./kernels/${name}`, import.meta.url), 'utf8'),
        ]),
      );
      const { kind, detail } = compareCase(parser, texts, one);
      const wanted = one.refused === undefined ? ['equal', ''] : ['both refuse', detail];
      expect([kind, detail], one.refused).toEqual(wanted);
      expect(detail).not.toContain('HC0399');
    });
  });
});
