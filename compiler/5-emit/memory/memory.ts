/**
 * Loads and stores of global memory. An access of `vector` registers is one read or write of the widest
 * kind that the group's declaration has. Masked lanes touch nothing; out-of-range lanes report
 * themselves and touch nothing (with `checkBounds`). A tile that several threads hold is stored by one.
 */
import type { Operation, Value } from '../../ir/ir';
import { layoutOf, numberAttribute, refuse } from '../emission';
import type { Emission } from '../emission';
import type { DType } from '../../ir/types';
import { bitWidth, elementOf } from '../../ir/types';
import { freeThreadMask } from '../../ir/layoutAlgebra';
import type { BoundsAccess } from '../../program';
import { bitsOf, fromBits } from '../arithmetic/conversions';
import { insideArena, pointeeBytes } from './addresses';
import type { GroupPlan } from './groups';
import { components, vectorOf, wholeVector } from '../dot/pack';
import { dtypeRegister, zeroOf } from '../registers';

/** The dtype that an access moves. */
export function accessDtype(op: Operation): DType {
  const pointer = elementOf(op.operand(0).type);
  if (pointer.kind !== 'pointer') throw new Error(`${op.name} needs a pointer`);
  if (pointer.pointee.kind === 'pointer')
    refuse(op, 'HC0503', 'atomics of pointers are not supported: cast to a pointer to tl.int64');
  return pointer.pointee.dtype;
}

// ── words of a group ──────────────────────────────────────────────────────────────────────────────

/** Component `word` (a u32 expression counting elements of the declaration) of a group's buffer. */
function component(group: GroupPlan, word: string): string {
  if (group.width === 1) return `${group.name}[${word}]`;
  return `${group.name}[(${word}) / ${group.width}u][(${word}) % ${group.width}u]`;
}
function readWord(group: GroupPlan, word: string): string {
  const place = component(group, word);
  if (group.atomic) return `atomicLoad(&${place})`;
  return group.element === 'u32' ? place : `bitcast<u32>(${place})`;
}
function writeWord(group: GroupPlan, word: string, value: string): string {
  const place = component(group, word);
  if (group.atomic) return `atomicStore(&${place}, ${value});`;
  return `${place} = ${group.element === 'u32' ? value : `bitcast<${group.element}>(${value})`};`;
}

/** Whether runs are read and written as whole vectors of the declaration's own type. */
export function inWholeVectors(e: Emission, op: Operation, vector: number): boolean {
  const { group } = e.memory.of(op);
  const dtype = accessDtype(op);
  return (
    !group.atomic &&
    group.width === vector &&
    vector > 1 &&
    bitWidth(dtype) === 32 &&
    group.element === dtypeRegister(dtype, e.native)
  );
}

/**
 * Reads `count` consecutive elements from element `offset` on (an i32 expression) and names them.
 * The run is aligned to its size. `vectorIndex`: the same place, where one counts in whole vectors.
 */
