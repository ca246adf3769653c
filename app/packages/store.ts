/**
 * Packages that the visitor fetched or dropped, kept in Cache Storage, else for this page only.
 * A package of the lock file has its digest, which is compared when it is fetched, and whenever it
 * is read: a cache that somebody else wrote to gives nothing.
 */
import { create } from 'zustand';
import { OpenFault } from '../open/fault';
import { fetchBytes } from '../open/fetching';
import { save } from '../state/storage';
import { indexAddress, loadLock, type Lock, type LockPackage } from './lock';
import { readWheel, type Wheel } from './wheel';

export interface KeptPackage extends Wheel {
  readonly bytes: number;
  readonly from: 'index' | 'dropped';
}
export interface PackagesState {
  readonly kept: readonly KeptPackage[];
}
export const usePackages = create<PackagesState>(() => ({ kept: [] }));

const CACHE = 'hippocamp:packages';
/** Bytes of one package. */
const LARGEST = 80e6;
const MOST_KEPT = 100;
/** Set while there are any: runs without packages load nothing of this (`state/session.ts`). */
const FLAG = 'packages';

const inMemory = new Map<string, Uint8Array<ArrayBuffer>>();
const addressOf = (fileName: string): string =>
  new URL(`packages-kept/${encodeURIComponent(fileName)}`, document.baseURI).href;

async function opened(): Promise<Cache | null> {
  try {
    return await caches.open(CACHE);
  } catch {
    return null;
  }
}

const hex = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The kept bytes of a package; null where there are none, or others than the lock file's. */
export async function bytesOf(
  fileName: string,
  sha256: string | null,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const kept = inMemory.get(fileName) ?? (await fromCache(fileName));
  if (!kept || (sha256 !== null && hex(await crypto.subtle.digest('SHA-256', kept)) !== sha256))
    return null;
  inMemory.set(fileName, kept);
  return kept;
}
async function fromCache(fileName: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const answer = await (await opened())?.match(addressOf(fileName)).catch(() => undefined);
  return answer ? new Uint8Array(await answer.arrayBuffer()) : null;
}

/** Reads what is kept; what is none any more is left out. */
export async function loadKept(): Promise<Lock> {
  const lock = await loadLock();
  const cache = await opened();
  const requests = (await cache?.keys().catch(() => [])) ?? [];
  const names = new Set(inMemory.keys());
  for (const { url } of requests)
    names.add(decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? ''));
  const kept: KeptPackage[] = [];
  for (const fileName of [...names].slice(0, MOST_KEPT)) {
    const listed = [...lock.packages.values()].find((one) => one.fileName === fileName);
    const bytes = await bytesOf(fileName, listed?.sha256 ?? null);
    if (!bytes) continue;
    try {
      const wheel = readWheel(fileName, bytes, lock.platform);
      kept.push({ ...wheel, bytes: bytes.length, from: listed ? 'index' : 'dropped' });
    } catch (error) {
      if (!(error instanceof OpenFault)) throw error;
    }
  }
  usePackages.setState({ kept: kept.toSorted((a, b) => a.name.localeCompare(b.name)) });
  save(FLAG, kept.length > 0 ? String(kept.length) : null);
  return lock;
}

/** Takes the place of what is kept of the same package. */
async function keep({ name, fileName }: Wheel, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  for (const other of usePackages.getState().kept)
    if (other.name === name && other.fileName !== fileName) {
      inMemory.delete(other.fileName);
      await (await opened())?.delete(addressOf(other.fileName)).catch(() => {});
    }
  inMemory.set(fileName, bytes);
  const headers = { 'content-type': 'application/zip', 'content-length': String(bytes.length) };
  // Without room for it, it stays for this page.
  await (
    await opened()
  )
    ?.put(addressOf(fileName), new Response(bytes, { headers }))
    .catch(() => {});
}

/** Host of the index, as the visitor is shown it. */
export const indexHost = (): string => new URL(indexAddress(document.baseURI)).host;

/**
 * Fetches packages of the index, one after the other, after the click that named its host.
 * @throws OpenFault with the package, its size where the index said it, and what to do.
 */
export async function fetchPackages(
  packages: readonly LockPackage[],
  signal: AbortSignal,
  report: (text: string) => void,
): Promise<void> {
  const lock = await loadLock();
  const index = indexAddress(document.baseURI);
  for (const { name, version, fileName, sha256, isWheel } of packages) {
    if (!isWheel)
      throw new OpenFault(
        `${name} ${version} is a library of C that other packages share; such are not loaded here yet.`,
        'file',
      );
    const address = `${index}${fileName}`;
    const fetching = { hosts: [new URL(index).host], signal, report: () => report(name) };
    const bytes = await fetchBytes(address, LARGEST, fetching).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new OpenFault(`${name} ${version} was not fetched. ${why} ${byHand(fileName)}`, 'wait');
    });
    if (bytes === null)
      throw new OpenFault(
        `${name} ${version} was not fetched: ${new URL(index).host} has no ${fileName}. ${byHand(fileName)}`,
        'wait',
      );
    if (hex(await crypto.subtle.digest('SHA-256', bytes)) !== sha256)
      throw new OpenFault(
        `${name} ${version} (${(bytes.length / 1e6).toFixed(1)} MB) was refused: its contents are not those that the lock file names.`,
        'wait',
      );
    await keep(readWheel(fileName, bytes, lock.platform), bytes);
  }
  await loadKept();
}
const byHand = (fileName: string): string =>
  `With a network elsewhere, download ${fileName} there and drop it on this page.`;

/** A wheel that was dropped. @returns what it brings. @throws OpenFault */
export async function addWheel(file: File): Promise<Wheel> {
  if (file.size > LARGEST)
    throw new OpenFault(
      `${file.name} has ${(file.size / 1e6).toFixed(0)} MB; at most ${LARGEST / 1e6} MB are taken.`,
      'file',
    );
  const lock = await loadLock();
  const bytes = new Uint8Array(await file.arrayBuffer());
  const wheel = readWheel(file.name, bytes, lock.platform);
  const listed = [...lock.packages.values()].find((one) => one.fileName === file.name);
  // It would take the place of the one that is kept, and then be read by no run.
  if (listed && hex(await crypto.subtle.digest('SHA-256', bytes)) !== listed.sha256)
    throw new OpenFault(
      `${file.name} was refused: its contents are not those that the lock file names.`,
      'file',
    );
  // The list of what is kept may not have been read yet.
  await loadKept();
  await keep(wheel, bytes);
  await loadKept();
  return wheel;
}

export async function removePackage(fileName: string): Promise<void> {
  inMemory.delete(fileName);
  await (await opened())?.delete(addressOf(fileName)).catch(() => {});
  await loadKept();
  // An empty cache of a visitor who keeps no packages has no use.
  if (usePackages.getState().kept.length === 0) await caches.delete(CACHE).catch(() => {});
}
