/**
 * The engine in Node: Dawn on the machine's GPU, else on the software adapter that comes with
 * Chromium, else the interpreter. VK_ICD_FILENAMES, where it is set, decides alone. A note names an
 * adapter only once it is open.
 */
import { hasGpuDevice } from './gpuDevices';
import process from 'node:process';
import type { RunOptions } from '../events';
import type { Engine, EngineEvents } from '../runtime/engine';
import { openGpu } from '../runtime/gpu/gpuDevice';
import { GpuEngine } from '../runtime/gpu/gpuEngine';
import { InterpreterEngine } from '../runtime/interpreterEngine';
import { computesOnCpu } from '../runtime/limits';
import { dawnInstance, findSoftwareAdapter } from './dawn';
import { pollForHardware } from './patientPolling';

/** Whether the Vulkan loader could find a hardware driver; other systems always may. */
function mayHaveHardware(): boolean {
  if (process.platform !== 'linux') return true;
  return hasGpuDevice();
}

export async function openNodeEngine(
  kind: RunOptions['adapter'],
  events: EngineEvents,
  note: (text: string) => void,
  shouldStop?: () => boolean,
): Promise<Engine> {
  if (kind === 'interpreter') return new InterpreterEngine(null, events, shouldStop);
  const chosen = process.env['VK_ICD_FILENAMES'] !== undefined;
  const hardware = chosen || mayHaveHardware() ? await openDawnGpu() : null;
  if (hardware?.ok) {
    if (!computesOnCpu(hardware.gpu.info)) pollForHardware();
    return new GpuEngine(hardware.gpu, events);
  }
  if (chosen && hardware) return withoutGpu(hardware.reason, events, note);
  // A device without a driver is as good as none: virtual machines have such.
  const software = findSoftwareAdapter();
  if (software.kind === 'missing') return withoutGpu(software.reason, events, note);
  const opened = await openDawnGpu('vulkan');
  if (!opened.ok) return withoutGpu(opened.reason, events, note);
  const engine = new GpuEngine(opened.gpu, events);
  note(`No GPU on this machine: running on ${engine.info.name}, a software adapter.`);
  return engine;
}

function withoutGpu(reason: string, events: EngineEvents, note: (text: string) => void): Engine {
  note(`Running on the interpreter: ${reason}.`);
  return new InterpreterEngine(reason, events);
}

/** `backend`: another one than before makes Dawn look for adapters again. */
async function openDawnGpu(backend?: string): ReturnType<typeof openGpu> {
  try {
    // Nanoseconds: nobody needs to be kept from measuring on their own machine.
    const options = { disable: ['timestamp_quantization'], ...(backend ? { backend } : {}) };
    return await openGpu(await dawnInstance(options));
  } catch (error) {
    return { ok: false, reason: `Dawn cannot be loaded: ${String(error)}` };
  }
}
