/**
 * Prints of kernels (`tl.device_print`, `print`): values as text, in the format of Triton on CUDA.
 * Floats are C's `%f`, or `%a` with `hex`; a value that all threads of a program hold is one line.
 */
import type { ElementType } from '../../compiler/ir/types';
import { bitWidth } from '../../compiler/ir/types';
import type { PrintRecord } from '../../compiler/interpret';
import type { DevicePrint } from '../events';

/** Values that a launch prints at the most; the rest is counted. */
export const MOST_VALUES = 150_000;

/** One value. Integers may come signed or unsigned; their width says how they are meant. */
export function formatValue(
  element: ElementType,
  signed: boolean,
  hex: boolean,
  value: number | bigint,
): string {
  if (element.kind === 'pointer') return `0x${BigInt(value).toString(16)}`;
  const { dtype } = element;
  if (!dtype.startsWith('i')) return hex ? hexFloat(Number(value)) : fixedFloat(Number(value));
  const width = bitWidth(dtype);
  const bits = BigInt.asUintN(width, BigInt(value));
  if (hex) return `0x${bits.toString(16).padStart(Math.ceil(width / 4), '0')}`;
  return String(signed ? BigInt.asIntN(width, bits) : bits);
}

function special(x: number): string | undefined {
  if (Number.isNaN(x)) return 'nan';
  if (Number.isFinite(x)) return undefined;
  return x > 0 ? 'inf' : '-inf';
}

/** C's `%f`: six decimals, of a tie the even one. */
export function fixedFloat(x: number): string {
  const word = special(x);
  if (word) return word;
  const sign = x < 0 || Object.is(x, -0) ? '-' : '';
  const size = Math.abs(x);
  if (size >= 2 ** 53) return `${sign}${BigInt(size)}.000000`;
  const text = size.toFixed(6);
  // Seven decimals say it exactly and end in 5: a tie, which toFixed rounds up.
  const seven = size.toFixed(7);
  const tie = seven.endsWith('5') && Number(seven) === size && Number.isInteger(size * 128);
  if (tie && Number(seven.at(-2)) % 2 === 0) return sign + seven.slice(0, -1);
  return sign + text;
}

/** C's `%a`. */
export function hexFloat(x: number): string {
  const word = special(x);
  if (word) return word;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const sign = bits >> 63n ? '-' : '';
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = (bits & ((1n << 52n) - 1n)).toString(16).padStart(13, '0').replace(/0+$/, '');
  const point = fraction === '' ? '' : `.${fraction}`;
  if (exponent === 0) return fraction === '' ? `${sign}0x0p+0` : `${sign}0x0${point}p-1022`;
  const power = exponent - 1023;
  return `${sign}0x1${point}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}

/** The lines as Triton prints them: `pid (0, 0, 0) idx ( 3) x: 1.500000`. */
export function devicePrintText(prints: readonly DevicePrint[], dropped: number): string {
  const lines: string[] = [];
  for (const { program, prefix, operand, operands, shape, values } of prints) {
    const pid = `pid (${program.join(', ')})`;
    if (operands === 0) {
      lines.push(`${pid}${prefix}`);
      continue;
    }
    const many = operands > 1 ? `(operand ${operand}) ` : '';
    const widths = shape.map((size) => String(size - 1).length);
    values.forEach((value, at) => {
      if (value === null) return;
      const index = indexOf(at, shape).map((i, d) => String(i).padStart(widths[d] ?? 1));
      lines.push(`${pid} idx (${index.join(', ')})${prefix}${many}${value}`);
    });
  }
  if (dropped > 0) lines.push(droppedText(dropped));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
export function droppedText(dropped: number): string {
  return `… ${dropped} more line${dropped === 1 ? ' was' : 's were'} dropped: the buffer of prints is full`;
}

/** The index of an element that stands at `flat` in row-major order. */
export function indexOf(flat: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  for (const size of [...shape].reverse()) {
    index.unshift(flat % size);
    flat = Math.floor(flat / size);
  }
  return index;
}

/** Gathers what a launch on the interpreter prints. */
export class PrintLog {
  readonly prints: DevicePrint[] = [];
  dropped = 0;
  private count = 0;

  readonly add = (record: PrintRecord): void => {
    const { location, programId: program, prefix, hex, operands } = record;
    const common = { location, program, prefix, operands: operands.length };
    if (operands.length === 0) {
      if (this.room(1)) this.prints.push({ ...common, operand: 0, shape: [], values: [] });
      return;
    }
    operands.forEach(({ element, shape, signed, values }, operand) => {
      if (!this.room(values.length)) return;
      const texts = values.map((value) => formatValue(element, signed, hex, value));
      this.prints.push({ ...common, operand, shape, values: texts });
    });
  };

  private room(values: number): boolean {
    this.count += values;
    if (this.count <= MOST_VALUES) return true;
    this.dropped += values;
    return false;
  }
}
