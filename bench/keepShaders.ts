/**
 * `--shaders`: keeps the WGSL that everybody hands to Dawn in this process, ours and the peers'.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * From now on, every shader that anybody makes in this process is written to the folder: who is
 * faster, and why?
 */
export function keepShaders(device: GPUDevice, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const prototype = Object.getPrototypeOf(device) as GPUDevice;
  const create = Object.getOwnPropertyDescriptor(prototype, 'createShaderModule')!.value as (
    this: GPUDevice,
    asked: GPUShaderModuleDescriptor,
  ) => GPUShaderModule;
  const kept = new Set<string>();
  prototype.createShaderModule = function (this: GPUDevice, asked) {
    if (!kept.has(asked.code)) {
      kept.add(asked.code);
      const name = `${String(kept.size).padStart(3, '0')} ${asked.label ?? ''}`.trim();
      writeFileSync(join(folder, `${name.replace(/[^\w.-]+/g, '_')}.wgsl`), asked.code);
    }
    return create.call(this, asked);
  };
}
