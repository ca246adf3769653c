/**
 * The program worker: Python, the compiler and the GPU, in one thread of their own. It loads while
 * the page is already usable and reports how far it is in bytes. Then it gives up what a program
 * must not have (`confine.ts`) and runs one program after another, until a run leaves it in another
 * state than it found it.
 */
import PYTHON_SIZES from 'virtual:python-sizes';
import type { PyodideInterface } from 'pyodide';
import { computesOnCpu } from '../runtime/limits';
import { InterpreterEngine } from '../runtime/interpreterEngine';
import { Runner } from '../runtime/runner';
import type { SessionServices } from '../runtime/session';
import { PYTHON_FILES } from '../python/files';
import { SITE_FILES } from '../siteFiles';
import { countPythonTimers } from './pythonTimers';
import { browserParser } from './browserParser';
import { createBlockingRunner } from './blocking/blockingRunner';
import type { Started, StartEngine } from './blocking/engineWorker';
import { confine } from './confine';
import type { Connect } from './confinedWorker';
import { watchDownloads } from './downloads';
import { EventStream } from './eventStream';
import { Exchanges } from './exchanges';
import { dataOf, postThrough } from './ports';
import { browserServices } from './services';
import { startPython } from './startPython';
import { writeData, writeModules, writeWheels } from '../python/install';
import type { FromProgramWorker, ToProgramWorker } from './protocol';
import { RemoteTunings } from './tunings';

type Start = Extract<ToProgramWorker, { type: 'start' }>;
type Run = Extract<ToProgramWorker, { type: 'run' }>;

/** SIGINT, as Pyodide reads it from the interrupt buffer. */
const NO_SIGNAL = 0;

/**
 * To the page. The global scope's own messages are for whatever program runs here, and reach
 * nobody.
 */
let page: MessagePort | null = null;
const post = (message: FromProgramWorker, transfer: Transferable[] = []): void => {
  if (page) postThrough(page, message, transfer);
};
const tunings = new RemoteTunings((message) => post(message));
const exchanges = new Exchanges((message) => post(message));
/** Stages of the start, for the browser's performance tools. */
const mark = (stage: string): void => void performance.mark(`hippocamp:${stage}`);
mark('worker');
/** Runs a program of the page. @returns what is left of it once it has ended. */
type Left = readonly string[];
type Program = (message: Run) => Promise<Left> | Left;
let runner: Promise<Program> | null = null;
let running = 0;
/** No program runs here any more. */
let spent = false;
/**
 * Lets go of a Stop that came as a run ended. Python may have taken it out of the buffer already
 * and would raise it in the next run, so it gets to raise it here, where nobody runs.
 */
let forgetStop = (): void => {};
/** Keeps a Stop from Python while it waits. */
let holdStop = (_held: boolean): void => {};
/** When the GPU has done what it was given so far. */
let drained = (): Promise<void> => Promise.resolve();
let retiring: { busy: boolean } | null = null;
/** Starts downloads that the first run need not wait for. */
let prepare = (): void => {};
/** Runs wait for the one before. */
let queue: Promise<void> = Promise.resolve();

self.addEventListener(
  'message',
  (event: MessageEvent<Connect>) => {
    page = event.data.port;
    page.onmessage = (message: MessageEvent<ToProgramWorker>) => receive(dataOf(message));
  },
  { once: true },
);

function receive(message: ToProgramWorker): void {
  switch (message.type) {
    case 'start':
      runner = start(message);
      runner.then(
        () => {
          post({ type: 'ready' });
          // A failure there is a failure of the first run, too, which reports it.
          queue = queue.then(prepare).catch(() => {});
        },
        (error: unknown) => post({ type: 'failed', message: describe(error) }),
      );
      return;
    case 'run':
      queue = queue.then(() => run(message)).catch(() => {});
      return;
    case 'tuning':
      tunings.receive(message);
      return;
    case 'exchanged':
      exchanges.receive(message);
      return;
    case 'retire':
      retire();
      return;
    default:
      unreachable(message);
  }
}

/** To end a worker whose GPU works would stop the browser's drawing until that is done. */
function retire(): void {
  spent = true;
  if (!retiring) {
    const state = { busy: true };
    retiring = state;
    void drained()
      .catch(() => {})
      .then(() => {
        state.busy = false;
        post({ type: 'retiring', busy: false });
      });
  }
  post({ type: 'retiring', busy: retiring.busy });
}

/** Why a browser without JSPI, in a page that is not isolated, has the interpreter only. */
const NO_WAITING =
  'This browser cannot let Python wait for the GPU (it lacks WebAssembly JSPI), and the page is not ' +
  'cross-origin isolated, which would be another way.';

