/**
 * Proofs of all programs of the gallery and of all solutions of lessons, on the interpreter: all of
 * them are right, so a finding that fails is a false accusation. Node alone runs this file, from
 * the root or from the folder of `npm run mutants -- --bundle`.
 *
 *   node scripts/proveAll.ts [--jobs N] [--timeout S] [--seconds S] [--only PART,PART] [--out FILE]
 *
 * `--timeout` is that of each run of a program; a program gets four times that. `--out` gets a line
 * of JSON for each program as its proof ends. Exit code 1 where a program is accused.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = process.cwd();
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1' },
    timeout: { type: 'string', default: '120' },
    seconds: { type: 'string', default: '1000000' },
    only: { type: 'string' },
    out: { type: 'string' },
  },
});

/** Parts of a report that are looked at (`app/prove/report.ts`). */
interface Report {
  readonly sections: readonly {
    readonly check: string;
    readonly findings: readonly {
      readonly verdict: 'holds' | 'fails' | 'inapplicable';
      readonly message: string;
      readonly location: { readonly line: number } | null;
    }[];
  }[];
  readonly errors: readonly { readonly message: string }[];
}

interface Line {
  readonly program: string;
  /** `unfinished`: an error or the time ended it. */
  readonly outcome: 'right' | 'accused' | 'undecided' | 'unfinished';
  readonly holds: number;
  readonly inapplicable: number;
  readonly fails: readonly string[];
  readonly errors: readonly string[];
  readonly seconds: number;
}

function programs(): string[] {
  const lessons = 'app/tutorials/lessons';
  const all = [
    ...readdirSync(join(ROOT, 'public/examples'))
      .filter((name) => name.endsWith('.py'))
      .map((name) => `public/examples/${name}`),
    ...readdirSync(join(ROOT, lessons))
      .filter((name) => /^[cp]?\d\d-/.test(name))
      .map((name) => `${lessons}/${name}/solution.py`),
  ];
  const only = values.only?.split(',');
  const wanted = all.filter((path) => !only || only.some((part) => path.includes(part)));
  // Those that take longest begin first: models, then the gallery.
  const rank = (path: string): number =>
    /small_/.test(path) ? 0 : path.startsWith('public') ? 1 : 2;
  return wanted.toSorted((a, b) => rank(a) - rank(b));
}

function prove(program: string, limit: number): Promise<Line> {
  const start = performance.now();
  const command = join(ROOT, 'app/cli/hippocamp.mjs');
  const options = ['--adapter', 'interpreter', '--json', '--timeout', values.timeout];
  const child = spawn(process.execPath, [command, 'prove', program, ...options]);
  let output = '';
  let error = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (error += data.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), limit);
  return new Promise((resolve) =>
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve(lineOf(program, output, signal ?? error, (performance.now() - start) / 1000));
    }),
  );
}

function lineOf(program: string, output: string, error: string, elapsed: number): Line {
  const seconds = Number(elapsed.toFixed(1));
  let report: Report;
  try {
    report = JSON.parse(output) as Report;
  } catch {
    const errors = [error.trim().slice(-2000)];
    return {
      program,
      outcome: 'unfinished',
      holds: 0,
      inapplicable: 0,
      fails: [],
      errors,
      seconds,
    };
  }
  const findings = report.sections.flatMap(({ check, findings: each }) =>
    each.map((finding) => ({ check, ...finding })),
  );
  const of = (verdict: string): typeof findings =>
    findings.filter((finding) => finding.verdict === verdict);
  const fails = of('fails').map(
    ({ check, message, location }) => `${check}, line ${location?.line ?? '?'}: ${message}`,
  );
  const errors = report.errors.map(({ message }) => message);
  const holds = of('holds').length;
  const inapplicable = of('inapplicable').length;
  let outcome: Line['outcome'] = holds > 0 ? 'right' : 'undecided';
  if (errors.length > 0 || report.sections.length === 0) outcome = 'unfinished';
  if (fails.length > 0) outcome = 'accused';
  return { program, outcome, holds, inapplicable, fails, errors, seconds };
}

const queue = programs();
const planned = queue.length;
const begin = performance.now();
const lines: Line[] = [];
if (values.out) writeFileSync(values.out, '');

async function job(): Promise<void> {
  for (;;) {
    const rest = Number(values.seconds) * 1000 - (performance.now() - begin);
    const program = rest > 0 ? queue.shift() : undefined;
    if (program === undefined) return;
    // Milliseconds; a timer of more than 2^31 - 1 ends at once.
    const limit = Math.min(rest, Number(values.timeout) * 4000, 2 ** 31 - 1);
    const line = await prove(program, limit);
    lines.push(line);
    if (values.out) appendFileSync(values.out, `${JSON.stringify(line)}\n`);
    const { outcome, holds, inapplicable, fails, errors, seconds } = line;
    const counts = `${holds} hold, ${fails.length} fail, ${inapplicable} undecided`;
    console.log(
      [
        `${outcome}: ${basename(program) === 'solution.py' ? program.split('/').at(-2) : basename(program)}: ${counts}, ${seconds} s`,
        ...fails,
        ...errors,
      ].join('\n  '),
    );
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, job));
const count = (outcome: Line['outcome']): number =>
  lines.filter((line) => line.outcome === outcome).length;
console.log(
  `${lines.length} of ${planned} programs: ${count('right')} right, ${count('accused')} accused, ` +
    `${count('undecided')} undecided, ${count('unfinished')} unfinished`,
);
process.exitCode = count('accused') > 0 ? 1 : 0;
