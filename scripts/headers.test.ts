/** Headers of what `npm start` serves, over a build that is a stand-in. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { preview } from 'vite';

const ROOT = join(import.meta.dirname, '..');

it('sends the headers that isolate the page, and those that keep it to itself', async () => {
  const outDir = mkdtempSync(join(tmpdir(), 'hippocamp-headers-'));
  mkdirSync(join(outDir, 'assets'));
  writeFileSync(join(outDir, 'index.html'), '<!doctype html>');
  writeFileSync(join(outDir, 'assets', 'worker.js'), '');
  const server = await preview({
    root: ROOT,
    configFile: join(ROOT, 'vite.config.ts'),
    build: { outDir },
    preview: { port: 0, open: false },
  });
  try {
    const base = server.resolvedUrls?.local[0];
    for (const [path, type] of [
      ['', 'text/html'],
      ['assets/worker.js', 'text/javascript'],
    ]) {
      const { headers, status } = await fetch(`${base}${path}`);
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get('content-type')).toContain(type);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    }
  } finally {
    await server.close();
    rmSync(outDir, { recursive: true });
  }
});

it('keeps addresses to itself on every host', () => {
  expect(readFileSync(join(ROOT, 'index.html'), 'utf8')).toContain(
    '<meta name="referrer" content="no-referrer" />',
  );
});
