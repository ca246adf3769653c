/**
 * `hippocamp mcp` by the protocol's client library: the tools, bad input, limits, cancellation,
 * progress, and HTTP with its checks.
 */
import { request } from 'node:http';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, type Listening } from './http';
import { MESSAGE_BYTES, SOURCE_CHARACTERS } from './limits';
import { createServer } from './server';
import { BoundedLines } from './stdio';
import { call, connect } from './testing/client';
import { TOOLS } from './tools';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const ENDLESS = 'while True:\n    pass\n';

describe('over standard input and output', () => {
  let folder = '';
  let client: Client;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hippocamp-mcp-'));
    writeFileSync(join(folder, 'hello.py'), 'import other\nprint(other.name)\n');
    writeFileSync(join(folder, 'other.py'), 'name = "from beside"\n');
    symlinkSync(join(ROOT, 'public/examples/matmul.py'), join(folder, 'link.py'));
    client = await connect(folder);
  });
  afterAll(async () => {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('describes every tool with schemas of its input and its results', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
    for (const { description, inputSchema, outputSchema } of tools) {
      expect(description?.length).toBeGreaterThan(50);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
    }
    expect(client.getInstructions()).toContain('prove');
  });

  it('explains, lists and reads', async () => {
    expect((await call(client, 'explain', { code: 'HC0203' })).text).toContain('power of two');
    const listed = await call(client, 'list_examples', { query: 'online softmax' });
    expect(listed.text).toContain('lesson/04-online-softmax');
    const matmul = await call(client, 'read_example', { name: 'gallery/matmul' });
    expect(matmul.text).toContain('@triton.jit');
  });

  it('runs a file with what it imports, and a text with its modules', async () => {
    const file = await call(client, 'run', { path: 'hello.py', adapter: 'interpreter' });
    expect(file.structured).toMatchObject({ passed: true, stdout: 'from beside\n' });
    const steps: (string | undefined)[] = [];
    const text = await call(
      client,
      'run',
      {
        source: 'import a.b\nprint(a.b.x)',
        files: { 'a/b.py': 'x = 7' },
        adapter: 'interpreter',
      },
      { onprogress: ({ message }) => steps.push(message) },
    );
    expect(text.structured).toMatchObject({ outcome: 'ok', stdout: '7\n' });
    expect(steps).toContain('running on interpreter');
  });

  it('checks a program against a reference', async () => {
    const reference = `from judge import randn
FUNCTION = "double"
def double(x):
    return 2 * x
def cases():
    yield "100 elements", (randn(100),)
`;
    const source = 'def double(x):\n    return 2 * x\n';
    const torch = await call(client, 'check', { source, reference, adapter: 'interpreter' });
    expect(torch.structured).toMatchObject({ exit_code: 1, report: { outcome: 'refused' } });
    expect(torch.text).toContain('torch computed the result');
  });

  it.each([
    ['run', { source: 'x = 1', unknown: 1 }, 'bad-arguments', 'unknown'],
    ['run', { source: 1 }, 'bad-arguments', 'source'],
    ['run', {}, 'bad-arguments', 'source'],
    ['run', { source: 'x', path: 'hello.py' }, 'bad-arguments', 'source'],
    ['run', { source: 'x', timeout_seconds: -1 }, 'bad-arguments', 'timeout_seconds'],
    ['run', { source: 'x', files: { '../a.py': '' } }, 'bad-arguments', 'files'],
    ['run', { path: '../a.py' }, 'not-found', '../a.py'],
    ['run', { path: 'link.py' }, 'bad-arguments', 'path'],
    ['compare', { before: { source: 'x', y: 1 }, after: {} }, 'bad-arguments', 'before.y'],
    ['compile', { source: 'x = 1', kernel: 'k' }, 'unknown-kernel', 'k'],
    ['compile', { example: 'gallery/vector_add', pass: 'none' }, 'bad-arguments', 'pass'],
    ['compile', { source: 'x = 1', target: 'none' }, 'bad-arguments', 'target'],
    ['explain', { code: 'HC9999' }, 'not-found', 'HC9999'],
    ['explain', { code: '../../x' }, 'bad-arguments', 'code'],
    ['read_example', { name: '../../package.json' }, 'not-found', '../../package.json'],
    ['check', { source: 'x = 1' }, 'bad-arguments', 'problem'],
    ['check', { source: 'x = 1', problem: '../p' }, 'not-found', '../p'],
    ['none', {}, 'not-found', 'none'],
  ])('refuses %s of %j: %s, %s', async (name, input, code, subject) => {
    const { isError, structured } = await call(client, name, input);
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ version: 1, error: { code, subject } });
  });

  it('refuses a program that is too long, and a message that is', async () => {
    const long = await call(client, 'run', { source: '#'.repeat(SOURCE_CHARACTERS + 1) });
    expect(long.structured).toMatchObject({ error: { code: 'too-large', subject: 'source' } });
    const huge = call(client, 'run', { source: '#'.repeat(100_000_000) });
    await expect(huge).rejects.toThrow(`at most ${MESSAGE_BYTES} are read`);
    expect((await call(client, 'explain', { code: 'HC0101' })).isError).toBe(false);
  });

  it('stops what runs too long, and cancels while another call goes on', async () => {
    const abort = new AbortController();
    let begin = (): void => {};
    const started = new Promise<void>((resolve) => (begin = resolve));
    const endless = call(
      client,
      'run',
      { source: ENDLESS, adapter: 'interpreter' },
      { signal: abort.signal, onprogress: () => begin() },
    );
    await started;
    const stopped = call(client, 'run', {
      source: ENDLESS,
      adapter: 'interpreter',
      timeout_seconds: 1,
    });
    abort.abort('not needed');
    await expect(endless).rejects.toThrow('not needed');
    const { structured } = await stopped;
    expect(structured).toMatchObject({ outcome: 'stopped', diagnostics: [{ code: 'HC8010' }] });
  });

  it('stops what takes too much memory', async () => {
    const { structured } = await call(client, 'run', {
      source: 'x = []\nwhile True:\n    x.append(bytearray(b"1") * 2**20)\n',
      adapter: 'interpreter',
      max_memory_bytes: 2 ** 30,
    });
    expect(structured).toMatchObject({ outcome: 'stopped', diagnostics: [{ code: 'HC8010' }] });
  });

  it('compiles for any target to any level', async () => {
    const example = 'gallery/vector_add';
    for (const [level, sign] of [
      ['ttir', 'tt.func'],
      ['ttgir', 'tt.func'],
      ['wgsl', '@compute'],
    ] as const) {
      const made = await call(client, 'compile', { example, level, target: 'apple-m1' });
      expect(made.text).toContain(sign);
    }
    const lowered = await call(client, 'compile', { example, pass: 'lower' });
    expect(lowered.structured).toMatchObject({ level: 'pass', kernels: [{ pass: 'lower' }] });
    const wrong = await call(client, 'compile', {
      source: 'import triton\n@triton.jit\ndef k(x):\n    y = z\n',
    });
    expect(wrong.text).toContain('HC0103');
  });
});

