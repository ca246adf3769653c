/**
 * `hippocamp run`: starts the program's process, collects its events, reports them, and judges. The
 * exit code is 0 where the run passed (`../passed.ts`).
 */
import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { AdapterInfo, ProgramEvent, RunOptions } from '../events';
import { judged, passed } from '../passed';
import { eventFrom } from '../shapes/events';
import { chromeTrace } from '../profile/chromeTrace';
import { hatchet } from '../profile/hatchet';
import { profileOf, recordOf } from '../profile/profile';
import { formatBytes } from '../runtime/errors';
import type { ReadProgram } from './files';
import { openProgram } from './programs';
import type { RunWheel } from '../workers/protocol';
import { readWheels } from './packages';
import { watchMemory } from './memoryLimit';
import { watchParent } from './orphan';
import type { RunCommand } from './options';
import { takeSignals } from './signals';
import { keepSnapshot } from './pythonSnapshot';
import { commandFile, confinement } from './confine';
import { EVENT_PIPE, readMessages } from './eventPipe';
import { write } from './standardOutput';
import {
  ALLOW_NODE,
  PROGRAM_PROCESS,
  type Exchanged,
  type FromProgram,
  type ToProgram,
} from './programProcess';
import { Report } from './report';

/** A process that is to end gets so long, in milliseconds. */
const GRACE = 2000;
/** Milliseconds; a timer of more ends at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** The message of a program that a signal ended. */
export const INTERRUPTED = 'interrupted';
/** Characters of a report, or of output that nobody reads: a watcher has memory of its own. */
const MOST_WAITING = 256 * 2 ** 20;
/** Programs of a sample of a large launch that `--verify` interprets. */
const VERIFIED = 64;
/** Seconds for Python and the GPU to load, beside the program's own. */
const STARTUP = 60;

