/**
 * A small assembler of WebAssembly modules: instructions are lists of bytes, by the numbers of
 * https://webassembly.github.io/spec/core/binary. Only what the interpreter's loops need.
 */
export type Code = readonly number[];

export interface WasmFunction {
  readonly name: string;
  /** All i32: addresses and sizes. They are the first locals, then come `i32`, then `v128`. */
  readonly parameters: number;
  readonly locals: { readonly i32: number; readonly v128: number };
  readonly body: readonly Code[];
}
export interface WasmInstance {
  readonly memory: WebAssembly.Memory;
  readonly functions: Readonly<Record<string, (...numbers: number[]) => void>>;
}

/** Undefined where the engine does not take the module: it has no SIMD, or no WebAssembly. */
export function instantiate(assemble: () => Uint8Array<ArrayBuffer>): WasmInstance | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  const bytes = assemble();
  if (!WebAssembly.validate(bytes)) return undefined;
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
    '': { m: memory },
  });
  return { memory, functions: exports as WasmInstance['functions'] };
}

const PAGE = 65536;

/** The memory, of `bytes` at least. Views of before are void. */
export function reserve(memory: WebAssembly.Memory, bytes: number): ArrayBuffer {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE);
  if (missing > 0) memory.grow(missing);
  return memory.buffer;
}

function unsignedLeb(value: number): number[] {
  const bytes: number[] = [];
  do {
    const more = value > 0x7f;
    bytes.push((value & 0x7f) | (more ? 0x80 : 0));
    value >>>= 7;
  } while (value > 0);
  return bytes;
}
const vector = (items: readonly Code[]): Code => [...unsignedLeb(items.length), ...items.flat()];
const section = (id: number, content: Code): Code => [
  id,
  ...unsignedLeb(content.length),
  ...content,
];
const text = (name: string): Code => vector([...name].map((c) => [c.charCodeAt(0)]));

const [I32, V128] = [0x7f, 0x7b];
export const get = (local: number): Code => [0x20, local];
export const set = (local: number, value: Code): Code => [...value, 0x21, local];
/** From -64 to 63. */
export const constant = (value: number): Code => [0x41, value & 0x7f];
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const shiftLeft = (a: Code, by: number): Code => [...a, ...constant(by), 0x74];
export const shiftRight = (a: Code, by: number): Code => [...a, ...constant(by), 0x76];

const simd = (opcode: number): Code => [0xfd, ...unsignedLeb(opcode)];
/** No more is promised of addresses than that they are multiples of 4. */
const ALIGN = 2;
export const load = (at: Code, offset: number): Code => [...at, ...simd(0x00), ALIGN, offset];
/** Eight bytes, twice. */
export const loadSplat = (at: Code): Code => [...at, ...simd(0x0a), ALIGN, 0];
export const store = (at: Code, offset: number, value: Code): Code => [
  ...at,
  ...value,
  ...simd(0x0b),
  ALIGN,
  offset,
];
/** The elements at `lanes` of the eight f32 of two vectors. */
export const shuffle = (a: Code, b: Code, lanes: readonly number[]): Code => [
  ...a,
  ...b,
  ...simd(0x0d),
  ...lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte)),
];
/** Bits of `a` where the mask has ones, else of `b`. */
export const select = (mask: Code, a: Code, b: Code): Code => [...a, ...b, ...mask, ...simd(0x52)];
export const differentF32x4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x42)];
export const minF32x4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe8)];
export const maxF32x4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe9)];
export const addF64x2 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0xf0)];
export const mulF64x2 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0xf2)];

/** Runs `body` as often as `times` says, at least once. `counter` is a local. */
export const repeat = (counter: number, times: Code, body: readonly Code[]): Code => [
  ...set(counter, times),
  ...[0x03, 0x40],
  ...body.flat(),
  ...set(counter, add(get(counter), constant(-1))),
  ...get(counter),
  ...[0x0d, 0, 0x0b],
];

/** A module that imports its memory and exports these functions. */
export function moduleOf(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const bodies = functions.map(({ locals, body }) => {
    const declared = vector([
      [...unsignedLeb(locals.i32), I32],
      [...unsignedLeb(locals.v128), V128],
    ]);
    const code = [...declared, ...body.flat(), 0x0b];
    return [...unsignedLeb(code.length), ...code];
  });
  const type = ({ parameters }: WasmFunction): Code => [
    0x60,
    ...vector(Array.from({ length: parameters }, () => [I32])),
    0,
  ];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(functions.map(type))),
    ...section(2, vector([[...text(''), ...text('m'), 0x02, 0x00, 1]])),
    ...section(3, vector(functions.map((_, i) => unsignedLeb(i)))),
    ...section(7, vector(functions.map(({ name }, i) => [...text(name), 0x00, ...unsignedLeb(i)]))),
    ...section(10, vector(bodies)),
  ]);
}
