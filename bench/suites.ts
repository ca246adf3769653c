/** What is measured: compile time, memory bandwidth, matmul. Every result is checked. */
import attentionText from '../public/examples/fused_attention.py';
import softmaxText from '../public/examples/fused_softmax.py';
import matmulText from '../public/examples/matmul.py';
import vectorAddText from '../public/examples/vector_add.py';
import type { Target } from '../compiler/target';
import type { Choices } from '../compiler/4-distribute/index';
import { compileWith, type Frontend } from './frontend';
import type { BenchDevice } from './gpu';
import { attention, matmul, softmax, vectorAdd, type MatmulConfig } from './launches';
import { compiled, prepare, requestOf, type Launch } from './ours';
import { rate, type Figure } from './report';
import {
  generator,
  matmulError,
  matmulProblem,
  measureCopy,
  measureMatmul,
  poison,
} from './yardsticks';

/** What the figures are meant to reach. */
const WANTED = { compileMs: 50, bandwidth: 0.9, matmul: 0.7 };
/** Configurations of the matmul example, and a few beside them. */
const MATMUL_CONFIGS: readonly MatmulConfig[] = [
  [64, 128, 16, 4],
  [128, 64, 16, 4],
  [128, 128, 16, 8],
  [64, 64, 32, 4],
  [64, 64, 16, 2],
  [128, 64, 32, 4],
];

export interface Settings {
  readonly quick: boolean;
  readonly samples: number;
  readonly toggles: string;
  /** With and without the compiler's own bounds checks. */
  readonly checks: readonly boolean[];
  record(figure: Figure): void;
}

const label = (checkBounds: boolean): string => (checkBounds ? 'bounds checked' : 'unchecked');

/** Milliseconds from text to WGSL. The text differs every time, so that nothing is cached. */
export function compileSuite(frontend: Frontend, target: Target, settings: Settings): void {
  const launch = attention(4, 512, 64, true);
  const times: number[] = [];
  const phases = new Map<string, number[]>();
  // Warm: the engine has optimized the compiler by then, as in a page that has compiled before.
  const warmups = settings.quick ? 10 : 30;
  for (let i = -warmups; i < (settings.quick ? 10 : 40); i++) {
    const text = `${attentionText}\n# ${i}\n`;
    const start = performance.now();
    const request = requestOf(frontend, text, launch, target, true);
    const result = frontend.compiler.compile(request);
    const milliseconds = performance.now() - start;
    compiled(result);
    if (i < 0 || result.kind !== 'compiled') continue;
    times.push(milliseconds);
    let inside = 0;
    for (const pass of result.log) {
      inside += pass.milliseconds;
      const known = phases.get(pass.phase) ?? [];
      known[times.length - 1] = (known[times.length - 1] ?? 0) + pass.milliseconds;
      phases.set(pass.phase, known);
    }
    phases.set('parse', [...(phases.get('parse') ?? []), milliseconds - inside]);
  }
  const [median, low, high] = [0.5, 0.1, 0.9].map((share) => quantile(times, share));
  settings.record({
    name: 'compile of fused attention, parse to WGSL, warm',
    toggles: 'none',
    value: median ?? NaN,
    low: low ?? NaN,
    high: high ?? NaN,
    unit: 'ms',
    ratio: { to: `${WANTED.compileMs} ms`, value: (median ?? NaN) / WANTED.compileMs, wanted: 1 },
    note: [...phases].map(([name, all]) => `${name} ${quantile(all, 0.5).toFixed(1)}`).join(', '),
  });
}

export async function memorySuite(
  frontend: Frontend,
  bench: BenchDevice,
  settings: Settings,
): Promise<void> {
  const { quick, samples, toggles, record } = settings;
  const bytes = quick ? 2 ** 24 : 2 ** 28;
  const copy = await measureCopy(bench, bytes, samples);
  const copyRate = copy.bytes / copy.measured.median;
  record({
    name: `copy of ${bytes / 2 ** 20} MiB, yardstick`,
    toggles,
    ...rate(copy.bytes, copy.measured, 'bytes'),
  });

  const n = quick ? 2 ** 20 : 2 ** 25;
  const random = generator(3);
  const x = Float32Array.from({ length: n }, () => random() * 4 - 2);
  const y = Float32Array.from({ length: n }, () => random() * 4 - 2);
  const sum = x.map((value, i) => value + (y[i] ?? 0));
  for (const checkBounds of settings.checks) {
    for (const block of [1024, 4096]) {
      await against(vectorAddText, vectorAdd(n, block), [x, y, null], 2, sum, 3 * 4 * n, {
        name: `vector add of ${n}, BLOCK_SIZE ${block}`,
        checkBounds,
      });
    }
  }
  for (const columns of quick ? [1024, 781] : [1024, 4096, 781]) {
    const rows = Math.floor((quick ? 2 ** 20 : 2 ** 25) / columns);
    const matrix = x.subarray(0, rows * columns);
    const expected = softmaxOf(matrix, columns);
    for (const checkBounds of settings.checks) {
      await against(
        softmaxText,
        softmax(rows, columns),
        [null, matrix],
        0,
        expected,
        2 * 4 * rows * columns,
        { name: `softmax of ${rows} × ${columns}`, checkBounds },
      );
    }
  }

  /** One launch against the copy's bandwidth; `null` buffers are as large as the result. */
  async function against(
    text: string,
    launch: Launch,
    data: readonly (Float32Array<ArrayBuffer> | null)[],
    output: number,
    expected: Float32Array,
    moved: number,
    { name, checkBounds }: { name: string; checkBounds: boolean },
  ): Promise<void> {
    const request = requestOf(frontend, text, launch, bench.opened.target, checkBounds);
    const kernel = compiled(frontend.compiler.compile(request));
    const buffers = data.map((each) =>
      each ? bench.buffer(each.byteLength, each) : bench.buffer(expected.byteLength),
    );
    const out = buffers[output];
    if (!out) throw new Error('no output');
    poison(bench, out);
    const dispatch = await prepare(bench, kernel, launch, buffers);
    const measured = await bench.measure([dispatch], samples);
    const error = largestDifference(await bench.read(out), expected);
    for (const buffer of buffers) buffer.destroy();
    record({
      name: `${name}, ${label(checkBounds)}`,
      toggles,
      ...rate(moved, measured, 'bytes'),
      ratio: {
        to: 'copy',
        value: moved / measured.median / copyRate,
        wanted: WANTED.bandwidth,
      },
      error,
    });
  }
}

