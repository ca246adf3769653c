/** Builds for tests of updates: a second one, made of the first as a change of the page does. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Build } from '../app/offline/protocol';
import { BUILD_META } from '../app/offline/protocol';
import { filesIn, writeServiceWorker } from '../scripts/serviceWorker';
import { DIST } from './host';

const ROOT = resolve(import.meta.dirname, '..');

export function buildIn(folder: string): Build {
  const [first = ''] = readFileSync(join(folder, 'serviceWorker.js'), 'utf8').split('\n');
  return JSON.parse(first.slice(first.indexOf('{'), -1)) as Build;
}

/**
 * A build in which every chunk of the page has another name, as after a change of what all import,
 * and the page another title. Styles, fonts, WebAssembly and Python stay as they were.
 */
export async function laterBuild(title: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hippocamp-build-'));
  cpSync(DIST, folder, { recursive: true });
  const chunks = readdirSync(join(folder, 'assets')).filter((name) =>
    /^[\w-]+-[\w-]{8}\.js$/.test(name),
  );
  const digest = Buffer.from(title).toString('hex').slice(0, 8).padEnd(8, '0');
  const renamed = new Map(
    chunks.map((name, i) => [
      name,
      name.replace(/.{8}\.js$/, `${digest.slice(0, 5)}${100 + i}.js`),
    ]),
  );
  for (const path of filesIn(folder).filter((each) => /\.(js|html|css)$/.test(each))) {
    let text = readFileSync(join(folder, path), 'utf8');
    for (const [old, name] of renamed) text = text.replaceAll(old, name);
    if (path === 'index.html')
      text = text
        .replace(/<title>.*?<\/title>/, `<title>${title}</title>`)
        .replace(new RegExp(`\\s*<meta name="${BUILD_META}"[^>]*>`), '')
        .replaceAll(/ integrity="[^"]*"/g, '');
    writeFileSync(join(folder, path), text);
  }
  for (const [old, name] of renamed)
    renameSync(join(folder, 'assets', old), join(folder, 'assets', name));
  await writeServiceWorker(folder, ROOT, buildIn(DIST).headers);
  return folder;
}
