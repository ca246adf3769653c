/**
 * A process whose parent is gone must not go on computing: npx does not hand its signals down, and
 * a killed process cannot.
 */
import { Worker } from 'node:worker_threads';

/** Milliseconds between two looks. */
const INTERVAL = 500;

/** Calls `orphaned` once when the parent is gone. Needs this thread to be idle now and then. */
export function watchParent(orphaned: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    orphaned();
  }, INTERVAL);
  timer.unref();
}

/**
 * Kills this process when the parent is gone, also while this thread never waits: a thread looks.
 */
export function dieWithParent(): void {
  const look = `if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL');`;
  const watcher = new Worker(`setInterval(() => { ${look} }, ${INTERVAL});`, { eval: true });
  watcher.unref();
}
