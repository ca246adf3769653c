/**
 * `npm run mutants`: see `app/prove/testing/runMutants.ts`.
 *
 *   npm run mutants -- --bundle [FOLDER]     .cache/mutants by default
 *
 * The folder of `--bundle` holds all that a bare machine with Node 25 or newer needs, for these
 * runs, for the kernels of `kernels.test.ts` and for `proveAll.ts`; all begin in it:
 *
 *   node mutants.mjs --count 500 --seed 4 --jobs 16 --seconds 560 --out mutants.jsonl
 *   node kernels.mjs --jobs 16
 *   node proveAll.ts --jobs 16 --seconds 560 --out proofs.jsonl
 */
import { cpSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle, start } from './bundle.ts';
import { buildPackage } from './package.ts';

const ROOT = join(import.meta.dirname, '..');
/** Files of packages that these runs read. */
const READ: Readonly<Record<string, RegExp>> = {
  pyodide: /(package\.json|pyodide-lock\.json|\.mjs|\.wasm|\.zip)$/,
  'web-tree-sitter': /node_modules\/web-tree-sitter\/(package\.json|web-tree-sitter\.wasm)$/,
  'tree-sitter-python': /(package\.json|tree-sitter-python\.wasm)$/,
};

async function bundleAll(file: string, out: string): Promise<void> {
  await buildPackage(out, false);
  const copy = (folder: string, wanted: RegExp): void =>
    cpSync(join(ROOT, folder), join(out, folder), {
      recursive: true,
      filter: (path) => statSync(path).isDirectory() || wanted.test(path),
    });
  for (const [name, wanted] of Object.entries(READ)) copy(join('node_modules', name), wanted);
  copy('app/tutorials/lessons', /solution\.py$/);
  copy('public/examples', /\.safetensors$/);
  copy('app/prove/kernels', /\.(py|json)$/);
  cpSync(file, join(out, 'mutants.mjs'));
  cpSync(await bundle('app/prove/testing/runKernels.ts', 'kernels'), join(out, 'kernels.mjs'));
  cpSync(join(import.meta.dirname, 'proveAll.ts'), join(out, 'proveAll.ts'));
  console.log(out);
}

const args = process.argv.slice(2);
const file = await bundle('app/prove/testing/runMutants.ts', 'mutants');
if (args[0] === '--bundle') await bundleAll(file, resolve(args[1] ?? join(ROOT, '.cache/mutants')));
else start(['--enable-source-maps', file, ...args]);
