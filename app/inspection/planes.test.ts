import { describe, expect, it } from 'vitest';
import { csv, npy, numpyText, planeTexts } from './exports';
import {
  cellsOf,
  defaultPlane,
  fieldOf,
  FLAG,
  indexAt,
  isCoarsened,
  placeOf,
  planeSize,
  walkOf,
  wrapFor,
  wrapVector,
} from './planes';
import { tensor, vector } from './testing';

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const whole = (rows: number, columns: number) => ({
  top: 0,
  left: 0,
  bottom: rows,
  right: columns,
  perRow: 1,
  perColumn: 1,
});

describe('planes', () => {
  it('take the last two dimensions, wrap long vectors, and find indices back', () => {
    expect(planeSize([2, 3, 4], defaultPlane([2, 3, 4]))).toEqual({ rows: 3, columns: 4 });
    expect(wrapFor(512)).toBeNull();
    const plane = defaultPlane([98432]);
    expect(plane.wrap).toBe(512);
    expect(planeSize([98432], plane)).toEqual({ rows: 193, columns: 512 });
    expect(indexAt(plane, 2, 3)).toEqual([1027]);
    expect(placeOf(plane, [1027])).toEqual([2, 3]);
    const slice = { ...defaultPlane([2, 3, 4]), at: [1, 0, 0] };
    expect(indexAt(slice, 2, 3)).toEqual([1, 2, 3]);
    expect(placeOf(slice, [1, 2, 3])).toEqual([2, 3]);
    expect(placeOf(slice, [0, 2, 3])).toBeNull();
    expect(planeSize([], defaultPlane([]))).toEqual({ rows: 1, columns: 1 });
  });
  it('draw a tile of any rank on a sheet', () => {
    const vector = wrapVector([1024], defaultPlane([1024]), 32);
    expect(planeSize([1024], vector)).toEqual({ rows: 32, columns: 32 });
    expect(indexAt(vector, 3, 5)).toEqual([101]);
    expect(planeSize([5], wrapVector([5], defaultPlane([5]), 8))).toEqual({ rows: 1, columns: 5 });
    const shape = [2, 4, 8, 16];
    const tile = { ...wrapVector(shape, defaultPlane(shape), 32), at: [1, 2, 0, 0] };
    expect(planeSize(shape, tile)).toEqual({ rows: 8, columns: 16 });
    expect(indexAt(tile, 3, 5)).toEqual([1, 2, 3, 5]);
    const { start, down, across } = walkOf(shape, tile);
    expect(start + 3 * down + 5 * across).toBe(((1 * 4 + 2) * 8 + 3) * 16 + 5);
    expect(indexAt(wrapVector([], defaultPlane([]), 8), 0, 0)).toEqual([]);
  });
  it('can be any two dimensions', () => {
    const t = tensor('int32', [2, 3, 4], count(24));
    const plane = { down: 2, across: 0, at: [0, 1, 0], wrap: null };
    expect([...fieldOf(t, plane).values]).toEqual([4, 16, 5, 17, 6, 18, 7, 19]);
    expect(planeTexts(t, plane, 1, 3, 0, 2)).toEqual([
      ['5', '17'],
      ['6', '18'],
    ]);
  });
});

describe('cells', () => {
  it('are the elements where there is room', () => {
    const t = tensor('float32', [2, 2], [1, NaN, Infinity, -Infinity]);
    const cells = cellsOf(fieldOf(t, defaultPlane([2, 2])), whole(2, 2), 'mean');
    expect([...cells.flags]).toEqual([FLAG.number, FLAG.nan, FLAG.infinity, FLAG.minusInfinity]);
    expect(cells.values[0]).toBe(1);
  });
  it('are a mean or the extreme of several, and one NaN is seen', () => {
    const t = tensor('float32', [2, 4], [1, -3, 0, 0, 1, 1, NaN, 0]);
    const field = fieldOf(t, defaultPlane([2, 4]));
    const half = { ...whole(2, 4), perRow: 2, perColumn: 2 };
    const mean = cellsOf(field, half, 'mean');
    expect([...mean.values]).toEqual([0, 0]);
    expect([...mean.flags]).toEqual([FLAG.number, FLAG.nan]);
    expect(cellsOf(field, half, 'extreme').values[0]).toBe(-3);
  });
  it('leave the end of a wrapped vector empty', () => {
    const n = 1000;
    const plane = defaultPlane([n]);
    const t = vector('int64', count(n).map(BigInt));
    const { rows, columns } = planeSize([n], plane);
    const cells = cellsOf(fieldOf(t, plane), whole(rows, columns), 'mean');
    expect(cells.values[n - 1]).toBe(n - 1);
    expect(cells.flags[n - 1]).toBe(FLAG.number);
    expect(cells.flags.slice(n).every((flag) => flag === FLAG.empty)).toBe(true);
  });
  it('of a large plane from afar show a single NaN too', () => {
    const [rows, columns] = [1024, 1024];
    const values = new Float32Array(rows * columns).fill(2);
    values[513 * columns + 700] = NaN;
    const t = { dtype: 'float32' as const, shape: [rows, columns], raw: values };
    const field = fieldOf(t, defaultPlane(t.shape));
    const cells = cellsOf(field, { ...whole(rows, columns), perRow: 32, perColumn: 32 }, 'mean');
    expect(isCoarsened(field)).toBe(true);
    expect(cells.flags.indexOf(FLAG.nan)).toBe(16 * 32 + 21);
    expect(cells.flags.filter((flag) => flag === FLAG.nan)).toHaveLength(1);
    expect(cells.values[0]).toBe(2);
  });
});

describe('exports', () => {
  it('write .npy as NumPy does', () => {
    const bytes = npy(tensor('float16', [1, 2], [1, -2]));
    const text = new TextDecoder('latin1').decode(bytes.subarray(0, 128));
    expect(text.slice(1, 6)).toBe('NUMPY');
    expect(text.slice(10)).toMatch(
      /^\{'descr': '<f2', 'fortran_order': False, 'shape': \(1, 2\), \} *\n$/,
    );
    expect([...bytes.subarray(128)]).toEqual([0x00, 0x3c, 0x00, 0xc0]);
    expect(new TextDecoder().decode(npy(vector('bool', [1])))).toContain("'|b1'");
    expect(new TextDecoder().decode(npy(tensor('int8', [], [1])))).toContain("'shape': ()");
  });
  it('widen what NumPy does not have, exactly', () => {
    const bytes = npy(vector('bfloat16', [1.5, NaN]));
    const values = new Float32Array(bytes.buffer, 128);
    expect([...values]).toEqual([1.5, NaN]);
    expect(numpyText(vector('float8_e5m2', [0.25]), null)).toBe(
      'np.array([0.25], dtype=np.float32)  # float8_e5m2, exactly\n',
    );
  });
  it('write text that Python and spreadsheets read', () => {
    const t = tensor('float32', [2, 2], [1, NaN, Infinity, -Infinity]);
    expect(csv(t, defaultPlane([2, 2]))).toBe('1.0,nan\ninf,-inf\n');
    expect(numpyText(t, null)).toBe(
      'np.array([[1.0, np.nan],\n          [np.inf, -np.inf]], dtype=np.float32)\n',
    );
    expect(numpyText(t, defaultPlane([2, 2]))).toBe(numpyText(t, null));
    expect(numpyText(vector('bool', [1, 0]), null)).toBe(
      'np.array([True, False], dtype=np.bool_)\n',
    );
    expect(csv(vector('int32', count(600)), defaultPlane([600])).split(',')).toHaveLength(600);
  });
});
