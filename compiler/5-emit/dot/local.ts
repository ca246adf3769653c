/**
 * Tiles in workgroup memory. The fastest dimension lies in consecutive words, each run of it followed
 * by the padding. Four registers that are four consecutive words move as one vector.
 */
import type { Operation, Value } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount, threadBases } from '../../ir/layout';
import { freeThreadMask } from '../../ir/layoutAlgebra';
import { byteSize, elementOf, partOf } from '../../ir/types';
import type { DType, MemdescType } from '../../ir/types';
import { bitsOf } from '../arithmetic/conversions';
import { layoutOf, numberAttribute, refuse } from '../emission';
import type { Emission } from '../emission';
import { registerCoordinate, threadSum } from '../layouts';
import { components, vectorOf } from './pack';
import { fromWords, sharedVector, sharedWord } from '../exchange/scratch';

/** The type of a memdesc value. */
export function memdescOf(value: Value): MemdescType {
  if (value.type.kind !== 'memdesc') throw new Error('not a tile in workgroup memory');
  return value.type;
}
/** Elements from one to the next along each dimension. */
export function stridesOf(type: MemdescType): number[] {
  const strides: number[] = [];
  let stride = 1;
  type.order.forEach((dim, i) => {
    strides[dim] = stride;
    stride *= type.shape[dim]! + (i === 0 ? type.padding : 0);
  });
  return strides;
}
/** The first byte of a tile. */
function byteOffset(value: Value): number {
  const op = value.definition;
  const offset = op && numberAttribute(op, 'offset');
  if (op?.name !== 'ttg.local_alloc' || offset === undefined)
    throw new Error('a tile in workgroup memory has no place');
  return offset;
}
/** The first element of a tile, counted in elements from the start of workgroup memory. */
export function elementOffset(value: Value): number {
  return byteOffset(value) / byteSize(memdescOf(value).element);
}
/** The first word of a tile. */
export function wordOffset(value: Value): number {
  return byteOffset(value) / 4;
}

/** The array of vec4<u32>s of each part along a dimension. */
export function partsArray(dimension: 0 | 1): string {
  return dimension === 0 ? 'row_parts' : 'column_parts';
}

const STAGED = new Set<DType>(['f32', 'i32', 'f16', 'i8']);

export function emitLocalAlloc(e: Emission, op: Operation): void {
  const type = memdescOf(op.result);
  if (!STAGED.has(type.element.dtype))
    refuse(op, 'HC0505', `tiles of ${type.element.dtype} in workgroup memory were not widened`);
  if (type.parts) return;
  const slowest = type.order.at(-1)!;
  const elements = stridesOf(type)[slowest]! * type.shape[slowest]!;
  e.needBytes(byteOffset(op.result) + elements * byteSize(type.element));
}

/** How the registers of a layout fall onto a tile in memory, or the part of it at `origin`. */
interface Placement {
  /** u32 expression: the thread's part of the word's index, in units of `unit` words. */
  readonly base: string;
  /** The register's part, or undefined where it lies outside of the part. */
  readonly offset: (register: number) => number | undefined;
  /** Condition on the thread for a register to lie in the part. */
  readonly condition: (register: number) => string | undefined;
  /** The array of the register's part, where the tile is cut into parts. */
  readonly array: (register: number) => string | undefined;
  /** Registers in groups of `run` are consecutive, aligned elements. */
  readonly vectors: boolean;
  /** The registers by what moves at once: those groups, or each alone. */
  readonly groups: readonly (readonly number[])[];
}

