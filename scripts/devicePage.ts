/**
 * The page that measures a device, beside the site's own: `device.html`, and its script as one file
 * that shares nothing with the page's chunks. The service worker does not keep it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { build as bundle } from 'esbuild';
import type { Plugin } from 'vite';
import { compilerVersion } from '../app/cli/compilerVersion.mjs';

export const DEVICE_PAGE = 'device.html';
const SCRIPT = './device.js';

async function scriptOf(root: string, minify: boolean): Promise<Uint8Array> {
  const { outputFiles } = await bundle({
    entryPoints: [join(root, 'bench', 'devicePage.ts')],
    bundle: true,
    write: false,
    minify,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    define: compilerVersion(root),
    // The parser's library imports these in Node only.
    external: ['fs/promises', 'module'],
    loader: { '.py': 'text', '.wasm': 'binary' },
    logLevel: 'warning',
  });
  return outputFiles[0]!.contents;
}

/**
 * @param policy the Content-Security-Policy of the site's pages, given the page's text.
 * @param headers of every answer of the development server.
 */
export function devicePage(
  root: string,
  policy: (html: string) => string,
  headers: Readonly<Record<string, string>>,
): Plugin {
  const page = (): string => policy(readFileSync(join(root, DEVICE_PAGE), 'utf8'));
  return {
    name: 'hippocamp:device-page',
    configureServer(server) {
      const send = (response: ServerResponse, type: string, body: string | Uint8Array): void => {
        response.setHeader('Content-Type', type);
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
        response.end(body);
      };
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').split('?')[0]!;
        if (path.endsWith(`/${DEVICE_PAGE}`)) send(response, 'text/html', page());
        else if (path.endsWith('/device.js'))
          scriptOf(root, false).then((text) => send(response, 'text/javascript', text), next);
        else next();
      });
    },
    async generateBundle() {
      const source = await scriptOf(root, true);
      const digest = createHash('sha256').update(source).digest('base64url').slice(0, 8);
      const fileName = `assets/device-${digest}.js`;
      this.emitFile({ type: 'asset', fileName, source });
      const html = page().replace(SCRIPT, `./${fileName}`);
      this.emitFile({ type: 'asset', fileName: DEVICE_PAGE, source: html });
    },
  };
}
