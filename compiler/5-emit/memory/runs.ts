/**
 * Runs of consecutive elements of a group's buffer, read and written in as few and as wide accesses as the
 * group's declaration has, whatever the dtype: whole words, several words to an element, several elements to a
 * word. Nothing here asks whether the access may happen (`bounds.ts`, masks in `memory.ts`).
 */
import type { Operation } from '../../ir/ir';
import type { DType } from '../../ir/types';
import { bitWidth, elementOf } from '../../ir/types';
import { bitsOf, fromBits } from '../arithmetic/conversions';
import { components, vectorOf, wholeVector } from '../dot/pack';
import type { Emission } from '../emission';
import { numberAttribute, refuse } from '../emission';
import { dtypeRegister } from '../registers';
import type { GroupPlan } from './groups';

/** The dtype that an access moves. */
export function accessDtype(op: Operation): DType {
  const pointer = elementOf(op.operand(0).type);
  if (pointer.kind !== 'pointer') throw new Error(`${op.name} needs a pointer`);
  if (pointer.pointee.kind === 'pointer')
    refuse(op, 'HC0503', 'atomics of pointers are not supported: cast to a pointer to tl.int64');
  return pointer.pointee.dtype;
}

/** How many elements an access moves at once. */
export function runLength(e: Emission, op: Operation): number {
  return Math.min(numberAttribute(op, 'vector') ?? 1, e.count(op.operand(0)));
}

/**
 * How many whole vectors of 2 or 4 lie before a place, a primary expression. SwiftShader divides lane by lane: a
 * tenth of a matmul.
 */
function wholes(e: Emission, place: string, width: number): string {
  if (!e.software) return `${place} / ${width}u`;
  return `(${place} >> ${Math.log2(width)}u)`;
}

/** Component `word` (a u32 expression counting elements of the declaration) of a group's buffer. */
function component(group: GroupPlan, word: string): string {
  if (group.width === 1) return `${group.name}[${word}]`;
  return `${group.name}[(${word}) / ${group.width}u][(${word}) % ${group.width}u]`;
}
export function readWord(group: GroupPlan, word: string): string {
  const place = component(group, word);
  if (group.atomic) return `atomicLoad(&${place})`;
  return group.element === 'u32' ? place : `bitcast<u32>(${place})`;
}
function writeWord(group: GroupPlan, word: string, value: string): string {
  const place = component(group, word);
  if (group.atomic) return `atomicStore(&${place}, ${value});`;
  return `${place} = ${group.element === 'u32' ? value : `bitcast<${group.element}>(${value})`};`;
}

/** Whether elements are words of the declaration's own type. */
export function isNative32(e: Emission, op: Operation): boolean {
  const { group } = e.memory.of(op);
  const dtype = accessDtype(op);
  return (
    !group.atomic && bitWidth(dtype) === 32 && group.element === dtypeRegister(dtype, e.native)
  );
}

/** Whether runs are read and written as whole vectors of the declaration's own type. */
export function inWholeVectors(e: Emission, op: Operation, vector: number): boolean {
  return vector > 1 && e.memory.of(op).group.width === vector && isNative32(e, op);
}

/**
 * Reads `count` consecutive elements from element `offset` on (an i32 expression) and names them.
 * The run is aligned to its size. `vectorIndex`: the same place, where one counts in whole vectors.
 */
