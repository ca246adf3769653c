/**
 * Products of f32 and of f64 matrices in WebAssembly: one kernel a dtype, for every shape. A kernel
 * multiplies a block of A, `ROWS` rows of `DEPTH`, with a block of B, `DEPTH` rows of `COLUMNS`. It
 * holds 4 rows and two vectors of columns of the result in registers.
 *
 * Guarantee: an element is the sum of its products in order, rounded to the dtype at each step, in
 * runs of `DEPTH` whose sums are added; neither the shape nor the machine changes that order.
 */
import { Body, I32, V128, f32x4, i32, memory, moduleOf, s, v } from './code';

export type Floats = Float32Array | Float64Array;

/** Rows of A in a block, which stays in the second-level cache; a panel of B, in the first. */
const ROWS = 64;
/** Terms of a sum that a kernel adds before it stores. A multiple of `UNROLL`. */
const DEPTH = 256;
/** Columns of B in a block. */
const COLUMNS = 256;
/** Elements from a row of B's block to the next. Rows of a panel map to different cache sets. */
const B_STRIDE = COLUMNS + 8;
/** Rows of the result in registers. */
const TILE = 4;
/** Terms a loop iteration; blocks are padded with zeros to a multiple of it. */
const UNROLL = 4;

interface Kernel {
  /** Multiplies what lies in memory: `rows` tiles of A, `panels` of B, `depth` terms. */
  readonly run: (rows: number, panels: number, depth: number) => void;
  /** `ROWS` rows of `DEPTH`. */
  readonly a: Floats;
  /** `DEPTH` rows of `COLUMNS`, `B_STRIDE` apart. */
  readonly b: Floats;
  /** `ROWS` rows of `COLUMNS`. */
  readonly c: Floats;
  /** Columns of a panel: those of two vectors. */
  readonly panel: number;
}
const kernels = new Map<4 | 8, Kernel>();

/** @param size bytes of an element. */
function kernel(size: 4 | 8): Kernel {
  const known = kernels.get(size);
  if (known) return known;
  const b = ROWS * DEPTH * size;
  const c = b + DEPTH * B_STRIDE * size;
  const bytes = c + ROWS * COLUMNS * size;
  const room = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) });
  const module = new WebAssembly.Module(moduleOf(bodyOf(size, b, c), 3));
  const instance = new WebAssembly.Instance(module, { m: { m: room, f: () => 0 } });
  const Type = size === 4 ? Float32Array : Float64Array;
  const made = {
    run: instance.exports['run'] as Kernel['run'],
    a: new Type(room.buffer, 0, ROWS * DEPTH),
    b: new Type(room.buffer, b, DEPTH * B_STRIDE),
    c: new Type(room.buffer, c, ROWS * COLUMNS),
    panel: 32 / size,
  };
  kernels.set(size, made);
  return made;
}

