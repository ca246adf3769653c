/**
 * The shared words of a program: how a register goes into them, and where. Every element takes one
 * word, or two where its register has two.
 */
import type { ThreadValue } from '../../ir/thread/ir';
import { F32, I32 } from '../../ir/thread/types';
import type { NumberType } from '../../ir/thread/types';
import { firstHalf } from '../arithmetic/elementwise';
import type { Lowering } from '../context';
import { PAIR } from '../registers';

export function wordsOf(type: NumberType): 1 | 2 {
  return type === PAIR ? 2 : 1;
}

/** A register as u32s. */
export function toWords(t: Lowering, x: ThreadValue): ThreadValue[] {
  const type = x.type as NumberType;
  if (type === PAIR) return t.b.components(x);
  switch (type.scalar) {
    case 'f32':
      return [t.x`bitcast<u32>(${x})`];
    case 'f16':
      return [t.x`bitcast<u32>(vec2<f16>(${x}, 0.0h))`];
    default:
      return [t.x`u32(${x})`];
  }
}
export function fromWords(
  t: Lowering,
  type: NumberType,
  words: readonly ThreadValue[],
): ThreadValue {
  const [low] = words;
  if (type === PAIR) return t.b.vector(words);
  switch (type.scalar) {
    case 'bool':
      return t.x`${low!} != 0u`;
    case 'f16':
      return firstHalf(t, low!);
    case 'f32':
      return t.b.bitcast(low!, F32);
    case 'i32':
      return t.b.convert(low!, I32);
    default:
      return low!;
  }
}

/** A place in an array: the index of an entry, and of a word in it where entries are vectors. */
export interface SharedPlace {
  readonly array: ThreadValue;
  readonly indices: readonly ThreadValue[];
  readonly component?: ThreadValue;
}

/** An array of slabs, and the number of a slab. */
export interface Slab {
  readonly array: ThreadValue;
  readonly number: ThreadValue;
}

/** The word at an index of the shared words, or of a slab of another array. */
export function sharedWord(t: Lowering, index: ThreadValue, slab?: Slab): SharedPlace {
  if (!t.shared.vectors) return sharedEntry(t, index, slab);
  const component = t.x`${index} % 4u`;
  return { ...sharedEntry(t, t.x`${index} / 4u`, slab), component };
}
/** An entry of the shared words: four words where tiles for dots stand there, else one. */
export function sharedEntry(t: Lowering, index: ThreadValue, slab?: Slab): SharedPlace {
  if (slab) return { array: slab.array, indices: [slab.number, index] };
  const { array, first } = t.shared.words;
  return { array, indices: [first ? t.x`${first} + ${index}` : index] };
}
export function readPlace(t: Lowering, place: SharedPlace): ThreadValue {
  const { array, indices, component } = place;
  if (!component) return t.b.load(array, ...indices);
  return t.b.create('thread.load_component', [array, ...indices, component]).result;
}
export function writePlace(t: Lowering, place: SharedPlace, x: ThreadValue): void {
  const { array, indices, component } = place;
  if (component) t.b.create('thread.store_component', [array, ...indices, component, x]);
  else t.b.store(array, ...indices, x);
}

/** Place of the words of an element: `first + element + word * stride`. */
export interface Region {
  /** Index of the first word. */
  readonly first: number;
  /** Elements of one array: the second words come after all the first ones. */
  readonly stride: number;
}

function place(t: Lowering, region: Region, element: ThreadValue, word: number): SharedPlace {
  const constant = region.first + word * region.stride;
  return sharedWord(t, constant === 0 ? element : t.x`${element} + ${constant}u`);
}

export function writeShared(
  t: Lowering,
  region: Region,
  element: ThreadValue,
  x: ThreadValue,
): void {
  toWords(t, x).forEach((word, i) => writePlace(t, place(t, region, element, i), word));
}
export function readShared(
  t: Lowering,
  region: Region,
  type: NumberType,
  element: ThreadValue,
  hint = 'other',
): ThreadValue {
  const words = Array.from({ length: wordsOf(type) }, (_, i) =>
    readPlace(t, place(t, region, element, i)),
  );
  return t.let(hint, fromWords(t, type, words));
}

/** The register of the lane whose number differs in `mask`. */
export function shuffleXor(t: Lowering, x: ThreadValue, mask: number): ThreadValue {
  t.usesLanes = true;
  const isBool = (x.type as NumberType).scalar === 'bool';
  const found = t.x`subgroupShuffleXor(${isBool ? t.x`u32(${x})` : x}, ${mask}u)`;
  return t.let('other', isBool ? t.x`${found} != 0u` : found);
}
/** The register of another lane. */
export function shuffle(t: Lowering, x: ThreadValue, lane: ThreadValue): ThreadValue {
  t.usesLanes = true;
  const isBool = (x.type as NumberType).scalar === 'bool';
  const found = t.x`subgroupShuffle(${isBool ? t.x`u32(${x})` : x}, ${lane})`;
  return isBool ? t.x`${found} != 0u` : found;
}
