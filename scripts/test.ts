/**
 * `npm test`: every check and every test, the fast ones first, and one line at the end that counts
 * them: `N passed, N failed`. Type check, lint, formatting and the build count as one test each.
 *
 * The checks run beside each other. A step that fails does not stop the later ones. A step that
 * does not end within its limit fails with the names of the tests that ran. `npm test -- unit gpu`
 * runs the named steps alone, `npm test -- e2e --shard 1/4` a quarter of the files.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureChromium, softwareAdapterEnvironment } from './chromium.ts';
import { COUNT_FILE, type TestCount } from './countReporter.ts';

const ROOT = join(import.meta.dirname, '..');
const REPORTS = join(ROOT, '.cache', 'test-reports');
const CHECKS = {
  types: ['typescript/bin/tsc', '-p', '.'],
  lint: ['oxlint/bin/oxlint', '--deny-warnings'],
  format: ['prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
  build: ['vite/bin/vite.js', 'build', '--logLevel', 'warn'],
} as const;
/** Groups of tests: projects of `vitest.config.ts`. */
const PROJECTS = ['unit', 'gpu', 'e2e'] as const;
type Step = keyof typeof CHECKS | (typeof PROJECTS)[number];
const ORDER: readonly Step[] = ['types', 'lint', 'format', 'build', 'unit', 'gpu', 'e2e'];

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}
const environment: Record<string, string | undefined> = { ...process.env, NO_COLOR: '1' };

/** Minutes that a group of tests may take: twice what it takes on two cores or more. */
const LIMITS: Readonly<Record<(typeof PROJECTS)[number], number>> = { unit: 25, gpu: 40, e2e: 85 };
/**
 * Failures after which a group ends: where the page does not start, each test waits for minutes.
 */
const BAIL = 12;
/** Test files of a group that are listed with their seconds. */
const SLOWEST = 12;
/** Milliseconds that vitest gets to exit after the last file. */
const EXIT_PATIENCE = 120_000;

/** Runs beside the other checks, which take a core each; what it says comes when it is over. */
async function check(step: keyof typeof CHECKS): Promise<Count> {
  const [file = '', ...rest] = CHECKS[step];
  const run = spawn(process.execPath, [join(ROOT, 'node_modules', file), ...rest], {
    cwd: ROOT,
    env: environment,
  });
  let said = '';
  for (const stream of [run.stdout, run.stderr])
    stream.on('data', (data: Buffer) => (said += data.toString()));
  const status = await new Promise<number | null>((resolve) => run.on('close', resolve));
  console.log(`\n── ${step} ──\n${said}`);
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
}

/**
 * Runs a group. What does not end in time is killed, and counts as a failure unless all files have
 * ended.
 */
async function vitest(project: (typeof PROJECTS)[number]): Promise<Count> {
  const file = join(REPORTS, `${project}.json`);
  rmSync(file, { force: true });
  const args = [
    join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    // `e2e` and `e2e-alone`.
    `--project=${project}*`,
    '--passWithNoTests',
    `--bail=${BAIL}`,
    ...(shard === null ? [] : [`--shard=${shard}`]),
    '--reporter=dot',
    `--reporter=${join(ROOT, 'scripts', 'countReporter.ts')}`,
  ];
  const run = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...environment, [COUNT_FILE]: file },
    // A group of its own, so that the limit ends its workers, too.
    detached: process.platform !== 'win32',
  });
  const end = (): unknown =>
    process.platform === 'win32' ? run.kill('SIGKILL') : process.kill(-run.pid!, 'SIGKILL');
  const interrupted = (): void => {
    end();
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  const counted = (): TestCount | null =>
    existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TestCount) : null;
  const started = performance.now();
  let whole = Infinity;
  const watch = setInterval(() => {
    const now = performance.now();
    const count = counted();
    if (count?.open === 0) whole = Math.min(whole, now);
    if (now - whole > EXIT_PATIENCE) {
      console.error(`\n${project}: all test files ended, vitest did not. Its results count.`);
      end();
    } else if (now - started > LIMITS[project] * 60_000) {
      console.error(`\n${project} did not end within ${LIMITS[project]} minutes. These ran:`);
      console.error(count?.running.join('\n') ?? 'none');
      end();
    }
  }, 2000);
  const status = await new Promise<number | null>((resolve) => run.on('exit', resolve));
  clearInterval(watch);
  process.off('SIGINT', interrupted);
  const count = counted();
  if (!count) return { passed: 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  const { passed, skipped, open } = count;
  const slowest = Object.entries(count.seconds)
    .sort(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([name, seconds]) => `  ${seconds.toFixed(1).padStart(7)} s  ${name}`);
  console.log(`\nThe slowest files of ${project}:\n${slowest.join('\n')}`);
  // An error outside of any test (a crashed worker, say) must not read as success.
  const unsaid = status !== 0 && (open > 0 || status !== null) ? 1 : 0;
  return { passed, failed: Math.max(count.failed, unsaid), skipped };
}

