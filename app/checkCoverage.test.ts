import { expect, it } from 'vitest';
import { checkCoverage } from './checkCoverage';

const textOf = (counts: readonly number[], programs: number): string | null =>
  checkCoverage({
    programs,
    passes: counts.map((count, index) => ({
      ...{ index, name: 'pass', verdict: 'same', first: null, message: null },
      programs: count,
    })),
  });

it('says nothing where every pass was checked for every program', () => {
  expect(textOf([4, 4, 4], 4)).toBeNull();
  expect(textOf([], 4)).toBeNull();
});
it('says for how many programs thread IR was checked', () => {
  expect(textOf([64, 64, 3, 3, 64], 64)).toBe(
    'TTIR and TTGIR checked for all 64 programs, thread IR for 3 of 64 programs.',
  );
  expect(textOf([256, 3], 4096)).toBe(
    'TTIR and TTGIR checked for 256 of 4,096 programs, thread IR for 3 of 4,096 programs.',
  );
});
it('says that only the first programs were checked', () => {
  expect(textOf([256, 256], 4096)).toBe('Checked for the first 256 of 4,096 programs.');
});
