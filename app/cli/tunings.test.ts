import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileTunings } from './tunings';

test('keeps texts by key, and says nothing where nothing can be kept', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'hippocamp-')), 'tunings');
  const store = fileTunings(folder);
  expect(await store.get('a1')).toBe('');
  store.set('a1', '{"x":1}');
  store.set('a1', '{"x":2}');
  expect(await fileTunings(folder).get('a1')).toBe('{"x":2}');
  expect(readdirSync(folder)).toEqual(['a1.json']);
  store.set('b2', '{}');
  store.set('b2', '');
  store.set('never', '');
  expect(readdirSync(folder)).toEqual(['a1.json']);
  expect(() => store.set('../escape', 'x')).not.toThrow();
  expect(await store.get('../escape')).toBe('');
  // A file stands where the folder should.
  const nowhere = fileTunings(join(folder, 'a1.json', 'tunings'));
  nowhere.set('a1', 'x');
  expect(await nowhere.get('a1')).toBe('');
});
