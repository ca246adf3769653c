/** Conditions of breakpoints, as Python evaluates them. */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { ConditionError, holds, parseCondition, type ConditionScope } from './condition';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

const names: Record<string, number | bigint | boolean> = {
  k: 3,
  big: 2n ** 60n,
  last: true,
  x: -7,
};
const scope: ConditionScope = {
  name(id) {
    const found = names[id];
    if (found === undefined) throw new ConditionError(`${id} is not computed yet`);
    return found;
  },
  element: (name, indices) => (name === 'acc' ? 10 * indices[0]! + (indices[1] ?? 0) : 0),
  program: [1, 2, 0],
  grid: [4, 3, 1],
};
const value = (text: string): boolean => holds(parseCondition(parser, text), scope);
const fault = (text: string): string => {
  try {
    return String(value(text));
  } catch (error) {
    expect(error).toBeInstanceOf(ConditionError);
    return (error as Error).message;
  }
};

it('compares names, elements and programs', () => {
  expect(value('k == 3')).toBe(true);
  expect(value('1 < k <= 3')).toBe(true);
  expect(value('k > 3 or not last')).toBe(false);
  expect(value('acc[2, 5] == 25')).toBe(true);
  expect(value('acc[k, -1] == 29')).toBe(true);
  expect(value('program_id(0) == 1 and tl.program_id(axis=1) == 2')).toBe(true);
  expect(value('program_id == (1, 2, 0)')).toBe(true);
  expect(value('program_id == (1, 2, 1)')).toBe(false);
  // x runs fastest: 1 + 4 * 2.
  expect(value('program_id == 9')).toBe(true);
  expect(value('program_id[1] == 2')).toBe(true);
  expect(value('k in (1, 3)')).toBe(true);
});

it('divides as Python does, and keeps 64-bit integers exact', () => {
  expect(value('x // 2 == -4')).toBe(true);
  expect(value('x % 2 == 1')).toBe(true);
  expect(value('x / 2 == -3.5')).toBe(true);
  expect(value('big + 1 != big')).toBe(true);
  expect(value('big == 2 ** 60')).toBe(true);
  expect(value('(k << 2 | 1) ^ 5 == 13 ^ 5')).toBe(true);
});

it('says what is wrong with a condition', () => {
  expect(fault('k = 3')).toMatch(/^not an expression/);
  expect(fault('k ==')).toMatch(/^not an expression/);
  expect(fault('missing > 2')).toBe('missing is not computed yet');
  expect(fault('k // 0 == 1')).toBe('division by zero');
  expect(fault('tl.max(k) == 1')).toContain('program_id and num_programs');
  expect(fault('program_id(3) == 1')).toBe('program_id has the axes 0, 1 and 2');
});
