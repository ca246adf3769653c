/** Bundles the runner, as `hippocamp` is bundled, and starts it under the Node that has JSPI. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { raw } from '../app/cli/raw.mjs';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'node_modules', '.cache', 'hippocamp');

mkdirSync(FOLDER, { recursive: true });
// Runs may go on beside each other while files change: each has a bundle of its own.
const outfile = join(FOLDER, `conformance.${process.pid}.mjs`);
await build({
  entryPoints: [join(import.meta.dirname, 'main.ts')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node25',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'error',
  absWorkingDir: ROOT,
  plugins: [raw],
});
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, CONFORMANCE_ROOT: ROOT, HIPPOCAMP_ROOT: ROOT },
});
rmSync(outfile, { force: true });
process.exit(status ?? 1);
