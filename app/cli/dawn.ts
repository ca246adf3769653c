/**
 * Opens Dawn's WebGPU in Node: the same engine as Chromium's, for the headless runner, benchmarks
 * and tests. The module is the npm package `webgpu`, or the native module that `DAWN_NODE` names.
 *
 * The instance that `create` returns stays in a global for the life of the process: Dawn crashes
 * when the garbage collector takes it. `findSoftwareAdapter` points Vulkan to a software driver; it
 * must run before the first `openDawn` of the process, because the Vulkan loader reads its
 * environment once.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import type { Target } from '../../compiler/target';
import { probeDevice } from '../runtime/gpu/probes';
import { deviceDescriptor, targetOf } from '../runtime/gpu/target';
import { beginWait, pollPatiently } from './patientPolling';
import { chromiumFolders, ensureVulkanLoader } from './vulkanLoader';

/** Exports of the native module. */
interface DawnModule {
  create(options: string[]): GPU;
  globals: object;
}

export interface DawnOptions {
  /** Dawn toggles to turn on: 'allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia' … */
  readonly enable?: readonly string[];
  /** Dawn toggles to turn off: 'timestamp_quantization' … */
  readonly disable?: readonly string[];
  /** 'vulkan', 'metal', 'd3d12', 'null' …; Dawn chooses where it is missing. */
  readonly backend?: string;
  readonly powerPreference?: GPUPowerPreference;
}

export interface OpenedDevice {
  readonly gpu: GPU;
  readonly adapter: GPUAdapter;
  readonly device: GPUDevice;
  readonly target: Target;
}

/** Instances by their options; global so that no garbage collection reaches them. */
const KEEP = Symbol.for('hippocamp.dawn');
type Keeper = typeof globalThis & { [KEEP]?: Map<string, Promise<GPU>> };

export async function loadDawn(): Promise<DawnModule> {
  const native = process.env['DAWN_NODE'];
  if (native) return createRequire(import.meta.url)(native) as DawnModule;
  return (await import('webgpu')) as unknown as DawnModule;
}

/** The `GPU` object with these toggles; one a process for each set of options. */
export async function dawnInstance(options: DawnOptions = {}): Promise<GPU> {
  const flags = [
    ...(options.backend ? [`backend=${options.backend}`] : []),
    ...(options.enable?.length ? [`enable-dawn-features=${options.enable.join(',')}`] : []),
    ...(options.disable?.length ? [`disable-dawn-features=${options.disable.join(',')}`] : []),
  ];
  const instances = ((globalThis as Keeper)[KEEP] ??= new Map<string, Promise<GPU>>());
  const key = flags.join(' ');
  // Entered before it is made: of two that were made at once, one would be collected.
  let gpu = instances.get(key);
  if (!gpu) instances.set(key, (gpu = createInstance(flags)));
  return gpu;
}

async function createInstance(flags: string[]): Promise<GPU> {
  const dawn = await loadDawn();
  ensureVulkanLoader();
  pollPatiently();
  // The WebGPU constants (GPUBufferUsage …) that browsers have as globals.
  Object.assign(globalThis, dawn.globals);
  noteWaits(GPUBuffer.prototype, 'mapAsync');
  noteWaits(GPUQueue.prototype, 'onSubmittedWorkDone');
  return dawn.create(flags);
}

const NOTED = Symbol('noted');

/** Makes a method begin a wait (`beginWait`), once. */
function noteWaits<Name extends string>(
  prototype: Record<Name, (...given: never[]) => unknown>,
  name: Name,
): void {
  const method = prototype[name];
  if (NOTED in method) return;
  const noted = function (this: unknown, ...given: never[]): unknown {
    const answer = method.apply(this, given);
    beginWait();
    return answer;
  };
  prototype[name] = Object.assign(noted, { [NOTED]: true });
}

/**
 * An adapter, a device with all of its limits and useful features, and the target to compile for.
 */
export async function openDawn(options: DawnOptions = {}): Promise<OpenedDevice> {
  const gpu = await dawnInstance(options);
  const adapter = await gpu.requestAdapter(
    options.powerPreference ? { powerPreference: options.powerPreference } : {},
  );
  if (!adapter) throw new Error('Dawn finds no WebGPU adapter on this machine');
  const device = await adapter.requestDevice(deviceDescriptor(adapter));
  // The null backend computes nothing.
  const facts = options.backend === 'null' ? {} : await probeDevice(device);
  const target = { ...targetOf(adapter.info, device), ...facts };
  return { gpu, adapter, device, target };
}

export type SoftwareAdapter =
  | { readonly kind: 'found'; readonly icd: string }
  /** There is none; tests that need a GPU must say `reason` aloud. */
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * Makes the next `openDawn` of this process use a software Vulkan driver: the one that
 * VK_ICD_FILENAMES already names, else SwiftShader as it comes with Chromium.
 */
export function findSoftwareAdapter(): SoftwareAdapter {
  const given = process.env['VK_ICD_FILENAMES'];
  if (given) {
    if (existsSync(given)) return { kind: 'found', icd: given };
    return { kind: 'missing', reason: `VK_ICD_FILENAMES names ${given}, which does not exist` };
  }
  if (!ensureVulkanLoader()) {
    return {
      kind: 'missing',
      reason:
        'no Vulkan loader (libvulkan.so.1), neither of the system nor beside a Chromium. ' +
        'For a GPU install it (apt install libvulkan1, dnf install vulkan-loader, pacman -S vulkan-icd-loader); ' +
        'without one install a Chromium, which brings it and a software adapter ' +
        '(apt install chromium, npx playwright install chromium), or name one in CHROMIUM',
    };
  }
  for (const folder of chromiumFolders()) {
    const icd = join(folder, 'vk_swiftshader_icd.json');
    if (!existsSync(icd)) continue;
    process.env['VK_ICD_FILENAMES'] = icd;
    process.env['XDG_RUNTIME_DIR'] ??= '/tmp';
    return { kind: 'found', icd };
  }
  return {
    kind: 'missing',
    reason:
      'no vk_swiftshader_icd.json beside a Chromium. Install one ' +
      '(apt install chromium, npx playwright install chromium), or set CHROMIUM or VK_ICD_FILENAMES',
  };
}
