/**
 * Loads and stores of global memory. An access of `vector` registers is one read or write of the widest
 * kind that the group's declaration has. Masked lanes have no effect; out-of-range lanes report
 * themselves and have none (with `checkBounds`). A tile that several threads hold is stored by one.
 */
import type { Operation, Value } from '../../ir/ir';
import { freeThreadMask } from '../../ir/layoutAlgebra';
import { bitWidth } from '../../ir/types';
import { indexPastEnd } from '../../target';
import { bitsOf, fromBits } from '../arithmetic/conversions';
import { components, vectorOf, wholeVector } from '../dot/pack';
import { layoutOf, numberAttribute } from '../emission';
import type { Emission } from '../emission';
import { zeroOf } from '../registers';
import { emitTogether, loadsTogether } from './together';
import { type Asked, type Bounds, boundsOf, guarded, remember, report } from './bounds';
import type { Reach, Suspect } from './bounds';
import {
  accessDtype,
  inWholeVectors,
  isNative32,
  joinBits,
  range,
  readRun,
  readWord,
  runLength,
  writeRun,
} from './runs';

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
  if (e.software && !e.memory.of(op).computed)
    return selectedRun(e, op, bounds, offset, mask, others, vector, suspects);
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

/**
 * One run of a load on a software adapter: SwiftShader runs through a branch with its lanes masked, and merges
 * all that the branch changes twice. So what must not be read is read from the buffer's beginning and dropped:
 * a sixth of paged decoding.
 */
function selectedRun(
  e: Emission,
  op: Operation,
  bounds: Bounds | undefined,
  offset: string,
  mask: string | undefined,
  others: readonly string[] | undefined,
  vector: number,
  suspects?: Suspect[],
): readonly string[] {
  const [hint, type] = [e.hint(op.result), e.registerTypeOf(op.result)];
  const wanted: string[] = mask === undefined ? [] : [`(${mask})`];
  if (bounds) {
    const inside = e.let('inside', bounds.inside(offset));
    const suspect = { bad: [...wanted, `!${inside}`].join(' & '), offset };
    if (suspects) suspects.push(suspect);
    else report(e, bounds, [suspect]);
    wanted.push(inside);
  }
  const ok = e.let('ok', wanted.join(' & '));
  const at = e.let('at', `select(0i, ${offset}, ${ok})`);
  const values = readRun(e, e.memory.of(op).group, accessDtype(op), at, vector);
  const start = others ?? new Array<string>(vector).fill(zeroOf(type));
  const chosen: string[] = [];
  for (let i = 0; i < vector; i += 4) {
    const [four, rest] = [values.slice(i, i + 4), start.slice(i, i + 4)];
    const whole = wholeVector(four);
    if (whole)
      chosen.push(...components(e.let(hint, `select(${vectorOf(type, rest)}, ${whole}, ${ok})`)));
    else four.forEach((x, k) => chosen.push(e.let(hint, `select(${rest[k]}, ${x}, ${ok})`)));
  }
  return chosen;
}

/**
 * Whether the runs of a load are read without a branch, as they are used an iteration later: what must not be
 * read is read from beyond the end, which is 0. A branch would hold up the multiplications until the run is
 * there (f32 matmul on an H200: 46 TFLOP/s, 37 with branches). Not where the target or the group lacks it.
 */
function isBranchless(
  e: Emission,
  op: Operation,
  bounds: Bounds | undefined,
  vector: number,
  others: readonly string[] | undefined,
): boolean {
  if (op.attributes['ahead'] !== true || !e.request.target.readsZeroOutside) return false;
  if (bounds && !bounds.reach) return false;
  if (others?.some((other) => !/^0(\.0)?[fiu]?$/.test(other))) return false;
  const word = vector === 1 && e.memory.of(op).group.width === 1 && isNative32(e, op);
  return word || inWholeVectors(e, op, vector);
}

/** One run of such a load, with a mask or bounds. */
function branchlessRun(
  e: Emission,
  op: Operation,
  reach: Reach | undefined,
  offset: string,
  mask: string | undefined,
  vector: number,
  asked: Asked[],
): string[] {
  const { group } = e.memory.of(op);
  const wanted: string[] = mask === undefined ? [] : [`(${mask})`];
  if (reach) {
    const distance = e.let('distance', `u32(${offset} - ${reach.from})`);
    asked.push({ distance, mask });
    wanted.push(`(${distance} < ${reach.length})`);
  }
  const place = vector === 1 ? `u32(${offset})` : `u32(${offset}) / ${vector}u`;
  const index = `select(${indexPastEnd(group.width)}u, ${place}, ${wanted.join(' & ')})`;
  const value = e.let('load', `${group.name}[${index}]`);
  return vector === 1 ? [value] : Array.from({ length: vector }, (_, i) => `${value}.${'xyzw'[i]}`);
}

export function emitLoad(e: Emission, op: Operation): void {
  const together = loadsTogether(op);
  if (together.length > 0) {
    // The first of them emits all.
    if (op.previous?.attributes['together'] !== true) emitTogether(e, together);
    return;
  }
  const pointers = e.registers(op.operand(0));
  const masks = op.operands[1] && e.registers(op.operands[1]);
  const others = op.operands[2] && e.registers(op.operands[2]);
  const vector = runLength(e, op);
  const out: string[] = [];
  const seen = new Map<string, readonly string[]>();
  const suspects: Suspect[] = [];
  const bounds = boundsOf(e, op, 'load', vector);
  const word = wordElements(e, op, vector, pointers.length);
  if (word > vector) {
    for (let r = 0; r < pointers.length; r += word)
      out.push(...loadParts(e, op, bounds, r, word, suspects));
    if (bounds) report(e, bounds, suspects);
    e.setRegisters(op.result, out);
    return;
  }
  const branchless = (bounds || masks) && isBranchless(e, op, bounds, vector, others);
  const reach = branchless ? bounds?.reach?.() : undefined;
  const asked: Asked[] = [];
  for (let r = 0; r < pointers.length; r += vector) {
    const offset = pointers[r]!;
    const mask = masks?.[r];
    const other = others?.slice(r, r + vector);
    const key = `${offset}|${mask ?? ''}|${other?.join(',') ?? ''}`;
    let registers = seen.get(key);
    if (!registers) {
      registers = branchless
        ? branchlessRun(e, op, reach, offset, mask, vector, asked)
        : loadRun(e, op, offset, mask, other, vector, suspects);
      seen.set(key, registers);
    }
    out.push(...registers);
  }
  if (bounds && reach) remember(e, bounds.access, reach, asked);
  else if (bounds) report(e, bounds, suspects);
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
  const vector = runLength(e, op);
  const suspects: Suspect[] = [];
  // Offsets that wait for one test of all take registers.
  const collect = e.func.attributes['leanEnd'] === true ? undefined : suspects;
  const bounds = boundsOf(e, op, 'store', vector);
  const word = wordElements(e, op, vector, pointers.length);
  for (let r = 0; r < pointers.length; r += Math.max(word, vector)) {
    if (word > vector) storePart(e, op, bounds, r, word, suspects);
    else storeRun(e, op, pointers[r]!, masks?.[r], values.slice(r, r + vector), collect);
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
