/**
 * Tiles in workgroup memory. The fastest dimension lies in consecutive words, each run of it
 * followed by the padding. Four registers that are four consecutive words move as one vector.
 */
import type { Operation, Value } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount, threadBases } from '../../ir/layout';
import { freeThreadMask } from '../../ir/layoutAlgebra';
import type { ThreadValue } from '../../ir/thread/ir';
import { number } from '../../ir/thread/types';
import type { DType, MemdescType } from '../../ir/types';
import { byteSize, elementOf, localBytes, slabOf } from '../../ir/types';
import { bitsOf } from '../arithmetic/conversions';
import { layoutOf, numberAttribute, refuse } from '../context';
import type { Lowering } from '../context';
import {
  fromWords,
  readPlace,
  sharedEntry,
  sharedWord,
  writePlace,
} from '../communication/scratch';
import type { Slab, SharedPlace } from '../communication/scratch';
import { plus, registerCoordinate, threadSum } from '../layouts';
import { joinBits } from '../memory/runs';
import { isOwner } from '../owners';

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

/** The array of slabs along a dimension. */
export function slabArray(t: Lowering, dimension: 0 | 1): ThreadValue {
  const name = dimension === 0 ? 'row_slabs' : 'column_slabs';
  const { attributes } = t.func;
  const bytes = (attributes['slabBytes'] ?? []) as readonly number[];
  const counts = (attributes['slabCounts'] ?? []) as readonly number[];
  return t.shared.slabs(name, counts[dimension] ?? 1, (bytes[dimension] ?? 0) / 16);
}

const STAGED = new Set<DType>(['f32', 'i32', 'f16', 'i8']);

export function lowerLocalAlloc(t: Lowering, op: Operation): void {
  const type = memdescOf(op.result);
  if (op.attributes['words'] === true)
    return t.shared.needBytes(byteOffset(op.result) + localBytes(type, true));
  if (!STAGED.has(type.element.dtype))
    refuse(op, 'HC0505', `tiles of ${type.element.dtype} in workgroup memory were not widened`);
  if (type.slabs) return;
  const slowest = type.order.at(-1)!;
  const elements = stridesOf(type)[slowest]! * type.shape[slowest]!;
  t.shared.needBytes(byteOffset(op.result) + elements * byteSize(type.element));
}

/** How the registers of a layout fall onto a tile in memory, or the slice of it at `origin`. */
interface Placement {
  /** The thread's term of the word's index, in units of `unit` words. */
  readonly base: ThreadValue;
  /** The register's slab, or undefined where it lies outside of the slice. */
  readonly offset: (register: number) => number | undefined;
  /** Condition on the thread for a register to lie in the slice. */
  readonly condition: (register: number) => ThreadValue | undefined;
  /** The register's slab, where the tile is cut into slabs. */
  readonly slab: (register: number) => Slab | undefined;
  /** Registers in groups of `run` are consecutive, aligned elements. */
  readonly vectors: boolean;
  /** The registers by what moves at once: those groups, or each alone. */
  readonly groups: readonly (readonly number[])[];
}

