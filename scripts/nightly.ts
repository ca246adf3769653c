/**
 * `npm run nightly`: what is too long for every change. Each step is a run of something that
 * exists, at its full size; a step that fails does not stop the later ones. What a step prints goes
 * to `.cache/nightly/STEP.log`, and one line a step to the screen.
 *
 *   npm run nightly                    every step, to its end
 *   npm run nightly -- gallery fuzz    the named ones
 *   npm run nightly -- --minutes 60    each step within an hour: lists begin elsewhere each day and
 *                                      end where the time does; the line says how far they came
 *   npm run nightly -- --scale 0.01    counts of the random ones, made smaller (or larger)
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shareOf } from './budget.ts';
import { ensureChromium, softwareAdapterEnvironment } from './chromium.ts';

const ROOT = join(import.meta.dirname, '..');
const LOGS = join(ROOT, '.cache', 'nightly');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: 'string', default: '1' }, minutes: { type: 'string' } },
});
const scale = Number(values.scale);
const budget = values.minutes === undefined ? Infinity : Number(values.minutes) * 60;
if (!(scale > 0 && budget > 0)) {
  console.error('--scale and --minutes are numbers above 0.');
  process.exit(2);
}
const many = (count: number): string => String(Math.max(1, Math.round(count * scale)));

interface Step {
  readonly name: string;
  readonly says: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Minutes after which it counts as hung. */
  readonly minutes: number;
  /** Its part of the time that --minutes gives. */
  readonly weight: number;
  /** It cannot stop halfway. */
  readonly whole?: true;
  /** Lines of its log that state its progress. */
  readonly account?: RegExp;
}

/** vitest's last line of counts: `Tests  70 passed | 4 skipped (74)`. */
const TESTS = /^\s*Tests\s+(.*)$/gm;
/** The last line of the fuzzers. */
const COUNTS = /^(\d+ (?:kernels|inputs), .*)$/gm;

const vitest = (project: string, file: string): readonly string[] => [
  join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  `--project=${project}`,
  file,
];
const script = (name: string, ...args: readonly string[]): readonly string[] => [
  join(ROOT, 'scripts', name),
  ...args,
];

const STEPS: readonly Step[] = [
  {
    name: 'runaways',
    says: 'every program that runs away, in the page: stopped, answered, and followed by another',
    command: vitest('e2e', 'e2e/runaways.test.ts'),
    env: { RUNAWAYS: 'all' },
    minutes: 30,
    weight: 1,
    account: TESTS,
  },
  {
    name: 'gallery',
    says: 'every program of the gallery, on the interpreter and on the software adapter',
    command: vitest('gpu', 'app/tutorials/gallery.gpu.test.ts'),
    env: { GALLERY: 'all' },
    minutes: 30,
    weight: 2,
    account: TESTS,
  },
  {
    name: 'mistakes',
    says: 'every mistake made in every program of the gallery is noticed',
    command: vitest('gpu', 'app/tutorials/mutations.gpu.test.ts'),
    env: { MUTATIONS: 'all' },
    minutes: 60,
    weight: 3,
    account: TESTS,
  },
  {
    name: 'cheats',
    says: 'every solution, start and wrong answer of the lessons, on the software adapter',
    command: vitest('gpu', 'app/tutorials/lessons.gpu.test.ts'),
    env: { LESSONS_ADAPTER: 'webgpu' },
    minutes: 60,
    weight: 3,
    account: TESTS,
  },
  {
    name: 'build',
    says: 'the page, for the steps that open it',
    command: [join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'],
    minutes: 10,
    weight: 0,
    whole: true,
  },
  {
    name: 'lessons',
    says: 'every lesson played in the page, and its wrong answers refused there',
    command: vitest('e2e', 'e2e/learn.test.ts'),
    env: { LESSONS_PAGE: 'all' },
    minutes: 90,
    weight: 4,
    account: TESTS,
  },
  {
    name: 'offline',
    says: 'every program of the gallery and every lesson with the network cut, and updates',
    command: vitest('e2e', 'e2e/offline.test.ts'),
    env: { OFFLINE: 'all' },
    minutes: 120,
    weight: 4,
    account: TESTS,
  },
  {
    name: 'soak',
    says: 'random programs and lessons in one page, which holds no more at the end',
    command: script('soak.ts', '--runs', many(2000)),
    minutes: 240,
    weight: 4,
    account: /^(\d+ runs in .*)$/gm,
  },
  {
    name: 'losses',
    says: 'the GPU lost at random calls of every phase, in one page that goes on',
    command: script('losses.ts', '--count', many(200)),
    minutes: 60,
    weight: 1,
    account: /^(\d+ losses in .*)$/gm,
  },
  {
    name: 'reproducible',
    says: 'two builds from two places, byte for byte',
    command: script('reproducible.ts'),
    minutes: 15,
    weight: 0,
    whole: true,
    account: /^(\d+ of \d+ files .*)$/gm,
  },
  {
    name: 'exports',
    says: 'every kernel of the gallery, exported and run in a page that has nothing else',
    command: vitest('e2e', 'e2e/exports.test.ts'),
    env: { EXPORTS: 'all' },
    minutes: 60,
    weight: 3,
    account: TESTS,
  },
  {
    name: 'links',
    says: 'links, thrown away letters and made-up contents',
    command: vitest('unit', 'app/share/codec.test.ts'),
    env: { LINKS_RUNS: many(200_000) },
    minutes: 30,
    weight: 1,
    account: TESTS,
  },
  {
    name: 'text',
    says: 'texts that are no programs, thrown at the compiler',
    command: script('fuzzText.ts', '--count', many(100_000)),
    minutes: 240,
    weight: 2,
    account: COUNTS,
  },
  {
    name: 'fuzz',
    says: 'random kernels, on the software adapter against the interpreter',
    command: script('fuzz.ts', '--count', many(10_000), '--keep-going'),
    minutes: 600,
    weight: 4,
    account: COUNTS,
  },
  {
    name: 'ring',
    says: 'random kernels in the ring, bit for bit, on the software adapter and the interpreter',
    command: script('fuzz.ts', '--ring', '--count', many(10_000), '--keep-going'),
    minutes: 600,
    weight: 3,
    account: COUNTS,
  },
  {
    name: 'engines',
    says: 'the gallery and the lessons in the ring, bit for bit, on both',
    command: vitest('gpu', 'app/prove/engines.gpu.test.ts'),
    env: { ENGINES: 'all' },
    minutes: 120,
    weight: 3,
    account: TESTS,
  },
];

const unknown = positionals.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  const known = STEPS.map((step) => step.name).join(', ');
  console.error(`Unknown step ${unknown.join(', ')}; there are ${known}.`);
  process.exit(2);
}
const steps = STEPS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const chromium = ensureChromium();
if (!chromium) process.exit(1);
const adapter = process.platform === 'linux' ? softwareAdapterEnvironment(chromium) : null;
const environment = {
  ...process.env,
  ...adapter,
  HIPPOCAMP_CHROMIUM: chromium.path,
  NO_COLOR: '1',
};

