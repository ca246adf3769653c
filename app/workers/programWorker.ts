/**
 * The program worker: Python, the compiler and the GPU, in one thread of their own. It loads while the
 * page is already usable, tells how far it is in bytes, and then runs programs one after another.
 */
import type { ProgramEvent } from '../events';
import type { Dtype } from '../numerics/dtypes';
import { openGpu } from '../runtime/gpuDevice';
import { GpuEngine } from '../runtime/gpuEngine';
import { LimitedHolder, type Holder } from '../runtime/hold';
import { InterpreterEngine } from '../runtime/interpreterEngine';
import { Runner } from '../runtime/runner';
import type { SessionServices } from '../runtime/session';
import { PYTHON_FILES } from '../python/files';
import { createCompiler } from '../../compiler/pipeline';
import { browserParser } from './browserParser';
import type { FromProgram } from './dataProtocol';
import { watchDownloads } from './downloads';
import { EventStream } from './eventStream';
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
let runner: Promise<Runner> | null = null;
let running = 0;
let interrupt: Uint8Array | null = null;
/** Runs wait for the one before. */
let queue: Promise<void> = Promise.resolve();

self.addEventListener('message', (event: MessageEvent<ToProgramWorker>) => {
  const message = event.data;
  switch (message.type) {
    case 'start':
      runner = start(message);
      runner.then(
        () => post({ type: 'ready' }),
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

async function start(message: Start): Promise<Runner> {
  if (!('Suspending' in WebAssembly)) {
    throw new Error(
      'This browser cannot let Python wait for the GPU (WebAssembly JSPI is missing). Chrome and ' +
        'Edge 137 or newer can.',
    );
  }
  const downloads = watchDownloads((text, loaded, total) =>
    post({ type: 'loading', text, loaded, total }),
  );
  const indexURL = new URL('pyodide/', message.baseUrl).href;
  const [parser, pyodide] = await Promise.race([
    Promise.all([browserParser(), startPython(indexURL)]),
    downloads.broken,
  ]);
  mark('python');
  const holder = message.data ? holderFor(message.data.port, message.data.share) : null;
  const services: SessionServices = {
    ...(holder ? { holder } : {}),
    keepInputs: (inputs, transfer) => post({ type: 'inputs', run: running, inputs }, transfer),
    compiler: createCompiler(parser),
    openEngine: async (kind, events) => {
      if (kind === 'interpreter') return new InterpreterEngine(null, events);
      const opened = await openGpu(navigator.gpu);
      return opened.ok
        ? new GpuEngine(opened.gpu, events)
        : new InterpreterEngine(opened.reason, events);
    },
  };
  if (message.interrupt) {
    interrupt = new Uint8Array(message.interrupt);
    pyodide.setInterruptBuffer(interrupt);
  }
  const made = await Runner.create(pyodide, PYTHON_FILES, services);
  mark('packages');
  const engine = await made.engineFor('webgpu');
  mark('gpu');
  post({ type: 'adapter', adapter: engine.info, target: engine.target });
  downloads.done();
  return made;
}

/** Copies go to the data worker, without another copy on the way. */
function holderFor(port: MessagePort, share: number): Holder {
  const send = (data: FromProgram, transfer: Transferable[]): void =>
    port.postMessage(data, transfer);
  return new LimitedHolder(
    share,
    `${crypto.randomUUID().slice(0, 8)}-`,
    (id, { dtype, shape }, bytes) =>
      send({ type: 'hold', id, dtype: dtype as Dtype, shape, bytes }, [bytes]),
    () => send({ type: 'begin' }, []),
  );
}

async function run(message: Run): Promise<void> {
  const stream = new EventStream((events) => post({ type: 'events', run: message.run, events }));
  const send = (event: ProgramEvent): void => stream.send(event);
  const ready = await runner;
  if (!ready) throw new Error('a run before the start');
  if (interrupt) interrupt[0] = NO_SIGNAL;
  running = message.run;
  await ready.run(message.files, message.entry, message.options, send);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreachable(message: never): never {
  throw new Error(`unknown message ${JSON.stringify(message)}`);
}
