/**
 * Files of a `.zip`, by its list of files (its central directory). The list is not trusted: while
 * an entry unpacks, the size that the list names bounds it; entries together read no more bytes
 * than the archive has; and every file has its listed length. So the work is bounded by the
 * archive's length and by `most`, whatever the archive says.
 */
import { inflated } from '../deflated';

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  readonly packed: number;
  readonly unpacked: number;
  /** Offset of its local header. */
  readonly at: number;
}

export interface Unpacked {
  readonly files: readonly (readonly [name: string, content: Uint8Array])[];
  /** Names of files that are larger than what is read. */
  readonly tooLarge: readonly string[];
}

/** Its message says why an archive is not read: the end of a sentence that its name begins. */
export class ArchiveFault extends Error {}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const LISTED = 0x02014b50;
const LOCAL = 0x04034b50;
const ANOTHER_PLACE_16 = 0xffff;
const ANOTHER_PLACE_32 = 0xffffffff;
/** Bytes of the record at the end, and of the comment behind it. */
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;

/**
 * @param most bytes of all files together
 * @param mostOf bytes of the file of this name; larger ones are left out
 * @throws ArchiveFault
 */
export function unpackArchive(
  bytes: Uint8Array,
  most: number,
  mostOf: (name: string) => number,
): Unpacked {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const files: [string, Uint8Array][] = [];
  const tooLarge: string[] = [];
  let unpacked = 0;
  let packed = 0;
  try {
    for (const entry of entriesOf(view, bytes)) {
      if (entry.name.endsWith('/')) continue;
      if (entry.unpacked > mostOf(entry.name) || unpacked + entry.unpacked > most) {
        tooLarge.push(entry.name);
        continue;
      }
      unpacked += entry.unpacked;
      packed += entry.packed;
      if (packed > bytes.length) throw new ArchiveFault('has files that overlap');
      files.push([entry.name, contentOf(entry, view, bytes)]);
    }
  } catch (error) {
    // Places outside of the archive.
    if (error instanceof RangeError) throw new ArchiveFault('is not a .zip that can be read');
    throw error;
  }
  return { files, tooLarge };
}

/** @throws RangeError where the list leads out of the archive. */
function* entriesOf(view: DataView, bytes: Uint8Array): Generator<Entry> {
  let { count, at } = listOf(view);
  for (; count > 0; count--) {
    if (view.getUint32(at, true) !== LISTED)
      throw new ArchiveFault('is not a .zip that can be read');
    const flags = view.getUint16(at + 8, true);
    const nameEnd = at + 46 + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    const encoding = flags & 0x800 ? 'utf-8' : 'latin1';
    const [unpacked, packed, local] = wideFields(
      view,
      [at + 24, at + 20, at + 42].map((field) => view.getUint32(field, true)),
      nameEnd,
      extraEnd,
    );
    yield {
      name: new TextDecoder(encoding).decode(bytes.subarray(at + 46, nameEnd)),
      method: view.getUint16(at + 10, true),
      encrypted: (flags & 1) !== 0,
      ...{ packed: packed!, unpacked: unpacked!, at: local! },
    };
    at = extraEnd + view.getUint16(at + 32, true);
  }
}

/** How many entries the list has, and where it begins. */
function listOf(view: DataView): { count: number; at: number } {
  let end = view.byteLength - END_BYTES;
  const first = Math.max(0, end - LONGEST_COMMENT);
  while (end >= first && view.getUint32(end, true) !== END) end--;
  if (end < first) throw new ArchiveFault('is not a .zip that can be read');
  const count = view.getUint16(end + 10, true);
  const at = view.getUint32(end + 16, true);
  if (count !== ANOTHER_PLACE_16 && at !== ANOTHER_PLACE_32) return { count, at };
  const wide = end >= 20 ? Number(view.getBigUint64(end - 12, true)) : view.byteLength;
  if (wide + 56 > view.byteLength || view.getUint32(wide, true) !== END_64) return { count, at };
  return {
    count: Number(view.getBigUint64(wide + 32, true)),
    at: Number(view.getBigUint64(wide + 48, true)),
  };
}

/** Numbers of which those that need 64 bits stand in an extra field, in this order (zip64). */
function wideFields(
  view: DataView,
  fields: readonly number[],
  first: number,
  end: number,
): readonly number[] {
  if (!fields.includes(ANOTHER_PLACE_32)) return fields;
  for (let at = first; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let next = at + 4;
    return fields.map((field) => {
      if (field !== ANOTHER_PLACE_32) return field;
      next += 8;
      return Number(view.getBigUint64(next - 8, true));
    });
  }
  return fields;
}

/** @throws ArchiveFault unless the entry has as many bytes as the list names. */
function contentOf(entry: Entry, view: DataView, bytes: Uint8Array): Uint8Array {
  const { name, at, method } = entry;
  if (entry.encrypted) throw new ArchiveFault(`is encrypted (${name})`);
  if (method !== 0 && method !== 8)
    throw new ArchiveFault(`has ${name} in a compression other than deflate (method ${method})`);
  if (view.getUint32(at, true) !== LOCAL) throw new ArchiveFault('is not a .zip that can be read');
  const begin = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const packed = bytes.subarray(begin, begin + entry.packed);
  let content: Uint8Array | null = packed;
  try {
    if (method === 8) content = inflated(packed, entry.unpacked);
  } catch {
    content = null;
  }
  if (content?.length !== entry.unpacked)
    throw new ArchiveFault(
      `is damaged: ${name} has not the ${entry.unpacked} bytes that the archive’s list names`,
    );
  return content;
}
