/** Constants, vectors and their components, and numbers as bits. */
import { decodeTable, encodeSmall, roundFloat } from '../../numbers';
import { number, printThreadType, U32 } from '../types';
import type { NumberType, ScalarName, ThreadType, VectorSize } from '../types';
import { PURE, type ThreadOpSpec } from './spec';

const isNumber = (type: ThreadType | undefined): type is NumberType => type?.kind === 'number';
/** Bytes of a value in memory. */
export function byteSizeOf({ scalar, size }: NumberType): number {
  return (scalar === 'f16' ? 2 : 4) * size;
}

const bits = new DataView(new ArrayBuffer(16));
/** Puts component `i` of a value into `bits`. */
function writeBits(scalar: ScalarName): (x: number, i: number) => void {
  switch (scalar) {
    case 'f32':
      return (x, i) => bits.setFloat32(4 * i, x, true);
    case 'f16':
      return (x, i) => bits.setUint16(2 * i, encodeSmall('f16', x), true);
    default:
      return (x, i) => bits.setUint32(4 * i, x, true);
  }
}
function readBits(scalar: ScalarName): (i: number) => number {
  switch (scalar) {
    case 'f32':
      return (i) => bits.getFloat32(4 * i, true);
    case 'f16':
      return (i) => decodeTable('f16')[bits.getUint16(2 * i, true)]!;
    case 'i32':
      return (i) => bits.getInt32(4 * i, true);
    default:
      return (i) => bits.getUint32(4 * i, true);
  }
}

export const VECTORS = {
  'thread.constant': {
    traits: PURE,
    operands: [],
    attributes: ['value'],
    types: (_, __, [type]) => (type ? [type] : 'a constant needs a type'),
    doc: 'A number, every component {value}. A float is given by its value, or by its bits in `bits`.',
  },
  'thread.copy': {
    traits: PURE,
    operands: ['x'],
    types: ([x]) => (x && x.kind !== 'memory' ? [x] : 'takes a value'),
    doc: 'The value {x} as it is here, by a name of its own: what {x} reads may change behind it.',
  },
  'thread.construct': {
    traits: PURE,
    operands: ['components*'],
    types: (operands) => {
      const [first] = operands;
      if (!isNumber(first)) return 'takes numbers';
      let size = 0;
      for (const type of operands) {
        if (!isNumber(type) || type.scalar !== first.scalar) return 'components of one scalar type';
        size += type.size;
      }
      return size >= 2 && size <= 4
        ? [number(first.scalar, size as VectorSize)]
        : `${size} components`;
    },
    doc: 'A vector of these components in order.',
  },
  'thread.splat': {
    traits: PURE,
    operands: ['x'],
    types: ([x], _, [to]) =>
      isNumber(x) && isNumber(to) && x.size === 1 && x.scalar === to.scalar
        ? [to]
        : 'takes a scalar',
    doc: 'A vector with {x} in every component.',
  },
  'thread.extract': {
    traits: PURE,
    operands: ['x'],
    attributes: ['index'],
    types: ([x], { index }) =>
      isNumber(x) && Number(index) < x.size ? [number(x.scalar)] : `no component ${String(index)}`,
    doc: 'Component {index} of a vector.',
  },
  'thread.swizzle': {
    traits: PURE,
    operands: ['x'],
    attributes: ['indices'],
    types: ([x], { indices }) =>
      isNumber(x) && Array.isArray(indices)
        ? [number(x.scalar, indices.length as VectorSize)]
        : 'takes a vector',
    doc: 'The components {indices} of a vector, in that order.',
  },
  'thread.extract_dynamic': {
    traits: PURE,
    operands: ['x', 'index'],
    types: ([x, index]) =>
      isNumber(x) && index === U32 ? [number(x.scalar)] : 'takes a vector and a u32',
    doc: 'The component of a vector that {index} names.',
  },
  'thread.all': {
    traits: PURE,
    operands: ['x'],
    types: ([x]) => (isNumber(x) && x.scalar === 'bool' ? [number('bool')] : 'takes truth values'),
    whole: () => (x) => [x.every((each) => each !== 0) ? 1 : 0],
    doc: 'Whether every component is true.',
  },
  'thread.any': {
    traits: PURE,
    operands: ['x'],
    types: ([x]) => (isNumber(x) && x.scalar === 'bool' ? [number('bool')] : 'takes truth values'),
    whole: () => (x) => [x.some((each) => each !== 0) ? 1 : 0],
    doc: 'Whether a component is true.',
  },
  'thread.bitcast': {
    traits: PURE,
    operands: ['x'],
    types: ([x], _, [to]) =>
      isNumber(x) && isNumber(to) && byteSizeOf(x) === byteSizeOf(to)
        ? [to]
        : `no bitcast from ${x ? printThreadType(x) : '?'} to ${to ? printThreadType(to) : '?'}`,
    whole: (from, to) => {
      const [write, read] = [writeBits(from.scalar), readBits(to.scalar)];
      return (x) => {
        x.forEach(write);
        return Array.from({ length: to.size }, (_, i) => read(i));
      };
    },
    doc: 'The same bits as another type of the same size.',
  },
  'thread.pack2x16float': {
    traits: PURE,
    operands: ['x'],
    types: ([x]) => (x === number('f32', 2) ? [U32] : 'takes a vec2<f32>'),
    whole: () => (x) => {
      x.forEach((each, i) => writeBits('f16')(roundFloat('f16', each), i));
      return [readBits('u32')(0)];
    },
    doc: 'Two numbers as halves in one word, the first one lowest.',
  },
  'thread.unpack2x16float': {
    traits: PURE,
    operands: ['x'],
    types: ([x]) => (x === U32 ? [number('f32', 2)] : 'takes a u32'),
    whole: () => (x) => {
      writeBits('u32')(x[0]!, 0);
      return [readBits('f16')(0), readBits('f16')(1)];
    },
    doc: 'The two halves of a word as numbers.',
  },
} satisfies Record<string, ThreadOpSpec>;
