/**
 * The process in which a program runs: Pyodide and Dawn. It takes one program, sends its events,
 * ends.
 */
import process from 'node:process';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { ProgramEvent, ProgramFiles, RunOptions } from '../events';
import type { SendInputs } from '../runtime/launchInputs';
import { Runner } from '../runtime/runner';
import { EventStream } from '../workers/eventStream';
import { readPackages } from './files';
import type { RunData, RunWheel } from '../workers/protocol';
import { wheelNames, writeWheels } from '../python/install';
import { createCompiler } from '../../compiler/pipeline';
import { loadDawn } from './dawn';
import { hidePowers, serveEmscripten } from './confine';
import { EVENT_PIPE, MessageWriter } from './eventPipe';
import { dieWithParent } from './orphan';
import { nodeParser } from './nodeParser';
import { startPython } from './pythonSnapshot';
import { openNodeEngine } from './nodeEngine';
import { fileTunings } from './tunings';

/** The first argument that makes a process this one. */
export const PROGRAM_PROCESS = '__program__';
/** The second argument where Node is left to the program. */
export const ALLOW_NODE = 'allow-node';

export interface ToProgram {
  readonly type: 'run';
  readonly files: ProgramFiles;
  readonly entry: string;
  readonly options: RunOptions;
  readonly wheels?: readonly RunWheel[];
  readonly data?: readonly RunData[];
}
export type FromProgram =
  | { readonly type: 'events'; readonly events: readonly ProgramEvent[] }
  /** A launch as it can be analysed, where `keepInputs` is set. */
  | { readonly type: 'launch'; readonly inputs: LaunchInputs }
  /** A text for the other side of a check; '' where the program only waits for one. */
  | { readonly type: 'exchange'; readonly text: string }
  | { readonly type: 'note'; readonly text: string };
/** The answer to an `exchange`. */
export interface Exchanged {
  readonly type: 'exchanged';
  readonly text: string;
}

export async function programProcess(root: string, allowNode: boolean): Promise<number> {
  if (!process.send) {
    process.stderr.write(`hippocamp: ${PROGRAM_PROCESS} is for hippocamp run to start\n`);
    return 2;
  }
  const request = await new Promise<ToProgram>((resolve) => {
    process.once('message', (message) => resolve(message as ToProgram));
  });
  const { exit } = process;
  const pipe = new MessageWriter(EVENT_PIPE);
  const send = (message: FromProgram): void => {
    try {
      pipe.send(message);
    } catch (error) {
      // A value that cannot be sent is the sender's fault; without a reader nobody needs the rest.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      exit(1);
    }
  };
  process.on('disconnect', () => exit(1));
  dieWithParent();
  if (!allowNode) serveEmscripten((text) => send({ type: 'note', text }));
  const answers: ((text: string) => void)[] = [];
  process.on('message', (message: Partial<Exchanged> | null) => {
    if (message?.type === 'exchanged') answers.shift()?.(message.text ?? '');
  });
  const runner = await createNodeRunner(
    root,
    (text) => send({ type: 'note', text }),
    undefined,
    request.options.keepInputs ? (inputs) => send({ type: 'launch', inputs }) : undefined,
    (text) => {
      send({ type: 'exchange', text });
      return new Promise((resolve) => answers.push(resolve));
    },
    request.wheels,
  );
  if (!allowNode) {
    // Its module looks at `process` as it is loaded.
    if (request.options.adapter !== 'interpreter') await loadDawn().catch(() => {});
    hidePowers();
  }
  const stream = new EventStream((events) => send({ type: 'events', events }));
  const options = {
    ...request.options,
    ...(request.wheels ? { packages: wheelNames(request.wheels) } : {}),
    ...(request.data ? { data: runner.takeData(request.data) } : {}),
  };
  await runner.run(request.files, request.entry, options, (event) => stream.send(event));
  stream.flush();
  // Dawn's threads would keep the process alive, and taking the device down is not worth the wait.
  return exit(0);
}

/**
 * A runner in this process, for Node.
 * @param shouldStop ends launches on the interpreter where it is true
 * @param keepInputs takes what each launch was given
 * @param exchange the other side of a check, where there is one
 * @param wheels packages that its programs may import
 */
export async function createNodeRunner(
  root: string,
  note: (text: string) => void,
  shouldStop?: () => boolean,
  keepInputs?: SendInputs,
  exchange?: (text: string) => Promise<string>,
  wheels: readonly RunWheel[] = [],
): Promise<Runner> {
  const [pyodide, compiler] = await Promise.all([
    startPython(root),
    nodeParser(root).then(createCompiler),
  ]);
  writeWheels(pyodide, wheels);
  return Runner.create(pyodide, readPackages(root), {
    compiler,
    tunings: fileTunings(),
    ...(keepInputs ? { keepInputs } : {}),
    ...(exchange ? { exchange } : {}),
    openEngine: (kind, events) => openNodeEngine(kind, events, note, shouldStop),
  });
}
