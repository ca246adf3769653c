/**
 * Starts Python in a worker: from the snapshot of a started Python that lies beside Pyodide's
 * files, or, where there is none or it does not fit, from the beginning, which takes seconds
 * longer.
 */
import { loadPyodide, type PyodideInterface } from 'pyodide';
import { startFrom } from './startMemory';

/** @param indexURL where Pyodide's files lie. */
export async function startPython(indexURL: string): Promise<PyodideInterface> {
  const glue = import(/* @vite-ignore */ `${indexURL}pyodide.asm.mjs`);
  const options = startFrom(glue, snapshot(`${indexURL}python-snapshot.bin`));
  try {
    return await loadPyodide({ indexURL, ...options });
  } catch {
    return loadPyodide({ indexURL });
  }
}

async function snapshot(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  // A static host may answer a missing file with its index page.
  if (!response.ok || (response.headers.get('content-type') ?? '').includes('text/html'))
    throw new Error(`no snapshot at ${url}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  // A server that takes `.gz` for an encoding has it unpacked on the way.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}