/** `first`: the tile's first element. `run`: how many elements one wants to move at a time. */
function placeTile(
  e: Emission,
  layout: Layout,
  type: MemdescType,
  first: number,
  origin: readonly number[],
  run = 4,
): Placement {
  const part = partOf(type);
  const strides = stridesOf(part);
  const dims = strides.map((_, d) => d);
  const low = (c: number, d: number): number => c & (type.shape[d]! - 1);
  const high = (c: number, d: number): number => c & ~(type.shape[d]! - 1);
  const inPart = (c: number, d: number): number => low(c, d) & (part.shape[d]! - 1);
  const weight = (basis: readonly number[]): number =>
    dims.reduce((sum, d) => sum + strides[d]! * inPart(basis[d] ?? 0, d), 0);
  const numberOf = (coordinate: (d: number) => number): number =>
    type.parts
      ? Math.floor(low(coordinate(type.parts[0]), type.parts[0]) / part.shape[type.parts[0]]!)
      : 0;
  const threads = threadBases(layout);
  const weights = threads.map(weight);
  const fast = type.order[0]!;
  const along = runOfRegisters(layout, fast, run);
  const vectors =
    along.length === run &&
    part.shape[fast]! >= run &&
    weights.every((w) => w % run === 0) &&
    strides.every((stride, d) => d === fast || stride % run === 0) &&
    first % run === 0;
  const base = threadSum(e, vectors ? weights.map((w) => w / run) : weights);
  const threadHigh = dims.map((d) =>
    threads.reduce((mask, basis) => mask | high(basis[d] ?? 0, d), 0),
  );
  const coordinate = (r: number, d: number): number => registerCoordinate(layout, r, d);
  return {
    base,
    vectors,
    groups: groupsOf(layout, vectors ? along : [0]),
    offset(r) {
      for (const d of dims) {
        const missing = high(coordinate(r, d), d) ^ (origin[d] ?? 0);
        if ((missing & ~threadHigh[d]!) !== 0) return undefined;
      }
      return first + dims.reduce((sum, d) => sum + strides[d]! * inPart(coordinate(r, d), d), 0);
    },
    array(r) {
      if (!type.parts) return undefined;
      const own = threadSum(
        e,
        threads.map((basis) => numberOf((d) => basis[d] ?? 0)),
      );
      const number = index(
        own,
        numberOf((d) => coordinate(r, d)),
      );
      return `${partsArray(type.parts[0])}[${number}]`;
    },
    condition(r) {
      const terms: string[] = [];
      for (const d of dims) {
        if (threadHigh[d] === 0) continue;
        const wanted = (high(coordinate(r, d), d) ^ (origin[d] ?? 0)) & threadHigh[d]!;
        const part = threadSum(
          e,
          threads.map((basis) => high(basis[d] ?? 0, d)),
        );
        terms.push(`${part} == ${wanted}u`);
      }
      return terms.length === 0 ? undefined : terms.join(' && ');
    },
  };
}

/**
 * Registers whose elements are consecutive along `dim`, as far as `most`: the differences of their numbers.
 * Accumulators have runs along both dimensions, of which only one is of neighbouring registers.
 */
function runOfRegisters(layout: Layout, dim: number, most: number): number[] {
  let run = [0];
  while (run.length < most) {
    const size = run.length;
    const bit = layout.register.findIndex((basis) =>
      basis.every((c, d) => c === (d === dim ? size : 0)),
    );
    if (bit < 0) break;
    run = [...run, ...run.map((r) => r + 2 ** bit)];
  }
  return run;
}

/** All registers, in groups of which `group` is the first. */
function groupsOf(layout: Layout, group: readonly number[]): number[][] {
  const groups: number[][] = [];
  const others = group.reduce((mask, r) => mask | r, 0);
  for (let r = 0; r < registerCount(layout); r++)
    if ((r & others) === 0) groups.push(group.map((other) => r + other));
  return groups;
}

function index(base: string, constant: number): string {
  return constant === 0 ? base : base === '0u' ? `${constant}u` : `${base} + ${constant}u`;
}

export function emitLocalStore(e: Emission, op: Operation): void {
  const [x, target] = [op.operand(0), op.operand(1)];
  const type = memdescOf(target);
  const registers = e.registers(x);
  const { dtype } = type.element;
  const layout = layoutOf(x);
  const origin = (op.attributes['slice'] as readonly number[] | undefined) ?? [];
  const perWord = 4 / byteSize(type.element);
  const placed = (run: number): Placement =>
    placeTile(e, layout, type, elementOffset(target), origin, run);
  let run = 4 * perWord;
  let place = placed(run);
  if (!place.vectors && perWord > 1) {
    run = perWord;
    place = placed(run);
    if (!place.vectors) refuse(op, 'HC0505', `no thread has a whole word of the tile of ${dtype}`);
  }
  // Only one of the threads that hold an element needs to write it; it does no harm that all do, but
  // costs bank conflicts.
  const mask = freeThreadMask(layout);
  const owner =
    mask === 0
      ? undefined
      : e.prelude(`owner ${mask}`, 'owner', () => `(tid & 0x${mask.toString(16)}u) == 0u`);
  const step = place.vectors ? run : 1;
  const groups = new Map<string, (() => void)[]>();
  for (const group of place.groups) {
    const r = group[0]!;
    const offset = place.offset(r);
    if (offset === undefined) continue;
    const condition = [owner, place.condition(r)].filter((c) => c !== undefined).join(' && ');
    const list = groups.get(condition) ?? [];
    groups.set(condition, list);
    list.push(() => {
      const at = index(place.base, offset / step);
      const elements = group.map((register) => registers[register]!);
      const array = place.array(r);
      const text =
        step === 4 * perWord
          ? sharedVector(e, at, array)
          : offset % (4 * step) === 0
            ? component(e, place.base, offset / (4 * step), array)
            : sharedWord(e, at, array);
      e.writer.line(
        `${text} = ${step === 4 * perWord ? bits128(e, dtype, elements) : bits32(e, dtype, elements)};`,
      );
    });
  }
  for (const [condition, writes] of groups) {
    const all = (): void => writes.forEach((write) => write());
    if (condition === '') all();
    else e.writer.block(`if (${condition})`, all);
  }
}