/** Ends the step that runs, with all that it started. */
let end = (): void => {};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // A terminal signals this process alone: a step has a group of its own.
  process.once(signal, () => {
    end();
    process.exit(1);
  });
}

/** Grace for a step whose time is up: a test, a shrinking. */
const GRACE = 6 * 60;

/**
 * @param seconds it may take; infinite without --minutes
 * @returns what went wrong, or null
 */
function play({ name, command, env, minutes }: Step, seconds: number): Promise<string | null> {
  const limit = Math.min(minutes * 60, seconds + GRACE);
  const log = createWriteStream(join(LOGS, `${name}.log`));
  // A group of its own, so that what it started can be ended with it.
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: {
      ...environment,
      ...env,
      ...(Number.isFinite(seconds) ? { NIGHTLY_SECONDS: seconds.toFixed(0) } : {}),
    },
    detached: true,
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  end = () => {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  };
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, limit * 1000);
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status) => {
      clearTimeout(timer);
      end = () => {};
      log.end(() => {
        if (late) resolve(`did not end in ${(limit / 60).toFixed(0)} minutes`);
        else resolve(status === 0 ? null : `exit status ${status}`);
      });
    });
  });
}

mkdirSync(LOGS, { recursive: true });
const began = performance.now();
const since = (start: number): number => (performance.now() - start) / 1000;
let failed = 0;
for (const [index, step] of steps.entries()) {
  const start = performance.now();
  const weights = steps.slice(index).map(({ weight }) => weight);
  const seconds = step.whole ? Infinity : shareOf(Math.max(0, budget - since(began)), weights);
  const wrong = await play(step, seconds);
  const said = readFileSync(join(LOGS, `${step.name}.log`), 'utf8').trimEnd();
  const counted = step.account ? [...said.matchAll(step.account)].at(-1)?.[1] : undefined;
  console.log(
    `${wrong ? 'FAILED' : 'ok    '} ${step.name.padEnd(8)} ${since(start).toFixed(0)} s  ${step.says}` +
      (counted ? `: ${counted}` : ''),
  );
  if (!wrong) continue;
  failed++;
  console.log(`  ${wrong}; the end of .cache/nightly/${step.name}.log:`);
  for (const line of said.split('\n').slice(-15)) console.log(`  | ${line}`);
}
console.log(
  `${steps.length - failed} of ${steps.length} steps passed in ${(since(began) / 60).toFixed(0)} minutes`,
);
process.exit(failed === 0 ? 0 : 1);
