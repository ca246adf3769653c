/** The keeper against networks and caches that fail, as browsers have them. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { Keeper, NotKept, type Surroundings } from './keeper';
import type { Build, KeptFile } from './protocol';

const SCOPE = 'https://host/site/';
const integrityOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** A browser's caches, with room for so many bytes. */
class Caches {
  readonly all = new Map<string, Map<string, Response>>();
  room = Infinity;

  async has(name: string): Promise<boolean> {
    return this.all.has(name);
  }
  async keys(): Promise<string[]> {
    return [...this.all.keys()];
  }
  async delete(name: string): Promise<boolean> {
    return this.all.delete(name);
  }
  async open(name: string): Promise<Pick<Cache, 'match' | 'put' | 'keys'>> {
    const found = this.all.get(name) ?? new Map<string, Response>();
    this.all.set(name, found);
    return {
      match: async (url) => found.get(String(url))?.clone(),
      keys: async () => [...found.keys()].map((url) => new Request(url)),
      put: async (url, response) => {
        const text = await response.clone().text();
        if (text.length > this.room) throw new DOMException('full', 'QuotaExceededError');
        this.room -= text.length;
        found.set(String(url), response);
      },
    };
  }
}

/** A host with these files; like a browser it refuses contents of another digest. */
function network(files: Record<string, string>) {
  const asked: string[] = [];
  const fetched = async (url: string | Request, init?: RequestInit): Promise<Response> => {
    const href = typeof url === 'string' ? url : url.url;
    asked.push(`${init?.cache ?? 'request'} ${href.slice(SCOPE.length)}`);
    const text = files[href.slice(SCOPE.length)];
    if (text === undefined) return new Response('not here', { status: 404 });
    if (init?.integrity && integrityOf(text) !== init.integrity) throw new TypeError('integrity');
    return new Response(text, { headers: { 'Content-Type': 'text/plain' } });
  };
  return { asked, fetched, files };
}

const file = (path: string, text: string): KeptFile => ({
  path,
  integrity: integrityOf(text),
  bytes: text.length,
});
function build(id: string, files: Record<string, string>): Build {
  return {
    id,
    files: Object.entries(files).map(([path, text]) => file(path, text)),
    headers: { 'Cross-Origin-Opener-Policy': 'same-origin' },
  };
}

function keeperOf(made: Build, caches: Caches, fetched: Surroundings['fetch'], more = {}): Keeper {
  return new Keeper(made, SCOPE, {
    caches: caches as unknown as CacheStorage,
    fetch: fetched,
    openBuilds: async () => [],
    replaced: () => false,
    ...more,
  });
}
const navigation = (path: string): Request => new Request(`${SCOPE}${path}`);

const FIRST = { '': '<page 1>', 'assets/a-1.js': 'one', 'assets/same-0.js': 'same' };
const SECOND = { '': '<page 2>', 'assets/a-2.js': 'two', 'assets/same-0.js': 'same' };

