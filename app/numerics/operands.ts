/**
 * Operands: a strided window on a storage's bytes. `load` makes the contiguous elements an
 * operation computes with (without a copy where it can); `store` writes a result back through any
 * strides.
 */
import {
  ITEM_SIZE,
  arrayType,
  computeArray,
  convert,
  decode,
  encode,
  isBig,
  isCoded,
  rawView,
  roundTo,
} from './dtypes';
import type { Dtype, Values } from './dtypes';
import { move } from './moves';

/**
 * `d` dtype, `s` sizes, `t` strides and `o` offset, both in elements; `v` instead: a Python number.
 */
export interface Operand {
  readonly d: Dtype;
  readonly s?: readonly number[];
  readonly t?: readonly number[];
  readonly o?: number;
  /** A scalar: decimal digits, 'nan', 'inf', '-inf'. */
  readonly v?: string;
}

export function count(sizes: readonly number[]): number {
  let n = 1;
  for (const size of sizes) n *= size;
  return n;
}

export function isContiguous(sizes: readonly number[], strides: readonly number[]): boolean {
  let expected = 1;
  for (let axis = sizes.length - 1; axis >= 0; axis--) {
    if (sizes[axis] === 1) continue;
    if (strides[axis] !== expected) return false;
    expected *= sizes[axis]!;
  }
  return true;
}

/** Calls `run(offset, length, stride, at)` for each innermost run, `at` counting elements. */
export function forEachRun(
  sizes: readonly number[],
  strides: readonly number[],
  offset: number,
  run: (offset: number, length: number, stride: number, at: number) => void,
): void {
  // Neighbouring dimensions that are walked evenly become one: fewer, longer runs.
  const s: number[] = [];
  const t: number[] = [];
  for (let axis = 0; axis < sizes.length; axis++) {
    const size = sizes[axis]!;
    const stride = strides[axis]!;
    if (size === 0) return;
    if (size === 1) continue;
    const last = s.length - 1;
    if (last >= 0 && t[last] === stride * size) {
      s[last]! *= size;
      t[last] = stride;
    } else {
      s.push(size);
      t.push(stride);
    }
  }
  if (s.length === 0) return run(offset, 1, 1, 0);
  const length = s.pop()!;
  const stride = t.pop()!;
  const index = s.map(() => 0);
  let position = offset;
  for (let at = 0; ; at += length) {
    run(position, length, stride, at);
    let axis = s.length - 1;
    for (; axis >= 0; axis--) {
      position += t[axis]!;
      if (++index[axis]! < s[axis]!) break;
      position -= t[axis]! * s[axis]!;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/** The elements of `operand` in row-major order; may share memory with `bytes`. */
export function load(operand: Operand, bytes: Uint8Array | null): Values {
  const { d } = operand;
  if (operand.v !== undefined) return scalar(d, operand.v);
  if (!bytes) throw new Error('an operand without bytes');
  const sizes = operand.s ?? [];
  const strides = operand.t ?? [];
  const offset = operand.o ?? 0;
  const n = count(sizes);
  const raw = rawView(d, bytes);
  let elements: Values;
  if (isContiguous(sizes, strides)) {
    elements = raw.subarray(offset, offset + n);
  } else {
    elements = new (arrayType(d))(n);
    gather(raw, elements, sizes, strides, offset);
  }
  if (!isCoded(d)) return elements;
  const out = new Float32Array(n);
  decode(d, elements as Uint16Array, out);
  return out;
}

/** The window's elements, row by row, to the start of `out`. */
export function gather(
  raw: Values,
  out: Values,
  sizes: readonly number[],
  strides: readonly number[],
  offset: number,
): void {
  move(raw, { strides, offset }, out, { strides: rowMajor(sizes), offset: 0 }, sizes);
}

/** Elements, row by row, to a window of `raw`. */
export function scatter(
  raw: Values,
  elements: Values,
  sizes: readonly number[],
  strides: readonly number[],
  offset: number,
): void {
  const from = elements.length === 1 ? sizes.map(() => 0) : rowMajor(sizes);
  move(elements, { strides: from, offset: 0 }, raw, { strides, offset }, sizes);
}

/** Strides of a contiguous window. */
export function rowMajor(sizes: readonly number[]): number[] {
  let step = 1;
  const strides: number[] = [];
  for (let axis = sizes.length - 1; axis >= 0; axis--) {
    strides.unshift(step);
    step *= sizes[axis]!;
  }
  return strides;
}

/** One element as it is stored. */
export function rawScalar(dtype: Dtype, text: string): Values {
  const one = scalar(dtype, text);
  if (!isCoded(dtype)) return one;
  const code = new (arrayType(dtype))(1);
  encode(dtype, one as Float32Array, code as Uint16Array);
  return code;
}

/** `load`, then converted to `dtype`. */
export function loadAs(operand: Operand, bytes: Uint8Array | null, dtype: Dtype): Values {
  return convert(load(operand, bytes), operand.d, dtype);
}

/** One element, rounded to `dtype`. */
export function scalar(dtype: Dtype, text: string): Values {
  const out = computeArray(dtype, 1);
  if (isBig(out)) out[0] = parseBig(text);
  else out[0] = parseNumber(text);
  roundTo(dtype, out);
  return out;
}

export function parseNumber(text: string): number {
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  return Number(text);
}
function parseBig(text: string): bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : BigInt(Math.trunc(parseNumber(text)));
}

/** Writes `values` (row-major, in `dtype`'s compute form) to the window, converted to its dtype. */
export function store(operand: Operand, bytes: Uint8Array, values: Values, dtype: Dtype): void {
  const sizes = operand.s ?? [];
  const strides = operand.t ?? [];
  const offset = operand.o ?? 0;
  const n = count(sizes);
  const { d } = operand;
  const raw = rawView(d, bytes);
  const converted = convert(values, dtype, d);
  let elements: Values = converted;
  if (isCoded(d)) {
    elements = new (arrayType(d))(converted.length);
    encode(d, converted as Float32Array, elements as Uint16Array);
  }
  // One value fills the window.
  const step = elements.length === 1 ? 0 : 1;
  if (step === 1 && elements.length !== n) throw new Error('the result does not fill its window');
  if (isContiguous(sizes, strides)) {
    if (step) raw.set(elements as never, offset);
    else raw.fill(elements[0] as never, offset, offset + n);
    return;
  }
  scatter(raw, elements, sizes, strides, offset);
}

export { ITEM_SIZE };
