/**
 * A report on one device, to paste into an issue: adapter, features, limits, what the compiler
 * takes it for, its measured roofs, and the benchmark's quick rows against hand-written WGSL. For a
 * page and for Node; `deviceText.ts` has its form.
 *
 * Guarantees: a row is there only where both sides' results were right; what failed says so; a
 * report that was stopped has what was measured until then, and says that it was stopped.
 */
import { COMPILER_VERSION } from '../app/runtime/compilerVersion';
import { calibrate } from '../app/runtime/gpu/calibration';
import type { GpuDevice } from '../app/runtime/gpu/gpuDevice';
import { compareWork } from './compare';
import { BenchDevice } from './device';
import type { Frontend } from './frontend';
import { DEVICE_REPORT_VERSION, type DeviceReport } from './deviceText';
import type { Row } from './report';
import { works } from './works';

export interface ReportOptions {
  readonly where: DeviceReport['where'];
  readonly agent: string;
  readonly seed: number;
  /** Samples of each side. */
  readonly rounds: number;
  /** For a software adapter: seconds of CPU of the processes that compute (`BenchDevice`). */
  readonly busy?: () => Promise<number>;
  readonly say: (text: string) => void;
  /** Called with the report so far, after each step. */
  readonly progress: (report: DeviceReport, done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** @throws where the device is lost; all else is a line of the report. */
export async function reportDevice(
  frontend: Frontend,
  gpu: GpuDevice,
  adapter: GPUAdapter,
  options: ReportOptions,
): Promise<DeviceReport> {
  const { where, agent, seed, rounds, signal, say } = options;
  const { device, target, quantum } = gpu;
  const { vendor, architecture, device: name, description } = adapter.info;
  let report: DeviceReport = {
    version: DEVICE_REPORT_VERSION,
    date: new Date().toISOString().slice(0, 10),
    compiler: COMPILER_VERSION,
    where,
    agent,
    adapter: { vendor, architecture, device: name, description },
    features: [...adapter.features].sort(),
    limits: limitsOf(adapter.limits),
    target,
    quantum,
    roofs: null,
    rows: [],
    failures: [],
    stopped: false,
  };
  const all = quantum === null ? [] : works(target, true, seed, false);
  let done = 0;
  const step = (change: Partial<DeviceReport>): void => {
    report = { ...report, ...change };
    options.progress(report, done, all.length + 1);
  };
  const failed = (text: string): void => step({ failures: [...report.failures, text] });
  step({});
  const measured = await calibrate(gpu);
  done++;
  if (measured) {
    const { bytesPerSecond, f32PerSecond, f16PerSecond } = measured;
    step({ roofs: { bytesPerSecond, f32PerSecond, f16PerSecond } });
  } else failed('the roofs: the device has no timestamps, or they are all 0');
  const bench = new BenchDevice(device, target, quantum ?? 0, 0, options.busy);
  const settings = {
    rounds,
    checkBounds: true,
    wgsl: true,
    peers: [],
    where,
    toggles: 'default',
    record: (row: Row) => step({ rows: [...report.rows, row] }),
    say,
  };
  for (const { name: work, make } of all) {
    if (signal?.aborted) {
      step({ stopped: true });
      break;
    }
    try {
      await compareWork(frontend, bench, make(), settings);
    } catch (error) {
      failed(`${work}: ${error instanceof Error ? error.message : String(error)}`);
    }
    done++;
    step({});
  }
  return report;
}

function limitsOf(limits: GPUSupportedLimits): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name in limits) {
    const value = (limits as unknown as Record<string, unknown>)[name];
    if (typeof value === 'number') found[name] = value;
  }
  return found;
}