/** `first`: the tile's first element. `run`: how many elements to move at a time. */
function placeTile(
  t: Lowering,
  layout: Layout,
  type: MemdescType,
  first: number,
  origin: readonly number[],
  run = 4,
): Placement {
  const slab = slabOf(type);
  const strides = stridesOf(slab);
  const dims = strides.map((_, d) => d);
  const low = (c: number, d: number): number => c & (type.shape[d]! - 1);
  const high = (c: number, d: number): number => c & ~(type.shape[d]! - 1);
  const inSlab = (c: number, d: number): number => low(c, d) & (slab.shape[d]! - 1);
  const weight = (basis: readonly number[]): number =>
    dims.reduce((sum, d) => sum + strides[d]! * inSlab(basis[d] ?? 0, d), 0);
  const numberOf = (at: (d: number) => number): number => slabNumber(type, at);
  const threads = threadBases(layout);
  const weights = threads.map(weight);
  const fast = type.order[0]!;
  const along = runOfRegisters(layout, fast, run);
  const vectors =
    along.length === run &&
    slab.shape[fast]! >= run &&
    weights.every((w) => w % run === 0) &&
    strides.every((stride, d) => d === fast || stride % run === 0) &&
    first % run === 0;
  const base = threadSum(t, vectors ? weights.map((w) => w / run) : weights);
  const threadHigh = dims.map((d) =>
    threads.reduce((mask, basis) => mask | high(basis[d] ?? 0, d), 0),
  );
  /** Whether some threads have no element of the slice. */
  const split = threadHigh.some((mask) => mask !== 0);
  const coordinate = (r: number, d: number): number => registerCoordinate(layout, r, d);
  const isInside = (d: number, wanted: number): ThreadValue | undefined => {
    if (threadHigh[d] === 0) return undefined;
    const own = threadSum(
      t,
      threads.map((basis) => high(basis[d] ?? 0, d)),
    );
    return t.x`${own} == ${wanted}u`;
  };
  /** One value for equal conditions. */
  const conditions = new Map<string, ThreadValue | undefined>();
  return {
    base,
    vectors,
    groups: groupsOf(layout, vectors ? along : [0]),
    offset(r) {
      for (const d of dims) {
        const missing = high(coordinate(r, d), d) ^ (origin[d] ?? 0);
        if ((missing & ~threadHigh[d]!) !== 0) return undefined;
      }
      return first + dims.reduce((sum, d) => sum + strides[d]! * inSlab(coordinate(r, d), d), 0);
    },
    slab(r) {
      if (!type.slabs) return undefined;
      const own = threadSum(
        t,
        threads.map((basis) => numberOf((d) => basis[d] ?? 0)),
      );
      const number = plus(
        t,
        own,
        numberOf((d) => coordinate(r, d)),
      );
      return { array: slabArray(t, type.slabs[0]), number };
    },
    condition(r) {
      if (!split) return undefined;
      const wanted = dims.map(
        (d) => (high(coordinate(r, d), d) ^ (origin[d] ?? 0)) & threadHigh[d]!,
      );
      const key = wanted.join(' ');
      if (!conditions.has(key))
        conditions.set(key, t.every(dims.map((d) => isInside(d, wanted[d]!))));
      return conditions.get(key);
    },
  };
}

/** The number of the slab in which an element lies, where the tile is cut into slabs. */
function slabNumber(type: MemdescType, coordinate: (d: number) => number): number {
  if (!type.slabs) return 0;
  const [dim] = type.slabs;
  return Math.floor((coordinate(dim) & (type.shape[dim]! - 1)) / slabOf(type).shape[dim]!);
}

