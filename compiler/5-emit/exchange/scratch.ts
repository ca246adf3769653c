/**
 * Workgroup memory as words: how a register goes into them, and where. Every element takes one word, or
 * two where its register has two.
 */
import type { Emission } from '../emission';
import type { RegisterType } from '../registers';

export function wordsOf(type: RegisterType): 1 | 2 {
  return type === 'vec2<u32>' ? 2 : 1;
}

/** A register as u32 expressions. */
export function toWords(type: RegisterType, x: string): string[] {
  switch (type) {
    case 'bool':
    case 'i32':
      return [`u32(${x})`];
    case 'u32':
      return [x];
    case 'f32':
      return [`bitcast<u32>(${x})`];
    case 'f16':
      return [`bitcast<u32>(vec2<f16>(${x}, 0.0h))`];
    case 'vec2<u32>':
      return [`${x}.x`, `${x}.y`];
    default:
      return type satisfies never;
  }
}
export function fromWords(type: RegisterType, words: readonly string[]): string {
  const [low, high] = words;
  switch (type) {
    case 'bool':
      return `(${low} != 0u)`;
    case 'i32':
      return `i32(${low})`;
    case 'u32':
      return low!;
    case 'f32':
      return `bitcast<f32>(${low})`;
    case 'f16':
      return `bitcast<vec2<f16>>(${low}).x`;
    case 'vec2<u32>':
      return `vec2<u32>(${low}, ${high})`;
    default:
      return type satisfies never;
  }
}

/** The word at an index (a u32 expression) of workgroup memory, to read or assign. */
export function sharedWord(e: Emission, index: string, array?: string): string {
  return e.sharedVectors
    ? `${sharedVector(e, `(${index}) / 4u`, array)}[(${index}) % 4u]`
    : sharedVector(e, index);
}
/** An entry of `shared_words`, four words where it holds vectors, else one; or of another array. */
export function sharedVector(e: Emission, index: string, array?: string): string {
  if (array !== undefined) return `${array}[${index}]`;
  return e.exchange ? `shared_words[exchange + ${index}]` : `shared_words[${index}]`;
}

/** Where the parts of an element lie: `first + element + word * stride`. */
export interface Region {
  /** Index of the first word. */
  readonly first: number;
  /** Elements of one array: the second words come after all the first ones. */
  readonly stride: number;
}

function place(region: Region, element: string, word: number): string {
  const constant = region.first + word * region.stride;
  return constant === 0 ? element : `${element} + ${constant}u`;
}

export function writeShared(
  e: Emission,
  region: Region,
  type: RegisterType,
  element: string,
  x: string,
): void {
  toWords(type, x).forEach((word, i) =>
    e.writer.line(`${sharedWord(e, place(region, element, i))} = ${word};`),
  );
}
export function readShared(
  e: Emission,
  region: Region,
  type: RegisterType,
  element: string,
  hint = 'other',
): string {
  const words = Array.from({ length: wordsOf(type) }, (_, i) =>
    sharedWord(e, place(region, element, i)),
  );
  return e.let(hint, fromWords(type, words));
}

/** A register of the lane whose number differs in `mask`. */
export function shuffleXor(e: Emission, type: RegisterType, x: string, mask: number): string {
  e.usesLanes = true;
  if (type === 'bool') return e.let('other', `(subgroupShuffleXor(u32(${x}), ${mask}u) != 0u)`);
  return e.let('other', `subgroupShuffleXor(${x}, ${mask}u)`);
}
