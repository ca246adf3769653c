/** A static host of the build, in the test's own process. */
import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The production build. */
export const DIST = resolve(import.meta.dirname, '..', process.env['HIPPOCAMP_DIST'] ?? 'dist');

/** @returns name and port of the server's address. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
export const close = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.closeAllConnections();
    server.close(() => done());
  });

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};
/** Files that every host compresses. */
const TEXT = new Set(['.html', '.js', '.mjs', '.css', '.json', '.svg', '.py', '.txt']);

/** The headers that a file `_headers` gives a path, as Netlify and Cloudflare Pages read it. */
function headersFor(rules: string, path: string): [string, string][] {
  const found: [string, string][] = [];
  let applies = false;
  for (const line of rules.split('\n')) {
    const [, name, value] = /^\s+([\w-]+): (.*)$/.exec(line) ?? [];
    if (name && value) {
      if (applies) found.push([name, value]);
    } else applies = line.endsWith('*') ? path.startsWith(line.slice(0, -1)) : path === line;
  }
  return found;
}

/** A static host that serves files with their types. */
export interface Host {
  readonly address: string;
  /** The build that it serves from now on. */
  folder: string;
  /** Paths of all requests, in order. */
  readonly requested: string[];
  close(): Promise<void>;
}

export interface HostOptions {
  /** Whether it sends the headers of the build's file `_headers`. */
  readonly headers: boolean;
  readonly folder?: string;
  /** Path at which the build lies, with slashes around it. */
  readonly under?: string;
  /** Whether it compresses text. No visit waits for that on a test's own machine. */
  readonly gzip?: boolean;
}

/** Serves a build; a path that is not in it is answered with 404. */
export async function staticHost(options: HostOptions): Promise<Host> {
  const { headers, folder = DIST, under = '/', gzip = false } = options;
  const requested: string[] = [];
  const compressed = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const asked = normalize(decodeURIComponent((request.url ?? '/').split('?')[0]!));
    requested.push(asked);
    const path = asked.startsWith(under) ? asked.slice(under.length - 1) : '/nowhere';
    const file = join(host.folder, path === '/' ? 'index.html' : path);
    const known = file.startsWith(host.folder) && statSync(file, { throwIfNoEntry: false });
    if (!known || !known.isFile()) {
      response.statusCode = 404;
      response.end('not here');
      return;
    }
    if (headers) {
      const rules = readFileSync(join(host.folder, '_headers'), 'utf8');
      for (const [name, value] of headersFor(rules, path)) response.setHeader(name, value);
    }
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    let body: Buffer | undefined = readFileSync(file);
    if (
      gzip &&
      TEXT.has(extname(file)) &&
      /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    ) {
      const plain = body;
      body = compressed.get(file) ?? gzipSync(plain);
      compressed.set(file, body);
      response.setHeader('Content-Encoding', 'gzip');
    }
    response.setHeader('Content-Length', body.length);
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  const host: Host = {
    address: `http://${await listen(server)}${under}`,
    folder,
    requested,
    close: () => close(server),
  };
  return host;
}