export async function matmulSuite(
  frontend: Frontend,
  bench: BenchDevice,
  settings: Settings,
): Promise<void> {
  const { quick, samples, toggles, record } = settings;
  const size = quick ? 256 : 4096;
  const flops = 2 * size ** 3;
  const problem = matmulProblem(bench, size);
  const yardstick = await measureMatmul(bench, problem, samples);
  record({
    name: `f32 matmul ${size}³, yardstick`,
    toggles,
    ...rate(flops, yardstick.measured, 'flops'),
    error: yardstick.error,
    note: `unrolled by ${yardstick.variant.unroll}, ${yardstick.variant.arrangement}`,
  });
  for (const checkBounds of settings.checks) {
    for (const config of MATMUL_CONFIGS) {
      const launch = matmul(size, config);
      const request = requestOf(frontend, matmulText, launch, bench.opened.target, checkBounds);
      const kernel = compiled(frontend.compiler.compile(request));
      const buffers = [problem.bufferA, problem.bufferB, problem.bufferC];
      poison(bench, problem.bufferC);
      const dispatch = await prepare(bench, kernel, launch, buffers);
      const measured = await bench.measure([dispatch], samples);
      record({
        name: `f32 matmul ${size}³, example ${config.slice(0, 3).join('×')}, ${label(checkBounds)}`,
        toggles,
        ...rate(flops, measured, 'flops'),
        ratio: {
          to: 'yardstick',
          value: yardstick.measured.median / measured.median,
          wanted: WANTED.matmul,
        },
        error: await matmulError(bench, problem),
        note: `${kernel.workgroupSize} threads, ${kernel.workgroupBytes} B, ~${kernel.registers} registers`,
      });
    }
  }
}

/** Choices of distribution over configurations of the matmul example: what the defaults come from. */
export async function sweepSuite(
  frontend: Frontend,
  bench: BenchDevice,
  settings: Settings,
): Promise<void> {
  const { quick, samples, toggles, record } = settings;
  const size = quick ? 256 : 4096;
  const problem = matmulProblem(bench, size);
  const choices: Partial<Choices>[] = [8, 16].flatMap((kPiece) =>
    [2, 4, 8].flatMap((unroll) =>
      ([1, 2] as const).flatMap((buffers) =>
        [0, 64].map((prefetchWords) => ({ kPiece, unroll, buffers, prefetchWords })),
      ),
    ),
  );
  for (const config of MATMUL_CONFIGS.slice(0, quick ? 1 : 3)) {
    for (const choice of choices) {
      const launch = matmul(size, config);
      const { target } = bench.opened;
      const request = requestOf(frontend, matmulText, launch, target, settings.checks[0] ?? true);
      const kernel = compileWith(frontend, request, choice);
      poison(bench, problem.bufferC);
      const buffers = [problem.bufferA, problem.bufferB, problem.bufferC];
      const measured = await bench.measure(
        [await prepare(bench, kernel, launch, buffers)],
        samples,
      );
      record({
        name: `${config.slice(0, 3).join('×')} ${JSON.stringify(choice)}`,
        toggles,
        ...rate(2 * size ** 3, measured, 'flops'),
        error: await matmulError(bench, problem),
      });
    }
  }
}

function softmaxOf(matrix: Float32Array, columns: number): Float32Array {
  const out = new Float32Array(matrix.length);
  for (let start = 0; start < matrix.length; start += columns) {
    const row = matrix.subarray(start, start + columns);
    const max = row.reduce((a, b) => Math.max(a, b), -Infinity);
    let sum = 0;
    for (const value of row) sum += Math.exp(value - max);
    for (let i = 0; i < columns; i++) out[start + i] = Math.exp((row[i] ?? NaN) - max) / sum;
  }
  return out;
}

/** NaN where an element was never written. */
function largestDifference(actual: Float32Array, expected: Float32Array): number {
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs((actual[i] ?? NaN) - (expected[i] ?? NaN));
    if (!(difference <= worst)) worst = difference;
    if (Number.isNaN(worst)) return NaN;
  }
  return worst;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * share)] ?? NaN;
}