export function readRun(
  e: Emission,
  group: GroupPlan,
  dtype: DType,
  offset: string,
  count: number,
  vectorIndex?: string,
): string[] {
  const native = dtypeRegister(dtype, e.native);
  const at = `u32(${offset})`;
  const bits = bitWidth(dtype) === 1 ? 8 : bitWidth(dtype);
  // The declaration's own type: whole vectors of it.
  if (!group.atomic && group.element === native && bits === (native === 'f16' ? 16 : 32)) {
    const out: string[] = [];
    const step = Math.min(group.width, count);
    if (step === group.width && step > 1) {
      for (let i = 0; i < count; i += step) {
        const first = vectorIndex ?? wholes(e, at, step);
        const index = i === 0 ? first : `${first} + ${i / step}u`;
        const vector = e.let('load', `${group.name}[${index}]`);
        for (let k = 0; k < step; k++) out.push(`${vector}.${'xyzw'[k]}`);
      }
      return out;
    }
    for (let i = 0; i < count; i++)
      out.push(e.let('load', component(group, i === 0 ? at : `${at} + ${i}u`)));
    return out;
  }
  if (group.element === 'f16') throw new Error('a group of halves holds only halves');
  if (bits === 64) {
    const out: string[] = [];
    const words = readWords(e, group, `${at} * 2u`, count * 2);
    for (let i = 0; i < count; i++)
      out.push(e.let('load', `vec2<u32>(${words[2 * i]}, ${words[2 * i + 1]})`));
    return out;
  }
  if (bits === 32)
    return readWords(e, group, at, count).map((word) => e.let('load', fromBits(e, dtype, word)));
  if (native === 'f16' && group.width === 4 && count % 8 === 0) {
    const words = readWords(e, group, `${at} / 2u`, count / 2);
    return range(count / 4).flatMap((i) => {
      const name = wholeVector(words.slice(i - (i % 2), i - (i % 2) + 4));
      const pair = words.slice(2 * i, 2 * i + 2).join(', ');
      const half = name ? `${name}.${i % 2 === 0 ? 'xy' : 'zw'}` : `vec2<u32>(${pair})`;
      return components(e.let('load', `bitcast<vec4<f16>>(${half})`));
    });
  }
  const perWord = 32 / bits;
  const mask = bits === 8 ? '0xffu' : '0xffffu';
  if (count < perWord) {
    const word = e.let('word', readWord(group, `${at} / ${perWord}u`));
    const first = e.let('bits', `${word} >> (${at} % ${perWord}u * ${bits}u)`);
    return Array.from({ length: count }, (_, i) => {
      const piece = i === 0 ? first : `(${first} >> ${i * bits}u)`;
      return e.let('load', fromBits(e, dtype, `(${piece} & ${mask})`));
    });
  }
  const words = readWords(e, group, `${at} / ${perWord}u`, count / perWord);
  return Array.from({ length: count }, (_, i) => {
    const word = words[Math.floor(i / perWord)]!;
    const by = (i % perWord) * bits;
    const piece = by === 0 ? word : `(${word} >> ${by}u)`;
    const clean = by + bits === 32 ? piece : `(${piece} & ${mask})`;
    return e.let('load', fromBits(e, dtype, clean));
  });
}

/** `count` consecutive words, in as few reads as the declaration allows. */
function readWords(e: Emission, group: GroupPlan, word: string, count: number): string[] {
  const cast = (x: string, n: number): string =>
    group.element === 'u32' || group.atomic
      ? x
      : `bitcast<${n > 1 ? `vec${n}<u32>` : 'u32'}>(${x})`;
  const first = e.let('at', word);
  if (group.width > 1 && count >= group.width) {
    const out: string[] = [];
    for (let i = 0; i < count; i += group.width) {
      const index = `${wholes(e, first, group.width)}${i === 0 ? '' : ` + ${i / group.width}u`}`;
      const vector = e.let('words', cast(`${group.name}[${index}]`, group.width));
      for (let k = 0; k < group.width; k++) out.push(`${vector}.${'xyzw'[k]}`);
    }
    return out;
  }
  return Array.from({ length: count }, (_, i) =>
    e.let('word', readWord(group, i === 0 ? first : `${first} + ${i}u`)),
  );
}

