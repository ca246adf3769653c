/**
 * The protocol as streamable HTTP, on 127.0.0.1 alone. A page elsewhere must not reach it through a
 * name that it points here (DNS rebinding): a request whose Host is not this address, or whose
 * Origin is not allowed, is refused before its body is read. Bodies and sessions are bounded.
 */
import { randomUUID } from 'node:crypto';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { MESSAGE_BYTES, SESSIONS } from './limits';

const PATH = '/mcp';
const ADDRESS = '127.0.0.1';
const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;

export interface HttpOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Origin of a page that may send requests; null: none may. */
  readonly origin: string | null;
}
export interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** @param open makes a server for a session. @throws where the port is taken. */
export async function listen(
  { port, origin }: HttpOptions,
  open: () => Server,
): Promise<Listening> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const http = createHttp((request, response) => {
    const local = (http.address() as AddressInfo).port;
    respond(request, response).catch((error: unknown) =>
      refuse(response, 500, INVALID_REQUEST, 'internal', String(error)),
    );
    async function respond(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
      const reason = refusal(asked, local, origin);
      if (reason)
        return refuse(answer, reason.status, INVALID_REQUEST, reason.code, reason.message);
      const id = asked.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      // The last one of the map is the one that was used last.
      if (known && typeof id === 'string' && sessions.delete(id)) sessions.set(id, known);
      if (asked.method !== 'POST') {
        if (known) return known.handleRequest(asked, answer);
        return refuse(answer, 404, INVALID_REQUEST, 'no-session', 'there is no such session');
      }
      const body = await readBody(asked, answer);
      if (body === undefined) return;
      if (known) return known.handleRequest(asked, answer, body);
      if (id !== undefined)
        return refuse(answer, 404, INVALID_REQUEST, 'no-session', 'there is no such session');
      // The one that is idle longest goes: clients leave without a word.
      const [oldest] = sessions;
      if (sessions.size >= SESSIONS && oldest) await oldest[1].close();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (fresh) => void sessions.set(fresh, transport),
      });
      transport.onclose = () => {
        if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
      };
      await open().connect(transport);
      await transport.handleRequest(asked, answer, body);
    }
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, ADDRESS, resolve);
  });
  return {
    url: `http://${ADDRESS}:${(http.address() as AddressInfo).port}${PATH}`,
    close: async () => {
      for (const session of sessions.values()) await session.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

function refusal(request: IncomingMessage, port: number, allowed: string | null): Refusal | null {
  const { host = '', origin } = request.headers;
  const own = [`${ADDRESS}:${port}`, `localhost:${port}`];
  if (!own.includes(host.toLowerCase()))
    return { status: 403, code: 'bad-host', message: `the Host is not ${own.join(' or ')}` };
  if (origin !== undefined && origin !== allowed)
    return {
      status: 403,
      code: 'bad-origin',
      message: 'pages may not send requests, but for the origin of --allow-origin',
    };
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  if (path !== PATH) return { status: 404, code: 'not-found', message: `the path is ${PATH}` };
  return null;
}

/** The body as JSON; undefined where it was refused. */
async function readBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    // Read to the end, so that the client sees the answer.
    if (bytes <= MESSAGE_BYTES) parts.push(part);
    else parts.length = 0;
  }
  if (bytes > MESSAGE_BYTES) {
    const message = `a message of ${bytes} bytes; at most ${MESSAGE_BYTES} are read`;
    refuse(response, 413, INVALID_REQUEST, 'too-large', message);
    return undefined;
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch (error) {
    refuse(response, 400, PARSE_ERROR, 'bad-json', `no JSON: ${String(error)}`);
    return undefined;
  }
}

function refuse(
  response: ServerResponse,
  status: number,
  number: number,
  code: string,
  message: string,
): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  const error = { code: number, message, data: { code } };
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}