export async function runCommand(command: RunCommand, root: string): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const program = await openProgram(command.file, say);
  if (!program) return 2;
  let wheels: readonly RunWheel[] = [];
  try {
    if (command.packages !== undefined) wheels = readWheels(command.packages, program, say);
  } catch (error) {
    say(`hippocamp: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  /** Without prints, which are written as they come, or are in `pieces`. */
  const events: ProgramEvent[] = [];
  const pieces: string[] = [];
  let written = 0;
  const report = command.json ? null : new Report(process.stdout, process.stderr);
  let adapter: AdapterInfo | null = null;
  const take = (event: ProgramEvent): number => {
    if (event.type === 'started') adapter = event.adapter;
    if (event.type !== 'print') events.push(event);
    if (report) {
      report.event(event);
      return process.stdout.writableLength + process.stderr.writableLength;
    }
    const piece = jsonOf(event);
    pieces.push(piece);
    written += piece.length;
    return written;
  };
  await runInProcess(
    root,
    command,
    program,
    take,
    (text) => {
      if (!command.json && text) process.stderr.write(`${text}\n`);
    },
    command.trace === undefined ? {} : { traces: true },
    undefined,
    undefined,
    wheels,
  );
  const finished = events.findLast((event) => event.type === 'finished');
  const outcome = finished?.outcome ?? 'error';
  report?.end(events);
  if (command.json) {
    // Piece by piece: together they may be longer than a string can be.
    await write(`{"version":1,"adapter":${JSON.stringify(adapter)},"events":[`);
    for (const [i, piece] of pieces.entries()) await write(`${i > 0 ? ',' : ''}${piece}`);
    await write(`],"outcome":${JSON.stringify(outcome)},"passed":${passed(judged(events))}}\n`);
  }
  if (!writeProfiles(command, events, say) || !writeCases(command, events, say)) return 1;
  const verifyReport = command.verify?.report;
  const different = events.find((event) => event.type === 'verification' && event.report !== null);
  if (verifyReport && different?.type === 'verification')
    writeFileSync(verifyReport, different.report ?? '');
  return exitCode(events);
}

/** 0 where the run passed, else 1. */
export function exitCode(events: readonly ProgramEvent[]): 0 | 1 {
  return passed(judged(events)) ? 0 : 1;
}

/** The output of `run --json`. */
export interface RunOutput {
  /** Raised when a field changes its meaning or goes. */
  readonly version: 1;
  /** Null where the program did not start. */
  readonly adapter: AdapterInfo | null;
  readonly events: readonly ProgramEvent[];
  /** How the program ended. */
  readonly outcome: 'ok' | 'error' | 'stopped';
  /** Whether the exit code is 0; absent in files of earlier versions. */
  readonly passed?: boolean | undefined;
}

/** @returns whether the files that were asked for are written. */
function writeProfiles(
  { trace, proton }: RunCommand,
  events: readonly ProgramEvent[],
  say: (text: string) => void,
): boolean {
  if (trace === undefined && proton === undefined) return true;
  const record = recordOf(events);
  const launches = events.filter((event) => event.type === 'launch');
  try {
    if (trace !== undefined) writeFileSync(trace, JSON.stringify(chromeTrace(record, launches)));
    if (proton !== undefined) writeFileSync(proton, JSON.stringify(hatchet(profileOf(record))));
    return true;
  } catch (error) {
    say(`hippocamp: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** Names of files of failing cases; any other name that a program sends is not written. */
const CASE_FILE = /^failing_\w{1,80}\.py$/;

/** @returns whether the failing cases of sweeps are written, where that was asked for. */
function writeCases(
  { cases }: RunCommand,
  events: readonly ProgramEvent[],
  say: (text: string) => void,
): boolean {
  const failures = events.flatMap((event) => (event.type === 'sweep' && event.failure) || []);
  for (const { file, program } of failures) {
    if (file === null || program === null || !CASE_FILE.test(file)) continue;
    if (cases === undefined) {
      say('--cases FOLDER writes the failing case as a program');
      return true;
    }
    try {
      mkdirSync(cases, { recursive: true });
      writeFileSync(join(cases, file), program);
      say(`the failing case: ${join(cases, file)}`);
    } catch (error) {
      say(`hippocamp: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }
  return true;
}

/**
 * Resolves when the process is gone; `take` has seen a `finished` event then.
 * @param take returns how many characters wait in this process; too many end the program
 * @param more options beyond those of the command line
 * @param onLaunch takes launches, where `more.keepInputs` is set
 * @param exchange answers what the program sends to the other side of a check
 * @param wheels packages that go with it
 */
export async function runInProcess(
  root: string,
  command: Omit<RunCommand, 'kind' | 'file' | 'json'>,
  program: Pick<ReadProgram, 'files' | 'entry' | 'data'>,
  take: (event: ProgramEvent) => number,
  say: (text: string) => void,
  more: Partial<RunOptions> = {},
  onLaunch: (inputs: LaunchInputs) => void = () => {},
  exchange: (text: string) => Promise<string> = () => Promise.resolve(''),
  wheels: readonly RunWheel[] = [],
): Promise<void> {
  const start = performance.now();
  let finished = false;
  let why: string | null = null;
  /** Ends the program's process, once there is one. */
  let kill = (): void => {};
  const stop = (reason: string): void => {
    if (finished || why !== null) return;
    why = reason;
    kill();
  };
  const interrupt = (): void => stop(INTERRUPTED);
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  if (takeSignals().length > 0) interrupt();
  // The program's process may not write it.
  await keepSnapshot(root);
  const walls = command.allowNode ? {} : confinement(root);
  const child = fork(commandFile(), [PROGRAM_PROCESS, ...(command.allowNode ? [ALLOW_NODE] : [])], {
    ...walls,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    serialization: 'advanced',
  });
  kill = () => void child.kill('SIGKILL');
  if (why !== null) kill();
  // Drivers write there; the last of it explains a crash.
  let noise = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (noise = (noise + chunk.toString()).slice(-4000)));
  }
  // The program's time counts from its start; Python gets time of its own to load.
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = (seconds: number): void => {
    if (command.timeout === null) return;
    clearTimeout(timer);
    const reason = `stopped after ${command.timeout} s (--timeout)`;
    // Longer than a timer can wait, three weeks, is no limit.
    if (seconds * 1000 <= LONGEST_TIMER) timer = setTimeout(() => stop(reason), seconds * 1000);
  };
  limit((command.timeout ?? 0) + STARTUP);
  const { maxMemory } = command;
  const unwatch =
    maxMemory === null || child.pid === undefined
      ? () => {}
      : watchMemory(child.pid, maxMemory, (bytes) =>
          stop(
            `stopped: the program held ${formatBytes(bytes)}, more than ${formatBytes(maxMemory)} (--max-memory)`,
          ),
        );
  // Whoever ends this process, by an output that cannot be written, say, ends the program's too.
  const end = (): void => void child.kill('SIGKILL');
  process.on('exit', end);
  // A terminal's background jobs outlive their shell on purpose; npx's children do not.
  if (process.env['npm_command'] === 'exec' || process.env['HIPPOCAMP_LAUNCHED']) {
    watchParent(interrupt);
  }
  let unread = 0;
  const receive = (value: unknown): void => {
    // A program may send what it likes, where Node is left to it.
    const event = eventFrom(value);
    if (!event) {
      if (unread++ === 0) say('note: the program’s process sent what no event is; it is left out');
      return;
    }
    if (finished) return;
    const waiting = take(event);
    if (waiting > MOST_WAITING)
      stop(`stopped: it wrote more than ${formatBytes(MOST_WAITING)} that nobody has read`);
    if (event.type === 'started') limit(command.timeout ?? 0);
    if (event.type !== 'finished') return;
    clearTimeout(timer);
    finished = true;
    // Dawn's threads can keep a process alive; it has nothing left to say.
    setTimeout(() => child.kill('SIGKILL'), GRACE).unref();
  };
  const dispatch = (message: Partial<FromProgram> | null): void => {
    if (typeof message !== 'object' || message === null) return;
    if (message.type === 'events' && Array.isArray(message.events)) {
      for (const value of message.events) {
        if (why === null) receive(value);
      }
    } else if (message.type === 'note') say(String(message.text));
    else if (message.type === 'launch' && message.inputs) onLaunch(message.inputs);
    else if (message.type === 'exchange')
      void exchange(String(message.text)).then((text) => {
        if (child.connected) child.send({ type: 'exchanged', text } satisfies Exchanged);
      });
  };
  const drained = readMessages(
    child.stdio[EVENT_PIPE] as Readable,
    (message) => {
      if (why === null) dispatch(message as Partial<FromProgram> | null);
    },
    stop,
  );
  const options: ToProgram = {
    type: 'run',
    files: program.files,
    entry: program.entry,
    ...(wheels.length > 0 ? { wheels } : {}),
    ...(program.data && program.data.length > 0 ? { data: program.data } : {}),
    options: {
      adapter: command.adapter,
      maxBytes: command.maxBytes,
      ...(command.chartSeconds === null ? {} : { chartSeconds: command.chartSeconds }),
      ...(command.tuneSeconds === null ? {} : { tuneSeconds: command.tuneSeconds }),
      ...(command.tune ? { tuneChoices: true } : {}),
      check: command.check,
      ...(command.verify ? { verify: { sample: VERIFIED, seed: command.verify.seed } } : {}),
      seed: command.seed,
      ...(command.instrumentation ? { instrumentation: command.instrumentation } : {}),
      ...more,
    },
  };
  child.send(options);
  const ended = await new Promise<string>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.on('error', (error) => resolve(error.message));
  });
  // The pipe holds what was written last; processes that the program started may keep it open.
  await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, GRACE).unref())]);
  clearTimeout(timer);
  unwatch();
  process.off('SIGINT', interrupt);
  process.off('SIGTERM', interrupt);
  process.off('exit', end);
  if (finished) return;
  // A terminal signals both processes, and the program's may end first.
  if (ended === 'SIGINT' || ended === 'SIGTERM') why ??= INTERRUPTED;
  const message = why ?? `the program's process ended (${ended})`;
  take({
    type: 'diagnostic',
    diagnostic: {
      code: why ? 'HC8010' : 'HC8011',
      severity: 'error',
      message,
      location: { file: program.entry, line: 1, column: 1, endLine: 1, endColumn: 1 },
      notes: why || !noise ? [] : [{ message: noise.trim() }],
    },
  });
  take({
    type: 'finished',
    outcome: why ? 'stopped' : 'error',
    milliseconds: performance.now() - start,
  });
}

/** An event has no cycles and no large integers; a forged one may. */
function jsonOf(event: ProgramEvent): string {
  try {
    return JSON.stringify(event);
  } catch (error) {
    const text = `an event of type ${event.type} has no JSON: ${String(error)}\n`;
    return JSON.stringify({ type: 'print', stream: 'stderr', text });
  }
}
