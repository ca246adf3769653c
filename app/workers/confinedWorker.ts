/**
 * Starts the workers that run programs, so that a Content-Security-Policy holds in them wherever
 * the page is served from: a worker of an `https:` script has the policy of that script's response
 * headers, which a static host does not send, but a worker of a `blob:` has the policy of the
 * document that made it. That document is an empty frame with a policy of its own; the page's must
 * let the page reach the visitor's Jupyter server.
 *
 * Guarantee: code in such a worker loads from this origin only, and evaluates no text. Messages go
 * through a port that only the worker's own module has; nothing is heard of what the worker's
 * global scope sends.
 */
// The address of the worker's own build, which Vite makes the module's default.
// oxlint-disable-next-line import/default
import script from './programWorker.ts?worker&url';
import type { WorkerLike } from './programHost';
import type { FromProgramWorker } from './protocol';

/** `blob:` is for the worker's first script, 'self' for what it imports and for its engine. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; " +
  "worker-src 'self' blob:";

type Scope = Window & typeof globalThis;
/** Opens a worker of the frame. */
type Opener = () => Worker;
let frame: Promise<Opener> | null = null;

function openFrame(): Promise<Opener> {
  const element = document.createElement('iframe');
  element.hidden = true;
  element.title = 'Python';
  element.srcdoc = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  return new Promise((resolve, reject) => {
    element.onload = () => {
      const scope = element.contentWindow as Scope | null;
      if (scope) resolve(openerIn(scope));
      else reject(new Error('the frame of the program workers did not open'));
    };
    document.body.append(element);
  });
}

function openerIn({ Blob, URL, Worker }: Scope): Opener {
  const imported = new globalThis.URL(script, location.href).href;
  const text = `import ${JSON.stringify(imported)};`;
  const first = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  // The part after # is a name for the browser's tools.
  return () => new Worker(`${first}#programWorker`, { type: 'module', name: 'program' });
}

/** First message to a worker: where its messages come from and go to. */
export interface Connect {
  readonly type: 'connect';
  readonly port: MessagePort;
}

export function openConfinedWorker(): WorkerLike {
  const { port1: port, port2 } = new MessageChannel();
  let worker: Worker | null = null;
  let ended = false;
  const made: WorkerLike = {
    onmessage: null,
    onerror: null,
    postMessage: (message, transfer = []) => port.postMessage(message, transfer),
    terminate() {
      ended = true;
      worker?.terminate();
      port.close();
    },
  };
  port.onmessage = (event: MessageEvent<FromProgramWorker>) => made.onmessage?.(event);
  frame ??= openFrame();
  frame.then(
    (opened) => {
      if (ended) return;
      worker = opened();
      worker.onerror = (event) => made.onerror?.(event);
      worker.postMessage({ type: 'connect', port: port2 } satisfies Connect, [port2]);
    },
    (error: unknown) => made.onerror?.(new ErrorEvent('error', { message: String(error) })),
  );
  return made;
}
