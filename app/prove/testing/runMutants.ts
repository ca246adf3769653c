/**
 * Mutants of the gallery's kernels, proved: `npm run mutants`. Prints every mutant as it is judged,
 * a table by kind, and the counts.
 *
 *   npm run mutants -- [--count N] [--seed S] [--only NAME,NAME] [--all] [--jobs N]
 *                      [--slice I/N] [--seconds S] [--out FILE]
 *   npm run mutants -- --merge FILE FILE … [--json]
 *
 * Processes share the mutants, `--jobs` of them; `--slice 2/3` takes the second of three parts of
 * the sample. `--out` gets a line of JSON for each mutant as it is judged, so that a run that is
 * ended leaves what it has; `--seconds` begins no mutant after that time. `--merge` sums such
 * files.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Mutant } from '../mutants';
import { nodeParser } from '../../cli/nodeParser';
import { keepSnapshot } from '../../cli/pythonSnapshot';
import { mutantWorker, programText, sampleOfText, type Task } from './mutantWorker';
import {
  mergedSummary,
  recordText,
  summaryOf,
  summaryText,
  type MutantRecord,
  type MutantSample,
  type MutantSummary,
} from './mutantRecords';
import { SMALL, type SmallProgram } from './small';

/** Milliseconds for a mutant, its probes and the proof of its program. */
const ANSWER = 240_000;
/** Milliseconds for mutants that have begun when `--seconds` are over. */
const REST = 20_000;
/** More than a program has. */
const ALL = 1_000_000;
const ROOT = process.cwd();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    all: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    slice: { type: 'string', default: '1/1' },
    seconds: { type: 'string' },
    out: { type: 'string' },
    merge: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    worker: { type: 'boolean', default: false },
  },
});

/** Mutants that are to be judged, by program. */
interface Queue {
  readonly program: string;
  readonly mutants: readonly Mutant[];
  readonly indices: number[];
}

function programsOfRun(): SmallProgram[] {
  const only = values.only?.split(',');
  return SMALL.filter(({ file }) => !only || only.includes(file.replace('.py', '')));
}

async function queuesOf(sample: Pick<Task, 'each' | 'seed'>): Promise<Queue[]> {
  const parser = await nodeParser(ROOT);
  return programsOfRun().map((program) => {
    const text = programText(program, ROOT);
    const mutants = sampleOfText(text, parser, sample);
    return { program: program.file, mutants, indices: [...mutants.keys()] };
  });
}

/** Deals mutants to processes until none is left, or the time is over. */
class Pool {
  readonly records: MutantRecord[] = [];
  private over = false;
  private readonly children = new Set<ChildProcess>();

  constructor(
    private readonly queues: readonly Queue[],
    private readonly task: Pick<Task, 'each' | 'seed'>,
    private readonly take: (record: MutantRecord) => void,
  ) {}

  async run(jobs: number, seconds: number): Promise<void> {
    const end = setTimeout(() => (this.over = true), Math.min(seconds * 1000, 2 ** 31 - 1));
    const kill = setTimeout(
      () => {
        for (const child of this.children) child.kill('SIGKILL');
      },
      Math.min(seconds * 1000 + REST, 2 ** 31 - 1),
    );
    await Promise.all(Array.from({ length: jobs }, () => this.job()));
    clearTimeout(end);
    clearTimeout(kill);
  }

  /** A process at a time; one that ends with a mutant in hand is followed by another. */
  private async job(): Promise<void> {
    let program: string | null = null;
    while (!this.over && this.next(null)) {
      const child = fork(process.argv[1]!, ['--worker']);
      this.children.add(child);
      program = await this.serve(child, program);
      this.children.delete(child);
    }
  }

  private serve(child: ChildProcess, begin: string | null): Promise<string | null> {
    let program = begin;
    let inHand: { queue: Queue; index: number } | null = null;
    let timer: NodeJS.Timeout | undefined;
    let why = 'the judge failed';
    const deal = (): void => {
      clearTimeout(timer);
      inHand = null;
      const queue = this.over ? null : this.next(program);
      if (!queue) return child.disconnect();
      program = queue.program;
      const index = queue.indices.shift()!;
      inHand = { queue, index };
      timer = setTimeout(() => {
        why = `no answer in ${ANSWER / 1000} s`;
        child.kill('SIGKILL');
      }, ANSWER);
      child.send({ program, index, ...this.task } satisfies Task);
    };
    child.on('message', (message: 'ready' | MutantRecord) => {
      if (message !== 'ready') this.add(message);
      deal();
    });
    return new Promise((resolve) =>
      child.on('exit', () => {
        clearTimeout(timer);
        // Mutants whose time was over are left to another run.
        if (inHand && !this.over) {
          const { queue, index } = inHand;
          const { kind, line, before, after } = queue.mutants[index]!;
          const of = { program: queue.program, index, kind, line, before, after };
          this.add({ ...of, verdict: 'error', reason: why, milliseconds: 0 });
        }
        resolve(program);
      }),
    );
  }

  /** Queue of the program that the process has proved, else of that which has most left. */
  private next(program: string | null): Queue | null {
    const left = this.queues.filter(({ indices }) => indices.length > 0);
    const same = left.find((queue) => queue.program === program);
    return same ?? left.toSorted((a, b) => b.indices.length - a.indices.length)[0] ?? null;
  }

  private add(record: MutantRecord): void {
    this.records.push(record);
    this.take(record);
  }
}

async function judgeAll(): Promise<MutantSummary> {
  const [part = 1, parts = 1] = values.slice.split('/').map(Number);
  const count = values.all ? ALL : Math.ceil(Number(values.count) / programsOfRun().length);
  const taken = { each: count, seed: Number(values.seed) };
  const queues = await queuesOf(taken);
  const mutants = queues.reduce((sum, queue) => sum + queue.mutants.length, 0);
  const sample: MutantSample = { ...taken, mutants };
  for (const { indices } of queues)
    indices.splice(0, Infinity, ...indices.filter((index) => index % parts === part - 1));
  await keepSnapshot(ROOT);
  if (values.out) writeFileSync(values.out, `${JSON.stringify(sample)}\n`);
  const pool = new Pool(queues, taken, (record) => {
    if (values.out) appendFileSync(values.out, `${JSON.stringify(record)}\n`);
    console.log(recordText(record));
  });
  await pool.run(Number(values.jobs), Number(values.seconds ?? Infinity));
  return summaryOf(sample, pool.records);
}

if (values.worker) await mutantWorker(ROOT);
else {
  const merged = values.merge
    ? mergedSummary(positionals.map((file) => readFileSync(file, 'utf8')))
    : await judgeAll();
  if (values.json) console.log(JSON.stringify(merged));
  else console.log(['', ...merged.open.map(recordText), '', summaryText(merged)].join('\n'));
  process.exit(0);
}
