/**
 * `npm run bench:gpt2`: tokens a second of a model of GPT-2's size with random weights, by our
 * kernels and by torch's eager operations (`bench/gpt2/decode.py`), with `hippocamp run`.
 *
 *   npm run bench:gpt2 -- --layers 2 --width 192 --heads 3 --words 5000 --tokens 20 --context 32
 *   npm run bench:gpt2 -- --bundle [FOLDER]     .cache/gpt2 by default
 *
 * The folder of `--bundle` holds all that a bare machine with a GPU and Node 25 or newer needs, but
 * for Dawn (`npm install webgpu` in it, or DAWN_NODE names the native module):
 *
 *   node FOLDER/app/cli/hippocamp.mjs run FOLDER/decode.py
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage } from '../scripts/package.ts';
import { start } from '../scripts/bundle.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(import.meta.dirname, 'gpt2');
const PROGRAM = 'decode.py';
/** Pyodide's files that a program needs. */
const OF_PYODIDE = /(package\.json|pyodide-lock\.json|\.mjs|\.wasm|\.zip)$/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bundle: { type: 'boolean', default: false },
    layers: { type: 'string', default: '12' },
    width: { type: 'string', default: '768' },
    heads: { type: 'string', default: '12' },
    positions: { type: 'string', default: '1024' },
    words: { type: 'string', default: '50257' },
    context: { type: 'string', default: '256' },
    tokens: { type: 'string', default: '200' },
    'first-tiles': { type: 'boolean', default: false },
    adapter: { type: 'string', default: 'webgpu' },
  },
});

/** The program with these sizes. */
function programText(): string {
  const { layers, width, heads, positions, words, context, tokens } = values;
  let text = readFileSync(join(FOLDER, PROGRAM), 'utf8');
  const put = (names: string, numbers: string): void => {
    const line = new RegExp(`^${names} = .*$`, 'm');
    if (!line.test(text)) throw new Error(`${PROGRAM} has no line ${names}`);
    text = text.replace(line, `${names} = ${numbers}`);
  };
  const sizes = [layers, width, heads, positions, words].join(', ');
  put('LAYERS, WIDTH, HEADS, POSITIONS, WORDS', sizes);
  put('CONTEXT, TOKENS', `${context}, ${tokens}`);
  // Nothing to choose from: a software adapter takes long to compile each.
  if (values['first-tiles']) {
    put('TILES', '[(4, 256, 4)]');
    put('ATTENTION_TILES', '[(64, 4)]');
    put('HEAD_TILES', '[(16, 256, 4)]');
  }
  return text;
}

if (values.bundle) {
  const out = resolve(positionals[0] ?? join(ROOT, '.cache', 'gpt2'));
  await buildPackage(out, false);
  writeFileSync(join(out, PROGRAM), programText());
  const pyodide = join(ROOT, 'node_modules', 'pyodide');
  const kept = (path: string): boolean => path === pyodide || OF_PYODIDE.test(path);
  cpSync(pyodide, join(out, 'node_modules', 'pyodide'), { recursive: true, filter: kept });
  console.log(out);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'gpt2-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const program = join(folder, PROGRAM);
  writeFileSync(program, programText());
  start([join(ROOT, 'app/cli/hippocamp.mjs'), 'run', program, '--adapter', values.adapter]);
}