/** Writes a run of held values, aligned to its size. */
export function writeRun(
  e: Emission,
  group: GroupPlan,
  dtype: DType,
  offset: string,
  values: readonly string[],
  vectorIndex?: string,
): void {
  const native = dtypeRegister(dtype, e.native);
  const at = `u32(${offset})`;
  const bits = bitWidth(dtype) === 1 ? 8 : bitWidth(dtype);
  if (!group.atomic && group.element === native && bits === (native === 'f16' ? 16 : 32)) {
    const step = group.width;
    if (step > 1 && values.length >= step) {
      for (let i = 0; i < values.length; i += step) {
        const first = vectorIndex ?? wholes(e, at, step);
        const index = i === 0 ? first : `${first} + ${i / step}u`;
        const vector = `vec${step}<${native}>(${values.slice(i, i + step).join(', ')})`;
        e.writer.line(`${group.name}[${index}] = ${vector};`);
      }
      return;
    }
    values.forEach((value, i) => {
      e.writer.line(`${component(group, i === 0 ? at : `${at} + ${i}u`)} = ${value};`);
    });
    return;
  }
  if (bits === 64) {
    const words = values.flatMap((value) => [`${value}.x`, `${value}.y`]);
    writeWords(e, group, `${at} * 2u`, words);
    return;
  }
  if (native === 'f16' && group.width === 4 && values.length % 8 === 0) {
    const words = range(values.length / 4).flatMap((i) => {
      const four = vectorOf('f16', values.slice(4 * i, 4 * i + 4));
      const pair = e.let('words', `bitcast<vec2<u32>>(${four})`);
      return [`${pair}.x`, `${pair}.y`];
    });
    writeWords(e, group, `${at} / 2u`, words);
    return;
  }
  const pieces = values.map((value) => bitsOf(e, dtype, value));
  if (bits === 32) {
    writeWords(e, group, at, pieces);
    return;
  }
  const perWord = 32 / bits;
  if (values.length < perWord) {
    // Neighbours in the word belong to others: clear the bits, then set them.
    const by = e.let('by', `${at} % ${perWord}u * ${bits}u`);
    const mask = `0x${(2 ** (bits * values.length) - 1).toString(16)}u`;
    const name = `store_bits_${group.name}`;
    e.define(name, STORE_BITS(name, group.name));
    e.writer.line(
      `${name}(${at} / ${perWord}u, ${mask} << ${by}, (${joinBits(pieces, bits)}) << ${by});`,
    );
    return;
  }
  const words: string[] = [];
  for (let i = 0; i < pieces.length; i += perWord)
    words.push(e.let('word', joinBits(pieces.slice(i, i + perWord), bits)));
  writeWords(e, group, `${at} / ${perWord}u`, words);
}

/**
 * Two atomics, so the element shows bits of both values in between; only another access to the same
 * element could see that, and such a program has a race of its own.
 */
const STORE_BITS = (
  name: string,
  buffer: string,
): string => `fn ${name}(word: u32, mask: u32, bits: u32) {
  atomicAnd(&${buffer}[word], ~mask | bits);
  atomicOr(&${buffer}[word], bits);
}`;

export function joinBits(pieces: readonly string[], bits: number): string {
  return pieces.map((piece, i) => (i === 0 ? piece : `(${piece} << ${i * bits}u)`)).join(' | ');
}

function writeWords(e: Emission, group: GroupPlan, word: string, values: readonly string[]): void {
  const first = e.let('at', word);
  const { width } = group;
  if (width > 1 && values.length >= width) {
    for (let i = 0; i < values.length; i += width) {
      const index = `${wholes(e, first, width)}${i === 0 ? '' : ` + ${i / width}u`}`;
      const vector = `vec${width}<u32>(${values.slice(i, i + width).join(', ')})`;
      const text =
        group.element === 'u32' ? vector : `bitcast<vec${width}<${group.element}>>(${vector})`;
      e.writer.line(`${group.name}[${index}] = ${text};`);
    }
    return;
  }
  values.forEach((value, i) =>
    e.writer.line(writeWord(group, i === 0 ? first : `${first} + ${i}u`, value)),
  );
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