it('keeps all files, and answers with them and the headers of the build', async () => {
  const [caches, { fetched, asked }] = [new Caches(), network(FIRST)];
  const keeper = keeperOf(build('1', FIRST), caches, fetched);
  const heard: number[] = [];
  await keeper.keep((kept) => heard.push(kept));
  expect(heard.at(-1)).toBe(keeper.total);
  expect(await keeper.state()).toEqual({ build: '1', complete: true, bytes: keeper.total });
  // The browser's own cache is not believed where a path says nothing of its contents.
  expect(asked.toSorted()).toEqual([
    'default assets/a-1.js',
    'default assets/same-0.js',
    'no-cache ',
  ]);
  for (const path of ['', 'index.html', '?again', '#/learn/p01']) {
    const response = await keeper.answerTo(navigation(path));
    expect(await response!.text()).toBe('<page 1>');
    expect(response!.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  }
  for (const path of ['nothing', 'serviceWorker.js'])
    expect(keeper.answerTo(navigation(path))).toBeNull();
  expect(keeper.answerTo(new Request('https://elsewhere/site/assets/a-1.js'))).toBeNull();
  expect(keeper.answerTo(new Request(`${SCOPE}assets/a-1.js`, { method: 'POST' }))).toBeNull();
  // A request writes nothing.
  await keeper.answerTo(navigation('assets/other-9.js'));
  expect((await (await caches.open('hippocamp:/site/:1')).keys()).length).toBe(3);
});

it('refuses a build of which a file is missing or another, and goes on where it was', async () => {
  const caches = new Caches();
  const { fetched, files, asked } = network({ ...FIRST, 'assets/a-1.js': 'of another build' });
  const keeper = keeperOf(build('1', FIRST), caches, fetched);
  const failure = keeper.keep(() => {});
  await expect(failure).rejects.toThrow(NotKept);
  await expect(failure).rejects.toThrow('assets/a-1.js could not be loaded, or is not of this');
  // The browser's cache may have been wrong: the host was asked.
  expect(asked).toContain('reload assets/a-1.js');
  delete files['assets/a-1.js'];
  await expect(keeper.keep(() => {})).rejects.toThrow('assets/a-1.js is missing on the server');
  expect((await keeper.state()).complete).toBe(false);
  files['assets/a-1.js'] = 'one';
  asked.length = 0;
  await keeper.keep(() => {});
  expect((await keeper.state()).complete).toBe(true);
  expect(asked.filter((each) => !/a-1|same-0/.test(each))).toEqual([]);
});

it('gives the room back where there is not enough', async () => {
  const [caches, { fetched }] = [new Caches(), network(FIRST)];
  caches.room = 9;
  const keeper = keeperOf(build('1', FIRST), caches, fetched);
  await expect(keeper.keep(() => {})).rejects.toThrow('no room');
  expect(await caches.keys()).toEqual([]);
});

it('takes files that did not change from the build before, and serves the pages of both', async () => {
  const caches = new Caches();
  await keeperOf(build('1', FIRST), caches, network(FIRST).fetched).keep(() => {});
  const { fetched, asked } = network(SECOND);
  const keeper = keeperOf(build('2', SECOND), caches, fetched);
  await keeper.keep(() => {});
  expect(asked.toSorted()).toEqual(['default assets/a-2.js', 'no-cache ']);
  const text = async (path: string): Promise<string> =>
    (await keeper.answerTo(navigation(path)))!.text();
  expect(await text('')).toBe('<page 2>');
  expect(await text('assets/a-1.js')).toBe('one');
  expect(await text('assets/a-2.js')).toBe('two');
});

it('deletes other builds when no page shows them, and none of other places', async () => {
  const caches = new Caches();
  for (const name of ['hippocamp:/site/:1', 'hippocamp:/site/:2', 'hippocamp:/:1', 'x'])
    await caches.open(name);
  const { fetched } = network({});
  let open: (string | null)[] = ['2', '1'];
  let replaced = true;
  const around = { openBuilds: async () => open, replaced: () => replaced };
  const keeper = keeperOf(build('2', {}), caches, fetched, around);
  // A later build is on its way; a page of the first is open; a page does not answer.
  expect(await keeper.collect()).toEqual([]);
  replaced = false;
  expect(await keeper.collect()).toEqual([]);
  open = ['2', null];
  expect(await keeper.collect()).toEqual([]);
  open = ['2', ''];
  expect(await keeper.collect()).toEqual(['hippocamp:/site/:1']);
  expect(await caches.keys()).toEqual(['hippocamp:/site/:2', 'hippocamp:/:1', 'x']);
});

it('requests from the network what the browser has deleted, and then keeps its headers', async () => {
  const [caches, { fetched }] = [new Caches(), network(FIRST)];
  const keeper = keeperOf(build('1', FIRST), caches, async (...given) => {
    const response = await fetched(...given);
    return Object.defineProperty(response, 'type', { value: 'basic' });
  });
  await keeper.keep(() => {});
  caches.all.clear();
  const response = await keeper.answerTo(navigation('assets/a-1.js'));
  expect(await response!.text()).toBe('one');
  expect(response!.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  // Nothing is made anew by looking.
  expect(await caches.keys()).toEqual([]);
});
