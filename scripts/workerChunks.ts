/**
 * Builds workers as entries of the page's own build, so that what the page and its workers import
 * is in chunks that they share: the compiler is in the build once, not once for each worker.
 *
 * Covers `new Worker(new URL('./x.ts', import.meta.url)` and `import url from './x.ts?worker&url'`,
 * which the development server resolves by itself.
 */
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const CREATED = /\bnew URL\(\s*'(\.[^']+Worker\.ts)',\s*import\.meta\.url\s*\)/g;
const IMPORTED = /\?worker&url$/;

export function workerChunks(): Plugin {
  return {
    name: 'hippocamp:worker-chunks',
    apply: 'build',
    enforce: 'pre',
    resolveId(id, importer) {
      // Before Vite's own plugin, which would build the worker apart.
      if (!IMPORTED.test(id) || !importer) return null;
      return `\0worker:${join(dirname(importer), id.replace(IMPORTED, ''))}`;
    },
    load(id) {
      if (!id.startsWith('\0worker:')) return null;
      const file = this.emitFile(chunk(id.slice('\0worker:'.length)));
      return `export default import.meta.ROLLUP_FILE_URL_${file};`;
    },
    transform(code, id) {
      const changed = code.replace(CREATED, (_, path: string) => {
        const file = this.emitFile(chunk(join(dirname(id), path)));
        return `new URL(import.meta.ROLLUP_FILE_URL_${file}, import.meta.url)`;
      });
      return changed === code ? null : changed;
    },
  };
}

function chunk(id: string): { type: 'chunk'; id: string; name: string } {
  return { type: 'chunk', id, name: basename(id, '.ts') };
}