describe('over HTTP', () => {
  let server: Listening;
  beforeAll(async () => {
    server = await listen({ port: 0, origin: 'http://localhost:6274' }, () =>
      createServer(ROOT, '1'),
    );
  });
  afterAll(() => server.close());

  /** @returns the status and the code of the error. */
  function send(
    headers: Record<string, string>,
    body = '{}',
    path = '/mcp',
  ): Promise<readonly [number | undefined, string]> {
    const { hostname, port } = new URL(server.url);
    return new Promise((resolve, reject) => {
      const options = { hostname, port, path, method: 'POST', headers };
      const sent = request(options, (response) => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.on('end', () => {
          const answer = JSON.parse(text) as { error: { data?: { code: string } } };
          resolve([response.statusCode, answer.error.data?.code ?? '']);
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  it('answers the client library, in several sessions', async () => {
    const clients = [1, 2].map((i) => new Client({ name: `test ${i}`, version: '1' }));
    for (const client of clients)
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    for (const client of clients)
      expect((await call(client, 'explain', { code: 'HC0203' })).text).toContain('power of two');
    for (const client of clients) await client.close();
  });

  it('listens on this machine alone, and refuses other hosts and pages', async () => {
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    const { port } = new URL(server.url);
    expect(await send({ host: `evil.example:${port}` })).toEqual([403, 'bad-host']);
    expect(await send({ host: '127.0.0.1:1' })).toEqual([403, 'bad-host']);
    expect(await send({ origin: 'http://evil.example' })).toEqual([403, 'bad-origin']);
    expect(await send({ origin: 'null' })).toEqual([403, 'bad-origin']);
    const [status] = await send({ origin: 'http://localhost:6274' });
    expect(status).not.toBe(403);
  });

  it('refuses bodies that are too long or no JSON, unknown sessions and paths', async () => {
    expect(await send({}, ' '.repeat(MESSAGE_BYTES + 1))).toEqual([413, 'too-large']);
    expect(await send({}, '{')).toEqual([400, 'bad-json']);
    expect(await send({ 'mcp-session-id': 'none' })).toEqual([404, 'no-session']);
    expect(await send({}, '{}', '/other')).toEqual([404, 'not-found']);
  });
});

it('cuts lines from pieces, and keeps the edges alone of one that is too long', () => {
  const lines = new BoundedLines(8);
  const take = (text: string) => [...lines.take(Buffer.from(text))];
  expect(take('ab')).toEqual([]);
  expect(take('c\n\n123')).toEqual([{ text: 'abc' }, { text: '' }]);
  expect(take('456789')).toEqual([]);
  expect(take('0\nx\n')).toEqual([
    { bytes: 10, start: '1234567890', end: '1234567890' },
    { text: 'x' },
  ]);
});
