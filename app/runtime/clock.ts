/**
 * The GPU's clock. Timestamps are quantized by browsers (65,536 ns in stock Chromium), so the step
 * is measured once for a device, and every time is reported with it.
 */
import type { Timing } from '../timing';

/**
 * Nanoseconds: browsers cut `performance.now()` to 5 µs where the page is isolated, to 100 µs
 * elsewhere.
 */
export const CPU_QUANTUM = 100_000;

/** Nanoseconds between two ticks that a clock can measure. */
export async function measureQuantum(device: GPUDevice): Promise<number> {
  const passes = 12;
  const queries = device.createQuerySet({ type: 'timestamp', count: passes * 2 });
  const bytes = passes * 16;
  const resolved = device.createBuffer({
    size: bytes,
    usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
  });
  const staging = device.createBuffer({
    size: bytes,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  for (let i = 0; i < passes; i++) {
    encoder
      .beginComputePass({
        timestampWrites: {
          querySet: queries,
          beginningOfPassWriteIndex: 2 * i,
          endOfPassWriteIndex: 2 * i + 1,
        },
      })
      .end();
  }
  encoder.resolveQuerySet(queries, 0, passes * 2, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, staging, 0, bytes);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const ticks = new BigUint64Array(staging.getMappedRange().slice(0));
  staging.unmap();
  staging.destroy();
  resolved.destroy();
  queries.destroy();
  return quantumOf([...ticks]);
}

/** Dawn's quantization: timestamps are cut to multiples of it. */
const DAWN_QUANTUM = 65_536;

/** The step of a clock with these readings (nanoseconds), at least 1. */
export function quantumOf(ticks: readonly bigint[]): number {
  const reported = ticks.filter((tick) => tick !== 0n);
  if (reported.length === 0) return 1;
  if (reported.every((tick) => tick % BigInt(DAWN_QUANTUM) === 0n)) return DAWN_QUANTUM;
  let divisor = 0n;
  for (let tick of reported) {
    while (tick !== 0n) [divisor, tick] = [tick, divisor % tick];
  }
  // Equal readings share a huge divisor that says nothing of the step.
  return divisor > 1_000_000n ? 1 : Number(divisor);
}

/** One launch's time; `together`: how many shared it. */
export function timingOfOne(nanoseconds: number, quantum: number, together: number): Timing {
  const time = nanoseconds / 1000;
  const timing = { median: time, low: time, high: time, samples: 1, quantum: quantum / 1000 };
  // The clock's step is shared, too.
  return together > 1
    ? { clock: 'gpu', ...timing, quantum: timing.quantum / together, together }
    : { clock: 'gpu', ...timing };
}

/** Nanoseconds of samples → microseconds, with their spread. */
export function timingOf(
  samples: readonly number[],
  clock: Timing['clock'],
  quantum: number,
): Timing {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (fraction: number): number => {
    if (sorted.length === 0) return 0;
    const position = (sorted.length - 1) * fraction;
    const low = sorted[Math.floor(position)] ?? 0;
    const high = sorted[Math.ceil(position)] ?? 0;
    return (low + (high - low) * (position % 1)) / 1000;
  };
  return {
    clock,
    median: at(0.5),
    low: at(0.1),
    high: at(0.9),
    samples: sorted.length,
    quantum: quantum / 1000,
  };
}
