import { beforeEach, expect, it } from 'vitest';
import { lastUndo, pushUndo, undoEntry, useUndoStack } from './undoStack';
import { changeSettings, useSettings } from './settings';

beforeEach(() => useUndoStack.setState({ entries: [] }));

it('goes back step by step, also where a way back is itself something done', async () => {
  const done: string[] = [];
  const entry = (text: string) => ({
    text,
    undo: async () => {
      await Promise.resolve();
      done.push(text);
      pushUndo(entry(`not ${text}`));
    },
  });
  pushUndo(entry('a'));
  pushUndo(entry('b'));
  await undoEntry();
  await undoEntry();
  await undoEntry();
  expect(done).toEqual(['b', 'a']);
});

it('loses no undo that is requested while another goes, nor one behind an undo that fails', async () => {
  const done: string[] = [];
  let arrive = (): void => undefined;
  const slow = new Promise<void>((resolve) => (arrive = resolve));
  pushUndo({ text: 'a', undo: () => void done.push('a') });
  pushUndo({ text: 'b', undo: () => Promise.reject(new Error('no way back')) });
  pushUndo({ text: 'c', undo: () => slow.then(() => void done.push('c')) });
  const asked = [undoEntry(), undoEntry(), undoEntry()];
  expect(lastUndo()).toBeNull();
  arrive();
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(done).toEqual(['c', 'a']);
  // A change made after that counts again.
  pushUndo({ text: 'd', undo: () => void done.push('d') });
  await undoEntry();
  expect(done).toEqual(['c', 'a', 'd']);
});

it('undoes one that is not the last, once', async () => {
  const done: string[] = [];
  const first = { text: 'a', undo: () => void done.push('a') };
  pushUndo(first);
  pushUndo({ text: 'b', undo: () => void done.push('b') });
  await undoEntry(first);
  await undoEntry();
  expect(done).toEqual(['a', 'b']);
  expect(lastUndo()).toBeNull();
});

it('brings back the setting from before somebody tried others', async () => {
  useSettings.setState({ theme: 'light', check: false });
  changeSettings({ check: true });
  changeSettings({ theme: 'dark' });
  changeSettings({ theme: 'contrast' });
  await undoEntry();
  expect(useSettings.getState()).toMatchObject({ theme: 'light', check: true });
  await undoEntry();
  expect(useSettings.getState()).toMatchObject({ theme: 'light', check: false });
});
