/**
 * Tool calls as processes. Each call that runs or compiles a program has a process of its own, so
 * that the server answers, and cancels, at any moment.
 *
 * Guarantees: an aborted call's process is gone when the call rejects, as is one that took more
 * time or memory than its limits; at most `LIMIT` run at one time, the others wait.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { formatBytes } from '../../runtime/errors';
import { commandFile } from '../confine';
import { watchMemory } from '../memoryLimit';
import { ToolError, type ToolErrorCode } from './errors';
import type { Answer, EXECUTORS } from './execute';

/** The first argument that makes a process that of a call. */
export const TOOL_PROCESS = '__tool__';
const LIMIT = Math.max(2, availableParallelism());
/** Seconds beside those of the program: Python loads, up to three times, and the report is made. */
const STARTUP = 60;

/** Milliseconds after the end of a process for what it sent before. */
const LAST = 200;

export type JobTool = keyof typeof EXECUTORS;
export interface ToTool {
  readonly tool: JobTool;
  readonly input: unknown;
}
export type FromTool =
  | { readonly type: 'progress'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: Answer }
  | {
      readonly type: 'error';
      readonly code: ToolErrorCode;
      readonly message: string;
      readonly subject: string | null;
    };

export interface JobOptions {
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  readonly timeoutSeconds: number;
  readonly maxMemory: number;
}

let running = 0;
const waiting: (() => void)[] = [];

/** @throws ToolError; where the call was aborted, the signal's reason. */
export async function runJob(call: ToTool, options: JobOptions): Promise<Answer> {
  await turn(options.signal);
  try {
    return await inProcess(call, options);
  } finally {
    running--;
    waiting.shift()?.();
  }
}

async function turn(signal: AbortSignal): Promise<void> {
  while (running >= LIMIT) {
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const next = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const place = waiting.indexOf(next);
        if (place >= 0) waiting.splice(place, 1);
        resolve();
      };
      waiting.push(next);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
  signal.throwIfAborted();
  running++;
}

/**
 * Runs of one program share its limit; proving runs it three times, and comparing two.
 */
const RUNS: Readonly<Record<JobTool, number>> = {
  run: 1,
  compile: 1,
  profile: 1,
  compare: 2,
  // The harness and the program run at the same time.
  check: 1,
  prove: 3,
};

function inProcess(
  call: ToTool,
  { signal, progress, timeoutSeconds, maxMemory }: JobOptions,
): Promise<Answer> {
  const child = fork(commandFile(), [TOOL_PROCESS], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  let noise = '';
  child.stderr?.on('data', (chunk: Buffer) => (noise = (noise + chunk.toString()).slice(-4000)));
  const end = (): void => void child.kill('SIGKILL');
  process.on('exit', end);
  return new Promise<Answer>((resolve, reject) => {
    let answer: Answer | null = null;
    let error: unknown = null;
    const stop = (reason: unknown): void => {
      error ??= reason;
      end();
    };
    const onAbort = (): void => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    // A compilation has no program whose own limit could end it first.
    const seconds =
      call.tool === 'compile' ? timeoutSeconds : RUNS[call.tool] * (timeoutSeconds + STARTUP);
    const timer = setTimeout(
      () => stop(new ToolError('timeout', `stopped after ${seconds} s`, 'timeout_seconds')),
      seconds * 1000,
    );
    const unwatch =
      child.pid === undefined
        ? () => {}
        : watchMemory(child.pid, maxMemory, (bytes) =>
            stop(
              new ToolError(
                'memory',
                `stopped: the tool held ${formatBytes(bytes)}, more than ${formatBytes(maxMemory)}`,
                'max_memory_bytes',
              ),
            ),
          );
    child.on('message', (message: FromTool) => {
      if (message.type === 'progress') progress(message.text);
      else if (message.type === 'answer') answer = message.answer;
      else error ??= new ToolError(message.code, message.message, message.subject);
    });
    const done = (how: string): void => {
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener('abort', onAbort);
      process.off('exit', end);
      if (error !== null) reject(error);
      else if (answer) resolve(answer);
      else reject(new ToolError('crashed', `the tool's process ended (${how}): ${noise.trim()}`));
    };
    child.on('error', (fault) => done(fault.message));
    // The last message may arrive behind the end of the process.
    child.on('exit', (code, killed) => {
      setTimeout(() => done(killed ?? `exit code ${code}`), answer || error ? 0 : LAST);
    });
    // A process that is gone already cannot be written to; its exit says so.
    child.send(call, () => {});
  });
}
