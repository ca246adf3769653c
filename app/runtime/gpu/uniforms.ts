/**
 * Packs a launch's uniform words: scalar arguments as their bits, where pointers start and end in
 * their group's buffer (in elements), and the grid.
 */
import type { TritonDtype, UniformWord } from '../../../compiler/program';
import { ARENA_ADDRESS } from '../addresses';
import { pathKey, type PointerLeaf, type ScalarLeaf } from '../arguments';
import type { Storage } from '../storage';

const scratch = new DataView(new ArrayBuffer(8));

/** Bytes of the uniform buffer for `count` words: padded to 16, never 0. */
export function uniformBytes(count: number): number {
  return Math.max(16, Math.ceil(count / 4) * 16);
}

/** The part of a leaf that its words depend on. */
export type PackedLeaf =
  | ScalarLeaf
  | (Pick<PointerLeaf, 'kind' | 'path' | 'elementBytes' | 'byteOffset'> & {
      readonly storage: Pick<Storage, 'base' | 'bytes'>;
    });
type PackedPointer = Extract<PackedLeaf, { kind: 'pointer' }>;

/** Writes the words of one unit's launches: the arguments are looked up once. */
export class UniformPacker {
  private readonly leaves: readonly number[];
  readonly words: Uint32Array<ArrayBuffer>;

  /** @throws RangeError where a word's argument is missing. */
  constructor(
    private readonly kinds: readonly UniformWord[],
    leaves: readonly PackedLeaf[],
  ) {
    const byPath = new Map(leaves.map((leaf, index) => [pathKey(leaf.path), index]));
    this.leaves = kinds.map((word) => {
      if (!('path' in word)) return -1;
      const index = byPath.get(pathKey(word.path)) ?? -1;
      const wanted = word.kind === 'scalar' ? 'scalar' : 'pointer';
      if (leaves[index]?.kind !== wanted)
        throw new RangeError(`no ${wanted} at ${pathKey(word.path)}`);
      return index;
    });
    this.words = new Uint32Array(uniformBytes(kinds.length) / 4);
  }

  /**
   * @param report the first word of the launch's report.
   * @returns `words`, which the next call writes again. @throws RangeError where one does not fit.
   */
  pack(
    leaves: readonly PackedLeaf[],
    grid: readonly [number, number, number],
    program: number,
    arenaBytes: number,
    report = 0,
  ): Uint32Array<ArrayBuffer> {
    const { kinds, words } = this;
    for (let i = 0; i < kinds.length; i++) {
      const kind = kinds[i]!;
      words[i] =
        kind.kind === 'report'
          ? report
          : value(kind, leaves[this.leaves[i]!], grid, program, arenaBytes);
    }
    return words;
  }
}

/** The words, in order. @throws RangeError where a word's argument is missing or does not fit. */
export function packUniforms(
  words: readonly UniformWord[],
  leaves: readonly PackedLeaf[],
  grid: readonly [number, number, number],
  program = 0,
  arenaBytes = 0,
): Uint32Array<ArrayBuffer> {
  return new UniformPacker(words, leaves).pack(leaves, grid, program, arenaBytes);
}

function value(
  word: Exclude<UniformWord, { kind: 'report' }>,
  leaf: PackedLeaf | undefined,
  grid: readonly [number, number, number],
  program: number,
  arenaBytes: number,
): number {
  switch (word.kind) {
    case 'program':
      return program;
    case 'arena-bytes':
      return arenaBytes;
    case 'zero':
      return 0;
    case 'grid':
      return grid[word.axis];
    case 'arena':
      return word.word === 0 ? ARENA_ADDRESS % 2 ** 32 : Math.floor(ARENA_ADDRESS / 2 ** 32);
    case 'scalar':
      if (leaf?.kind !== 'scalar') throw new RangeError(`no scalar at ${pathKey(word.path)}`);
      leaf.words ??= [scalarWord(leaf, word.dtype, 0), scalarWord(leaf, word.dtype, 1)];
      return leaf.words[word.word];
    case 'offset':
      return elements(leaf, word.path, (found) => found.storage.base + found.byteOffset);
    case 'begin':
      return elements(leaf, word.path, (found) => found.storage.base);
    case 'end':
      return elements(leaf, word.path, (found) => found.storage.base + found.storage.bytes);
    default:
      return unreachable(word);
  }
}

