import { expect, test } from 'vitest';
import type { TunedConfiguration } from '../../events';
import { namesOf, orderOf } from './configurations';

const made = (
  settings: TunedConfiguration['settings'],
  text = 'all of it',
): TunedConfiguration => ({
  text,
  settings,
  timing: null,
  error: null,
  state: 'waiting',
});

test('a configuration is named by what the others have not', () => {
  const some = [
    made({ BM: 32, BK: 16, num_warps: 4, maxnreg: 'None' }),
    made({ BM: 32, BK: 32, num_warps: 4, maxnreg: 'None' }),
    made({ BM: 32, BK: 16, num_warps: 4, maxnreg: 'None', threads: 64 }),
  ];
  expect(namesOf(some)).toEqual({
    own: ['BK: 16', 'BK: 32', 'BK: 16, threads: 64'],
    common: 'BM: 32, num_warps: 4',
    columns: [{ name: 'BK', short: 'BK' }],
    options: ['', '', 'threads: 64'],
  });
});

test('where nothing differs each keeps its whole name', () => {
  const columns = [{ name: 'B', short: 'B' }];
  expect(namesOf([made({ B: 1 }, 'B: 1')])).toEqual({
    ...{ own: ['B: 1'], common: '', columns, options: [''] },
  });
  expect(namesOf([made({ B: 1 }, 'B: 1'), made({ B: 1 }, 'B: 1')]).own).toEqual(['B: 1', 'B: 1']);
  expect(namesOf([])).toEqual({ own: [], common: '', columns: [], options: [] });
});

test('the order is that of the times, or of a column', () => {
  const timing = (median: number): TunedConfiguration['timing'] => ({
    ...{ clock: 'gpu', low: 1, high: 1, samples: 3, quantum: 0.001 },
    median,
  });
  const some: TunedConfiguration[] = [
    { ...made({ B: 128, stages: 2 }), timing: timing(5) },
    { ...made({ B: 16, stages: 2 }), state: 'skipped' },
    { ...made({ B: 64, stages: 3 }), timing: timing(3) },
    { ...made({ B: 128, stages: 4 }), state: 'same', sameAs: 0 },
  ];
  const by = (key: string, descending = false): number[] => orderOf(some, { key, descending });
  expect(by('time')).toEqual([2, 0, 3, 1]);
  // Unmeasured ones stay last.
  expect(by('time', true)).toEqual([0, 3, 2, 1]);
  expect(by('B')).toEqual([1, 2, 0, 3]);
  expect(by('B', true)).toEqual([0, 3, 2, 1]);
  expect(by('stages')).toEqual([0, 1, 2, 3]);
});
