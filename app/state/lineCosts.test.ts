/** Costs by line are of one run of one text. */
import { expect, it, vi } from 'vitest';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { useDocument } from './document';
import { isCostPast, isCostStale, showLineCosts, useLineCosts } from './lineCosts';
import { emptyRecord } from './record';
import { beginRun } from './run';

vi.mock('../workers/inspectHost', () => ({
  inspectHost: () => ({ askOf: () => Promise.resolve({ refused: 'too large' }) }),
}));

it('are stale after an edit, and past after another run', async () => {
  useDocument.setState({ files: { 'a.py': 'x' }, entry: 'a.py', identity: 'p' });
  beginRun('p', emptyRecord(1, 1, 'x'));
  expect(isCostPast(useLineCosts.getState(), 1)).toBe(false);
  const launch = { launch: 3, kernel: 'add', key: 'k', grid: [4, 1, 1] };
  await showLineCosts(launch as unknown as LaunchInputs);
  const shown = useLineCosts.getState();
  expect(shown).toMatchObject({ text: 'x', run: 1, refused: 'too large', counting: false });
  expect(isCostPast(shown, 1)).toBe(false);
  expect(isCostPast(shown, 2)).toBe(true);
  expect(isCostStale(shown, 'x')).toBe(false);
  expect(isCostStale(shown, 'y')).toBe(true);
});
