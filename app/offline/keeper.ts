/**
 * Keeps a build for visits without a network, and answers the page's requests from it. The service
 * worker (`serviceWorker.ts`) is its events; everything of the browser comes in as an argument, so
 * that tests hold it against caches and networks that fail.
 *
 * Guarantees: a build serves pages only once all its files are kept, each with the contents that
 * the build gave it. A page gets files of its own build: paths hold a digest of their contents, and
 * the files of a build stay as long as a page shows it. Nothing that a page or a program requests
 * is ever written to a cache.
 */
import { cachePrefix, type Build, type KeptFile, type State } from './protocol';

/** The parts of a service worker's global scope that are used. */
export interface Surroundings {
  readonly caches: CacheStorage;
  readonly fetch: (url: string | Request, init?: RequestInit) => Promise<Response>;
  /** The builds of the pages that are open; null for one that does not answer. */
  readonly openBuilds: () => Promise<readonly (string | null)[]>;
  /** A later build is on its way, or waits. */
  readonly replaced: () => boolean;
}

/** Files that are fetched at once: the page comes first. */
const AT_ONCE = 2;
/** Header of kept answers: the digest of the contents. */
const INTEGRITY = 'Hippocamp-Integrity';

/** A reason to give up that a visitor can read. */
export class NotKept extends Error {}

export class Keeper {
  private readonly prefix: string;
  private readonly name: string;
  private readonly files: ReadonlyMap<string, KeptFile>;
  readonly total: number;

  /** @param scope address of the page's folder. */
  constructor(
    private readonly build: Build,
    private readonly scope: string,
    private readonly around: Surroundings,
  ) {
    this.prefix = cachePrefix(scope);
    this.name = this.prefix + build.id;
    this.files = new Map(build.files.map((file) => [new URL(file.path, scope).href, file]));
    this.total = build.files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Keeps every file of the build: from an earlier build where it has the same, else from the
   * network. What an attempt that failed has kept counts.
   * @param report hears the bytes that are kept, file by file.
   * @throws NotKept
   */
  async keep(report: (kept: number) => void): Promise<void> {
    const cache = await this.around.caches.open(this.name);
    const earlier = await this.earlier();
    let kept = 0;
    const waiting = [...this.files];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [url, file] = next;
        try {
          if (!(await isKept(cache, url, file)))
            await cache.put(url, (await found(earlier, url, file)) ?? (await this.load(url, file)));
        } catch (error) {
          waiting.length = 0;
          if (!isFull(error)) throw error;
          // Half a build is of no use, and its room may be wanted.
          await this.around.caches.delete(this.name);
          throw new NotKept('this browser gives the site no room for it');
        }
        kept += file.bytes;
        report(kept);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  /** A file from the network, with the headers that it is to be answered with. */
  private async load(url: string, file: KeptFile): Promise<Response> {
    const { integrity } = file;
    const name = file.path === '' ? 'index.html' : file.path;
    // A file whose path changes with its contents may come from the browser's cache.
    const first: RequestCache = isAddressed(file) ? 'default' : 'no-cache';
    for (const cache of [first, 'reload'] as const) {
      const options: RequestInit = { integrity, cache, priority: 'low' };
      const response = await this.around.fetch(url, options).catch(() => null);
      if (response?.ok) return this.answer(response, file);
      if (response) throw new NotKept(`${name} is missing on the server (HTTP ${response.status})`);
    }
    throw new NotKept(`${name} could not be loaded, or is not of this build`);
  }

  private answer(response: Response, { integrity, bytes }: KeptFile): Response {
    const headers = new Headers({
      'Content-Type': response.headers.get('content-type') ?? 'application/octet-stream',
      'Content-Length': String(bytes),
      ...this.build.headers,
      [INTEGRITY]: integrity,
    });
    return new Response(response.body, { status: 200, headers });
  }

  /** The caches of other builds of this place, the newest last. */
  private async earlier(): Promise<Cache[]> {
    const names = await this.others();
    return Promise.all(names.map((name) => this.around.caches.open(name)));
  }
  private async others(): Promise<string[]> {
    const names = await this.around.caches.keys();
    return names.filter((name) => name.startsWith(this.prefix) && name !== this.name);
  }

  async state(): Promise<State> {
    const cache = await this.existing(this.name);
    const kept = new Set((await cache?.keys())?.map(({ url }) => url));
    const complete = [...this.files.keys()].every((url) => kept.has(url));
    return { build: this.build.id, complete, bytes: this.total };
  }

  /**
   * The answer to a request of a page or of its workers; null for what is none of ours, which goes
   * to the network as if nobody had looked at it.
   */
  answerTo(request: Request): Promise<Response> | null {
    const url = new URL(request.url);
    url.search = '';
    url.hash = '';
    if (request.method !== 'GET' || !url.href.startsWith(this.scope)) return null;
    const path = url.href.slice(this.scope.length);
    const href = path === 'index.html' ? this.scope : url.href;
    const file = this.files.get(href);
    if (file) return this.ours(href, request);
    // A page of an earlier build.
    return path.startsWith(ADDRESSED) ? this.fromEarlier(href, request) : null;
  }

  /** From the cache; where the browser has deleted it, from the network. */
  private async ours(url: string, request: Request): Promise<Response> {
    const kept = await this.match(this.name, url);
    if (kept) return kept;
    const response = await this.around.fetch(request);
    // A page that was isolated by these headers refuses workers without them.
    if (!response.ok || response.redirected || response.type !== 'basic') return response;
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(this.build.headers)) headers.set(name, value);
    const { status, statusText } = response;
    return new Response(response.body, { status, statusText, headers });
  }

  private async fromEarlier(url: string, request: Request): Promise<Response> {
    for (const name of await this.others()) {
      const kept = await this.match(name, url);
      if (kept) return kept;
    }
    return this.around.fetch(request);
  }

  private async match(name: string, url: string): Promise<Response | undefined> {
    return (await this.existing(name))?.match(url, { ignoreVary: true });
  }

  /** A cache that is there: `open` by itself would make one that was deleted. */
  private async existing(name: string): Promise<Cache | undefined> {
    const { caches } = this.around;
    return (await caches.has(name)) ? caches.open(name) : undefined;
  }

  /**
   * Deletes what other builds left, unless a page that is open may still need it, or a later build
   * is on its way. @returns the names of the caches that went.
   */
  async collect(): Promise<readonly string[]> {
    if (this.around.replaced()) return [];
    const others = await this.others();
    if (others.length === 0) return [];
    const open = await this.around.openBuilds();
    if (open.includes(null) || this.around.replaced()) return [];
    const gone = others.filter((name) => !open.includes(name.slice(this.prefix.length)));
    await Promise.all(gone.map((name) => this.around.caches.delete(name)));
    return gone;
  }
}

/** Folder in which each path holds a digest of its contents. */
const ADDRESSED = 'assets/';
const isAddressed = ({ path }: KeptFile): boolean => path.startsWith(ADDRESSED);

async function isKept(cache: Cache, url: string, { integrity }: KeptFile): Promise<boolean> {
  const kept = await cache.match(url, { ignoreVary: true });
  return kept?.headers.get(INTEGRITY) === integrity;
}

async function found(
  caches: readonly Cache[],
  url: string,
  file: KeptFile,
): Promise<Response | null> {
  for (const cache of caches) {
    const kept = await cache.match(url, { ignoreVary: true });
    if (kept?.headers.get(INTEGRITY) === file.integrity) return kept;
  }
  return null;
}

const isFull = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'QuotaExceededError';
