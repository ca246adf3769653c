/**
 * Shared parts of the attack tests: another origin that records whatever arrives, a host that sends
 * no headers, and programs that are opened by their links.
 */
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, resolve } from 'node:path';
import type { Page } from 'playwright';
import { encode } from '../app/share/codec';
import { output, runToEnd, tab } from './page';

const DIST = resolve(import.meta.dirname, '..', process.env['HIPPOCAMP_DIST'] ?? 'dist');

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const close = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.closeAllConnections();
    server.close(() => done());
  });

/** Another origin, which lets everybody in. */
export async function away(): Promise<{
  readonly host: string;
  readonly arrived: readonly string[];
  close(): Promise<void>;
}> {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    arrived.push((request.url ?? '').slice(1));
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.setHeader('Content-Type', 'text/javascript');
    response.end('0');
  });
  server.on('upgrade', (request, socket) => {
    arrived.push((request.url ?? '').slice(1));
    socket.destroy();
  });
  const host = await listen(server);
  return { host, arrived, close: () => close(server) };
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

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

/**
 * The build on a host that sends no header of ours, or those of the build's file `_headers`.
 * @param under path at which the build lies, with slashes around it.
 */
export async function plainHost(
  options: { readonly headers?: boolean; readonly folder?: string; readonly under?: string } = {},
): Promise<Host> {
  const { headers = false, folder = DIST, under = '/' } = options;
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const asked = normalize(decodeURIComponent((request.url ?? '/').split('?')[0]!));
    requested.push(asked);
    const path = asked.startsWith(under) ? asked.slice(under.length - 1) : '/nowhere';
    const file = join(host.folder, path === '/' ? 'index.html' : path);
    if (!file.startsWith(host.folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.statusCode = 404;
      response.end('not here');
      return;
    }
    if (headers) {
      const rules = readFileSync(join(host.folder, '_headers'), 'utf8');
      for (const [name, value] of headersFor(rules, path)) response.setHeader(name, value);
    }
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(response);
  });
  const host: Host = {
    address: `http://${await listen(server)}${under}`,
    folder,
    requested,
    close: () => close(server),
  };
  return host;
}

/** The link of a program, as somebody sends it. */
export function linkTo(address: string, name: string, text: string): string {
  return `${address}#/s/${encode({ name, entry: 'main.py', files: { 'main.py': text } })}`;
}

/** Prints of the run, also where a comparison has the page's attention. */
export async function printed(page: Page): Promise<string> {
  await tab(page, 'Output').click();
  return output(page).innerText();
}

/** Opens a program by its link in the page as it is, and runs it. @returns what it printed. */
export async function runLink(page: Page, name: string, text: string): Promise<string> {
  const { hash } = new URL(linkTo('http://localhost/', name, text));
  await page.evaluate((to) => void (location.hash = to), hash);
  await page.getByRole('button', { name: `Program: ${name}` }).waitFor();
  await runToEnd(page);
  return printed(page);
}
