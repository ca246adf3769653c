/**
 * The protocol on standard input and output: a message a line. A line above `MESSAGE_BYTES` is read
 * past without being kept, and answered with an error that names the limit; so is one that is no
 * JSON-RPC.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { MESSAGE_BYTES } from './limits';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/** Bytes of a line that is too long in which its id is looked for, at its start and its end. */
const EDGE = 1024;

export class StdioTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private readonly lines = new BoundedLines(MESSAGE_BYTES);

  constructor(
    private readonly input: NodeJS.ReadableStream,
    private readonly output: NodeJS.WritableStream,
  ) {}

  async start(): Promise<void> {
    this.input.on('data', (chunk: Buffer) => {
      for (const line of this.lines.take(chunk)) this.receive(line);
    });
    this.input.on('end', () => this.onclose?.());
    this.input.on('error', (error: Error) => this.onerror?.(error));
  }

  private receive(line: Line): void {
    if ('bytes' in line) {
      const message = `a message of ${line.bytes} bytes; at most ${MESSAGE_BYTES} are read`;
      const data = { code: 'too-large', limit: MESSAGE_BYTES, bytes: line.bytes };
      this.refuse(idOf(line.start, line.end), INVALID_REQUEST, message, data);
      return;
    }
    if (line.text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line.text);
    } catch (error) {
      this.refuse(null, PARSE_ERROR, `no JSON: ${String(error)}`, { code: 'bad-json' });
      return;
    }
    const read = JSONRPCMessageSchema.safeParse(value);
    if (read.success) this.onmessage?.(read.data);
    else {
      const { id } = Object(value) as { readonly id?: unknown };
      const known = typeof id === 'number' || typeof id === 'string' ? id : null;
      this.refuse(known, INVALID_REQUEST, 'no message of JSON-RPC 2.0', { code: 'bad-message' });
    }
  }

  private refuse(id: string | number | null, code: number, message: string, data: object): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.write(JSON.stringify(message));
  }

  private write(text: string): Promise<void> {
    return new Promise((resolve) => this.output.write(`${text}\n`, () => resolve()));
  }

  async close(): Promise<void> {
    this.input.pause();
    this.onclose?.();
  }
}

/** The id of a message from its edges: clients write it first or last. */
function idOf(start: string, end: string): string | number | null {
  const found =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]{0,100}")\s*,/.exec(start) ??
    /,\s*"id"\s*:\s*(\d+|"[^"\\]{0,100}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(end);
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as string | number);
}

type Line =
  | { readonly text: string }
  /** A line above the limit, of which only the edges are kept. */
  | { readonly bytes: number; readonly start: string; readonly end: string };

/** Cuts bytes into lines and keeps at most `limit` bytes of one. */
export class BoundedLines {
  private parts: Buffer[] = [];
  private bytes = 0;
  private start = '';
  private end = Buffer.alloc(0);

  constructor(private readonly limit: number) {}

  *take(chunk: Buffer): Generator<Line> {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(10, from);
      this.add(chunk.subarray(from, at < 0 ? chunk.length : at));
      if (at < 0) return;
      yield this.finish();
      from = at + 1;
    }
  }

  private add(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes <= this.limit) {
      this.parts.push(part);
      return;
    }
    if (this.start.length < EDGE)
      this.start = Buffer.concat([...this.kept(), part])
        .subarray(0, EDGE)
        .toString('latin1');
    this.end = Buffer.concat([...this.kept(), part]).subarray(-EDGE);
    this.parts = [];
  }

  /** Bytes of the line that are held before the next piece. */
  private kept(): Buffer[] {
    return this.parts.length > 0 ? this.parts : [this.end];
  }

  private finish(): Line {
    const { bytes, start, end, parts } = this;
    this.parts = [];
    this.bytes = 0;
    this.start = '';
    this.end = Buffer.alloc(0);
    if (bytes > this.limit) return { bytes, start, end: end.toString('latin1') };
    return { text: Buffer.concat(parts).toString() };
  }
}
