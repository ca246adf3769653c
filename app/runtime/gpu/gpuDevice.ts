/**
 * Opens a device on a WebGPU adapter: all limits and features of use, the target, the clock's step.
 * Says why where there is none, in words for the page.
 */
import { machineOf, type Target } from '../../../compiler/target';
import type { AdapterInfo } from '../../events';
import { measureQuantum } from '../clock';
import { probeDevice } from './probes';
import { adapterName } from './adapterName';
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

/** @param gpu `navigator.gpu`, or Dawn's; undefined where there is no WebGPU. */
export async function openGpu(gpu: GPU | undefined): Promise<OpenedGpu> {
  if (!gpu) return { ok: false, reason: 'this browser has no WebGPU' };
  let adapter: GPUAdapter | null = null;
  try {
    adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  } catch (error) {
    return { ok: false, reason: `WebGPU failed: ${String(error)}` };
  }
  if (!adapter) return { ok: false, reason: 'WebGPU found no adapter on this machine' };
  try {
    return { ok: true, gpu: await openAdapter(adapter) };
  } catch (error) {
    return { ok: false, reason: `${adapterName(adapter.info)} gave no device: ${String(error)}` };
  }
}

async function openAdapter(adapter: GPUAdapter): Promise<GpuDevice> {
  const device = await adapter.requestDevice(deviceDescriptor(adapter));
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
