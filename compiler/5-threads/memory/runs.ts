/**
 * Runs of consecutive elements of a group's buffer, read and written in as few and as wide accesses
 * as the group's declaration has, whatever the dtype: whole words, several words to an element,
 * several elements to a word. Nothing here tests whether the access may happen (`bounds.ts`, masks
 * in `memory.ts`).
 */
import type { Operation } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import { number } from '../../ir/thread/types';
import type { NumberType } from '../../ir/thread/types';
import type { DType } from '../../ir/types';
import { bitWidth, elementOf } from '../../ir/types';
import { bitsOf, fromBits } from '../arithmetic/conversions';
import type { Lowering } from '../context';
import { numberAttribute, refuse } from '../context';
import { plus } from '../layouts';
import { dtypeRegister } from '../registers';
import type { GroupPlan } from '../memory/groups';

/** The dtype that an access moves. */
export function accessDtype(op: Operation): DType {
  const pointer = elementOf(op.operand(0).type);
  if (pointer.kind !== 'pointer') throw new Error(`${op.name} needs a pointer`);
  if (pointer.pointee.kind === 'pointer')
    refuse(op, 'HC0503', 'atomics of pointers are not supported: cast to a pointer to tl.int64');
  return pointer.pointee.dtype;
}

/** How many elements an access moves at once. */
export function runLength(t: Lowering, op: Operation): number {
  return Math.min(numberAttribute(op, 'vector') ?? 1, t.count(op.operand(0)));
}

/**
 * How many whole vectors of 2 or 4 lie before a place. SwiftShader divides lane by lane: a tenth of
 * a matmul.
 */
function wholes(t: Lowering, place: ThreadValue, width: number): ThreadValue {
  return t.machine.signedVectorsOnly
    ? t.x`${place} >> ${Math.log2(width)}u`
    : t.x`${place} / ${width}u`;
}

/** Component `word` (u32, counting elements of the declaration) of a group's buffer. */
function readComponent(t: Lowering, group: GroupPlan, word: ThreadValue): ThreadValue {
  const buffer = t.buffer(group);
  if (group.width === 1) return t.b.load(buffer, word);
  const [entry, component] = [t.x`${word} / ${group.width}u`, t.x`${word} % ${group.width}u`];
  return t.b.create('thread.load_component', [buffer, entry, component]).result;
}
function writeComponent(t: Lowering, group: GroupPlan, word: ThreadValue, x: ThreadValue): void {
  const buffer = t.buffer(group);
  if (group.width === 1) return t.b.store(buffer, word, x);
  const [entry, component] = [t.x`${word} / ${group.width}u`, t.x`${word} % ${group.width}u`];
  t.b.create('thread.store_component', [buffer, entry, component, x]);
}
export function readWord(t: Lowering, group: GroupPlan, word: ThreadValue): ThreadValue {
  return t.x`bitcast<u32>(${readComponent(t, group, word)})`;
}
function writeWord(t: Lowering, group: GroupPlan, word: ThreadValue, x: ThreadValue): void {
  writeComponent(t, group, word, t.b.bitcast(x, number(group.element)));
}

/** Whether elements are words of the declaration's own type. */
export function isNative32(t: Lowering, op: Operation): boolean {
  const { group } = t.memory.of(op);
  const dtype = accessDtype(op);
  const native = dtypeRegister(dtype, t.native);
  return !group.atomic && bitWidth(dtype) === 32 && number(group.element) === native;
}

/** Whether runs are read and written as whole vectors of the declaration's own type. */
export function inWholeVectors(t: Lowering, op: Operation, vector: number): boolean {
  return vector > 1 && t.memory.of(op).group.width === vector && isNative32(t, op);
}

/** Bits of an element in memory. */
const storedBits = (dtype: DType): number => (bitWidth(dtype) === 1 ? 8 : bitWidth(dtype));
/** Whether the declaration is an array of the dtype's own registers, or of vectors of them. */
function isDeclared(group: GroupPlan, dtype: DType, native: NumberType): boolean {
  const bits = native.scalar === 'f16' ? 16 : 32;
  return !group.atomic && number(group.element) === native && storedBits(dtype) === bits;
}

