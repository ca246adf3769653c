/**
 * The table of a tuning: configurations of one code stand together, below the one that was timed.
 */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { TunedConfiguration } from '../../events';
import { Autotune } from './Autotune';

const timing = { clock: 'gpu', low: 1, high: 1, samples: 3, quantum: 0.001 } as const;
const settings = (block: number, stages: number): TunedConfiguration['settings'] => ({
  BLOCK: block,
  num_stages: stages,
});
const measured = (block: number, median: number): TunedConfiguration => ({
  ...{ text: '', settings: settings(block, 2), state: 'measured', error: null },
  timing: { ...timing, median },
  specialization: `k${block}`,
});
const same = (block: number, sameAs: number): TunedConfiguration => ({
  ...{ text: '', settings: settings(block, 4), state: 'same', timing: null, error: null, sameAs },
  specialization: `k${block}`,
});

it('lists what is the same code below what was timed', () => {
  const page = renderToStaticMarkup(
    <Autotune
      tuning={{
        ...{ type: 'autotune', id: 1, kernel: 'k', key: '(64,)', site: { file: 'a.py', line: 3 } },
        ...{ best: 2, fromCache: false, seconds: 1, done: true },
        configurations: [measured(16, 9), same(16, 0), measured(32, 5), same(32, 2)],
      }}
    />,
  );
  const rows = page.split('<tr').slice(2);
  const texts = rows.map((row) => row.replaceAll(/^[^>]*>|<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '));
  expect(texts.map((text) => text.trim())).toEqual([
    '✓ chosen 32 2 5 µs × 1 WGSL',
    '32 4 – WGSL same code as BLOCK: 32, num_stages: 2',
    '16 2 9 µs × 1.8 WGSL',
    '16 4 – WGSL same code as BLOCK: 16, num_stages: 2',
  ]);
});

it('shows a schedule that was found against the default', () => {
  const schedule = (settings: TunedConfiguration['settings'], median: number) => ({
    ...({ text: '', settings, state: 'measured', error: null, reference: 10 } as const),
    timing: { ...timing, median },
  });
  const shown = (best: number): string =>
    renderToStaticMarkup(
      <Autotune
        tuning={{
          ...{ type: 'autotune', id: 1, kernel: 'k', key: 'grid 2 × 1 × 1' },
          ...{ site: { file: 'a.py', line: 3 }, best, fromCache: false, seconds: 1, done: true },
          ...{ schedule: true },
          configurations: [schedule({}, 10), schedule({ threads: 64 }, 8)],
        }}
      />,
    ).replaceAll(/<[^>]*>/g, '');
  expect(shown(1)).toContain('Schedules of k');
  expect(shown(1)).toContain('Default 10 µs, tuned 8 µs: 1.25 times as fast.');
  expect(shown(1)).toContain('× 0.8');
  expect(shown(0)).toContain('The default stays');
});
