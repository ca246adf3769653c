/**
 * Starts Python in a worker: from the snapshot of a started Python that lies beside Pyodide's
 * files, or, where there is none or it does not fit, from the beginning, which takes seconds
 * longer.
 */
import { loadPyodide, type PyodideInterface } from 'pyodide';

/** Not among Pyodide's documented options. */
type Options = Parameters<typeof loadPyodide>[0] & {
  readonly _loadSnapshot?: Promise<ArrayBuffer>;
};

/** @param indexURL where Pyodide's files lie. */
export async function startPython(indexURL: string): Promise<PyodideInterface> {
  const options: Options = { indexURL, _loadSnapshot: snapshot(`${indexURL}python-snapshot.bin`) };
  try {
    return await loadPyodide(options);
  } catch {
    return loadPyodide({ indexURL });
  }
}

async function snapshot(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  // A static host may answer a missing file with its index page.
  if (!response.ok || (response.headers.get('content-type') ?? '').includes('text/html'))
    throw new Error(`no snapshot at ${url}`);
  const bytes = await response.arrayBuffer();
  // A server that takes `.gz` for an encoding has it unpacked on the way.
  const [first, second] = new Uint8Array(bytes, 0, 2);
  if (first !== 0x1f || second !== 0x8b) return bytes;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(unpacked).arrayBuffer();
}
