/**
 * A slow line in front of a site: all answers share its bytes a second, and each begins after its
 * latency. It holds for workers too, which a browser's own emulation reaches one by one only.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SlowLine {
  readonly address: string;
  /** Paths whose next request fails with HTTP 503, once each. */
  readonly broken: Set<string>;
  /** When each path was requested and had been sent, in milliseconds since the start. */
  readonly log: { readonly path: string; readonly asked: number; sent: number | null }[];
  close(): Promise<void>;
}

const CHUNK = 4096;

export async function slowLine(
  site: string,
  bytesPerSecond: number,
  latency: number,
): Promise<SlowLine> {
  const begin = performance.now();
  const log: SlowLine['log'] = [];
  const broken = new Set<string>();
  // Chunks take turns, so that connections share the line.
  let free = 0;
  const turn = async (bytes: number): Promise<void> => {
    const now = performance.now();
    free = Math.max(free, now) + (1000 * bytes) / bytesPerSecond;
    await sleep(free - now);
  };
  const answer = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = asked.url ?? '/';
    const cut = [...broken].find((each) => path.includes(each));
    if (cut !== undefined) {
      broken.delete(cut);
      // Cut connections are tried again by the browser itself.
      response.writeHead(503).end();
      return;
    }
    const entry = { path, asked: performance.now() - begin, sent: null as number | null };
    log.push(entry);
    await sleep(latency);
    const { host: _host, ...headers } = asked.headers;
    const upstream = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(path, site), { method: asked.method ?? 'GET', headers }, resolve)
        .on('error', reject)
        .end();
    });
    response.writeHead(upstream.statusCode ?? 502, upstream.headers);
    for await (const part of upstream) {
      const bytes = part as Buffer;
      for (let at = 0; at < bytes.length; at += CHUNK) {
        const chunk = bytes.subarray(at, at + CHUNK);
        await turn(chunk.length);
        if (response.destroyed) return;
        response.write(chunk);
      }
    }
    response.end();
    entry.sent = performance.now() - begin;
  };
  const server = createServer((asked, response) => {
    answer(asked, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    broken,
    log,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
