/**
 * `npm run bench`: bundles the benchmark into one file, `.cache/bench.mjs`, and runs it. The file needs
 * nothing but Node and Dawn (the package `webgpu`, or the native module that DAWN_NODE names), so it can
 * be taken to a bare machine with a GPU. `--bundle` only bundles.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT = join(ROOT, '.cache', 'bench.mjs');

await build({
  entryPoints: [join(import.meta.dirname, 'main.ts')],
  outfile: OUTPUT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  external: ['webgpu', 'playwright'],
  loader: { '.wgsl': 'text', '.py': 'text', '.wasm': 'binary' },
  // Emscripten's output asks for `require` and `__dirname` in Node.
  banner: {
    js:
      "import { createRequire as __createRequire } from 'node:module';" +
      'const require = __createRequire(import.meta.url); const __dirname = import.meta.dirname;' +
      'const __filename = import.meta.filename;',
  },
  logLevel: 'warning',
});

const args = process.argv.slice(2);
if (args.includes('--bundle')) {
  console.log(OUTPUT);
} else {
  const run = spawnSync(process.execPath, [OUTPUT, ...args], { stdio: 'inherit' });
  process.exit(run.status ?? 1);
}
