/** Bundles `main.ts` (the compiler imports Python text and WebAssembly) and runs it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

const OUTPUT = join(import.meta.dirname, '../../.cache/typing.mjs');

await build({
  entryPoints: [join(import.meta.dirname, 'main.ts')],
  outfile: OUTPUT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  loader: { '.py': 'text', '.wasm': 'binary' },
  banner: {
    js:
      "import { createRequire as __createRequire } from 'node:module';" +
      'const require = __createRequire(import.meta.url); const __dirname = import.meta.dirname;' +
      'const __filename = import.meta.filename;',
  },
  logLevel: 'warning',
});
const run = spawnSync(process.execPath, [OUTPUT, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(run.status ?? 1);
