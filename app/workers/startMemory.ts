/**
 * Puts a snapshot of Python's memory back that holds its difference from the memory with which
 * Pyodide's WebAssembly begins: the program's constants are in `pyodide.asm.wasm`, and travel once.
 *
 * Guarantee: the difference is taken after the data segments are in memory and before anything ran,
 * where memory is the same in every browser and in Node.
 */
import type { loadPyodide } from 'pyodide';

type Options = NonNullable<Parameters<typeof loadPyodide>[0]>;
type CreateModule = NonNullable<Options['createPyodideModule']>;
type Done = (instance: WebAssembly.Instance, module: WebAssembly.Module) => void;
/** The one setting of an Emscripten module that matters here. */
interface Settings {
  instantiateWasm: (imports: WebAssembly.Imports, done: Done) => unknown;
}

/** Pyodide's options for snapshots are not part of its documented ones. */
interface SnapshotOptions {
  readonly _loadSnapshot: Promise<Uint8Array>;
  readonly createPyodideModule: CreateModule;
}

/** Index, in a snapshot's 32-bit words, of the number of bytes before its memory. */
const HEADER_BYTES = 1;

/**
 * @param glue the module `pyodide.asm.mjs`, which loads meanwhile.
 * @param difference a snapshot whose memory is combined, by exclusive or, with the initial one; its
 *   bytes become Pyodide's snapshot.
 * @returns options of `loadPyodide`.
 */
export function startFrom(
  glue: Promise<{ readonly default: CreateModule }>,
  difference: Promise<Uint8Array>,
): SnapshotOptions {
  // Pyodide waits for the snapshot first: without it, nobody waits for this.
  glue.catch(() => {});
  return {
    _loadSnapshot: difference,
    createPyodideModule: async (settings) => {
      const [{ default: create }, snapshot] = await Promise.all([glue, difference]);
      // Emscripten's module is this very object.
      const hooks = settings as unknown as Settings;
      const instantiate = hooks.instantiateWasm;
      hooks.instantiateWasm = (imports, done) =>
        instantiate(imports, (instance, module) => {
          combine(snapshot, (instance.exports['memory'] as WebAssembly.Memory).buffer);
          done(instance, module);
        });
      return create(settings);
    },
  };
}

/** Exclusive or of a snapshot's memory, in place, with the memory at its instance's beginning. */
function combine(snapshot: Uint8Array, memory: ArrayBuffer): void {
  const words = new Uint32Array(snapshot.buffer, snapshot.byteOffset, snapshot.byteLength >> 2);
  const header = words[HEADER_BYTES]! >> 2;
  const initial = new Uint32Array(memory);
  const count = Math.min(initial.length, words.length - header);
  for (let at = 0; at < count; at++) words[header + at]! ^= initial[at]!;
}
