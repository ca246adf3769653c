/**
 * The program that a command names: a file, a notebook or a folder (`files.ts`), or what lies at an
 * address.
 */
import { placeOf } from '../open/address';
import { fetchProgram } from '../open/fetchProgram';
import { programOfNotebook } from '../open/notebook';
import { readFiles, type ReadProgram } from './files';

/** An address in place of a file. */
export const isAddress = (path: string): boolean => /^https?:\/\//i.test(path);

/**
 * Reads a file, or fetches an address: from the hosts that it names and no other, as the page does
 * (`app/open`). @returns undefined where `say` got the reason why not.
 */
export async function openProgram(
  path: string,
  say: (text: string) => void,
): Promise<ReadProgram | undefined> {
  if (!isAddress(path)) return tryReadProgram(path, say);
  try {
    const place = placeOf(path, new URL(path).hostname);
    say(`note: fetches ${place.title} from ${place.hosts.join(' and ')}`);
    const { hosts } = place;
    const { signal } = new AbortController();
    const fetched = await fetchProgram(place, { hosts, signal, report: () => {} });
    for (const note of fetched.notes) say(`note: ${note}`);
    return { ...fetched, undecodable: new Map() };
  } catch (error) {
    say(`hippocamp: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/**
 * Reads nothing outside of the program's folder but the file that was named.
 * @throws where it cannot be read, is an address, or a folder does not say what to run.
 */
export function readProgram(path: string): ReadProgram {
  if (isAddress(path)) throw new Error(`${path} is an address: only run and prove fetch one`);
  return readFiles(path, programOfNotebook);
}

/** Calls `readProgram`; where it throws, `say` gets the reason, and the result is undefined. */
export function tryReadProgram(path: string, say: (text: string) => void): ReadProgram | undefined {
  try {
    const program = readProgram(path);
    for (const note of program.notes) say(`note: ${note}`);
    return program;
  } catch (error) {
    say(`hippocamp: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
