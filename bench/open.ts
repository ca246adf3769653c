/** Opens Dawn in Node for the benchmark. */
import { openDawn } from '../app/cli/dawn';
import { measureQuantum } from '../app/runtime/clock';
import { BenchDevice } from './device';
import { computesOnCpu } from './work';

/** Choices of Dawn's toggles. The figures that count are the default ones. */
export const TOGGLES = {
  /** Toggles of a browser, but for the clock. */
  default: { disable: ['timestamp_quantization'], enable: [] },
  /** As in a browser that lets f16 and subgroup matrices through, which Dawn hides on NVIDIA. */
  halves: {
    disable: ['timestamp_quantization'],
    enable: ['allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia'],
  },
  /** Without the bounds checks that WebGPU puts into shaders, and with f16 where Dawn hides it. */
  trusted: {
    disable: ['timestamp_quantization'],
    enable: ['allow_unsafe_apis', 'disable_robustness', 'vulkan_enable_f16_on_nvidia'],
  },
} as const;
export type ToggleChoice = keyof typeof TOGGLES;

/** Seconds of work before samples, on hardware. */
const WARM_SECONDS = 0.5;

export async function openBenchDevice(choice: ToggleChoice, quick: boolean): Promise<BenchDevice> {
  const { device, target } = await openDawn(TOGGLES[choice]);
  device.addEventListener('uncapturederror', (event) => {
    console.error(`WebGPU: ${event.error.message}`);
    process.exitCode = 1;
  });
  const software = computesOnCpu(target);
  const warm = quick || software ? 0 : WARM_SECONDS;
  const busy = software ? () => Promise.resolve(ownSeconds()) : undefined;
  return new BenchDevice(device, target, await measureQuantum(device), warm, busy);
}

/** Seconds of CPU of this process, whose threads a software adapter's are. */
export function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e-6;
}