/** Code of `Kernel.run`, with A at address 0, B at `bStart` and the result at `cStart`. */
function bodyOf(size: 4 | 8, bStart: number, cStart: number): Body {
  const lanes = size === 4 ? 'f32x4' : 'f64x2';
  const splat = size === 4 ? 'load32_splat' : 'load64_splat';
  const depthBytes = DEPTH * size;
  const columnBytes = COLUMNS * size;

  const body = new Body(3);
  const [at, bt, out, panelAt, row, left, panelsLeft] = Array.from({ length: 7 }, () =>
    body.local(I32),
  ) as [number, number, number, number, number, number, number];
  const sums = Array.from({ length: 2 * TILE }, () => body.local(V128));
  const [low, high, each] = [body.local(V128), body.local(V128), body.local(V128)];
  const advance = (local: number, by: number): void =>
    body.set(local, s('i32.add', body.get(local), i32(by)));
  const accumulate = (local: number, x: number): void =>
    body.set(
      local,
      v(`${lanes}.add`, body.get(local), v(`${lanes}.mul`, body.get(each), body.get(x))),
    );

  const step = (term: number): void => {
    body.set(low, memory('load', bStart + term * B_STRIDE * size, body.get(bt)));
    body.set(high, memory('load', bStart + term * B_STRIDE * size + 16, body.get(bt)));
    for (let r = 0; r < TILE; r++) {
      body.set(each, memory(splat, r * depthBytes + term * size, body.get(at)));
      accumulate(sums[2 * r]!, low);
      accumulate(sums[2 * r + 1]!, high);
    }
  };
  const tile = (): void => {
    for (const local of sums) body.set(local, f32x4(0));
    body.set(at, body.get(row));
    body.set(bt, body.get(panelAt));
    body.set(left, body.get(2));
    body.loop(() => {
      for (let term = 0; term < UNROLL; term++) step(term);
      advance(at, UNROLL * size);
      advance(bt, UNROLL * B_STRIDE * size);
      advance(left, -UNROLL);
    }, body.get(left));
    sums.forEach((local, i) => {
      const offset = cStart + (i >> 1) * columnBytes + (i & 1) * 16;
      body.do(memory('store', offset, body.get(out), body.get(local)));
    });
  };
  // The panels of the result are 32 bytes apart, those of B `DEPTH` times that.
  body.set(panelsLeft, i32(0));
  body.loop(
    () => {
      body.set(row, i32(0));
      body.set(out, s('i32.mul', body.get(panelsLeft), i32(32)));
      body.loop(
        () => {
          tile();
          advance(row, TILE * depthBytes);
          advance(out, TILE * columnBytes);
        },
        s('i32.lt', body.get(row), s('i32.mul', body.get(0), i32(TILE * depthBytes))),
      );
      advance(panelAt, 32);
      advance(panelsLeft, 1);
    },
    s('i32.lt', body.get(panelsLeft), body.get(1)),
  );
  return body;
}

/** Copies a block of a matrix, and pads it with zeros to `padded` rows and `width` columns. */
function copyBlock(
  to: Floats,
  toStride: number,
  from: Floats,
  at: number,
  stride: number,
  rows: number,
  columns: number,
  padded: number,
  width: number,
): void {
  for (let i = 0; i < rows; i++) {
    const start = at + i * stride;
    to.set(from.subarray(start, start + columns), i * toStride);
    if (width > columns) to.fill(0, i * toStride + columns, i * toStride + width);
  }
  for (let i = rows; i < padded; i++) to.fill(0, i * toStride, i * toStride + width);
}

/** Adds a block of the result to `out`, or stores the first one. */
function addBlock(
  out: Floats,
  at: number,
  stride: number,
  block: Floats,
  rows: number,
  columns: number,
  first: boolean,
): void {
  for (let i = 0; i < rows; i++) {
    const target = at + i * stride;
    const source = i * COLUMNS;
    if (first) out.set(block.subarray(source, source + columns), target);
    else for (let j = 0; j < columns; j++) out[target + j]! += block[source + j]!;
  }
}

/** [batch, M, K] × [batch, K, N] → [batch, M, N], all row-major and of one dtype. K is not 0. */
export function multiply(
  a: Floats,
  b: Floats,
  out: Floats,
  batch: number,
  m: number,
  k: number,
  n: number,
): void {
  const { run, a: blockA, b: blockB, c: blockC, panel } = kernel(a.BYTES_PER_ELEMENT as 4 | 8);
  for (let g = 0; g < batch; g++)
    for (let column = 0; column < n; column += COLUMNS)
      for (let term = 0; term < k; term += DEPTH) {
        const columns = Math.min(COLUMNS, n - column);
        const depth = Math.min(DEPTH, k - term);
        const padded = Math.ceil(depth / UNROLL) * UNROLL;
        const panels = Math.ceil(columns / panel);
        const fromB = (g * k + term) * n + column;
        copyBlock(blockB, B_STRIDE, b, fromB, n, depth, columns, padded, panels * panel);
        for (let row = 0; row < m; row += ROWS) {
          const rows = Math.min(ROWS, m - row);
          copyBlock(blockA, DEPTH, a, (g * m + row) * k + term, k, rows, depth, rows, padded);
          run(Math.ceil(rows / TILE), panels, padded);
          addBlock(out, (g * m + row) * n + column, n, blockC, rows, columns, term === 0);
        }
      }
}