/**
 * The services that answer at once: tunings, which the page keeps, and the other side of a check
 * would have to be waited for.
 */
function withoutWaiting(services: SessionServices): SessionServices {
  const { tunings: _, exchange: _exchange, ...rest } = services;
  return {
    ...rest,
    openEngine: async (_kind, events) => new InterpreterEngine(NO_WAITING, events),
  };
}

async function start(message: Start): Promise<Program> {
  const suspends = 'Suspending' in WebAssembly;
  const downloads = watchDownloads(PYTHON_SIZES, (loaded, total) =>
    post({ type: 'loading', text: 'Python', loaded, total }),
  );
  const indexURL = new URL(SITE_FILES.pyodide, message.baseUrl).href;
  const [parser, pyodide] = await Promise.race([
    Promise.all([browserParser(), startPython(indexURL)]),
    downloads.broken,
  ]);
  mark('python');
  if (message.interrupt) {
    const signals = new Uint8Array(message.interrupt);
    pyodide.setInterruptBuffer(signals);
    // A Stop between two steps of asyncio tasks: nothing of Python's is there to catch it. The page
    // ends this worker where the program goes on.
    self.addEventListener('unhandledrejection', (event) => {
      if ((event.reason as { type?: unknown } | null)?.type === 'KeyboardInterrupt')
        event.preventDefault();
    });
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
    confine();
    return fit(blocking, pyodide);
  }
  const keepInputs: SessionServices['keepInputs'] = (inputs, transfer) =>
    post({ type: 'inputs', run: running, inputs }, transfer);
  const exchange = (text: string): Promise<string> => exchanges.send(running, text);
  const all = browserServices(parser, message.data, keepInputs, tunings, exchange);
  const services = suspends ? all : withoutWaiting(all);
  const made = Runner.create(pyodide, PYTHON_FILES, services, suspends, (held) => holdStop(held));
  mark('packages');
  const engine = await made.engineFor('webgpu');
  mark('gpu');
  post({ type: 'adapter', adapter: engine.info, target: engine.target });
  downloads.done();
  // A GPU does it while the page is looked at; to a CPU it would be in the way.
  if (!computesOnCpu(engine.info)) await made.calibrate().catch(() => {});
  prepare = () => made.prepare();
  // Another one where this one's device was lost since.
  drained = async () => (await made.engineFor('webgpu')).drained?.();
  confine();
  return fit(async ({ run: number, files, entry, options }) => {
    const stream = new EventStream((events) => post({ type: 'events', run: number, events }));
    await made.run(files, entry, options, (event) => stream.send(event));
    return made.tidy();
  }, pyodide);
}

/** A program that may leave no timer that calls Python, either. */
function fit(program: Program, pyodide: PyodideInterface): Program {
  const timers = countPythonTimers();
  return async (message) => {
    const { wheels = [], data = [], modules = {} } = message;
    writeModules(pyodide, modules);
    const options = {
      ...message.options,
      ...(wheels.length > 0 ? { packages: writeWheels(pyodide, wheels) } : {}),
      ...(data.length > 0 ? { data: writeData(pyodide, data) } : {}),
    };
    const left = await program({ ...message, options });
    // Nobody looks at the settings of a package: no other run finds them.
    const all = wheels.length > 0 ? [...left, 'packages'] : left;
    return timers() === 0 ? all : [...all, 'timers'];
  };
}

/** Python blocks in this worker; the session with its GPU is in one of its own. */
async function startBlocking(message: Start, pyodide: PyodideInterface): Promise<Program> {
  const engine = new Worker(new URL('./blocking/engineWorker.ts', import.meta.url), {
    type: 'module',
    name: 'engine',
  });
  const { port1, port2 } = new MessageChannel();
  post({ type: 'port', port: port1 }, [port1]);
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
  return ({ run: number, files, entry, options }) => {
    made.run(number, files, entry, options);
    return made.tidy();
  };
}

async function run(message: Run): Promise<void> {
  const program = await runner;
  if (!program) throw new Error('a run before the start');
  if (spent) return;
  forgetStop();
  running = message.run;
  const left = await program(message);
  spent = left.length > 0;
  if (spent) console.debug('Python is started anew:', left.join(', '));
  post({ type: 'idle', run: message.run, spent, replaced: replacedOf(left) });
}

/** Names, of all that a run left, of what comparisons, times and launches are made with. */
function replacedOf(left: readonly string[]): readonly string[] {
  return left.filter(
    (name) => name === 'JavaScript' || /^(torch|triton|numpy|_hippocamp)/.test(name),
  );
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreachable(message: never): never {
  throw new Error(`unknown message ${JSON.stringify(message)}`);
}
