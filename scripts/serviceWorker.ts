/**
 * Last step of the page's build: `serviceWorker.js`, with the list of the build's files and the
 * digest of each, and what the page itself says of them. The build's name, a digest of all, goes
 * into the page; scripts and styles that the page names get the digest that the browser holds them
 * against (subresource integrity).
 *
 * Left out of the list: what only hosts and tools read, what pages of others load, the page that
 * measures a device, and fonts in older formats than the browsers of the page read.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as bundle } from 'esbuild';
import type { Plugin } from 'vite';
import { BUILD_META, type Build, type KeptFile } from '../app/offline/protocol.ts';

export const SERVICE_WORKER = 'serviceWorker.js';
const LEFT_OUT = [
  /^_headers$/,
  /^\.vite\//,
  /^embed\.js$/,
  /^device\.html$/,
  /^assets\/device-/,
  /^serviceWorker\.js$/,
  /^sbom\.cdx\.json$/,
  /\/KaTeX_[^/]*\.(?:ttf|woff)$/,
  /\.(?:br|gz|map)$/,
];

const integrityOf = (content: Buffer | string): string =>
  `sha256-${createHash('sha256').update(content).digest('base64')}`;

/** The files of a folder by their paths within it, with `/`, in a fixed order. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

/** The page with the digests of the scripts and styles that it names. */
export function withIntegrity(html: string, digest: (path: string) => string): string {
  return html.replaceAll(
    /<(script|link)\b[^>]*?\b(?:src|href)="\.\/([^"]+\.(?:js|css))"[^>]*?(?=\s*\/?>)/g,
    (tag, _name, path: string) => `${tag} integrity="${digest(path)}"`,
  );
}

/** @param folder of the build, which is complete but for this. */
export async function writeServiceWorker(
  folder: string,
  root: string,
  headers: Build['headers'],
): Promise<void> {
  const digest = (path: string): string => integrityOf(readFileSync(join(folder, path)));
  const page = join(folder, 'index.html');
  const html = withIntegrity(readFileSync(page, 'utf8'), digest);
  const rest = filesIn(folder)
    .filter((path) => path !== 'index.html' && !LEFT_OUT.some((each) => each.test(path)))
    .map((path): KeptFile => {
      const content = readFileSync(join(folder, path));
      return { path, integrity: integrityOf(content), bytes: content.length };
    });
  const script = await scriptOf(root);
  const id = createHash('sha256')
    .update(JSON.stringify([script, html, rest, headers]))
    .digest('hex')
    .slice(0, 16);
  const said = html.replace(
    '</title>',
    `</title>\n    <meta name="${BUILD_META}" content="${id}" />`,
  );
  writeFileSync(page, said);
  const first: KeptFile = {
    path: '',
    integrity: integrityOf(said),
    bytes: Buffer.byteLength(said),
  };
  const build: Build = { id, files: [first, ...rest], headers };
  writeFileSync(
    join(folder, SERVICE_WORKER),
    `const HIPPOCAMP_BUILD=${JSON.stringify(build)};\n${script}`,
  );
}

/** One classic script: not every browser takes modules as service workers. */
async function scriptOf(root: string): Promise<string> {
  const { outputFiles } = await bundle({
    entryPoints: [join(root, 'app', 'offline', 'serviceWorker.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]!.text;
}

export function serviceWorker(root: string, headers: Build['headers']): Plugin {
  return {
    name: 'hippocamp:service-worker',
    apply: 'build',
    writeBundle: {
      // When every other file is there.
      order: 'post',
      sequential: true,
      async handler({ dir }) {
        if (dir) await writeServiceWorker(dir, root, headers);
      },
    },
  };
}
