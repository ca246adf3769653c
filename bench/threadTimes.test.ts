/** A clock that went back, or had no time to report, would make a ratio of nothing. */
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { threadTimes } from './threadTimes';

/** No process has it: above Linux's largest. */
const NOBODY = 2 ** 22 + 1;

it('reports nothing where the system reports nothing', () => {
  expect(threadTimes()([])).toBeNull();
  expect(threadTimes()([NOBODY])).toBeNull();
});

it.skipIf(!existsSync(`/proc/${process.pid}/task/${process.pid}/schedstat`))(
  'counts what has ended, and goes on without it',
  async () => {
    const seconds = threadTimes();
    const before = seconds([process.pid, NOBODY])!;
    const spin =
      'const end = performance.now() + 300; while (performance.now() < end);' +
      "require('node:worker_threads').parentPort.on('message', () => process.exit()).postMessage(0)";
    const worker = new Worker(spin, { eval: true });
    await once(worker, 'message');
    const busy = seconds([process.pid])!;
    // A core that others use, too, gives it less than it takes.
    expect(busy - before).toBeGreaterThan(0.02);
    worker.postMessage(0);
    await once(worker, 'exit');
    expect(seconds([process.pid])!).toBeGreaterThanOrEqual(busy);
    expect(seconds([NOBODY])!).toBeGreaterThanOrEqual(busy);
  },
);
