/** Bytes of Python's start: what is said of them never runs ahead, however a server sends them. */
import { afterEach, expect, it, vi } from 'vitest';
import { watchDownloads } from './downloads';

const SIZES = {
  'python.wasm': { stored: 9_000, unpacked: 9_000 },
  'python-snapshot.gz': { stored: 6_000, unpacked: 25_000 },
};

afterEach(() => vi.unstubAllGlobals());

/** A file in pieces of 1,000 bytes, with these headers. */
function answer(bytes: number, headers: Record<string, string>): Response {
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left <= 0) controller.close();
      else controller.enqueue(new Uint8Array(Math.min(1_000, left)));
      left -= 1_000;
    },
  });
  return new Response(body, { headers });
}

/** Fetches all files and returns what was reported. */
async function load(answers: Record<string, () => Response>): Promise<[number, number][]> {
  vi.stubGlobal('fetch', (url: string) => Promise.resolve(answers[url.split('/').at(-1)!]!()));
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 100));
  const reported: [number, number][] = [];
  const downloads = watchDownloads(SIZES, (loaded, total) => reported.push([loaded, total]));
  for (const name of Object.keys(answers)) {
    const response = await fetch(`https://example.com/pyodide/${name}`);
    if (response.ok) await response.arrayBuffer();
  }
  downloads.done();
  vi.restoreAllMocks();
  return reported;
}

/** The total is known from the first report on, and the count goes up to it. */
function expectHonest(reported: readonly [number, number][], total: number): void {
  const loaded = reported.map(([each]) => each);
  expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
  expect(reported.at(-1)).toEqual([total, total]);
  // Neither at the total for half of the time, nor with a total that grows with the count.
  expect(reported[0]![0]).toBeLessThan(0.2 * total);
  const totals = reported.map(([, each]) => each);
  expect(totals).toEqual(totals.toSorted((a, b) => b - a));
}

it('counts files that are sent as they are', async () => {
  const reported = await load({
    'python.wasm': () => answer(9_000, { 'content-length': '9000' }),
    'python-snapshot.gz': () => answer(6_000, { 'content-length': '6000' }),
  });
  expectHonest(reported, 15_000);
});

it('counts a snapshot that the server has unpacked on the way by what came over the wire', async () => {
  const reported = await load({
    'python.wasm': () => answer(9_000, { 'content-length': '9000' }),
    'python-snapshot.gz': () =>
      answer(25_000, { 'content-length': '6000', 'content-encoding': 'gzip' }),
  });
  expectHonest(reported, 15_000);
  // Two fifths of the snapshot's bytes are two fifths of its share.
  expect(reported.map(([loaded]) => loaded)).toContain(9_000 + 2_400);
});

it('counts a file that the server compresses, with its length or without', async () => {
  const small = await load({
    'python.wasm': () => answer(9_000, { 'content-length': '3000', 'content-encoding': 'br' }),
    'python-snapshot.gz': () => answer(6_000, { 'content-length': '6000' }),
  });
  expectHonest(small, 9_000);
  const chunked = await load({
    'python.wasm': () => answer(9_000, { 'content-encoding': 'br' }),
    'python-snapshot.gz': () => answer(6_000, {}),
  });
  expectHonest(chunked, 15_000);
});

it('expects no more of a snapshot that is not there, and counts nothing else', async () => {
  const reported = await load({
    'tree-sitter.wasm': () => answer(5_000, { 'content-length': '5000' }),
    'python.wasm': () => answer(9_000, { 'content-length': '9000' }),
    'python-snapshot.gz': () => new Response('', { status: 404 }),
  });
  expect(reported.at(-1)).toEqual([9_000, 9_000]);
});

it('rejects when a file that is needed cannot be loaded', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 502 })));
  const downloads = watchDownloads(SIZES, () => {});
  await fetch('https://example.com/pyodide/python.wasm');
  await expect(downloads.broken).rejects.toThrow('python.wasm could not be loaded (HTTP 502)');
  downloads.done();
});

it('requests a file once more where the line or the server fails for a moment', async () => {
  let asked = 0;
  const file = (): Response => {
    asked++;
    if (asked === 1) throw new TypeError('Failed to fetch');
    if (asked === 3) return new Response('busy', { status: 503 });
    return answer(9_000, {});
  };
  vi.stubGlobal('fetch', () => Promise.resolve().then(file));
  const downloads = watchDownloads(SIZES, () => {});
  let broken = false;
  downloads.broken.catch(() => (broken = true));
  for (let i = 0; i < 2; i++) {
    const response = await fetch('https://example.com/pyodide/python.wasm');
    expect((await response.arrayBuffer()).byteLength).toBe(9_000);
  }
  expect([asked, broken]).toEqual([4, false]);
  downloads.done();
});
