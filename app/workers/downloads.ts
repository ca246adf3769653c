/**
 * Watches what a worker fetches while it starts, by wrapping `fetch`: counts the bytes, and tells of a
 * download that broke, because Pyodide waits for ever for some of its files. Files that were compressed
 * on the way count with what arrived, so the total is a lower bound.
 */

export interface Downloads {
  /** Rejects when a file that is needed could not be loaded; never resolves. */
  readonly broken: Promise<never>;
  /** Puts the old `fetch` back. */
  done(): void;
}

/** The start goes on without these. */
const OPTIONAL = /python-snapshot/;

/** @param tell called at most every 50 ms. */
export function watchDownloads(
  tell: (text: string, loaded: number, total: number) => void,
): Downloads {
  const original = globalThis.fetch;
  let loaded = 0;
  let total = 0;
  let last = 0;
  let fail: (error: Error) => void = () => {};
  const broken = new Promise<never>((_resolve, reject) => (fail = reject));
  broken.catch(() => {});
  const report = (): void => {
    const now = performance.now();
    if (now - last < 50) return;
    last = now;
    tell('Python', loaded, Math.max(total, loaded));
  };
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const lost = (reason: unknown): void => {
      const name = url.split('/').at(-1) ?? url;
      const why = reason instanceof Error ? reason.message : String(reason);
      if (!OPTIONAL.test(url)) fail(new Error(`${name} could not be loaded (${why})`));
    };
    let response;
    try {
      response = await original.call(globalThis, input, init);
    } catch (error) {
      lost(error);
      throw error;
    }
    if (!response.ok) lost(`HTTP ${response.status}`);
    if (!response.ok || !response.body) return response;
    total += Number(response.headers.get('content-length') ?? 0);
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        loaded += chunk.byteLength;
        report();
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
      tell('Python', loaded, Math.max(total, loaded));
    },
  };
}
