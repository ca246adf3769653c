/**
 * The engine in Node: Dawn on the machine's GPU, else on the software adapter that comes with Chromium
 * (and says so), else the interpreter. VK_ICD_FILENAMES, where it is set, decides alone.
 */
import { existsSync } from 'node:fs';
import type { RunOptions } from '../events';
import type { Engine, EngineEvents } from '../runtime/engine';
import { openGpu } from '../runtime/gpu/gpuDevice';
import { GpuEngine } from '../runtime/gpu/gpuEngine';
import { InterpreterEngine } from '../runtime/interpreterEngine';
import { dawnInstance, findSoftwareAdapter } from './dawn';

/** Whether the Vulkan loader could find a hardware driver; other systems always may. */
function mayHaveHardware(): boolean {
  if (process.platform !== 'linux') return true;
  return ['/dev/dri', '/dev/nvidia0', '/dev/dxg', '/dev/kfd'].some((path) => existsSync(path));
}

export async function openNodeEngine(
  kind: RunOptions['adapter'],
  events: EngineEvents,
  note: (text: string) => void,
): Promise<Engine> {
  if (kind === 'interpreter') return new InterpreterEngine(null, events);
  if (!process.env['VK_ICD_FILENAMES'] && !mayHaveHardware()) {
    // The loader reads its environment once in a process, so this is decided before the first try.
    const software = findSoftwareAdapter();
    note(
      software.kind === 'found'
        ? 'No GPU on this machine: running on SwiftShader, a software adapter.'
        : `No GPU on this machine, and no software adapter: ${software.reason}`,
    );
  }
  const opened = await openDawnGpu();
  if (opened.ok) return new GpuEngine(opened.gpu, events);
  note(`Running on the interpreter: ${opened.reason}.`);
  return new InterpreterEngine(opened.reason, events);
}

async function openDawnGpu(): ReturnType<typeof openGpu> {
  try {
    // Nanoseconds: nobody needs to be kept from measuring on their own machine.
    return await openGpu(await dawnInstance({ disable: ['timestamp_quantization'] }));
  } catch (error) {
    return { ok: false, reason: `Dawn cannot be loaded: ${String(error)}` };
  }
}