/** Place of a run: at an element, or at a vector of the declaration's own type. */
export type RunPlace = { readonly offset: ThreadValue } | { readonly vector: ThreadValue };

/** Reads `count` consecutive elements. The run is aligned to its size. */
export function readRun(
  t: Lowering,
  group: GroupPlan,
  dtype: DType,
  place: RunPlace,
  count: number,
): ThreadValue[] {
  const { b } = t;
  const native = dtypeRegister(dtype, t.native);
  const at = 'offset' in place ? t.x`u32(${place.offset})` : undefined;
  const bits = storedBits(dtype);
  if (isDeclared(group, dtype, native)) {
    const step = Math.min(group.width, count);
    if (step === group.width && step > 1) {
      const first = 'vector' in place ? place.vector : wholes(t, at!, step);
      return range(count / step).flatMap((i) =>
        b.components(t.let('load', b.load(t.buffer(group), plus(t, first, i)))),
      );
    }
    return range(count).map((i) => t.let('load', readComponent(t, group, plus(t, at!, i))));
  }
  if (group.element === 'f16') throw new Error('a group of halves holds only halves');
  if (bits === 64) {
    const words = readWords(t, group, t.x`${at!} * 2u`, count * 2);
    return range(count).map((i) => t.let('load', b.vector(words.slice(2 * i, 2 * i + 2))));
  }
  if (bits === 32)
    return readWords(t, group, at!, count).map((word) => t.let('load', fromBits(t, dtype, word)));
  if (native.scalar === 'f16' && group.width === 4 && count % 8 === 0) {
    const words = readWords(t, group, t.x`${at!} / 2u`, count / 2);
    return range(count / 4).flatMap((i) => {
      const pair = pairOf(t, words.slice(2 * i, 2 * i + 2));
      return b.components(t.let('load', t.x`bitcast<vec4<f16>>(${pair})`));
    });
  }
  const perWord = 32 / bits;
  const mask = 2 ** bits - 1;
  if (count < perWord) {
    const word = readWord(t, group, t.x`${at!} / ${perWord}u`);
    const first = t.let('bits', t.x`${word} >> (${at!} % ${perWord}u * ${bits}u)`);
    return range(count).map((i) => {
      const part = i === 0 ? first : t.x`${first} >> ${i * bits}u`;
      return t.let('load', fromBits(t, dtype, t.x`${part} & ${mask}u`));
    });
  }
  const words = readWords(t, group, t.x`${at!} / ${perWord}u`, count / perWord);
  return range(count).map((i) => {
    const word = words[Math.floor(i / perWord)]!;
    const by = (i % perWord) * bits;
    const part = by === 0 ? word : t.x`${word} >> ${by}u`;
    return t.let('load', fromBits(t, dtype, by + bits === 32 ? part : t.x`${part} & ${mask}u`));
  });
}

/** Two words in a row, as half of the vector that they come from where they are. */
function pairOf(t: Lowering, words: readonly ThreadValue[]): ThreadValue {
  const [low, high] = words.map(({ definition }) => definition);
  const vector = low?.name === 'thread.extract' ? low.operands[0] : undefined;
  const index = Number(low?.attributes['index']);
  const follows =
    high?.name === 'thread.extract' &&
    high.operands[0] === vector &&
    high.attributes['index'] === index + 1;
  if (!vector || !follows) return t.b.vector(words);
  const attributes = { indices: [index, index + 1] };
  return t.b.value('thread.swizzle', [vector], { attributes });
}

/** `count` consecutive words, in as few reads as the declaration allows. */
function readWords(t: Lowering, group: GroupPlan, word: ThreadValue, count: number): ThreadValue[] {
  const { b } = t;
  const first = t.let('at', word);
  const { width } = group;
  if (width > 1 && count >= width)
    return range(count / width).flatMap((i) => {
      const vector = b.load(t.buffer(group), plus(t, wholes(t, first, width), i));
      return b.components(t.let('words', b.bitcast(vector, number('u32', width))));
    });
  return range(count).map((i) => t.let('word', readWord(t, group, plus(t, first, i))));
}

