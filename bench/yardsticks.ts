/** What ours is measured against: the adapter's copy bandwidth, and a hand-written matmul. */
import copyWgsl from './yardstick/copy.wgsl';
import { MATMUL_VARIANTS, matmulWgsl, type MatmulVariant } from './yardstick/matmul';
import type { BenchDevice, Measured } from './gpu';

export interface CopyYardstick {
  /** Bytes read and written. */
  readonly bytes: number;
  readonly measured: Measured;
}

/** Copies `bytes` (a multiple of 16 KiB) and checks what arrived. */
export async function measureCopy(
  bench: BenchDevice,
  bytes: number,
  samples: number,
): Promise<CopyYardstick> {
  const data = Float32Array.from({ length: bytes / 4 }, (_, i) => i % 8191);
  const source = bench.buffer(bytes, data);
  const target = bench.buffer(bytes);
  const dispatch = await bench.dispatch(copyWgsl, [source, target], [bytes / 16 / 1024, 1, 1]);
  const measured = await bench.measure([dispatch], samples);
  const arrived = await bench.read(target);
  const wrong = arrived.findIndex((value, i) => value !== data[i]);
  if (wrong >= 0) throw new Error(`the copy yardstick is wrong at ${wrong}`);
  source.destroy();
  target.destroy();
  return { bytes: 2 * bytes, measured };
}

export interface MatmulProblem {
  readonly size: number;
  readonly a: Float32Array<ArrayBuffer>;
  readonly b: Float32Array<ArrayBuffer>;
  readonly bufferA: GPUBuffer;
  readonly bufferB: GPUBuffer;
  readonly bufferC: GPUBuffer;
}

export function matmulProblem(bench: BenchDevice, size: number): MatmulProblem {
  const random = generator(7);
  const matrix = (): Float32Array<ArrayBuffer> =>
    Float32Array.from({ length: size * size }, () => random() * 2 - 1);
  const a = matrix();
  const b = matrix();
  const bytes = size * size * 4;
  return {
    size,
    a,
    b,
    bufferA: bench.buffer(bytes, a),
    bufferB: bench.buffer(bytes, b),
    bufferC: bench.buffer(bytes),
  };
}

/** The fastest variant of the hand-written kernel; each is checked. */
export async function measureMatmul(
  bench: BenchDevice,
  problem: MatmulProblem,
  samples: number,
): Promise<{ measured: Measured; error: number; variant: MatmulVariant }> {
  const { size, bufferA, bufferB, bufferC } = problem;
  const groups = (size / 64) * (size / 128);
  const results = [];
  for (const variant of MATMUL_VARIANTS) {
    const wgsl = matmulWgsl(size, variant);
    const dispatch = await bench.dispatch(wgsl, [bufferA, bufferB, bufferC], [groups, 1, 1]);
    poison(bench, bufferC);
    const measured = await bench.measure([dispatch], samples);
    results.push({ measured, error: await matmulError(bench, problem), variant });
  }
  results.sort((a, b) => a.measured.median - b.measured.median);
  const [best] = results;
  const wrong = results.find(({ error }) => !(error < 1e-3));
  if (!best || wrong) throw new Error(`the yardstick is wrong: ${JSON.stringify(wrong)}`);
  return best;
}

/** Fills with NaN, so that an element that nobody writes is seen. */
export function poison(bench: BenchDevice, buffer: GPUBuffer): void {
  const data = new Float32Array(buffer.size / 4).fill(NaN);
  bench.device.queue.writeBuffer(buffer, 0, data);
}

/**
 * The largest difference of C from float64 sums, over one row of every 64 columns and rows in turn, so
 * that every tile is met; NaN where any element was never written.
 */
export async function matmulError(bench: BenchDevice, problem: MatmulProblem): Promise<number> {
  const { size, a, b, bufferC } = problem;
  const c = await bench.read(bufferC);
  if (c.some((value) => Number.isNaN(value))) return NaN;
  const step = Math.max(1, size >> 6);
  const random = generator(11);
  let worst = 0;
  for (let tileRow = 0; tileRow < size; tileRow += step) {
    for (let tileColumn = 0; tileColumn < size; tileColumn += step) {
      const i = tileRow + Math.floor(random() * step);
      const j = tileColumn + Math.floor(random() * step);
      let sum = 0;
      for (let k = 0; k < size; k++) sum += (a[i * size + k] ?? 0) * (b[k * size + j] ?? 0);
      worst = Math.max(worst, Math.abs(sum - (c[i * size + j] ?? NaN)));
    }
  }
  return worst;
}

/** Uniform numbers in [0, 1), the same on every machine (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
