/**
 * Set up for every end-to-end file: after a test that failed, a screenshot of each page that it had
 * open, in `.cache/test-reports/screenshots`.
 */
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { openPages } from './page';

const FOLDER = join(import.meta.dirname, '..', '.cache', 'test-reports', 'screenshots');

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  const file = task.file.name.replaceAll('/', '-').replace('.test.ts', '');
  const name = `${file} ${task.name}`.replaceAll(/[^\w-]+/g, '_').slice(0, 100);
  const shots = openPages().map((page, i) =>
    // A page that has crashed or hangs has no picture.
    page.screenshot({ path: join(FOLDER, `${name}-${i}.png`), timeout: 5000 }).catch(() => {}),
  );
  await Promise.all(shots);
});
