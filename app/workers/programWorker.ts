/**
 * The program worker: Python, the compiler and the GPU, in one thread of their own. It loads while the
 * page is already usable, tells how far it is in bytes, and then runs programs one after another.
 */
import type { PyodideInterface } from 'pyodide';
import { isSoftware } from '../runtime/limits';
import { InterpreterEngine } from '../runtime/interpreterEngine';
import { Runner } from '../runtime/runner';
import type { SessionServices } from '../runtime/session';
import { PYTHON_FILES } from '../python/files';
import { browserParser } from './browserParser';
import { createBlockingRunner } from './blocking/blockingRunner';
import type { Started, StartEngine } from './blocking/engineWorker';
import { watchDownloads } from './downloads';
import { EventStream } from './eventStream';
import { browserServices } from './services';
import { startPython } from './startPython';
import type { FromProgramWorker, ToProgramWorker } from './protocol';

type Start = Extract<ToProgramWorker, { type: 'start' }>;
type Run = Extract<ToProgramWorker, { type: 'run' }>;

/** SIGINT, as Pyodide reads it from the interrupt buffer. */
const NO_SIGNAL = 0;

const post = (message: FromProgramWorker, transfer: Transferable[] = []): void =>
  self.postMessage(message, { transfer });
/** Stages of the start, for the browser's performance tools. */
const mark = (stage: string): void => void performance.mark(`hippocamp:${stage}`);
mark('worker');
/** Runs a program of the page; resolves when it has ended. */
type Program = (message: Run) => Promise<void> | void;
let runner: Promise<Program> | null = null;
let running = 0;
/**
 * Lets go of a Stop that came as a run ended. Python may have taken it out of the buffer already and would raise
 * it in the next run, so it gets to raise it here, where nobody runs.
 */
let forgetStop = (): void => {};
/** Keeps a Stop from Python while it waits. */
let holdStop = (_held: boolean): void => {};
/** What the first run need not wait for, where it comes later. */
let prepare = (): void => {};
/** Runs wait for the one before. */
let queue: Promise<void> = Promise.resolve();

self.addEventListener('message', (event: MessageEvent<ToProgramWorker>) => {
  const message = event.data;
  switch (message.type) {
    case 'start':
      runner = start(message);
      runner.then(
        () => {
          post({ type: 'ready' });
          // What fails there fails in the first run, too, which tells it.
          queue = queue.then(prepare).catch(() => {});
        },
        (error: unknown) => post({ type: 'failed', message: describe(error) }),
      );
      return;
    case 'run':
      queue = queue.then(() => run(message)).catch(() => {});
      return;
    default:
      unreachable(message);
  }
});

/** Why a browser without JSPI, in a page that is not isolated, has the interpreter only. */
const NO_WAITING =
  'This browser cannot let Python wait for the GPU (it lacks WebAssembly JSPI), and the page is not ' +
  'cross-origin isolated, which would be another way.';

async function start(message: Start): Promise<Program> {
  const suspends = 'Suspending' in WebAssembly;
  const downloads = watchDownloads((text, loaded, total) =>
    post({ type: 'loading', text, loaded, total }),
  );
  const indexURL = new URL('pyodide/', message.baseUrl).href;
  const [parser, pyodide] = await Promise.race([
    Promise.all([browserParser(), startPython(indexURL)]),
    downloads.broken,
  ]);
  mark('python');
  if (message.interrupt) {
    const signals = new Uint8Array(message.interrupt);
    pyodide.setInterruptBuffer(signals);
    const none = new Uint8Array(1);
    holdStop = (held) => pyodide.setInterruptBuffer(held ? none : signals);
    forgetStop = () => {
      signals[0] = NO_SIGNAL;
      try {
        pyodide.runPython('for _ in range(1000): pass');
      } catch {
        // The interrupt of the run before.
      }
    };
  }
  if (!suspends && self.crossOriginIsolated) {
    const blocking = await startBlocking(message, pyodide);
    downloads.done();
    return blocking;
  }
  const keepInputs: SessionServices['keepInputs'] = (inputs, transfer) =>
    post({ type: 'inputs', run: running, inputs }, transfer);
  const services: SessionServices = {
    ...browserServices(parser, message.data, keepInputs),
    ...(suspends
      ? {}
      : { openEngine: async (_kind, events) => new InterpreterEngine(NO_WAITING, events) }),
  };
  const made = Runner.create(pyodide, PYTHON_FILES, services, suspends, (held) => holdStop(held));
  mark('packages');
  const engine = await made.engineFor('webgpu');
  mark('gpu');
  post({ type: 'adapter', adapter: engine.info, target: engine.target });
  downloads.done();
  // A GPU does it while the page is looked at; to a CPU it would be in the way.
  if (!isSoftware(engine.info)) await made.calibrate().catch(() => {});
  prepare = () => made.prepare();
  return async ({ run: number, files, entry, options }) => {
    const stream = new EventStream((events) => post({ type: 'events', run: number, events }));
    await made.run(files, entry, options, (event) => stream.send(event));
  };
}

/** Python blocks in this worker; the session with its GPU is in one of its own. */
async function startBlocking(message: Start, pyodide: PyodideInterface): Promise<Program> {
  const engine = new Worker(new URL('./blocking/engineWorker.ts', import.meta.url), {
    type: 'module',
    name: 'engine',
  });
  const { port1, port2 } = new MessageChannel();
  self.postMessage({ type: 'port', port: port1 } satisfies FromProgramWorker, [port1]);
  const { data } = message;
  engine.postMessage({ type: 'start-engine', page: port2, data } satisfies StartEngine, [
    port2,
    ...(data ? [data.port] : []),
  ]);
  // Not before it has loaded everything may this thread sleep: worker scripts may come through it.
  const started = await new Promise<Started>((resolve, reject) => {
    engine.onmessage = (event: MessageEvent<Started>) => resolve(event.data);
    engine.onerror = (event) => reject(new Error(event.message || 'the engine worker crashed'));
  });
  if ('failed' in started) throw new Error(started.failed);
  const made = createBlockingRunner(pyodide, (one) => engine.postMessage(one), PYTHON_FILES);
  mark('gpu');
  post({ type: 'adapter', ...started });
  return ({ run: number, files, entry, options }) => made.run(number, files, entry, options);
}

async function run(message: Run): Promise<void> {
  const program = await runner;
  if (!program) throw new Error('a run before the start');
  forgetStop();
  running = message.run;
  await program(message);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreachable(message: never): never {
  throw new Error(`unknown message ${JSON.stringify(message)}`);
}
