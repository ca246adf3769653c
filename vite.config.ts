/**
 * The page's build. Everything is served from our own origin: Pyodide's files too, which
 * `pyodide()` puts at `/pyodide/` in development and into the build.
 *
 * The first two headers isolate the page from other origins, which is what gives it SharedArrayBuffer:
 * without that the Stop button cannot interrupt Python and must replace its worker. The last two:
 * nothing is taken for a script that is not sent as one, and nobody is told where a visitor is.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compilerVersion } from './app/cli/compilerVersion.mjs';
import { pythonApiText } from './app/cli/pythonApi.ts';
import { pythonSnapshot } from './app/cli/pythonSnapshot.ts';
import type { FileSize } from './app/workers/downloads.ts';
import { NOTICES, noticesText } from './scripts/notices.ts';
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

/** The policy as an element of the page, so that it holds on hosts that send no headers. */
function contentPolicy(): Plugin {
  return {
    name: 'hippocamp:content-policy',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
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
      },
    },
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
      if (this.environment.name === 'client')
        this.emitFile({ type: 'asset', fileName: '_headers', source: text.join('\n') });
    },
  };
}

/** What Pyodide loads by name at run time, so that no bundler sees it. */
const PYODIDE_FILES = {
  'pyodide.asm.mjs': 'text/javascript',
  'pyodide.asm.wasm': 'application/wasm',
  'python_stdlib.zip': 'application/zip',
  'pyodide-lock.json': 'application/json',
} as const;
/** Python's memory after its start, gzipped; the page does without where there is none. */
const SNAPSHOT = 'python-snapshot.gz';

function pyodide(): Plugin {
  const folder = join(import.meta.dirname, 'node_modules', 'pyodide');
  return {
    name: 'hippocamp:pyodide',
    configureServer(server) {
      // The full path, also under another base: what comes after `/pyodide/` decides.
      server.middlewares.use((request, response, next) => {
        const name = /\/pyodide\/([\w.-]+)(?:\?.*)?$/.exec(request.url ?? '')?.[1] ?? '';
        if (name === SNAPSHOT) {
          pythonSnapshot(import.meta.dirname).then((bytes) => {
            response.setHeader('Content-Type', 'application/octet-stream');
            response.setHeader('Content-Length', bytes.length);
            for (const [header, value] of Object.entries(HEADERS))
              response.setHeader(header, value);
            response.end(bytes);
          }, next);
          return;
        }
        if (!(name in PYODIDE_FILES)) return next();
        const file = join(folder, name);
        response.setHeader('Content-Type', PYODIDE_FILES[name as keyof typeof PYODIDE_FILES]);
        response.setHeader('Content-Length', statSync(file).size);
        for (const [header, value] of Object.entries(HEADERS)) response.setHeader(header, value);
        createReadStream(file).pipe(response);
      });
    },
    async generateBundle() {
      // The workers are builds of their own; only the page's build carries the files.
      if (this.environment.name !== 'client') return;
      for (const name of Object.keys(PYODIDE_FILES)) {
        this.emitFile({
          type: 'asset',
          fileName: `pyodide/${name}`,
          source: readFileSync(join(folder, name)),
        });
      }
      this.emitFile({
        type: 'asset',
        fileName: `pyodide/${SNAPSHOT}`,
        source: await pythonSnapshot(import.meta.dirname),
      });
    },
  };
}

const SIZES = 'virtual:python-sizes';
/**
 * The module with the bytes of what Python's start fetches, so that its progress has a total from
 * the start.
 */
function pythonSizes(): Plugin {
  return {
    name: 'hippocamp:python-sizes',
    resolveId: (id) => (id === SIZES ? id : null),
    async load(id) {
      if (id !== SIZES) return null;
      const folder = join(import.meta.dirname, 'node_modules', 'pyodide');
      const sizes: Record<string, FileSize> = {};
      for (const name of Object.keys(PYODIDE_FILES)) {
        // Imported as a module, where nobody can count.
        if (name.endsWith('.mjs')) continue;
        const stored = statSync(join(folder, name)).size;
        sizes[name] = { stored, unpacked: stored };
      }
      const snapshot = await pythonSnapshot(import.meta.dirname);
      // gzip ends with the unpacked size.
      const unpacked = snapshot.readUInt32LE(snapshot.length - 4);
      sizes[SNAPSHOT] = { stored: snapshot.length, unpacked };
      return `export default ${JSON.stringify(sizes)}`;
    },
  };
}

/**
 * Names of the Python packages, for the editor: `/python-api.json`, read from the packages
 * themselves.
 */
function pythonApi(): Plugin {
  const fileName = 'python-api.json';
  return {
    name: 'hippocamp:python-api',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if (!(request.url ?? '').split('?')[0]!.endsWith(`/${fileName}`)) return next();
        pythonApiText(import.meta.dirname).then((text) => {
          response.setHeader('Content-Type', 'application/json');
          for (const [header, value] of Object.entries(HEADERS)) response.setHeader(header, value);
          response.end(text);
        }, next);
      });
    },
    async generateBundle() {
      if (this.environment.name !== 'client') return;
      this.emitFile({
        type: 'asset',
        fileName,
        source: await pythonApiText(import.meta.dirname),
      });
    },
  };
}

/** The licences of what is shipped, beside it. */
function notices(): Plugin {
  return {
    name: 'hippocamp:notices',
    generateBundle() {
      if (this.environment.name !== 'client') return;
      const source = noticesText(import.meta.dirname);
      this.emitFile({ type: 'asset', fileName: NOTICES, source });
    },
  };
}

/** web-tree-sitter's Emscripten output has an `eval` that only its debugging calls. */
const KNOWN = { checks: { eval: false } };

export default defineConfig({
  plugins: [
    react(),
    workerChunks(),
    pyodide(),
    pythonSizes(),
    pythonApi(),
    notices(),
    contentPolicy(),
    hostHeaders(),
  ],
  define: compilerVersion(import.meta.dirname),
  worker: { format: 'es' },
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
});
