/**
 * Takes the browser's powers out of the worker that runs programs: a program comes from whoever
 * wrote the link, and this worker has the origin of the page. Only what is listed here stays in the
 * global scope, so what a browser adds tomorrow is absent, too.
 *
 * Guarantee: after `confine`, no object that a program can reach from Python's `js` leads to the
 * network, to anything that this origin keeps (databases, caches, locks, channels to its other
 * pages) or to another worker. The worker's Content-Security-Policy (`confinedWorker.ts`) covers
 * `eval` and `import()`, which are syntax.
 */

/** ECMAScript's own. */
const LANGUAGE = `
  AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array
  BigUint64Array Boolean DataView Date DisposableStack Error EvalError FinalizationRegistry
  Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl
  Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp
  Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TypeError URIError
  Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly
  decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN
  parseFloat parseInt undefined unescape`;

/** The web's: computation, text, time and events within this thread. */
const WEB = `
  AbortController AbortSignal Blob ByteLengthQueuingStrategy CompressionStream
  CountQueuingStrategy Crypto CryptoKey CustomEvent DOMException DecompressionStream
  DedicatedWorkerGlobalScope ErrorEvent Event EventTarget Headers MessageChannel MessageEvent
  MessagePort Performance PromiseRejectionEvent ReadableStream Request Response SubtleCrypto
  TextDecoder TextEncoder TransformStream URL URLSearchParams WorkerGlobalScope WorkerLocation
  WorkerNavigator WritableStream atob btoa clearInterval clearTimeout console crypto
  crossOriginIsolated isSecureContext location name navigator origin performance queueMicrotask
  reportError self setInterval setTimeout structuredClone`;

const NAVIGATOR = 'hardwareConcurrency language languages onLine platform userAgent';

/** Why the network is closed; Python raises it as a JsException. */
const NO_NETWORK =
  'Programs have no network here: nothing of a program, or of what this browser keeps, can leave ' +
  'the page. Put data into the program, as a file of its own.';

/**
 * Globals that stay as functions that name the reason why they are closed. Pyodide's HTTP functions
 * call the first three.
 */
const CLOSED: Readonly<Record<string, string>> = {
  fetch: NO_NETWORK,
  WebSocket: NO_NETWORK,
  XMLHttpRequest: NO_NETWORK,
  Worker: 'Programs have one thread here: they cannot start workers.',
};

/** Globals that must be gone; where a browser does not let go of one, no program may run. */
const POWERS = `
  BroadcastChannel EventSource SharedWorker WebTransport WebSocketStream caches cookieStore
  importScripts indexedDB navigator.clipboard navigator.locks navigator.serviceWorker
  navigator.storage navigator.storageBuckets navigator.usb navigator.serial navigator.hid
  postMessage webkitRequestFileSystem webkitRequestFileSystemSync`;

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Removes every property that is not listed, from an object and its own prototypes. */
function strip(object: object, kept: ReadonlySet<string>, shared: ReadonlySet<object>): void {
  let each: object | null = object;
  while (each && !shared.has(each)) {
    for (const key of Reflect.ownKeys(each))
      if (typeof key === 'string' && key !== 'constructor' && !kept.has(key))
        Reflect.deleteProperty(each, key);
    each = Reflect.getPrototypeOf(each);
  }
}

/** To be called once Python is loaded, before the first program. Cannot be undone. */
export function confine(): void {
  const scope = globalThis as unknown as Record<string, unknown>;
  const { EventTarget, URL } = globalThis;
  /** Other objects are event targets and objects, too. */
  const shared = new Set<object>([EventTarget.prototype, Object.prototype]);
  const names = Reflect.ownKeys(scope).filter((key) => typeof key === 'string');
  const engine = names.filter((name) => /^GPU[A-Z]/.test(name));
  strip(scope, new Set([...words(LANGUAGE), ...words(WEB), ...engine]), shared);
  strip(navigator, new Set(words(NAVIGATOR)), shared);
  Reflect.deleteProperty(URL, 'createObjectURL');
  for (const [name, why] of Object.entries(CLOSED)) {
    const closed = function (): never {
      throw new Error(why);
    };
    Object.defineProperty(scope, name, { value: Object.freeze(closed) });
  }
  const left = words(POWERS).filter((path) => {
    const [first = '', second] = path.split('.');
    return second === undefined ? first in scope : second in navigator;
  });
  if (left.length > 0) throw new Error(`this browser keeps ${left.join(', ')} for programs`);
}
