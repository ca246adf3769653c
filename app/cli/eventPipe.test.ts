/** The pipe of events: messages in pieces of any size, forged lengths, and a reader that waits. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { MessageReader, MessageWriter, MOST_BYTES, readMessages } from './eventPipe';

const VALUES = [
  { type: 'note', text: '' },
  { type: 'events', events: [{ type: 'print', text: 'é\ud800\0'.repeat(50_000) }, NaN, -0] },
  { type: 'launch', inputs: { bytes: new Uint8Array([1, 2, 3]), at: new Map([['x', 5n]]) } },
  null,
];

function written(values: readonly unknown[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'hippocamp-pipe-'));
  const file = join(folder, 'messages');
  const descriptor = openSync(file, 'w');
  const writer = new MessageWriter(descriptor);
  for (const value of values) writer.send(value);
  closeSync(descriptor);
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  return bytes;
}

function framed(bytes: Buffer, length = bytes.length): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(length);
  return Buffer.concat([header, bytes]);
}

it.each([1, 3, 7, 65_536, 1e9])('reads what was written, %i bytes at a time', (size) => {
  const bytes = written(VALUES);
  const reader = new MessageReader();
  const found: unknown[] = [];
  for (let at = 0; at < bytes.length; at += size)
    found.push(...reader.take(bytes.subarray(at, at + size)));
  expect(found).toEqual(VALUES);
});

it('goes on behind what is no serialized value', () => {
  const odd = [
    Buffer.alloc(0),
    Buffer.from('text'),
    Buffer.from([255, 15, 34, 255, 255, 255, 127]),
  ];
  const bytes = Buffer.concat([...odd.map((each) => framed(each)), written(['last'])]);
  expect([...new MessageReader().take(bytes)]).toEqual([null, null, null, 'last']);
});

it('holds no message of any length, and says so', async () => {
  const pipe = new PassThrough();
  const found: unknown[] = [];
  const reasons: string[] = [];
  const closed = readMessages(
    pipe,
    (message) => found.push(message),
    (reason) => reasons.push(reason),
  );
  pipe.write(Buffer.concat([written(['first']), framed(Buffer.alloc(8), MOST_BYTES + 1)]));
  pipe.write(Buffer.alloc(100));
  await closed;
  expect(found).toEqual(['first']);
  expect(reasons).toEqual([expect.stringContaining(`a message of ${MOST_BYTES + 1} bytes`)]);
});

it('throws where a value cannot be cloned, and writes nothing of it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hippocamp-pipe-'));
  const file = join(folder, 'messages');
  const descriptor = openSync(file, 'w');
  const writer = new MessageWriter(descriptor);
  expect(() => writer.send({ run: () => {} })).toThrow(/could not be cloned/);
  writer.send('next');
  closeSync(descriptor);
  expect([...new MessageReader().take(readFileSync(file))]).toEqual(['next']);
  rmSync(folder, { recursive: true });
});

/** Pipes of Node's are so on POSIX: a write that finds one full is answered EAGAIN. */
it('waits where a descriptor that does not block is full, and loses nothing', async () => {
  const module = JSON.stringify(join(import.meta.dirname, 'eventPipe.ts'));
  const writes = `
    import { Socket } from 'node:net';
    import { MessageWriter } from ${module};
    new Socket({ fd: 4 }); // Makes it non-blocking.
    const writer = new MessageWriter(4);
    for (let i = 0; i < 20; i++) writer.send([i, 'x'.repeat(300_000)]);
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', writes], {
    stdio: ['ignore', 'inherit', 'inherit', 'ignore', 'pipe'],
  });
  const pipe = child.stdio[4] as PassThrough;
  const found: unknown[] = [];
  await new Promise((resolve) => setTimeout(resolve, 300));
  await readMessages(
    pipe,
    (message) => found.push(message),
    () => {},
  );
  expect(found).toEqual(Array.from({ length: 20 }, (_, i) => [i, 'x'.repeat(300_000)]));
});