/** Writes a run of held values, aligned to its size. */
export function writeRun(
  t: Lowering,
  group: GroupPlan,
  dtype: DType,
  place: RunPlace,
  values: readonly ThreadValue[],
): void {
  const { b } = t;
  const native = dtypeRegister(dtype, t.native);
  const at = 'offset' in place ? t.x`u32(${place.offset})` : undefined;
  const bits = storedBits(dtype);
  if (isDeclared(group, dtype, native)) {
    const step = group.width;
    if (step > 1 && values.length >= step) {
      const first = 'vector' in place ? place.vector : wholes(t, at!, step);
      for (let i = 0; i < values.length; i += step)
        b.store(t.buffer(group), plus(t, first, i / step), b.vector(values.slice(i, i + step)));
      return;
    }
    values.forEach((value, i) => writeComponent(t, group, plus(t, at!, i), value));
    return;
  }
  if (bits === 64) {
    writeWords(
      t,
      group,
      t.x`${at!} * 2u`,
      values.flatMap((value) => b.components(value)),
    );
    return;
  }
  if (native.scalar === 'f16' && group.width === 4 && values.length % 8 === 0) {
    const words = range(values.length / 4).flatMap((i) =>
      b.components(
        t.let('words', t.x`bitcast<vec2<u32>>(${b.vector(values.slice(4 * i, 4 * i + 4))})`),
      ),
    );
    writeWords(t, group, t.x`${at!} / 2u`, words);
    return;
  }
  const fields = values.map((value) => bitsOf(t, dtype, value));
  if (bits === 32) {
    writeWords(t, group, at!, fields);
    return;
  }
  const perWord = 32 / bits;
  if (values.length < perWord) {
    // Neighbours in the word belong to others.
    const by = t.let('by', t.x`${at!} % ${perWord}u * ${bits}u`);
    const mask = t.x`${2 ** (bits * values.length) - 1}u << ${by}`;
    const word = t.let('bits', t.x`${joinBits(t, fields, bits)} << ${by}`);
    writeMasked(t, group, t.let('at', t.x`${at!} / ${perWord}u`), mask, word);
    return;
  }
  const words = range(fields.length / perWord).map((i) =>
    t.let('word', joinBits(t, fields.slice(i * perWord, (i + 1) * perWord), bits)),
  );
  writeWords(t, group, t.x`${at!} / ${perWord}u`, words);
}

/**
 * Clears the bits of a mask, then sets them. Two atomics, so the element shows bits of both values
 * in between; only another access to the same element could see that, and such a program has a
 * race.
 */
export function writeMasked(
  t: Lowering,
  group: GroupPlan,
  at: ThreadValue,
  mask: ThreadValue,
  bits: ThreadValue,
): void {
  const update = (kind: string, word: ThreadValue): void => {
    t.b.create('thread.atomic_rmw', [t.buffer(group), at, word], { attributes: { kind } });
  };
  update('and', t.x`~${mask} | ${bits}`);
  update('or', t.x`${mask} & ${bits}`);
}

export function joinBits(t: Lowering, fields: readonly ThreadValue[], bits: number): ThreadValue {
  return fields
    .map((field, i) => (i === 0 ? field : t.x`${field} << ${i * bits}u`))
    .reduce((a, b) => t.x`${a} | ${b}`);
}

function writeWords(
  t: Lowering,
  group: GroupPlan,
  word: ThreadValue,
  values: readonly ThreadValue[],
): void {
  const { b } = t;
  const first = t.let('at', word);
  const { width } = group;
  if (width > 1 && values.length >= width) {
    for (let i = 0; i < values.length; i += width) {
      const vector = b.bitcast(b.vector(values.slice(i, i + width)), number(group.element, width));
      b.store(t.buffer(group), plus(t, wholes(t, first, width), i / width), vector);
    }
    return;
  }
  values.forEach((value, i) => writeWord(t, group, plus(t, first, i), value));
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
