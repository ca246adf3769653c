/** A page that is not ours: another origin, no isolation headers, only what a test puts there. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Bare {
  readonly address: string;
  close(): Promise<void>;
}

const TYPES: Record<string, string> = {
  html: 'text/html',
  js: 'text/javascript',
  py: 'text/plain',
};

/** Serves these files, by name. */
export async function bareSite(files: Readonly<Record<string, string>>): Promise<Bare> {
  const server = createServer((request, response) => {
    const name = (request.url ?? '/').slice(1).split('?')[0] || 'index.html';
    const text = files[name];
    response.statusCode = text === undefined ? 404 : 200;
    const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain';
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    response.end(text ?? 'not here');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    close: () => new Promise((done) => server.close(() => done())),
  };
}
