import { expect, test } from 'vitest';
import type { TunedConfiguration } from '../../events';
import { namesOf } from './configurations';

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
  });
});

test('where nothing differs each keeps its whole name', () => {
  expect(namesOf([made({ B: 1 }, 'B: 1')])).toEqual({ own: ['B: 1'], common: '' });
  expect(namesOf([made({ B: 1 }, 'B: 1'), made({ B: 1 }, 'B: 1')]).own).toEqual(['B: 1', 'B: 1']);
  expect(namesOf([])).toEqual({ own: [], common: '' });
});
