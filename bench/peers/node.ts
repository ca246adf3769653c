/**
 * The peers in Node: what they ask a browser for is set to Dawn's instance, before their modules
 * are read, because TensorFlow.js requests WebGPU at once. A process has one set of peers: each
 * opens one device for itself and keeps it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { ORT_WASM, PACKED_ORT } from './ortWasm';
import type { Peer } from './peer';

/** `folders`: where ONNX Runtime's WebAssembly may lie, as it is or packed. */
export async function peersInNode(
  gpu: GPU,
  device: GPUDevice,
  folders: readonly string[],
): Promise<Peer[]> {
  poseAsBrowser(gpu);
  copyWhatIsShared(device.queue);
  const { tensorflow } = await import('./tfjs');
  const { onnxRuntime } = await import('./onnxruntime');
  const { jaxJs } = await import('./jax');
  const wasm = ortWasm(folders);
  const missing: Peer = {
    name: 'onnxruntime-web',
    prepare: () =>
      Promise.reject(
        new Error(`there is no ${ORT_WASM} (nor ${PACKED_ORT}) in ${folders.join(', ')}`),
      ),
  };
  return [tensorflow, wasm ? onnxRuntime(wasm) : missing, jaxJs];
}

function poseAsBrowser(gpu: GPU): void {
  const { userAgent, hardwareConcurrency } = globalThis.navigator;
  const value = { gpu, userAgent, hardwareConcurrency };
  Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
}

/**
 * Dawn's module for Node refuses data in shared memory ("Invalid argument"), where ONNX Runtime's
 * WebAssembly has all of its own; browsers take it.
 */
function copyWhatIsShared(queue: GPUQueue): void {
  const prototype = Object.getPrototypeOf(queue) as GPUQueue;
  const write = Object.getOwnPropertyDescriptor(prototype, 'writeBuffer')!.value as (
    this: GPUQueue,
    buffer: GPUBuffer,
    offset: number,
    data: Uint8Array,
    ...rest: number[]
  ) => undefined;
  prototype.writeBuffer = function (this: GPUQueue, buffer, offset, data, ...rest: number[]) {
    const shared = ArrayBuffer.isView(data) && !(data.buffer instanceof ArrayBuffer);
    const own = shared ? (data as Uint8Array).slice() : (data as Uint8Array);
    return write.call(this, buffer, offset, own, ...rest);
  };
}

function ortWasm(folders: readonly string[]): Uint8Array | null {
  for (const folder of folders) {
    const plain = join(folder, ORT_WASM);
    if (existsSync(plain)) return readFileSync(plain);
    const packed = join(folder, PACKED_ORT);
    if (existsSync(packed)) return brotliDecompressSync(readFileSync(packed));
  }
  return null;
}
