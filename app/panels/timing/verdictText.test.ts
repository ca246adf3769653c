/** A verdict in words: each sentence follows from the verdict's numbers. */
import { expect, it } from 'vitest';
import type { LaunchCost } from '../../events';
import type { Verdict } from '../../runtime/verdict';
import { verdictFacts, verdictText } from './verdictText';

const verdict = (more: Partial<Verdict>): Verdict => ({
  ...{ limit: 'bandwidth', time: 100, memory: 0, arithmetic: 0, requested: 0 },
  ...{ empty: null, threads: null, halfRateThreads: null },
  ...more,
});

it('has the share of the roof that was reached', () => {
  expect(verdictText(verdict({ memory: 60 }))).toContain('60 µs at this device’s best rate: 60 %');
  const again = verdictText(verdict({ memory: 6, requested: 90 }));
  expect(again).toContain('ask for 90 µs: 90 % of the time, less what caches keep.');
  const arithmetic = verdictText(verdict({ limit: 'arithmetic', memory: 60, arithmetic: 70 }));
  expect(arithmetic).toContain('70 µs at this device’s best rate: 70 %');
});

it('has no share above the whole: what is faster than memory came from a cache', () => {
  const cached = verdictText(verdict({ memory: 250 }));
  expect(cached).toContain('more than the 100 µs that it took, so caches keep part.');
  expect(cached).not.toContain('250 %');
  expect(verdictText(verdict({ memory: 6, requested: 900 }))).not.toContain('%');
});

it('has the reason of an estimate, and nothing that was not measured', () => {
  const cost = (uncertain: string | null): LaunchCost => ({
    ...{ readBytes: 4, writtenBytes: 4, requestedBytes: 8, uncertain },
    operations: { f64: 0, f32: 0, f16: 0, integer: 0 },
  });
  const facts = verdictFacts(verdict({}), cost('a loop’s end stands in a tensor'));
  expect(facts.at(-1)).toEqual({ name: '* An estimate', value: 'a loop’s end stands in a tensor' });
  expect(verdictFacts(verdict({}), cost(null)).map(({ name }) => name)).toEqual([
    ...['Minimum traffic', 'Asked for', 'Arithmetic'],
  ]);
});
