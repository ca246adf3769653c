/**
 * The page's build: a folder that works at any path of any static host. Everything is served from
 * our own origin, Pyodide's files too. Each file but a few of fixed names (`index.html`, `embed.js`,
 * the service worker) has a digest of its contents in its path, so that files of two builds are
 * never taken for each other.
 *
 * The first two headers isolate the page from other origins, which is what gives it SharedArrayBuffer:
 * without that the Stop button cannot interrupt Python and must replace its worker. The last two:
 * nothing is taken for a script that is not sent as one, and nobody is told where a visitor is.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { compilerVersion } from './app/cli/compilerVersion.mjs';
import { pythonApiText } from './app/cli/pythonApi.ts';
import { pythonSnapshot } from './app/cli/pythonSnapshot.ts';
import { devicePage } from './scripts/devicePage.ts';
import { NOTICES, noticesText } from './scripts/notices.ts';
import { SBOM, sbomText } from './scripts/sbom.ts';
import { serviceWorker } from './scripts/serviceWorker.ts';
import {
  PYODIDE_FILES,
  pyodideFolder,
  pythonSizes,
  siteFiles,
  SNAPSHOT,
  type SiteFile,
} from './scripts/siteFiles.ts';
import { workerChunks } from './scripts/workerChunks.ts';

const HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/**
 * Resources that the page itself may load: its own origin's files, no text as code. It may connect
 * to anywhere, because a visitor's Jupyter server may be anywhere; the workers that run programs
 * may not (`app/workers/confinedWorker.ts`). Monaco and the menus write styles into the page.
 */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self' data: blob: http: https: ws: wss:",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** A page with the policy as an element, so that it holds on hosts that send no headers. */
function withPolicy(html: string): string {
  const inline = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(
    ([, text = '']) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  const content = POLICY.map((each) =>
    each.startsWith('script-src') ? each + inline.join('') : each,
  ).join('; ');
  // Before anything that loads.
  return html.replace(
    /<meta charset[^>]*>/,
    (charset) =>
      `${charset}\n    <meta http-equiv="Content-Security-Policy" content="${content}" />`,
  );
}
function contentPolicy(): Plugin {
  return {
    name: 'hippocamp:content-policy',
    apply: 'build',
    transformIndexHtml: { order: 'post', handler: withPolicy },
  };
}

/**
 * `_headers`, which Netlify and Cloudflare Pages read: the page's headers, what other sites load
 * (`embed.js`), and files whose names change with their contents.
 */
function hostHeaders(): Plugin {
  const rules: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    '/*': HEADERS,
    '/embed.js': { 'Access-Control-Allow-Origin': '*' },
    '/assets/*': {
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'public, max-age=31536000, immutable',
    },
  };
  const text = Object.entries(rules).map(
    ([path, headers]) =>
      `${path}\n${Object.entries(headers)
        .map(([name, value]) => `  ${name}: ${value}\n`)
        .join('')}`,
  );
  return {
    name: 'hippocamp:host-headers',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '_headers', source: text.join('\n') });
    },
  };
}