function isProject(step: Step): step is (typeof PROJECTS)[number] {
  return (PROJECTS as readonly string[]).includes(step);
}

/** Browser and software adapter, before the first test that may want one. */
function prepare(): Count {
  const count: Count = { passed: 0, failed: 0, skipped: 0 };
  const chromium = ensureChromium();
  if (!chromium) return { ...count, failed: 1 };
  console.log(`Chromium: ${chromium.path} (${chromium.version}, from ${chromium.origin})`);
  environment['HIPPOCAMP_CHROMIUM'] = chromium.path;
  if (process.platform !== 'linux') return count;
  const adapter = softwareAdapterEnvironment(chromium);
  if (adapter) {
    Object.assign(environment, adapter);
    console.log(`GPU tests: SwiftShader, ${adapter['VK_ICD_FILENAMES']}`);
    return count;
  }
  if (environment['VK_ICD_FILENAMES']) return count;
  console.error(
    '\n!!! THE GPU TESTS CANNOT RUN: this Chromium has no SwiftShader beside it. Counted as a failure.\n',
  );
  return { ...count, failed: 1 };
}

const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { shard: { type: 'string' } },
});
const shard = values.shard ?? null;
const unknown = asked.filter((name) => !(ORDER as readonly string[]).includes(name));
if (unknown.length > 0) {
  console.error(`Unknown step ${unknown.join(', ')}; there are ${ORDER.join(', ')}.`);
  process.exit(2);
}
const steps = ORDER.filter((step) => asked.length === 0 || asked.includes(step));
mkdirSync(REPORTS, { recursive: true });

const total: Count = { passed: 0, failed: 0, skipped: 0 };
const summary: string[] = [];
function add(name: string, count: Count, seconds: number): void {
  total.passed += count.passed;
  total.failed += count.failed;
  total.skipped += count.skipped;
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  summary.push(
    `  ${name.padEnd(8)} ${count.passed} passed, ${count.failed} failed${skipped}` +
      ` in ${seconds.toFixed(1)} s`,
  );
}

console.log(`Node ${process.versions.node}, ${process.platform} ${process.arch}`);
if (steps.some(isProject)) {
  const count = prepare();
  if (count.failed > 0) add('prepare', count, 0);
}
/** Outcome, and its seconds. */
async function timed(run: () => Count | Promise<Count>): Promise<[Count, number]> {
  const start = performance.now();
  const count = await run();
  return [count, (performance.now() - start) / 1000];
}
const checks = steps.filter((step) => !isProject(step));
const checked = await Promise.all(checks.map((step) => timed(() => check(step))));
checks.forEach((step, i) => add(step, ...checked[i]!));
for (const step of steps.filter(isProject)) {
  console.log(`\n── ${step} ──`);
  add(step, ...(await timed(() => vitest(step))));
}

console.log(`\n${summary.join('\n')}`);
if (total.skipped > 0) console.log(`${total.skipped} skipped`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