/**
 * Registers whose elements are consecutive along `dim`, as far as `most`: the differences of their
 * numbers. Accumulators have runs along both dimensions, of which only one is of neighbouring
 * registers.
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

export function lowerLocalStore(t: Lowering, op: Operation): void {
  const [x, target] = [op.operand(0), op.operand(1)];
  const type = memdescOf(target);
  const registers = t.registers(x);
  const { dtype } = type.element;
  const layout = layoutOf(x);
  const origin = (op.attributes['slice'] as readonly number[] | undefined) ?? [];
  const perWord = 4 / byteSize(type.element);
  const placed = (run: number): Placement =>
    placeTile(t, layout, type, elementOffset(target), origin, run);
  let run = 4 * perWord;
  let place = placed(run);
  if (!place.vectors && perWord > 1) {
    run = perWord;
    place = placed(run);
    if (!place.vectors) refuse(op, 'HC0505', `no thread has a whole word of the tile of ${dtype}`);
  }
  // One of the threads that hold an element writes it: all of them would conflict in the banks.
  const owner = isOwner(t, freeThreadMask(layout));
  const step = place.vectors ? run : 1;
  /** Writes by the condition they share, in order. */
  const groups = new Map<ThreadValue | undefined, (() => void)[]>();
  for (const group of place.groups) {
    const r = group[0]!;
    const offset = place.offset(r);
    if (offset === undefined) continue;
    const condition = place.condition(r);
    const list = groups.get(condition) ?? [];
    groups.set(condition, list);
    list.push(() => {
      const elements = group.map((register) => registers[register]!);
      const slab = place.slab(r);
      if (step === 4 * perWord) {
        const entry = sharedEntry(t, plus(t, place.base, offset / step), slab);
        return writePlace(t, entry, bits128(t, dtype, elements));
      }
      const word =
        offset % (4 * step) === 0
          ? component(t, place.base, offset / (4 * step), slab)
          : sharedWord(t, plus(t, place.base, offset / step), slab);
      writePlace(t, word, bits32(t, dtype, elements));
    });
  }
  for (const [condition, writes] of groups)
    t.when(t.every([owner, condition]), () => writes.forEach((write) => write()));
}

/** Word `base + 4 * vectors`: what depends on the thread is divided once, at the kernel's start. */
function component(t: Lowering, base: ThreadValue, vectors: number, slab?: Slab): SharedPlace {
  const quotient = t.b.prelude(`${t.b.idOf(base)} / 4`, 'at', () => t.x`${base} / 4u`);
  const rest = t.b.prelude(`${t.b.idOf(base)} % 4`, 'at', () => t.x`${base} % 4u`);
  return { ...sharedEntry(t, plus(t, quotient, vectors), slab), component: rest };
}

/** Elements that fill a word, as its bits; the first one lowest. */
function bits32(t: Lowering, dtype: DType, elements: readonly ThreadValue[]): ThreadValue {
  if (dtype === 'f16' && t.native.f16) return t.x`bitcast<u32>(${t.b.vector(elements)})`;
  return joinBits(
    t,
    elements.map((x) => bitsOf(t, dtype, x)),
    32 / elements.length,
  );
}
/** Elements that fill four words. */
function bits128(t: Lowering, dtype: DType, elements: readonly ThreadValue[]): ThreadValue {
  if (elements.length === 4) return t.x`bitcast<vec4<u32>>(${t.b.vector(elements)})`;
  if (dtype === 'f16' && t.native.f16) {
    const [low, high] = [elements.slice(0, 4), elements.slice(4)].map(
      (four) => t.x`bitcast<vec2<u32>>(${t.b.vector(four)})`,
    );
    return t.x`vec4<u32>(${low!}, ${high!})`;
  }
  const each = elements.length / 4;
  return t.b.vector(
    [0, 1, 2, 3].map((i) => bits32(t, dtype, elements.slice(i * each, i * each + each))),
  );
}

export function lowerLocalLoad(t: Lowering, op: Operation): void {
  const source = op.operand(0);
  const type = memdescOf(source);
  if (type.slabs || byteSize(type.element) < 4)
    refuse(op, 'HC0505', 'only matrices read such a tile');
  const element = t.typeOf(elementOf(op.result.type));
  const place = placeTile(t, layoutOf(op.result), type, wordOffset(source), []);
  const out: ThreadValue[] = [];
  for (const group of place.groups) {
    const r = group[0]!;
    const offset = place.offset(r)!;
    if (place.vectors) {
      const entry = readPlace(t, sharedEntry(t, plus(t, place.base, offset / 4)));
      const four = t.let('tile', t.b.bitcast(entry, number(element.scalar, 4)));
      group.forEach((register, i) => (out[register] = t.b.extract(four, i)));
    } else {
      const word = readPlace(t, sharedWord(t, plus(t, place.base, offset)));
      out[r] = t.let('tile', fromWords(t, element, [word]));
    }
  }
  t.setRegisters(op.result, out);
}
