/**
 * Ends a process that takes more memory than it may: Python's heap, the tensors on the CPU and, on
 * a software adapter, those of the GPU. Looks from outside, because a program that allocates in a
 * loop lets nothing else run in its process.
 *
 * Guarantee: the process ends within a tenth of a second of the moment at which it holds too much.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Milliseconds between two looks. */
const INTERVAL = 100;

/** Bytes of memory that a process holds; null where that cannot be said. */
export async function residentBytes(id: number): Promise<number | null> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(text)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  }
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(id)], (error, text) =>
      resolve(error ? null : Number(text.trim()) * 1024),
    );
  });
}

/**
 * Calls `exceeded` once, with the bytes, when the process holds more. @returns how to stop looking.
 */
export function watchMemory(
  id: number,
  limit: number,
  exceeded: (bytes: number) => void,
): () => void {
  let watching = true;
  const look = async (): Promise<void> => {
    while (watching) {
      const bytes = await residentBytes(id);
      if (watching && bytes !== null && bytes > limit) {
        watching = false;
        exceeded(bytes);
      }
      await new Promise((resolve) => setTimeout(resolve, INTERVAL).unref());
    }
  };
  void look();
  return () => {
    watching = false;
  };
}
