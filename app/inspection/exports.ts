/**
 * Tensors as files and text: NumPy's `.npy` (format 1.0 of numpy.lib.format), CSV, and an
 * `np.array(…)` expression. bfloat16 and the 8-bit floats, which NumPy does not have, are written
 * as float32, exactly.
 */
import type { Dtype } from '../numerics/dtypes';
import { exactText, valuesOf, type Elements } from './elements';
import { walkOf, type Plane } from './planes';

/** NumPy's `descr` and name; what it does not have is widened. */
const NUMPY: Readonly<Record<Dtype, readonly [descr: string, name: string]>> = {
  float64: ['<f8', 'float64'],
  float32: ['<f4', 'float32'],
  float16: ['<f2', 'float16'],
  bfloat16: ['<f4', 'float32'],
  float8_e5m2: ['<f4', 'float32'],
  float8_e4m3fn: ['<f4', 'float32'],
  int64: ['<i8', 'int64'],
  uint64: ['<u8', 'uint64'],
  int32: ['<i4', 'int32'],
  uint32: ['<u4', 'uint32'],
  int16: ['<i2', 'int16'],
  uint16: ['<u2', 'uint16'],
  int8: ['|i1', 'int8'],
  uint8: ['|u1', 'uint8'],
  bool: ['|b1', 'bool'],
};

/** Is written as another dtype, because NumPy has none of its own. */
export function isWidened(dtype: Dtype): boolean {
  return NUMPY[dtype][1] !== dtype;
}

export function npy(elements: Elements): Uint8Array<ArrayBuffer> {
  const { dtype, shape, raw } = elements;
  const tuple = shape.length === 1 ? `(${shape[0]!},)` : `(${shape.join(', ')})`;
  const text = `{'descr': '${NUMPY[dtype][0]}', 'fortran_order': False, 'shape': ${tuple}, }`;
  // Magic, version and length take 10 bytes; the data begins at a multiple of 64.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const header = new TextEncoder().encode(`${text.padEnd(length - 1)}\n`);
  const data = isWidened(dtype) ? valuesOf(elements) : raw;
  const out = new Uint8Array(10 + length + data.byteLength);
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, length & 255, length >> 8]);
  out.set(header, 10);
  out.set(
    new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength),
    10 + length,
  );
  return out;
}

/** The texts of some elements of a plane, row by row. */
export function planeTexts(
  elements: Elements,
  plane: Plane,
  top: number,
  bottom: number,
  left: number,
  right: number,
): string[][] {
  const { rows, columns, start, down, across, end } = walkOf(elements.shape, plane);
  const out: string[][] = [];
  const last = plane.wrap === null ? Infinity : end;
  for (let row = Math.max(0, top); row < Math.min(rows, bottom); row++) {
    const texts: string[] = [];
    for (let column = Math.max(0, left); column < Math.min(columns, right); column++) {
      const flat = start + row * down + column * across;
      if (flat >= last) break;
      texts.push(exactText(elements.dtype, valuesOf(elements, flat, flat + 1)[0]!));
    }
    out.push(texts);
  }
  return out;
}

/** A plane as comma-separated values, one row a line; a vector is one row. */
export function csv(elements: Elements, plane: Plane): string {
  const flat = { ...plane, wrap: null };
  const { rows, columns } = walkOf(elements.shape, flat);
  const texts = planeTexts(elements, flat, 0, rows, 0, columns);
  return texts.map((row) => row.join(',')).join('\n') + '\n';
}

/** `np.array([[…]], dtype=np.float32)`, of a plane or, where `plane` is null, of everything. */
export function numpyText(elements: Elements, plane: Plane | null): string {
  const { dtype } = elements;
  const name = NUMPY[dtype][1];
  const kind = name === 'bool' ? 'np.bool_' : `np.${name}`;
  const note = isWidened(dtype) ? `  # ${dtype}, exactly` : '';
  const nested = plane === null ? nestedText(elements) : planeText(elements, plane);
  return `np.array(${nested}, dtype=${kind})${note}\n`;
}

function planeText(elements: Elements, plane: Plane): string {
  const flat = { ...plane, wrap: null };
  const { rows, columns } = walkOf(elements.shape, flat);
  const texts = planeTexts(elements, flat, 0, rows, 0, columns).map(pythonRow);
  if (plane.across === null) return texts[0]!.slice(1, -1);
  return plane.down === null ? texts[0]! : `[${texts.join(',\n          ')}]`;
}

/** NaN and infinities by NumPy's names. */
function pythonRow(texts: readonly string[]): string {
  return `[${texts.map((text) => text.replace(/^(-?)(nan|inf)$/, '$1np.$2')).join(', ')}]`;
}

function nestedText(elements: Elements): string {
  const { shape, dtype } = elements;
  let flat = 0;
  const walk = (axis: number): string => {
    if (axis === shape.length) {
      const text = exactText(dtype, valuesOf(elements, flat, flat + 1)[0]!);
      flat++;
      return pythonRow([text]).slice(1, -1);
    }
    const items = Array.from({ length: shape[axis]! }, () => walk(axis + 1));
    const gap = axis === shape.length - 1 ? ', ' : `,\n${' '.repeat(10 + axis)}`;
    return `[${items.join(gap)}]`;
  };
  return walk(0);
}
