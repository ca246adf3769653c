/**
 * `npm run conformance`: Triton's own tests, on ours. The tests are files beside the project; every
 * parametrized case runs in the Python of `hippocamp run`, through the same front end, compiler and
 * runtime, with our `pytest` and `numpy`.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf } from './suites';
import { runInductor, sourceTable } from './inductor';
import { parseOptions, sampled, USAGE, type Options } from './options';
import { collect, runCases, type PoolOptions } from './pool';
import type { Listed } from './protocol';
import { functionOf, summary, table, type CaseResult } from './report';
import { workerProcess } from './worker';

/** Files whose tests mean something on another machine than NVIDIA's. */
const PORTABLE = [
  'test_core.py',
  'test_standard.py',
  'test_random.py',
  'test_conversions.py',
  'test_block_pointer.py',
  'test_tensor_descriptor.py',
  'test_tuple.py',
  'test_annotations.py',
  'test_decorator.py',
  'test_libdevice.py',
  'test_compile_errors.py',
];

interface Planned {
  readonly file: string;
  readonly name: string;
  readonly interpreter: boolean;
}

function chosen(file: string, cases: readonly Listed[], options: Options): Planned[] {
  const groups = new Map<string, Listed[]>();
  for (const each of cases) {
    if (options.interpreterOnly && !each.interpreter) continue;
    if (options.words.length > 0 && !options.words.some((word) => each.name.includes(word)))
      continue;
    const key = functionOf(each.name);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap((group) =>
    sampled(group, options.sample).map((each) => ({ file, ...each })),
  );
}

async function runModules(folder: string, options: Options): Promise<number> {
  const results = await runInductor(folder, options);
  if (options.out) save(options.out, results);
  process.stdout.write(`${options.json ? json(results) : sourceTable(results)}\n`);
  return results.some(({ judged }) => judged.outcome === 'failed') ? 1 : 0;
}

async function run(options: Options, command: string): Promise<number> {
  const files =
    options.files.length > 0
      ? options.files
      : options.suite === 'triton'
        ? PORTABLE.filter((name) => existsSync(join(options.tests, name)))
        : filesOf(options.suite, options.tests);
  const pool: PoolOptions = { ...options, command };
  const results: CaseResult[] = [];
  const planned: Planned[] = [];
  for (const [file, found] of await collect(files, pool)) {
    if ('outcome' in found) {
      const judged = { ...found, outcome: 'failed' } as const;
      results.push({ file, name: '(import)', interpreter: false, judged });
    } else planned.push(...chosen(file, found, options));
  }
  const byKey = new Map(planned.map((each) => [`${each.file} ${each.name}`, each]));
  let done = 0;
  await runCases(planned, pool, ({ file, name }, judged) => {
    const interpreter = byKey.get(`${file} ${name}`)?.interpreter ?? false;
    results.push({ file, name, interpreter, judged });
    if (++done % 100 === 0) process.stderr.write(`${done} of ${planned.length}\n`);
    if (options.out && done % 25 === 0) save(options.out, results);
  });
  const order = new Map(planned.map((each, i) => [`${each.file} ${each.name}`, i]));
  const place = (each: CaseResult): number => order.get(`${each.file} ${each.name}`) ?? -1;
  results.sort((a, b) => place(a) - place(b));
  if (options.out) save(options.out, results);
  const text = options.suite === 'triton' ? table(results) : sourceTable(results, sourceOf);
  process.stdout.write(`${options.json ? json(results) : text}\n`);
  return results.some(({ judged }) => judged.outcome === 'failed') ? 1 : 0;
}

/** Kernels that compiled are one count of a journal, tests against torch another. */
const sourceOf = ({ file, name }: CaseResult): string =>
  name.startsWith('compare ') ? `${file} against torch` : file;

function json(results: readonly CaseResult[]): string {
  return JSON.stringify(summary(results), null, 1);
}

function save(file: string, results: readonly CaseResult[]): void {
  writeFileSync(file, `${json(results)}\n`);
}

const root = process.env['CONFORMANCE_ROOT'] ?? process.cwd();
if (process.argv[2] === '__worker__') await workerProcess(root);
else {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options?.inductor) process.exit(await runModules(options.inductor, options));
    else if (options) process.exitCode = await run(options, process.argv[1] ?? '');
    else process.stdout.write(`${USAGE}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    process.exitCode = 2;
  }
}
