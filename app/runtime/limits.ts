/**
 * Limits of a run where its options leave them to the adapter. The page, the command line and the
 * tests all take these, so that a program does the same everywhere. A software adapter computes on
 * the CPU, a thousand times slower than a GPU: charts meant for a data centre's GPU would take
 * hours there.
 */
import type { AdapterInfo, RunOptions } from '../events';

const MIB = 2 ** 20;
/** Bytes of the largest tensor: on a CPU, and on a GPU. */
const CPU_BYTES = 512 * MIB;
const GPU_BYTES = 1024 * MIB;
/**
 * All tensors of a run on a CPU may have so many times what one may: their memory is the computer's
 * own, which a program without end would take for a minute until it is gone.
 */
const CPU_TENSORS = 8;
/**
 * Seconds that one chart of `perf_report` may take on a CPU, and that one line computed on it may.
 */
const CPU_CHART_SECONDS = 40;
const GPU_CHART_SECONDS = 120;
/** Seconds for tuning one kernel on a CPU, whose driver takes seconds to compile a large tile. */
const CPU_TUNE_SECONDS = 10;

/** Whether launches on this adapter, or without one, compute on the CPU. */
export function computesOnCpu(adapter: AdapterInfo | null): boolean {
  return !adapter || adapter.kind === 'interpreter' || adapter.onCpu === true;
}

/** The most bytes that a tensor may have by default. */
export function defaultMaxBytes(adapter: AdapterInfo | null): number {
  return computesOnCpu(adapter) ? CPU_BYTES : GPU_BYTES;
}

/** The most bytes that all tensors may have; on a GPU its driver says when memory is gone. */
export function maxTotalBytes(maxBytes: number, adapter: AdapterInfo | null): number {
  return computesOnCpu(adapter) ? CPU_TENSORS * maxBytes : Infinity;
}

/** Options with nothing left open. Seconds are Infinity where there is no limit. */
export type ResolvedOptions = Omit<RunOptions, 'maxBytes' | 'chartSeconds' | 'tuneSeconds'> & {
  readonly maxBytes: number;
  readonly chartSeconds: number;
  readonly tuneSeconds: number;
};

export function resolveOptions(options: RunOptions, adapter: AdapterInfo): ResolvedOptions {
  const onCpu = computesOnCpu(adapter);
  const seconds = (asked: number | undefined, automatic: number): number =>
    asked === 0 ? Infinity : (asked ?? automatic);
  return {
    ...options,
    maxBytes: options.maxBytes ?? defaultMaxBytes(adapter),
    chartSeconds: seconds(options.chartSeconds, onCpu ? CPU_CHART_SECONDS : GPU_CHART_SECONDS),
    tuneSeconds: seconds(options.tuneSeconds, onCpu ? CPU_TUNE_SECONDS : Infinity),
  };
}
