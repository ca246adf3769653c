/**
 * The process that runs cases: one Python, one session, the driver as its program. It reads jobs
 * from its parent and writes each line of what happens at once, so that nothing is lost when a case
 * ends it.
 */
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readPackages } from '../app/cli/files';
import { openNodeEngine } from '../app/cli/nodeEngine';
import { nodeParser } from '../app/cli/nodeParser';
import { dieWithParent } from '../app/cli/orphan';
import { startPython } from '../app/cli/pythonSnapshot';
import { Runner } from '../app/runtime/runner';
import { createCompiler } from '../compiler/pipeline';
import type { FromWorker, Job, Judged, Listed, WorkerOptions } from './protocol';
import { driverOf, programFiles } from './suites';

/** The pipe to the parent, beside standard input, output and error. */
const CHANNEL = 3;
/** Bytes of resident memory above which a worker requests its replacement. */
const LARGEST = 2 ** 31;

function post(message: FromWorker): void {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(CHANNEL, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

export async function workerProcess(root: string): Promise<void> {
  dieWithParent();
  const jobs: string[] = [];
  let wake: (() => void) | null = null;
  let options: WorkerOptions | null = null;
  const ready = new Promise<WorkerOptions>((resolve) => {
    process.on('message', (message: WorkerOptions | Job) => {
      if (message.type === 'options') resolve(message);
      else jobs.push(JSON.stringify(message));
      wake?.();
    });
  });
  process.on('disconnect', () => process.exit(0));
  options = await ready;
  const [python, compiler] = await Promise.all([
    startPython(root),
    nodeParser(root).then(createCompiler),
  ]);
  const next = async (): Promise<string> => {
    post({ type: 'idle', full: process.memoryUsage.rss() > LARGEST });
    while (jobs.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return jobs.shift() ?? '';
  };
  python.registerJsModule('_conformance', {
    next,
    started: (name: string) => post({ type: 'started', name }),
    ended: (name: string, judged: string) =>
      post({ type: 'ended', name, judged: JSON.parse(judged) as Judged }),
    collected: (text: string) =>
      post({ type: 'collected', cases: (JSON.parse(text) as { cases: Listed[] }).cases }),
    broken: (text: string) => post({ type: 'broken', error: JSON.parse(text) as Judged }),
  });
  if (options.as) python.runPython(`import os; os.environ['CONFORMANCE_AS'] = '${options.as}'`);
  const packages = readPackages(root);
  const testing = join(root, 'conformance', 'python', 'triton', '_internal_testing.py');
  packages['triton/_internal_testing.py'] = readFileSync(testing, 'utf8');
  const runner = Runner.create(python, packages, {
    compiler,
    openEngine: (kind, events) => openNodeEngine(kind, events, () => {}),
  });
  await runner.run(
    programFiles(options.suite, options.tests, root),
    driverOf(options.suite),
    { adapter: options.adapter, maxBytes: null, check: false, seed: 0 },
    (event) => {
      if (event.type === 'print') writeSync(event.stream === 'stdout' ? 1 : 2, event.text);
      if (event.type === 'diagnostic' && event.diagnostic.code !== 'HC0301') {
        writeSync(2, `${event.diagnostic.code}: ${event.diagnostic.message}\n`);
      }
    },
  );
  process.exit(0);
}
