/**
 * A call that blocks: how the program worker calls the engine worker where Python cannot be
 * suspended (no JSPI). The caller posts a message and sleeps in `Atomics.wait`; the answer comes
 * through shared memory. While it sleeps it can be called back (a `constexpr_function` in Python).
 *
 * One word says whose turn it is; a second one how many bytes of UTF-8 JSON lie in `data`. An
 * answer that does not fit requests a larger buffer first.
 */

const STATE = 0;
const LENGTH = 1;
/** `STATE`. */
const ASKED = 1;
const ANSWERED = 2;
/** The answer needs `LENGTH` bytes of `data`. */
const GROW = 3;
/** The engine calls back, in `data`. */
const CALLBACK = 4;
const CALLED_BACK = 5;

const FIRST_CAPACITY = 2 ** 20;

/** Answer of the engine worker, as JSON. */
export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: PlainError };
/** An error as it crosses: what Python makes its exception of. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly diagnostics?: readonly unknown[];
}

export interface Request {
  readonly type: 'request';
  readonly method: string;
  readonly args: readonly unknown[];
  /** Whether the caller sleeps until it is answered. */
  readonly wait: boolean;
}
export type ToEngine =
  | {
      readonly type: 'channel';
      readonly control: SharedArrayBuffer;
      readonly data: SharedArrayBuffer;
    }
  | { readonly type: 'grow'; readonly data: SharedArrayBuffer }
  | Request;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** TextEncoder and TextDecoder do not take shared memory. */
function writeText(data: Uint8Array, bytes: Uint8Array): void {
  data.set(bytes);
}
function readText(data: Uint8Array, length: number): string {
  return decoder.decode(data.slice(0, length));
}

/** The side that calls and sleeps. */
export class Caller {
  private readonly control = new Int32Array(new SharedArrayBuffer(8));
  private data = new Uint8Array(new SharedArrayBuffer(FIRST_CAPACITY));

  constructor(
    private readonly post: (message: ToEngine) => void,
    /** Answers the engine's callbacks, JSON for JSON. */
    private readonly onCallback: (request: string) => string,
  ) {
    post({ type: 'channel', control: this.control.buffer, data: this.data.buffer });
  }

  /** Does not wait; calls are done in order. */
  send(method: string, ...args: readonly unknown[]): void {
    this.post({ type: 'request', method, args, wait: false });
  }

  /** Sleeps until it is answered. @throws what the engine threw. */
  call(method: string, ...args: readonly unknown[]): unknown {
    const { control } = this;
    Atomics.store(control, STATE, ASKED);
    this.post({ type: 'request', method, args, wait: true });
    let seen: number = ASKED;
    for (;;) {
      Atomics.wait(control, STATE, seen);
      const state = Atomics.load(control, STATE);
      if (state === ANSWERED) break;
      if (state === GROW) {
        const bytes = Atomics.load(control, LENGTH);
        this.data = new Uint8Array(new SharedArrayBuffer(2 ** Math.ceil(Math.log2(bytes))));
        Atomics.store(control, STATE, ASKED);
        seen = ASKED;
        this.post({ type: 'grow', data: this.data.buffer });
      } else if (state === CALLBACK) {
        const request = readText(this.data, Atomics.load(control, LENGTH));
        const bytes = encoder.encode(this.onCallback(request));
        if (bytes.length > this.data.length) throw new RangeError('an answer is too large');
        writeText(this.data, bytes);
        Atomics.store(control, LENGTH, bytes.length);
        Atomics.store(control, STATE, CALLED_BACK);
        Atomics.notify(control, STATE);
        seen = CALLED_BACK;
      }
    }
    const text = readText(this.data, Atomics.load(control, LENGTH));
    const answer = JSON.parse(text) as Answer;
    if (answer.ok) return answer.value;
    const { name, message, diagnostics } = answer.error;
    throw Object.assign(new Error(message), { name }, diagnostics ? { diagnostics } : {});
  }
}

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { diagnostics } = error as { diagnostics?: readonly unknown[] };
  return { name: error.name, message: error.message, ...(diagnostics ? { diagnostics } : {}) };
}

/** The side that works: it answers requests one after the other. */
export class Responder {
  private control: Int32Array | null = null;
  private data: Uint8Array | null = null;
  private grown: (() => void) | null = null;
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly handle: (method: string, args: readonly unknown[]) => unknown) {}

  receive(message: ToEngine): void {
    switch (message.type) {
      case 'channel':
        this.control = new Int32Array(message.control);
        this.data = new Uint8Array(message.data);
        return;
      case 'grow':
        this.data = new Uint8Array(message.data);
        this.grown?.();
        return;
      case 'request':
        this.queue = this.queue.then(() => this.serve(message));
        return;
      default: {
        const unknown: never = message;
        throw new Error(`unknown message ${JSON.stringify(unknown)}`);
      }
    }
  }

  private async serve({ method, args, wait }: Request): Promise<void> {
    let answer: Answer;
    try {
      answer = { ok: true, value: await this.handle(method, args) };
    } catch (error) {
      answer = { ok: false, error: plainError(error) };
    }
    const { control } = this;
    if (!wait || !control) return;
    const bytes = encoder.encode(JSON.stringify(answer));
    if (bytes.length > (this.data?.length ?? 0)) {
      const larger = new Promise<void>((resolve) => (this.grown = resolve));
      this.signal(GROW, bytes.length);
      await larger;
    }
    writeText(this.data!, bytes);
    this.signal(ANSWERED, bytes.length);
  }

  /** Calls the sleeping caller back; sleeps itself until it is answered. */
  callBack(request: string): string {
    const { control, data } = this;
    if (!control || !data) throw new Error('nobody to call back');
    const bytes = encoder.encode(request);
    if (bytes.length > data.length) throw new RangeError('what is asked back is too large');
    writeText(data, bytes);
    this.signal(CALLBACK, bytes.length);
    while (Atomics.load(control, STATE) === CALLBACK) Atomics.wait(control, STATE, CALLBACK);
    return readText(data, Atomics.load(control, LENGTH));
  }

  private signal(state: number, length: number): void {
    const { control } = this;
    if (!control) return;
    Atomics.store(control, LENGTH, length);
    Atomics.store(control, STATE, state);
    Atomics.notify(control, STATE);
  }
}