/** Whole elements: a storage's tail that holds no whole element is not part of it. */
function elements(
  leaf: PackedLeaf | undefined,
  path: readonly number[],
  bytes: (leaf: PackedPointer) => number,
): number {
  if (leaf?.kind !== 'pointer') throw new RangeError(`no pointer at ${pathKey(path)}`);
  return Math.floor(bytes(leaf) / leaf.elementBytes);
}

/** The low or high 32 bits of a scalar argument. */
export function scalarWord(leaf: ScalarLeaf, dtype: TritonDtype, word: 0 | 1): number {
  if (isFloat(dtype)) return floatWord(parseFloatText(leaf.text), dtype, word);
  // Most integers are exact as numbers, which are faster than bigints.
  if (/^-?\d{1,15}$/.test(leaf.text)) {
    const number = Number(leaf.text);
    return (word === 0 ? number : Math.floor(number / 2 ** 32)) >>> 0;
  }
  const bits = BigInt.asUintN(64, parseIntegerText(leaf.text));
  return Number(word === 0 ? bits & 0xffff_ffffn : bits >> 32n);
}

function isFloat(dtype: TritonDtype): boolean {
  return dtype.startsWith('float') || dtype.startsWith('fp') || dtype.startsWith('bf');
}

/** Python's `repr(float)`: also 'inf', '-inf' and 'nan'. */
export function parseFloatText(text: string): number {
  switch (text.trim().toLowerCase()) {
    case 'inf':
    case 'infinity':
      return Infinity;
    case '-inf':
    case '-infinity':
      return -Infinity;
    case 'nan':
    case '-nan':
      return NaN;
    case 'true':
      return 1;
    case 'false':
      return 0;
    default: {
      const value = Number(text);
      if (text.trim() === '' || Number.isNaN(value)) {
        throw new RangeError(`${JSON.stringify(text)} is no number`);
      }
      return value;
    }
  }
}

function parseIntegerText(text: string): bigint {
  if (text === 'True') return 1n;
  if (text === 'False') return 0n;
  return BigInt(text);
}

function floatWord(value: number, dtype: TritonDtype, word: 0 | 1): number {
  if (dtype === 'float64' || dtype === 'fp64') {
    scratch.setFloat64(0, value, true);
    return scratch.getUint32(word * 4, true);
  }
  if (word === 1) return 0;
  if (dtype === 'float16' || dtype === 'fp16') return halfBits(value);
  scratch.setFloat32(0, value, true);
  let bits = scratch.getUint32(0, true);
  if (dtype !== 'bfloat16' && dtype !== 'bf16') return bits;
  if (Number.isNaN(value)) return 0x7fc0;
  const rounded = Math.fround(value);
  // An inexact float32 is cut and made odd: the next rounding is then the only one.
  if (rounded !== value) bits = (Math.abs(rounded) > Math.abs(value) ? bits - 1 : bits) | 1;
  // Round to nearest even in the 16 bits that are cut off.
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** float64 → float16 bits, rounded once to nearest even. */
function halfBits(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return sign;
  if (magnitude === Infinity) return sign | 0x7c00;
  const exponent = Math.max(-14, Math.floor(Math.log2(magnitude)));
  const step = 2 ** (exponent - 10);
  const quotient = magnitude / step;
  const floor = Math.floor(quotient);
  const rest = quotient - floor;
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
  const result = rounded * step;
  if (result >= 65520) return sign | 0x7c00;
  if (result < 2 ** -14) return sign | Math.round(result / 2 ** -24);
  const exact = Math.floor(Math.log2(result));
  return sign | ((exact + 15) << 10) | (Math.round(result / 2 ** (exact - 10)) - 1024);
}

function unreachable(word: never): never {
  throw new Error(`unknown uniform word ${JSON.stringify(word)}`);
}
