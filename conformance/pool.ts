/**
 * Worker processes and the cases they run. A case that takes too long, or takes its process with
 * it, is failed and the rest of its batch goes to a fresh process: no case can end a run.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { FromWorker, Job, Judged, Listed, WorkerOptions } from './protocol';

/** Cases handed out at a time: few, so that processes end together. */
const BATCH = 24;
/** Seconds for Python to start and a test file to be imported. */
const STARTUP = 120;

export interface CaseRef {
  readonly file: string;
  readonly name: string;
}
export interface PoolOptions extends Omit<WorkerOptions, 'type'> {
  readonly command: string;
  readonly jobs: number;
  /** Seconds for one case. */
  readonly timeout: number;
}

type Job2<T> = {
  readonly job: Job;
  readonly take: (message: FromWorker) => void;
  /** Meaning of the worker's end in the middle of it. */
  readonly lost: (running: string | null, why: string) => T;
};

/** One process, started when it gets its first job. */
class Worker {
  private child: ChildProcess | null = null;
  private noise = '';
  private deliver: ((message: FromWorker) => void) | null = null;
  private gone: ((why: string) => void) | null = null;

  constructor(private readonly options: PoolOptions) {}

  private start(): ChildProcess {
    const child = fork(this.options.command, ['__worker__'], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'ipc'],
    });
    this.noise = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.noise = (this.noise + chunk.toString()).slice(-2000);
      });
    }
    createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
      if (child === this.child) this.deliver?.(JSON.parse(line) as FromWorker);
    });
    child.on('exit', (code, signal) => {
      if (child !== this.child) return;
      this.child = null;
      this.gone?.(`the process ended (${signal ?? code}): ${this.noise.trim().slice(-300)}`);
    });
    const { suite, tests, adapter, as } = this.options;
    child.send({ type: 'options', suite, tests, adapter, as } satisfies WorkerOptions);
    return child;
  }

  /** Gives one job and resolves when it is done, lost, or too late. */
  give<T>({ job, take, lost }: Job2<T>): Promise<T | null> {
    const fresh = this.child === null;
    const child = (this.child ??= this.start());
    return new Promise((resolve) => {
      let running: string | null = null;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const finish = (value: T | null): void => {
        clearTimeout(timer);
        this.deliver = this.gone = null;
        resolve(value);
      };
      const limit = (seconds: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          this.child = null;
          child.kill('SIGKILL');
          finish(lost(running, `stopped after ${seconds} s`));
        }, seconds * 1000);
      };
      limit(STARTUP);
      // A fresh process says that it is idle before it has done anything.
      let idles = fresh ? 1 : 0;
      this.gone = (why) => finish(lost(running, why));
      this.deliver = (message) => {
        if (message.type === 'idle') {
          if (idles-- > 0) return;
          if (message.full) this.end();
          finish(null);
          return;
        }
        if (message.type === 'started') {
          running = message.name;
          limit(this.options.timeout);
        } else if (message.type === 'ended') {
          running = null;
          limit(STARTUP);
        }
        take(message);
      };
      child.send(job);
    });
  }

  end(): void {
    const { child } = this;
    this.child = null;
    child?.kill('SIGKILL');
  }
}

/** The cases of each file; a file that cannot be imported comes with the error instead. */
export async function collect(
  files: readonly string[],
  options: PoolOptions,
): Promise<Map<string, readonly Listed[] | Judged>> {
  const found = new Map<string, readonly Listed[] | Judged>();
  const worker = new Worker(options);
  for (const file of files) {
    const failed = await worker.give<Judged>({
      job: { type: 'collect', file },
      take: (message) => {
        if (message.type === 'collected') found.set(file, message.cases);
        if (message.type === 'broken') found.set(file, message.error);
      },
      lost: (_, why) => ({ outcome: 'failed', line: why }),
    });
    if (failed) found.set(file, failed);
  }
  worker.end();
  return found;
}

/** Runs all cases; `done` is called for each, once, in no particular order. */
export async function runCases(
  cases: readonly CaseRef[],
  options: PoolOptions,
  done: (ref: CaseRef, judged: Judged) => void,
): Promise<void> {
  const batches: { file: string; names: string[] }[] = [];
  for (const { file, name } of cases) {
    const last = batches.at(-1);
    if (last?.file === file && last.names.length < BATCH) last.names.push(name);
    else batches.push({ file, names: [name] });
  }
  const serve = async (): Promise<void> => {
    const worker = new Worker(options);
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const { file, names } = batch;
      const left = new Set(names);
      const end = (name: string, judged: Judged): void => {
        if (left.delete(name)) done({ file, name }, judged);
      };
      await worker.give<true>({
        job: { type: 'run', file, names },
        take: (message) => {
          if (message.type === 'ended') end(message.name, message.judged);
          if (message.type === 'broken') for (const name of [...left]) end(name, message.error);
        },
        lost: (running, why) => {
          // Without a case to blame, the first of the rest is: every restart must get further.
          end(running ?? [...left][0] ?? '', { outcome: 'failed', kind: 'Lost', line: why });
          return true;
        },
      });
      if (left.size > 0) batches.unshift({ file, names: [...left] });
    }
    worker.end();
  };
  await Promise.all(Array.from({ length: options.jobs }, serve));
}
