/**
 * Opens a device on a WebGPU adapter: all limits and features of use, the target, the clock's step.
 * Says why where there is none, in words for the page.
 */
import { machineOf, type Target } from '../../../compiler/target';
import type { AdapterInfo } from '../../events';
import { measureQuantum } from '../clock';
import { probeDevice } from './probes';
import { adapterName } from './adapterName';
import { isLoss } from './submissions';
import { deviceDescriptor, targetOf } from './target';

export interface GpuDevice {
  readonly device: GPUDevice;
  readonly info: AdapterInfo;
  readonly target: Target;
  /** Nanoseconds; null without timestamps. */
  readonly quantum: number | null;
}

export type OpenedGpu =
  { readonly ok: true; readonly gpu: GpuDevice } | { readonly ok: false; readonly reason: string };

/** Devices that may be lost while they are opened, before another one is not tried. */
const MOST_LOST = 2;

/** @param gpu `navigator.gpu`, or Dawn's; undefined where there is no WebGPU. */
export async function openGpu(gpu: GPU | undefined): Promise<OpenedGpu> {
  if (!gpu) return { ok: false, reason: 'this browser has no WebGPU' };
  for (let left = MOST_LOST; ; left--) {
    const opened = await openOnce(gpu);
    if (opened !== 'lost') return opened;
    if (left === 0) return { ok: false, reason: `WebGPU lost ${MOST_LOST + 1} devices in a row` };
  }
}

/** @returns `lost` where the device was lost before it was open: another adapter has another. */
async function openOnce(gpu: GPU): Promise<OpenedGpu | 'lost'> {
  let adapter: GPUAdapter | null = null;
  try {
    adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  } catch (error) {
    return { ok: false, reason: `WebGPU failed: ${String(error)}` };
  }
  if (!adapter) return { ok: false, reason: 'WebGPU found no adapter on this machine' };
  let device: GPUDevice | null = null;
  let lost = false;
  try {
    device = await adapter.requestDevice(deviceDescriptor(adapter));
    void device.lost.then(() => (lost = true));
    const opened = await tryDevice(adapter, device);
    // Results of probes on a device that is gone say nothing of the next one.
    return lost ? 'lost' : { ok: true, gpu: opened };
  } catch (error) {
    if (device && (await isLoss(device))) return 'lost';
    return { ok: false, reason: `${adapterName(adapter.info)} gave no device: ${String(error)}` };
  }
}

async function tryDevice(adapter: GPUAdapter, device: GPUDevice): Promise<GpuDevice> {
  const timestamps = device.features.has('timestamp-query');
  const target = { ...targetOf(adapter.info, device), ...(await probeDevice(device)) };
  const info: AdapterInfo = {
    kind: 'webgpu',
    name: adapterName(adapter.info),
    vendor: adapter.info.vendor,
    architecture: adapter.info.architecture,
    reason: null,
    ...(machineOf(target).computesOn === 'cpu' ? { onCpu: true } : {}),
    ...(target.flushesDenormals ? { flushesDenormals: true } : {}),
  };
  return {
    device,
    info,
    target,
    quantum: timestamps ? await measureQuantum(device) : null,
  };
}
