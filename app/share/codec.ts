/**
 * A program and what is in view of it, as the text of a link, and back. Canonical JSON, deflated
 * against a dictionary of what Triton programs are made of, in base64url: one state is one link,
 * and it stays in the hash, which no server sees. Decoding never throws and never runs anything.
 *
 * The text is `VERSION.DATA`; DATA begins with four bytes of FNV-1a of the JSON, so that a link
 * that was cut or mistyped says so.
 */
import { deflateSync, strFromU8, strToU8 } from 'fflate';
import { fromBase64Url, inflated, toBase64Url } from '../deflated';
import { dictionaryOf } from './dictionary';
import { checked, upgrade, VERSION, type Shared } from './shared';
import type { Json } from './slices';

export type Decoded =
  { readonly ok: true; readonly shared: Shared } | { readonly ok: false; readonly reason: string };

/** Bytes of JSON that a link may unfold to: a small link cannot fill the memory. */
const LARGEST = 8e6;
/** Characters of a link that are looked at. */
const LONGEST = 4e6;

/** JSON with the names of every object in order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : one,
  );
}

export function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function pack(version: number, json: string): string {
  const bytes = strToU8(json);
  const dictionary = dictionaryOf(version);
  const packed = deflateSync(bytes, { level: 9, mem: 8, dictionary });
  const out = new Uint8Array(4 + packed.length);
  new DataView(out.buffer).setUint32(0, fnv1a(bytes));
  out.set(packed, 4);
  return `${version}.${toBase64Url(out)}`;
}

function unpack(version: number, data: string): string {
  const bytes = fromBase64Url(data);
  if (bytes.length < 5) throw new Error('it is cut off');
  const json = inflated(bytes.subarray(4), LARGEST, dictionaryOf(version));
  const wanted = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  if (fnv1a(json) !== wanted) throw new Error('it was cut off or changed on the way');
  return strFromU8(json);
}

/** The link's text, the same for the same state. @throws where it is no program, or too large. */
export function encode(shared: Shared): string {
  return pack(VERSION, jsonOf(checked(shared as unknown as Json)));
}
/** @throws where no link of it could be opened. */
function jsonOf(shared: Shared): string {
  const json = canonical(shared);
  if (strToU8(json).length > LARGEST) throw new Error('it is too large');
  return json;
}

/** Content of a link's text, upgraded to the newest version. Never throws. */
export function decode(payload: string): Decoded {
  try {
    const match = /^(\d{1,4})\.([\w-]+)$/.exec(payload);
    if (!match || payload.length > LONGEST)
      return { ok: false, reason: 'it is not a link of ours' };
    const version = Number(match[1]);
    if (version > VERSION)
      return { ok: false, reason: 'a newer Hippocamp made it: reload the page to get that' };
    const value = JSON.parse(unpack(version, match[2]!)) as Json;
    const shared = checked(upgrade(value, version));
    // A program that can be opened can be shared again.
    jsonOf(shared);
    return { ok: true, shared };
  } catch (error) {
    const reason = error instanceof Error && error.message.startsWith('it ') ? error.message : '';
    return { ok: false, reason: reason || 'it was cut off or changed on the way' };
  }
}

/** For tests of old versions: how a page of that time wrote a link. */
export function encodeAs(version: number, value: Json): string {
  return pack(version, canonical(value));
}
