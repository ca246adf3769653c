/**
 * Counts the bytes of what a worker fetches while it starts, by wrapping `fetch`. Files that were
 * compressed on the way count with what arrived, so the total is a lower bound.
 */

/** @param tell called at most every 50 ms. @returns puts the old `fetch` back. */
export function countDownloads(
  tell: (text: string, loaded: number, total: number) => void,
): () => void {
  const original = globalThis.fetch;
  let loaded = 0;
  let total = 0;
  let last = 0;
  const report = (): void => {
    const now = performance.now();
    if (now - last < 50) return;
    last = now;
    tell('Python', loaded, Math.max(total, loaded));
  };
  globalThis.fetch = async (input, init) => {
    const response = await original.call(globalThis, input, init);
    if (!response.ok || !response.body) return response;
    total += Number(response.headers.get('content-length') ?? 0);
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        loaded += chunk.byteLength;
        report();
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counter), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
  return () => {
    globalThis.fetch = original;
    tell('Python', loaded, Math.max(total, loaded));
  };
}
