/**
 * The pipe by which the program's process sends its messages: each a length (uint32, little endian)
 * and a value in V8's serialization. Node's own channel writes what its pipe does not take when the
 * event loop turns, which Python in a loop never lets.
 *
 * Guarantee: a message is written when `MessageWriter.send` returns, and messages arrive in order.
 * A writer waits for a reader that is behind, so neither holds more than the message under way.
 */
import fs from 'node:fs';
import type { Readable } from 'node:stream';
import { DefaultSerializer, deserialize } from 'node:v8';

/** The descriptor in the program's process: behind stdin, stdout, stderr and Node's channel. */
export const EVENT_PIPE = 4;
/** Bytes of a message at the most: a reader holds it until it is whole. */
export const MOST_BYTES = 2 ** 30;
const HEADER = 4;
/** Milliseconds until a pipe that takes nothing is tried again. */
const AGAIN = 2;

/** Descriptors that do not block answer so while the pipe is full. */
const FULL = ['EAGAIN', 'EWOULDBLOCK'];

/** Writes messages to a descriptor. */
export class MessageWriter {
  // Kept: what a program may do to Node's modules later does not reach it.
  private readonly write = fs.writeSync;
  private readonly paused = new Int32Array(new SharedArrayBuffer(4));
  private readonly descriptor: number;

  constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /**
   * Returns when all of it is in the pipe.
   * @throws where the value cannot be cloned or is too long (nothing is written then), and the
   *   system's error where nobody reads
   */
  send(message: unknown): void {
    const serializer = new DefaultSerializer();
    serializer.writeRawBytes(new Uint8Array(HEADER));
    serializer.writeHeader();
    serializer.writeValue(message);
    const bytes = serializer.releaseBuffer();
    const length = bytes.length - HEADER;
    if (length > MOST_BYTES) throw new RangeError(`a message of ${length} bytes cannot be sent`);
    bytes.writeUInt32LE(length, 0);
    for (let at = 0; at < bytes.length;) {
      try {
        at += this.write(this.descriptor, bytes, at);
      } catch (error) {
        if (!FULL.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
        Atomics.wait(this.paused, 0, 0, AGAIN);
      }
    }
  }
}

/** A length above `MOST_BYTES`, which is forged; nothing behind it can be read. */
class TooLong extends Error {}

/**
 * Reads messages until the pipe is closed; resolves then.
 * @param take a message, or null for what is no serialized value
 * @param stop takes why nothing more can be read
 */
export function readMessages(
  pipe: Readable,
  take: (message: unknown) => void,
  stop: (reason: string) => void,
): Promise<void> {
  const reader = new MessageReader();
  pipe.on('data', (piece: Buffer) => {
    try {
      for (const message of reader.take(piece)) take(message);
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      stop(error.message);
      pipe.destroy();
    }
  });
  return new Promise((resolve) => {
    // An error closes it.
    pipe.on('error', () => {});
    pipe.on('close', resolve);
  });
}

/** Puts messages together from the pieces in which they arrive. */
export class MessageReader {
  private pieces: Buffer[] = [];
  private held = 0;
  private needed = HEADER;

  /**
   * The messages that a piece completes; null for one that is no serialized value.
   * @throws TooLong
   */
  *take(piece: Buffer): Generator<unknown> {
    this.pieces.push(piece);
    this.held += piece.length;
    while (this.held >= this.needed) {
      const bytes = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces);
      const length = bytes.readUInt32LE(0);
      if (length > MOST_BYTES)
        throw new TooLong(`stopped: the program’s process sent a message of ${length} bytes`);
      const end = HEADER + length;
      const whole = bytes.length >= end;
      this.pieces = [whole ? bytes.subarray(end) : bytes];
      this.held = this.pieces[0]!.length;
      this.needed = whole ? HEADER : end;
      if (whole) yield valueOf(bytes.subarray(HEADER, end));
    }
  }
}

function valueOf(bytes: Buffer): unknown {
  try {
    return deserialize(bytes);
  } catch {
    return null;
  }
}
