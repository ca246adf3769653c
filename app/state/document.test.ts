/** Examples that cannot be loaded. */
import { afterEach, expect, it, vi } from 'vitest';
import { useNotices } from '../programs/notices';
import { open, useDocument } from './document';

afterEach(() => vi.unstubAllGlobals());

it('says that an example could not be opened, where another program is in view', async () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 404 }));
  await open('gone.py');
  expect(useDocument.getState().failure).toContain('gone.py could not be loaded (HTTP 404)');
  // The editor has nothing else to show, and shows it.
  expect(useNotices.getState().notice).toBeNull();

  useDocument.setState({ entry: 'mine.py', files: { 'mine.py': 'x = 1' } });
  await open('gone.py');
  expect(useNotices.getState().notice?.text).toContain('gone.py could not be opened');
  expect(useDocument.getState().files).toEqual({ 'mine.py': 'x = 1' });
});
