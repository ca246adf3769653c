/** A device report from Dawn in Node. */
import { dawnInstance } from '../app/cli/dawn';
import { openGpu } from '../app/runtime/gpu/gpuDevice';
import { reportDevice, type ReportOptions } from './deviceReport';
import type { DeviceReport } from './deviceText';
import type { Frontend } from './frontend';
import { ownSeconds, TOGGLES, type ToggleChoice } from './open';
import { computesOnCpu } from './work';

/** @throws where there is no device. */
export async function nodeReport(
  frontend: Frontend,
  toggles: ToggleChoice,
  { seed, rounds, say }: Pick<ReportOptions, 'seed' | 'rounds' | 'say'>,
): Promise<DeviceReport> {
  const instance = await dawnInstance(TOGGLES[toggles]);
  const opened = await openGpu(instance);
  const adapter = await instance.requestAdapter({ powerPreference: 'high-performance' });
  if (!opened.ok) throw new Error(opened.reason);
  if (!adapter) throw new Error('WebGPU found no adapter on this machine');
  return reportDevice(frontend, opened.gpu, adapter, {
    where: 'dawn',
    agent: `Dawn in Node ${process.version}, ${process.platform} ${process.arch}`,
    seed,
    rounds,
    say,
    ...(computesOnCpu(opened.gpu.target) ? { busy: () => Promise.resolve(ownSeconds()) } : {}),
    progress: ({ rows, failures }, done, total) =>
      say(`${done} of ${total}: ${rows.length} rows, ${failures.length} failures`),
  });
}