function readRun(
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
        const first = vectorIndex ?? `${at} / ${step}u`;
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
      const index = `${first} / ${group.width}u${i === 0 ? '' : ` + ${i / group.width}u`}`;
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
function writeRun(
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
        const first = vectorIndex ?? `${at} / ${step}u`;
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

function joinBits(pieces: readonly string[], bits: number): string {
  return pieces.map((piece, i) => (i === 0 ? piece : `(${piece} << ${i * bits}u)`)).join(' | ');
}

function writeWords(e: Emission, group: GroupPlan, word: string, values: readonly string[]): void {
  const first = e.let('at', word);
  const { width } = group;
  if (width > 1 && values.length >= width) {
    for (let i = 0; i < values.length; i += width) {
      const index = `${first} / ${width}u${i === 0 ? '' : ` + ${i / width}u`}`;
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

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

// ── bounds ────────────────────────────────────────────────────────────────────────────────────────

/** How an access tests an offset, and what it reports. */
export interface Bounds {
  /** A bool expression: the aligned run at this offset lies inside its storage. */
  inside(offset: string): string;
  readonly access: number;
  readonly kind: BoundsAccess['kind'];
}

export function boundsOf(
  e: Emission,
  op: Operation,
  kind: BoundsAccess['kind'],
  vector: number,
): Bounds | undefined {
  if (!e.checkBounds || e.free.has(op)) return undefined;
  const known = e.bounds.get(op);
  if (known) return known;
  const { arguments: roots, computed, group } = e.memory.of(op);
  const paths = roots.map((root) => e.parameters.of(root).path);
  const bytes = pointeeBytes(op.operand(0).type);
  e.accesses.push({ location: op.location, kind, argument: paths[0] ?? [], elementBytes: bytes });
  const access = e.accesses.length - 1;
  if (computed) {
    const inside = insideArena(e, group, readWord);
    const bounds = { inside: (at: string) => inside(at, bytes, bytes * vector), access, kind };
    e.bounds.set(op, bounds);
    return bounds;
  }
  // The words count elements of the argument, which may be cast to a pointer to others.
  const limit = (name: 'begin' | 'end', i: number): string => {
    const word = e.parameters.word({ kind: name, path: paths[i]! });
    const from = pointeeBytes(roots[i]!.type);
    if (from === bytes) return `i32(${word})`;
    return from > bytes ? `i32(${word} * ${from / bytes}u)` : `i32(${word} / ${bytes / from}u)`;
  };
  const begins = paths.map((_, i) => limit('begin', i));
  const ends = paths.map((_, i) => limit('end', i));
  // A pointer chosen among several arguments may go as far as any of them.
  const extreme = (name: string, list: string[]): string =>
    list.reduce((a, b) => `${name}(${a}, ${b})`);
  const key = `${paths.map((path) => path.join('.')).join(' ')} by ${bytes}`;
  const begin = e.prelude(`begin ${key}`, 'begin', () => extreme('min', begins));
  const end = e.prelude(`end ${key}`, 'end', () => extreme('max', ends));
  // Of an aligned run, the first element tells, when the length is a multiple of the run too.
  const length = e.prelude(`length ${key} ${vector}`, 'length', () =>
    vector === 1 ? `u32(${end} - ${begin})` : `u32(${end} - ${begin}) / ${vector}u * ${vector}u`,
  );
  const bounds: Bounds = {
    inside: (offset) => `u32(${offset} - ${begin}) < ${length}`,
    access,
    kind,
  };
  e.bounds.set(op, bounds);
  return bounds;
}

/** A run that may be out of range: the condition that it is, and where. */
interface Suspect {
  readonly bad: string;
  readonly offset: string;
}

/**
 * Runs `body` where the mask holds and the offset is in range; reports what is not in range, or leaves
 * that to who collects the `suspects` of an operation.
 */
export function guarded(
  e: Emission,
  bounds: Bounds | undefined,
  mask: string | undefined,
  offset: string,
  body: () => void,
  suspects?: Suspect[],
): void {
  if (!bounds) {
    if (mask === undefined) body();
    else e.writer.block(`if (${mask})`, body);
    return;
  }
  const inside = e.let('inside', bounds.inside(offset));
  // `&`, not `&&`: a branch inside of the condition makes SwiftShader's compiler exponential (over
  // 200 s for a softmax of 1024 columns, 0.9 s so).
  const ok = mask === undefined ? inside : `(${mask}) & ${inside}`;
  const bad = mask === undefined ? `!${inside}` : `(${mask}) & !${inside}`;
  e.writer.block(`if (${ok})`, body);
  if (suspects) suspects.push({ bad, offset });
  else report(e, bounds, [{ bad, offset }]);
}

function report(e: Emission, bounds: Bounds, suspects: readonly Suspect[]): void {
  // Remembered in registers and reported at the kernel's end: no call, no branch on the way. Loads
  // and writes apart: a load out of range is only suspicious, and must not hide a write.
  const name = bounds.kind === 'load' ? 'bad_load' : 'bad_write';
  const each = (): void => {
    for (const { bad, offset } of suspects)
      e.writer.line(`if (${bad}) { ${name} = ${bounds.access}u; ${name}_offset = ${offset}; }`);
  };
  // One test for all runs of an operation: almost always nothing is wrong with any.
  if (suspects.length <= 1) each();
  else e.writer.block(`if (${suspects.map(({ bad }) => `(${bad})`).join(' | ')})`, each);
}

// ── operations ────────────────────────────────────────────────────────────────────────────────────

/** `tid`-dependent condition that this thread is the one that stores; undefined where all are. */
export function ownerCondition(e: Emission, value: Value): string | undefined {
  if (e.threads === 1) return undefined;
  const mask = value.type.kind === 'tensor' ? freeThreadMask(layoutOf(value)) : e.threads - 1;
  if (mask === 0) return undefined;
  return e.prelude(`owner ${mask}`, 'owner', () => `(tid & 0x${mask.toString(16)}u) == 0u`);
}

/** One run of an access that nothing guards, at a place that is counted in whole vectors. */
export function freeLoad(e: Emission, op: Operation, index: string, vector: number): string[] {
  return readRun(e, e.memory.of(op).group, accessDtype(op), '', vector, index);
}
export function freeStore(
  e: Emission,
  op: Operation,
  index: string,
  values: readonly string[],
): void {
  const write = (): void => writeRun(e, e.memory.of(op).group, accessDtype(op), '', values, index);
  const owner = ownerCondition(e, op.operand(0));
  if (owner === undefined) write();
  else e.writer.block(`if (${owner})`, write);
}

/** One run of a load from an offset: its registers. */
export function loadRun(
  e: Emission,
  op: Operation,
  offset: string,
  mask: string | undefined,
  others: readonly string[] | undefined,
  vector: number,
  suspects?: Suspect[],
): readonly string[] {
  const { group } = e.memory.of(op);
  const dtype = accessDtype(op);
  const type = e.registerTypeOf(op.result);
  const bounds = boundsOf(e, op, 'load', vector);
  if (!bounds && mask === undefined) return readRun(e, group, dtype, offset, vector);
  const hint = e.hint(op.result);
  const start = others ?? new Array<string>(vector).fill(zeroOf(type));
  const whole = vector % 4 === 0 && type !== 'vec2<u32>';
  const targets: string[] = [];
  for (let i = 0; i < vector; i += whole ? 4 : 1) {
    if (whole) {
      const name = e.variable(hint, `vec4<${type}>`, vectorOf(type, start.slice(i, i + 4)));
      targets.push(...components(name));
    } else targets.push(e.variable(hint, type, start[i]!));
  }
  guarded(
    e,
    bounds,
    mask,
    offset,
    () => {
      const values = readRun(e, group, dtype, offset, vector);
      for (let i = 0; i < vector; i += whole ? 4 : 1) {
        if (whole) {
          const name = wholeVector(targets.slice(i, i + 4))!;
          e.writer.line(`${name} = ${vectorOf(type, values.slice(i, i + 4))};`);
        } else e.writer.line(`${targets[i]} = ${values[i]};`);
      }
    },
    suspects,
  );
  return targets;
}

export function emitLoad(e: Emission, op: Operation): void {
  const pointers = e.registers(op.operand(0));
  const masks = op.operands[1] && e.registers(op.operands[1]);
  const others = op.operands[2] && e.registers(op.operands[2]);
  const vector = Math.min(numberAttribute(op, 'vector') ?? 1, pointers.length);
  const out: string[] = [];
  const seen = new Map<string, readonly string[]>();
  const suspects: Suspect[] = [];
  const word = wordElements(e, op, vector, pointers.length);
  if (word > vector) {
    const loadBounds = boundsOf(e, op, 'load', 1);
    for (let r = 0; r < pointers.length; r += word)
      out.push(...loadParts(e, op, loadBounds, r, word, suspects));
    if (loadBounds) report(e, loadBounds, suspects);
    e.setRegisters(op.result, out);
    return;
  }
  for (let r = 0; r < pointers.length; r += vector) {
    const offset = pointers[r]!;
    const mask = masks?.[r];
    const other = others?.slice(r, r + vector);
    const key = `${offset}|${mask ?? ''}|${other?.join(',') ?? ''}`;
    let registers = seen.get(key);
    if (!registers) {
      registers = loadRun(e, op, offset, mask, other, vector, suspects);
      seen.set(key, registers);
    }
    out.push(...registers);
  }
  const bounds = boundsOf(e, op, 'load', vector);
  if (bounds) report(e, bounds, suspects);
  e.setRegisters(op.result, out);
}

/** One run of a store, by the thread that owns it. */
export function storeRun(
  e: Emission,
  op: Operation,
  offset: string,
  mask: string | undefined,
  values: readonly string[],
  suspects?: Suspect[],
): void {
  const { group } = e.memory.of(op);
  const bounds = boundsOf(e, op, 'store', values.length);
  const owner = ownerCondition(e, op.operand(0));
  const conditions = [owner, mask].filter((text) => text !== undefined);
  const condition = conditions.length === 0 ? undefined : conditions.join(' && ');
  guarded(
    e,
    bounds,
    condition,
    offset,
    () => writeRun(e, group, accessDtype(op), offset, values),
    suspects,
  );
}

export function emitStore(e: Emission, op: Operation): void {
  const pointers = e.registers(op.operand(0));
  const values = e.registers(op.operand(1));
  const masks = op.operands[2] && e.registers(op.operands[2]);
  const vector = Math.min(numberAttribute(op, 'vector') ?? 1, pointers.length);
  const suspects: Suspect[] = [];
  const bounds = boundsOf(e, op, 'store', vector);
  const word = wordElements(e, op, vector, pointers.length);
  for (let r = 0; r < pointers.length; r += Math.max(word, vector)) {
    if (word > vector) storePart(e, op, bounds, r, word, suspects);
    else storeRun(e, op, pointers[r]!, masks?.[r], values.slice(r, r + vector), suspects);
  }
  if (bounds) report(e, bounds, suspects);
}

/** Elements to a word, where a thread has whole words of narrow elements under masks that vary; else 0. */
function wordElements(e: Emission, op: Operation, vector: number, count: number): number {
  const { group } = e.memory.of(op);
  const bits = bitWidth(accessDtype(op));
  const perWord = Math.floor(32 / Math.max(8, bits));
  const run = Math.min(numberAttribute(op, 'run') ?? 1, count);
  const mask = op.operands[op.name === 'tt.load' ? 1 : 2];
  const words = group.element === 'u32' && (group.atomic || op.name === 'tt.load');
  return mask && words && vector === 1 && run >= perWord ? perWord : 0;
}

/** The narrow elements of a word, read once where any of their masks asks for it. */
function loadParts(
  e: Emission,
  op: Operation,
  bounds: Bounds | undefined,
  first: number,
  count: number,
  suspects: Suspect[],
): string[] {
  const { group } = e.memory.of(op);
  const dtype = accessDtype(op);
  const [pointers, masks, others] = op.operands.map((operand) => e.registers(operand));
  const type = e.registerTypeOf(op.result);
  const bits = 32 / count;
  const conditions = range(count).map((i) => {
    const [offset, mask] = [pointers![first + i]!, masks![first + i]!];
    if (!bounds) return mask;
    const inside = e.let('inside', bounds.inside(offset));
    suspects.push({ bad: `(${mask}) & !${inside}`, offset });
    return e.let('ok', `(${mask}) & ${inside}`);
  });
  const word = e.variable('word', 'u32', '0u');
  e.writer.block(`if (${conditions.join(' | ')})`, () =>
    e.writer.line(`${word} = ${readWord(group, `u32(${pointers![first]}) / ${count}u`)};`),
  );
  const part = `0x${(2 ** bits - 1).toString(16)}u`;
  return conditions.map((condition, i) => {
    const shifted = i === 0 ? word : `(${word} >> ${bits * i}u)`;
    const value = fromBits(e, dtype, `(${shifted} & ${part})`);
    const other = others?.[first + i] ?? zeroOf(type);
    return e.let(e.hint(op.result), `select(${other}, ${value}, ${condition})`);
  });
}

/** A word of narrow elements, each under its own mask: one access where all of them are stored. */
function storePart(
  e: Emission,
  op: Operation,
  bounds: Bounds | undefined,
  first: number,
  count: number,
  suspects: Suspect[],
): void {
  const { group } = e.memory.of(op);
  const dtype = accessDtype(op);
  const [pointers, values, masks] = op.operands.map((operand) => e.registers(operand));
  const owner = ownerCondition(e, op.operand(0));
  const bits = 32 / count;
  const parts = range(count).map((i) => {
    const offset = pointers![first + i]!;
    const wanted = owner ? `(${masks![first + i]}) & ${owner}` : masks![first + i]!;
    const part = (2 ** bits - 1) * 2 ** (bits * i);
    if (!bounds) return `select(0u, 0x${part.toString(16)}u, ${wanted})`;
    const inside = e.let('inside', bounds.inside(offset));
    suspects.push({ bad: `(${wanted}) & !${inside}`, offset });
    return `select(0u, 0x${part.toString(16)}u, (${wanted}) & ${inside})`;
  });
  const name = `store_part_${group.name}`;
  e.define(name, STORE_PART(name, group.name));
  const pieces = values!.slice(first, first + count).map((value) => bitsOf(e, dtype, value));
  const at = `u32(${pointers![first]}) / ${count}u`;
  e.writer.line(`${name}(${at}, ${parts.join(' | ')}, ${joinBits(pieces, bits)});`);
}

/** As `STORE_BITS`, where only a part of the word is stored. */
const STORE_PART = (
  name: string,
  buffer: string,
): string => `fn ${name}(word: u32, mask: u32, bits: u32) {
  if (mask == 0xffffffffu) {
    atomicStore(&${buffer}[word], bits);
  } else if (mask != 0u) {
    atomicAnd(&${buffer}[word], ~mask | bits);
    atomicOr(&${buffer}[word], mask & bits);
  }
}`;
