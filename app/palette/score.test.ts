import { expect, it } from 'vitest';
import { scoreOf } from './score';

it('requires every word, and prefers titles and beginnings', () => {
  expect(scoreOf('Show WGSL', 'wgsl')).toBeGreaterThan(scoreOf('Run', 'wgsl', ['wgsl']));
  expect(scoreOf('Show WGSL', 'wg')).toBeGreaterThan(scoreOf('Show WGSL', 'gs'));
  expect(scoreOf('Theme: dark', 'dark theme')).toBeGreaterThan(0);
  expect(scoreOf('Theme: dark', 'dark light')).toBe(0);
  expect(scoreOf('Theme: high contrast', 'theme high contrast')).toBeGreaterThan(
    scoreOf('Turn the theme of high contrast', 'theme high contrast'),
  );
  expect(scoreOf('anything', '')).toBeGreaterThan(0);
});
