/** Memory that all kernels compute in: pieces of up to three operands, and of the result. */

/** Elements of a piece: three operands of 8 bytes and the result are 0.5 MB. */
export const PIECE = 1 << 14;
/** Bytes of a piece, and of what a vector may touch behind it. */
export const ROOM = PIECE * 8 + 64;
export const OUT = 3 * ROOM;
/** A byte that is 1 where an integer was divided by zero. */
export const TROUBLE = 4 * ROOM;

interface Scratch {
  readonly memory: WebAssembly.Memory;
  readonly bytes: Uint8Array<ArrayBuffer>;
}
let made: Scratch | null = null;

export function scratch(): Scratch {
  if (!made) {
    const memory = new WebAssembly.Memory({ initial: Math.ceil((TROUBLE + 16) / 65536) });
    made = { memory, bytes: new Uint8Array(memory.buffer as ArrayBuffer) };
  }
  return made;
}