/** Word `base + 4 * vectors`: what depends on the thread is divided once, at the kernel's start. */
function component(e: Emission, base: string, vectors: number, array?: string): string {
  const [quotient, rest] = ['/', '%'].map((operator) =>
    e.prelude(`${base} ${operator} 4`, 'at', () => `${base} ${operator} 4u`),
  );
  return `${sharedVector(e, index(quotient!, vectors), array)}[${rest}]`;
}

/** The words of pairs of halves, where each two elements were rounded together. */
function wordsOfHalves(e: Emission, elements: readonly string[]): string[] | undefined {
  const words: string[] = [];
  for (let i = 0; i + 1 < elements.length; i += 2) {
    const pair = elements[i]!.replace(/\.x$/, '');
    const word = e.halfWords.get(pair);
    if (!word || elements[i] !== `${pair}.x` || elements[i + 1] !== `${pair}.y`) return undefined;
    words.push(word);
  }
  return words.length > 0 ? words : undefined;
}

/** Elements that fill a word, as its bits; the first one lowest. */
function bits32(e: Emission, dtype: DType, elements: readonly string[]): string {
  const [word] = wordsOfHalves(e, elements) ?? [];
  if (word) return word;
  if (dtype === 'f16' && e.native.f16) return `bitcast<u32>(vec2<f16>(${elements.join(', ')}))`;
  const bits = 32 / elements.length;
  return elements
    .map((x, i) => (i === 0 ? bitsOf(e, dtype, x) : `(${bitsOf(e, dtype, x)} << ${i * bits}u)`))
    .join(' | ');
}
/** Elements that fill four words. */
function bits128(e: Emission, dtype: DType, elements: readonly string[]): string {
  if (elements.length === 4)
    return `bitcast<vec4<u32>>(${vectorOf(dtype === 'i32' ? 'i32' : 'f32', elements)})`;
  const packed = wordsOfHalves(e, elements);
  if (packed) return `vec4<u32>(${packed.join(', ')})`;
  if (dtype === 'f16' && e.native.f16) {
    const [low, high] = [elements.slice(0, 4), elements.slice(4)].map(
      (four) => `bitcast<vec2<u32>>(${vectorOf('f16', four)})`,
    );
    return `vec4<u32>(${low}, ${high})`;
  }
  const each = elements.length / 4;
  const words = [0, 1, 2, 3].map((i) =>
    bits32(e, dtype, elements.slice(i * each, i * each + each)),
  );
  return `vec4<u32>(${words.join(', ')})`;
}

export function emitLocalLoad(e: Emission, op: Operation): void {
  const source = op.operand(0);
  const type = memdescOf(source);
  if (type.parts || byteSize(type.element) < 4)
    refuse(op, 'HC0505', 'only matrices read such a tile');
  const layout = layoutOf(op.result);
  const word = e.typeOf(elementOf(op.result.type));
  const place = placeTile(e, layout, type, wordOffset(source), []);
  const out: string[] = [];
  for (const group of place.groups) {
    const r = group[0]!;
    const offset = place.offset(r)!;
    if (place.vectors) {
      const at = index(place.base, offset / 4);
      const four = components(e.let('tile', `bitcast<vec4<${word}>>(${sharedVector(e, at)})`));
      group.forEach((register, i) => (out[register] = four[i]!));
    } else out[r] = e.let('tile', fromWords(word, [sharedWord(e, index(place.base, offset))]));
  }
  e.setRegisters(op.result, out);
}
