/** Archives: what `.zip` files of others' programs hold, and that none takes more than is read. */
import { deflateSync, inflateSync, strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { inflated, joined } from '../deflated';
import { ArchiveFault, unpackArchive } from './archive';

const MEGABYTE = 2 ** 20;
const read = (bytes: Uint8Array, most = 20 * MEGABYTE): ReturnType<typeof unpackArchive> =>
  unpackArchive(bytes, most, () => 2 * MEGABYTE);
const texts = (bytes: Uint8Array): (readonly [string, string])[] =>
  read(bytes).files.map(([name, content]) => [name, new TextDecoder().decode(content)]);

function timeOf(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** Offset of the list of files of an archive that zipSync wrote. */
function listAt(zip: Uint8Array): number {
  return new DataView(zip.buffer).getUint32(zip.length - 6, true);
}
/** The archive with another size in its list (of its first file). */
function lying(zip: Uint8Array, unpacked: number): Uint8Array {
  new DataView(zip.buffer).setUint32(listAt(zip) + 24, unpacked, true);
  return zip;
}

it('reads deflated and stored files, their names, and none of folders', () => {
  const long = 'x = 1\n'.repeat(50_000);
  const zip = zipSync({
    'größe/a.py': [strToU8(long), { level: 9 }],
    'b.py': [strToU8('y = 2\n'), { level: 0 }],
    'empty.py': new Uint8Array(),
    folder: { 'c.py': strToU8('z = 3\n') },
  });
  const expected = [
    ['größe/a.py', long],
    ['b.py', 'y = 2\n'],
    ['empty.py', ''],
    ['folder/c.py', 'z = 3\n'],
  ];
  expect(texts(zip)).toEqual(expected);
  // A comment behind the list, and the archive as a part of a larger buffer.
  const comment = new Uint8Array(zip.length + 12);
  comment.set(zip);
  comment.set(strToU8('PK hello you'), zip.length);
  new DataView(comment.buffer).setUint16(zip.length - 2, 12, true);
  expect(texts(comment)).toEqual(expected);
  const part = new Uint8Array(zip.length + 7);
  part.set(zip, 7);
  expect(texts(part.subarray(7))).toEqual(expected);
});

/** The archive of one file with its numbers in 64 bits, as some writers always have them. */
function wide(zip: Uint8Array): Uint8Array {
  const at = listAt(zip);
  const list = zip.slice(at, -22);
  const old = new DataView(list.buffer);
  const extra = new DataView(new ArrayBuffer(28));
  extra.setUint16(0, 1, true);
  extra.setUint16(2, 24, true);
  for (const [i, field] of [24, 20, 42].entries()) {
    extra.setBigUint64(4 + 8 * i, BigInt(old.getUint32(field, true)), true);
    old.setUint32(field, 0xffffffff, true);
  }
  old.setUint16(30, 28, true);
  const end = new DataView(new ArrayBuffer(56 + 20 + 22));
  const endAt = at + list.length + 28;
  end.setUint32(0, 0x06064b50, true);
  end.setBigUint64(32, 1n, true);
  end.setBigUint64(48, BigInt(at), true);
  end.setUint32(56, 0x07064b50, true);
  end.setBigUint64(64, BigInt(endAt), true);
  end.setUint32(76, 0x06054b50, true);
  end.setUint16(76 + 10, 0xffff, true);
  end.setUint32(76 + 16, 0xffffffff, true);
  return joined([zip.subarray(0, at), list, bytesOf(extra), bytesOf(end)]);
}
const bytesOf = (view: DataView): Uint8Array => new Uint8Array(view.buffer);

it('reads numbers of 64 bits', () => {
  const text = 'x = 1\n'.repeat(100);
  expect(texts(wide(zipSync({ 'a.py': strToU8(text) })))).toEqual([['a.py', text]]);
});

it('leaves out what is larger than is read, by name', () => {
  const zip = zipSync({ 'a.py': strToU8('1'), 'big.py': new Uint8Array(3 * MEGABYTE) });
  expect(read(zip).files.map(([name]) => name)).toEqual(['a.py']);
  expect(read(zip).tooLarge).toEqual(['big.py']);
  const many = Object.fromEntries([1, 2, 3].map((i) => [`${i}.py`, new Uint8Array(MEGABYTE)]));
  expect(read(zipSync(many), 2.5 * MEGABYTE).tooLarge).toEqual(['3.py']);
});

describe('an archive that lies', () => {
  it('about a size is stopped while it unpacks', () => {
    const part = deflateSync(new Uint8Array(64 * MEGABYTE), { level: 9 });
    const whole = timeOf(() => inflateSync(part));
    const zip = zipSync({ 'a.py': [part, { level: 0 }] });
    new DataView(zip.buffer).setUint16(listAt(zip) + 10, 8, true);
    const stopped = timeOf(() => {
      expect(() => read(lying(zip, 1000))).toThrow(/^is damaged: a\.py has not the 1000 bytes/);
    });
    expect(stopped).toBeLessThan(whole / 3);
  });

  it('about a size by one byte, either way, is refused', () => {
    const zip = (): Uint8Array => zipSync({ 'a.py': strToU8('x = 1\n'.repeat(100)) });
    expect(read(lying(zip(), 600)).files).toHaveLength(1);
    expect(() => read(lying(zip(), 599))).toThrow(ArchiveFault);
    expect(() => read(lying(zip(), 601))).toThrow(ArchiveFault);
    const stored = zipSync({ 'a.py': [strToU8('x = 1\n'), { level: 0 }] });
    expect(() => read(lying(stored, 5))).toThrow(ArchiveFault);
  });

  it('about places: files that share bytes, or lie outside', () => {
    const zip = zipSync({ 'a.py': [new Uint8Array(5000), { level: 0 }], 'b.py': strToU8('1') });
    const view = new DataView(zip.buffer);
    const second = listAt(zip) + 46 + 'a.py'.length;
    view.setUint16(second + 10, 0, true);
    view.setUint32(second + 20, 5000, true);
    view.setUint32(second + 24, 5000, true);
    view.setUint32(second + 42, 0, true);
    expect(() => read(zip)).toThrow(/^has files that overlap$/);
    view.setUint32(listAt(zip) + 42, zip.length + 10, true);
    expect(() => read(zip)).toThrow(/^is not a \.zip that can be read$/);
  });

  it('about how many files it has, or is none', () => {
    const zip = zipSync({ 'a.py': strToU8('1') });
    new DataView(zip.buffer).setUint16(zip.length - 12, 50, true);
    expect(() => read(zip)).toThrow(/^is not a \.zip that can be read$/);
    expect(() => read(strToU8('x = 1\n'))).toThrow(/^is not a \.zip that can be read$/);
    expect(() => read(new Uint8Array())).toThrow(ArchiveFault);
  });
});

it('says what it does not read: encrypted files, other compressions', () => {
  const zip = zipSync({ 'a.py': strToU8('1') });
  const view = new DataView(zip.buffer);
  view.setUint16(listAt(zip) + 10, 14, true);
  expect(() => read(zip)).toThrow(/^has a\.py in a compression other than deflate \(method 14\)$/);
  view.setUint16(listAt(zip) + 8, 1, true);
  expect(() => read(zip)).toThrow(/^is encrypted \(a\.py\)$/);
});

it('stops reading behind the end of what was deflated', () => {
  const ended = deflateSync(strToU8('x = 1\n'));
  const followed = new Uint8Array(20e6);
  followed.set(ended);
  expect(() => inflated(followed, 1000)).toThrow(/goes on behind its end/);
  // Stored blocks give nothing until they are whole.
  const stored = new Uint8Array(65_535).map((_, i) => i % 251);
  expect(inflated(deflateSync(stored, { level: 0 }), 65_535)).toEqual(stored);
});
