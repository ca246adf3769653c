import { beforeEach, expect, it } from 'vitest';
import { lastDeed, noteDeed, undoDeed, useDeeds } from './deeds';
import { changeSettings, useSettings } from './settings';

beforeEach(() => useDeeds.setState({ deeds: [] }));

it('goes back step by step, also where a way back is itself something done', async () => {
  const done: string[] = [];
  const deed = (text: string) => ({
    text,
    undo: async () => {
      await Promise.resolve();
      done.push(text);
      noteDeed(deed(`not ${text}`));
    },
  });
  noteDeed(deed('a'));
  noteDeed(deed('b'));
  await undoDeed();
  await undoDeed();
  await undoDeed();
  expect(done).toEqual(['b', 'a']);
});

it('loses no undo that is asked for while another goes, nor one behind an undo that fails', async () => {
  const done: string[] = [];
  let arrive = (): void => undefined;
  const slow = new Promise<void>((resolve) => (arrive = resolve));
  noteDeed({ text: 'a', undo: () => void done.push('a') });
  noteDeed({ text: 'b', undo: () => Promise.reject(new Error('no way back')) });
  noteDeed({ text: 'c', undo: () => slow.then(() => void done.push('c')) });
  const asked = [undoDeed(), undoDeed(), undoDeed()];
  expect(lastDeed()).toBeNull();
  arrive();
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(done).toEqual(['c', 'a']);
  // What is done after that counts again.
  noteDeed({ text: 'd', undo: () => void done.push('d') });
  await undoDeed();
  expect(done).toEqual(['c', 'a', 'd']);
});

it('undoes one that is not the last, once', async () => {
  const done: string[] = [];
  const first = { text: 'a', undo: () => void done.push('a') };
  noteDeed(first);
  noteDeed({ text: 'b', undo: () => void done.push('b') });
  await undoDeed(first);
  await undoDeed();
  expect(done).toEqual(['a', 'b']);
  expect(lastDeed()).toBeNull();
});

it('brings back the setting from before somebody tried others', async () => {
  useSettings.setState({ theme: 'light', check: false });
  changeSettings({ check: true });
  changeSettings({ theme: 'dark' });
  changeSettings({ theme: 'contrast' });
  await undoDeed();
  expect(useSettings.getState()).toMatchObject({ theme: 'light', check: true });
  await undoDeed();
  expect(useSettings.getState()).toMatchObject({ theme: 'light', check: false });
});
