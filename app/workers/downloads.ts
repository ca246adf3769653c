/**
 * Watches what Python's start fetches, by wrapping `fetch`: counts the bytes that come over the
 * wire, and rejects when a download breaks, because Pyodide waits for ever for some of its files.
 * Bytes that a server compressed arrive unpacked, so each file counts by how much of its unpacked
 * size is there.
 */

/**
 * Bytes of a file as it lies on the server, and of what it unpacks to where a server unpacks it on
 * the way.
 */
export interface FileSize {
  readonly stored: number;
  readonly unpacked: number;
}

export interface Downloads {
  /** Rejects when a file that is needed could not be loaded; never resolves. */
  readonly broken: Promise<never>;
  /** Puts the old `fetch` back. */
  done(): void;
}

/** The start goes on without these. */
const OPTIONAL = /python-snapshot/;
/** Milliseconds after which a file that could not be loaded is asked for once more. */
const AGAIN = 500;
/** Milliseconds between two reports. */
const PACE = 50;

interface Progress {
  /** Bytes over the wire, in all. */
  wire: number;
  /** Bytes that arrive in all, once unpacked. */
  full: number;
  arrived: number;
}

/**
 * @param sizes of the files to count; others are fetched without counting.
 * @param report called at most every 50 ms; the total never grows.
 */
export function watchDownloads(
  sizes: Readonly<Record<string, FileSize>>,
  report: (loaded: number, total: number) => void,
): Downloads {
  const original = globalThis.fetch;
  const files = new Map<string, Progress>(
    Object.entries(sizes).map(([name, { stored }]) => [
      name,
      { wire: stored, full: stored, arrived: 0 },
    ]),
  );
  let last = -Infinity;
  let fail: (error: Error) => void = () => {};
  const broken = new Promise<never>((_resolve, reject) => (fail = reject));
  broken.catch(() => {});
  const notify = (): void => {
    let [loaded, total] = [0, 0];
    for (const { wire, full, arrived } of files.values()) {
      loaded += wire * Math.min(1, arrived / full);
      total += wire;
    }
    report(Math.round(loaded), total);
  };
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const name = new URL(url, 'http://localhost/').pathname.split('/').at(-1)!;
    const lost = (reason: unknown): void => {
      const why = reason instanceof Error ? reason.message : String(reason);
      if (OPTIONAL.test(name)) files.delete(name);
      else fail(new Error(`${name} could not be loaded (${why})`));
    };
    let response;
    try {
      response = await requestTwice(() =>
        original.call(globalThis, input instanceof Request ? input.clone() : input, init),
      );
    } catch (error) {
      lost(error);
      throw error;
    }
    if (!response.ok) lost(`HTTP ${response.status}`);
    if (!response.ok || !response.body) return response;
    const progress = files.get(name);
    if (progress) expect(progress, response, sizes[name]!);
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (progress) progress.arrived += chunk.byteLength;
        const now = performance.now();
        if (progress && now - last >= PACE) {
          last = now;
          notify();
        }
        controller.enqueue(chunk);
      },
    });
    response.body.pipeTo(counter.writable).catch(lost);
    return new Response(counter.readable, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
  return {
    broken,
    done() {
      globalThis.fetch = original;
      notify();
    },
  };
}

/** Requests again where the line or the server fails: for a moment, most times. */
async function requestTwice(request: () => Promise<Response>): Promise<Response> {
  const first = await request().catch(() => null);
  if (first && first.status < 500) return first;
  await new Promise((resolve) => setTimeout(resolve, AGAIN));
  return request();
}

/** Adds the remaining bytes of a file to the progress, by its answer's headers. */
function expect(progress: Progress, response: Response, size: FileSize): void {
  const encoded = response.headers.get('content-encoding') !== null;
  const length = Number(response.headers.get('content-length') ?? 0);
  progress.full = encoded ? size.unpacked : length || size.stored;
  // A compressed file is no longer than it was; a total that grows would be no total.
  if (length > 0) progress.wire = Math.min(length, progress.wire);
  progress.arrived = 0;
}
