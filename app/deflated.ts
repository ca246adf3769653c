/** Bytes in text and back: deflated, bounded as they unfold, and in base64url. */
import { Inflate } from 'fflate';

export function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
/** @throws where it is none. */
export function fromBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Bytes read without a result: a stored block comes whole, and has at most half as many. */
const MOST_SILENT = 0x20000;

/**
 * @param most bytes that it may unfold to: a small text cannot fill the memory
 * @throws where it is larger, was cut or changed, or goes on behind its end
 */
export function inflated(packed: Uint8Array, most: number, dictionary?: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  let silent = 0;
  const inflate = new Inflate(dictionary ? { dictionary } : {}, (part) => {
    length += part.length;
    if (length > most) throw new Error('it is too large');
    silent = part.length > 0 ? 0 : silent + 4096;
    // The inflater keeps what follows the end, and copies all of it for each piece more.
    if (silent > MOST_SILENT) throw new Error('it goes on behind its end');
    parts.push(part);
  });
  // In pieces, so that what unfolds too far is stopped on the way.
  for (let at = 0; at < packed.length; at += 4096)
    inflate.push(packed.subarray(at, at + 4096), at + 4096 >= packed.length);
  return joined(parts);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
