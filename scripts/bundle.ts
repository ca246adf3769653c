/**
 * Makes one file of a program of ours and what it imports, for Node: `.cache/NAME.mjs`. It needs
 * nothing but Node and Dawn (the package `webgpu`, or the native module that DAWN_NODE names), so
 * it can be taken to a bare machine with a GPU.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { compilerVersion } from '../app/cli/compilerVersion.mjs';

const ROOT = join(import.meta.dirname, '..');

/** `entry`: from the root; of a page, for browsers. Returns the path of the file. */
export async function bundle(
  entry: string,
  name: string,
  platform: 'node' | 'browser' = 'node',
): Promise<string> {
  const outfile = join(ROOT, '.cache', `${name}.mjs`);
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform,
    target: platform === 'node' ? 'node22' : 'chrome140',
    // The parser's library imports the others in Node only.
    external: [
      'webgpu',
      'pyodide',
      'playwright',
      'vite',
      ...(platform === 'browser' ? ['fs/promises', 'module'] : []),
    ],
    define: compilerVersion(ROOT),
    loader: { '.py': 'text', '.wasm': 'binary' },
    // Emscripten's output uses `require` and `__dirname` in Node.
    banner:
      platform === 'browser'
        ? {}
        : {
            js:
              "import { createRequire as __createRequire } from 'node:module';" +
              'const require = __createRequire(import.meta.url); const __dirname = import.meta.dirname;' +
              'const __filename = import.meta.filename;',
          },
    logLevel: 'warning',
  });
  return outfile;
}

/** Runs this Node on `args`, the file first, and ends as it ends. */
export function start(args: readonly string[]): never {
  const run = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exit(run.status ?? 1);
}
