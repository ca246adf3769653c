import { describe, expect, it } from 'vitest';
import { parseOptions, sampled } from './options';
import { countsOf, functionOf, table, type CaseResult } from './report';

describe('options', () => {
  it('are typed', () => {
    const args = ['--tests', '/t', '-k', 'a', '-k', 'b', '--sample', '3', '--adapter', 'webgpu'];
    expect(parseOptions(args)).toMatchObject({
      tests: '/t',
      words: ['a', 'b'],
      sample: 3,
      adapter: 'webgpu',
      timeout: 60,
    });
  });
  it.each([[[]], [['--tests', 't', '--jobs', '0']], [['--tests', 't', '--adapter', 'cuda']]])(
    '%j is refused',
    (args) => expect(() => parseOptions(args)).toThrow(/tests|jobs|adapter/),
  );
  it('sample evenly', () => {
    expect(sampled([0, 1, 2, 3, 4, 5, 6, 7], 3)).toEqual([0, 2, 5]);
    expect(sampled([0, 1], 3)).toEqual([0, 1]);
  });
});

describe('the report', () => {
  const results: CaseResult[] = [
    { file: 'test_a.py', name: 'test_x[1]', interpreter: true, judged: { outcome: 'passed' } },
    {
      file: 'test_a.py',
      name: 'test_x[2]',
      interpreter: true,
      judged: { outcome: 'failed', kind: 'ValueError', line: 'no' },
    },
  ];
  it('groups by function', () => {
    expect(functionOf('test_x[a[b]]')).toBe('test_x');
    expect(countsOf(results)).toEqual({ passed: 1, failed: 1, refused: 0, skipped: 0 });
    expect(table(results)).toMatch(/test_x +1 +1 +· +· +0\.0 {2}ValueError: no/);
    expect(table(results)).toContain('50.00 % of the marked cases that ran pass');
  });
});