/** What the page fetches by name: at plain paths in development, at content's own in the build. */
function filesByName(emitted: readonly SiteFile[]): Plugin {
  const root = import.meta.dirname;
  return {
    name: 'hippocamp:files-by-name',
    configureServer(server) {
      const send = (response: ServerResponse, type: string, body: Buffer): void => {
        response.setHeader('Content-Type', type);
        response.setHeader('Content-Length', body.length);
        for (const [header, value] of Object.entries(HEADERS)) response.setHeader(header, value);
        response.end(body);
      };
      // The full path, also under another base: what comes after `/pyodide/` decides.
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').split('?')[0]!;
        const name = /\/pyodide\/([\w.-]+)$/.exec(path)?.[1] ?? '';
        if (path.endsWith('/python-api.json'))
          pythonApiText(root).then(
            (text) => send(response, 'application/json', Buffer.from(text)),
            next,
          );
        else if (name === SNAPSHOT)
          pythonSnapshot(root).then(
            (bytes) => send(response, 'application/octet-stream', bytes),
            next,
          );
        else if (name in PYODIDE_FILES)
          send(
            response,
            PYODIDE_FILES[name as keyof typeof PYODIDE_FILES],
            readFileSync(join(pyodideFolder(root), name)),
          );
        else next();
      });
    },
    generateBundle() {
      for (const { fileName, source } of emitted)
        this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

const SIZES = 'virtual:python-sizes';
/** The module of `pythonSizes`. */
function sizesModule(): Plugin {
  return {
    name: 'hippocamp:python-sizes',
    resolveId: (id) => (id === SIZES ? id : null),
    load: async (id) =>
      id === SIZES
        ? `export default ${JSON.stringify(await pythonSizes(import.meta.dirname))}`
        : null,
  };
}

/**
 * The index from which the page fetches packages after a click: `HIPPOCAMP_INDEX`, an address or a
 * folder of the host (`./packages/`), else Pyodide's public index of this version.
 */
function packagesIndex(root: string): string {
  const given = process.env['HIPPOCAMP_INDEX'];
  if (given) return given.endsWith('/') ? given : `${given}/`;
  const { version } = JSON.parse(
    readFileSync(join(pyodideFolder(root), 'package.json'), 'utf8'),
  ) as { version: string };
  return `https://cdn.jsdelivr.net/pyodide/v${version}/full/`;
}

/** The licences and the list of what is shipped, beside it. */
function notices(): Plugin {
  return {
    name: 'hippocamp:notices',
    generateBundle() {
      const source = noticesText(import.meta.dirname);
      this.emitFile({ type: 'asset', fileName: NOTICES, source });
      this.emitFile({ type: 'asset', fileName: SBOM, source: sbomText(import.meta.dirname) });
    },
  };
}

/** web-tree-sitter's Emscripten output has an `eval` that only its debugging calls. */
const KNOWN = { checks: { eval: false } };

export default defineConfig(async ({ command, isPreview }): Promise<UserConfig> => {
  const building = command === 'build' && !isPreview;
  const { paths, files } = building
    ? await siteFiles(import.meta.dirname)
    : { paths: null, files: [] };
  return {
    // Addresses are relative to the page.
    base: './',
    plugins: [
      react(),
      workerChunks(),
      filesByName(files),
      sizesModule(),
      notices(),
      devicePage(import.meta.dirname, withPolicy, HEADERS),
      contentPolicy(),
      hostHeaders(),
      serviceWorker(import.meta.dirname, HEADERS),
    ],
    define: {
      ...compilerVersion(import.meta.dirname),
      HIPPOCAMP_INDEX: JSON.stringify(packagesIndex(import.meta.dirname)),
      ...(paths ? { HIPPOCAMP_FILES: JSON.stringify(paths) } : {}),
    },
    server: { headers: HEADERS, strictPort: false },
    preview: { headers: HEADERS, strictPort: false },
    resolve: {
      alias: [
        // Vim keys name Monaco's files by an older version's paths; its own build for browsers wants
        // globals.
        { find: /^monaco-editor\/esm\/vs\/(.*?)(?:\.js)?$/, replacement: 'monaco-editor/$1.js' },
        {
          find: /^monaco-vim$/,
          replacement: join(import.meta.dirname, 'node_modules/monaco-vim/dist/index.mjs'),
        },
      ],
    },
    // Pyodide finds its files relative to itself; pre-bundling would move it.
    optimizeDeps: { exclude: ['pyodide'] },
    build: {
      target: 'es2023',
      // `siteFiles` has them.
      copyPublicDir: false,
      manifest: true,
      rolldownOptions: {
        ...KNOWN,
        input: {
          main: join(import.meta.dirname, 'index.html'),
          // `<hippocamp-kernel>`, which other pages load by this name.
          embed: join(import.meta.dirname, 'app', 'share', 'element.ts'),
        },
        output: {
          entryFileNames: ({ name }) => (name === 'embed' ? 'embed.js' : 'assets/[name]-[hash].js'),
        },
      },
      // Monaco's editor is one chunk above the default limit, loaded after the page is there.
      chunkSizeWarningLimit: 5000,
    },
  };
});
