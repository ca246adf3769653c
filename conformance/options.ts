/** The command line of `npm run conformance`. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Suite } from './protocol';

export const USAGE = `Usage: npm run conformance -- --tests FOLDER [options]
       npm run conformance -- --inductor FOLDER [-k TEXT] [--sample N] [--adapter KIND] [--out FILE] [--json]
       npm run conformance -- --helion FOLDER [options]
       npm run conformance -- --kernels FOLDER [options]

Runs the test files of a checkout of Triton (python/test/unit/language) on this compiler and runtime; or modules
that PyTorch's Inductor wrote, against the NAME.json beside them where there is one; or the Triton that a checkout of
Helion keeps in its test journals; or compiles the kernels of packages, one folder each, at the specializations that
conformance/specialize.py found for them with Triton.

  --file NAME        only this file (may be repeated; default: all that are known to carry over)
  -k TEXT            only cases whose name contains TEXT (may be repeated: any of them)
  --interpreter-only only functions that Triton marks for its interpreter
  --adapter KIND     interpreter (the default) or webgpu
  --sample N         at most N cases of each function, evenly chosen
  --jobs N           processes (default: the machine's cores)
  --timeout SECONDS  for one case (default 60)
  --as WHAT          let is_cuda() or is_interpreter() be true: cuda (the tests of inline PTX want
                     it) or interpreter (smaller dots, no bf16); default: neither
  --out FILE         write counts and every failure as JSON
  --json             write that to standard output instead of the table`;

export interface Options {
  readonly suite: Suite;
  readonly tests: string;
  /** The folder of Inductor's modules: they run in place of tests. */
  readonly inductor: string | null;
  readonly files: readonly string[];
  readonly words: readonly string[];
  readonly interpreterOnly: boolean;
  readonly adapter: 'interpreter' | 'webgpu';
  readonly sample: number;
  readonly jobs: number;
  readonly timeout: number;
  readonly as: 'cuda' | 'interpreter' | null;
  readonly out: string | null;
  readonly json: boolean;
}

/** @throws with what is wrong; null where help is requested. */
export function parseOptions(args: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h' },
      tests: { type: 'string' },
      inductor: { type: 'string' },
      helion: { type: 'string' },
      kernels: { type: 'string' },
      file: { type: 'string', multiple: true },
      k: { type: 'string', short: 'k', multiple: true },
      'interpreter-only': { type: 'boolean' },
      adapter: { type: 'string' },
      sample: { type: 'string' },
      jobs: { type: 'string' },
      timeout: { type: 'string' },
      as: { type: 'string' },
      out: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  if (values.help) return null;
  const suites = (['tests', 'inductor', 'helion', 'kernels'] as const).filter((s) => values[s]);
  if (suites.length !== 1)
    throw new Error('one of --tests, --inductor, --helion and --kernels says where the tests are');
  const suite = values.helion ? 'helion' : values.kernels ? 'kernels' : 'triton';
  const adapter = values.adapter ?? 'interpreter';
  if (adapter !== 'interpreter' && adapter !== 'webgpu') {
    throw new Error(`--adapter is interpreter or webgpu, not ${adapter}`);
  }
  const { as } = values;
  if (as !== undefined && as !== 'cuda' && as !== 'interpreter') {
    throw new Error(`--as is cuda or interpreter, not ${as}`);
  }
  return {
    suite,
    tests: resolve(values.tests ?? values.helion ?? values.kernels ?? '.'),
    inductor: values.inductor ? resolve(values.inductor) : null,
    files: values.file ?? [],
    words: values.k ?? [],
    interpreterOnly: values['interpreter-only'] ?? false,
    adapter,
    sample: count('sample', values.sample, Infinity),
    jobs: count('jobs', values.jobs, availableParallelism()),
    timeout: count('timeout', values.timeout, 60),
    as: as ?? null,
    out: values.out ? resolve(values.out) : null,
    json: values.json ?? false,
  };
}

function count(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is a whole number above 0`);
  return value;
}

/** At most `n` of `all`, evenly spread. */
export function sampled<T>(all: readonly T[], n: number): readonly T[] {
  if (all.length <= n) return all;
  return Array.from({ length: n }, (_, i) => all[Math.floor((i * all.length) / n)] as T);
}
