/**
 * Buffers shared with other libraries, without a copy: `hippocamp/runtime` on the library's own
 * device reads the buffer that the library wrote, and the library reads one that a kernel wrote.
 * TensorFlow.js is a worked example of docs/package.md.
 */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { dawnInstance, findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import { nodeParser } from '../../app/cli/nodeParser';
import { openProgram } from '../../app/library/compile';
import { createRuntime } from '../../app/library/runtime';
import { FILES } from '../../app/library/testing';
import type { Program, Runtime, Tensor } from '../../app/library/types';
import { peersInNode } from './node';
import { onnxModel } from './onnx';
import { ORT_FOLDER } from './ortWasm';

const ROOT = join(import.meta.dirname, '..', '..');
const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);
const withGpu = it.skipIf(software.kind === 'missing');

let program: Program;
beforeAll(async () => {
  if (software.kind === 'missing') return;
  program = openProgram(FILES.get('kernels.py')!.text, await nodeParser(ROOT));
  const { device } = await openDawn();
  const peers = await peersInNode(await dawnInstance(), device, [join(ROOT, ORT_FOLDER)]);
  // The peers load their WebAssembly with the first work.
  const values = [new Float32Array(4), new Float32Array(4)];
  for (const peer of peers.slice(1)) await peer.prepare({ kind: 'vector add', n: 4 }, values);
});

/** A buffer of four floats and itself, added by a kernel. */
async function doubled(runtime: Runtime, buffer: GPUBuffer): Promise<Tensor> {
  const kernel = await runtime.load(program.compile('add_kernel', { target: runtime.target }));
  const out = runtime.tensor({ shape: [4], dtype: 'float32' });
  kernel.launch([1], { x_ptr: buffer, y_ptr: buffer, out_ptr: out, n: 4 });
  return out;
}

withGpu('reads an array of jax-js where it lies', async () => {
  const { getWebGPUDevice, numpy } = await import('@jax-js/jax');
  const runtime = await createRuntime(getWebGPUDevice());
  const array = numpy.array([1, 2, 3, 4]).mul(3);
  const out = await doubled(runtime, await array.gpuBuffer());
  expect([...new Float32Array(await runtime.read(out))]).toEqual([6, 12, 18, 24]);
});

withGpu('reads a tensor of ONNX Runtime, which reads one of ours', async () => {
  const ort = await import('onnxruntime-web/webgpu');
  const runtime = await createRuntime(await ort.env.webgpu.device);
  const inputs = ['x', 'y'].map((name) => ({ name, shape: [4] }));
  const model = onnxModel({ op: 'Add', type: 'f32', inputs, output: [4] });
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['webgpu'],
    preferredOutputLocation: 'gpu-buffer',
  });
  const x = runtime.tensor({ data: new Float32Array([1, 2, 3, 4]) });
  const ours = await doubled(runtime, x.buffer);
  const options = { dataType: 'float32', dims: [4] } as const;
  const tensor = ort.Tensor.fromGpuBuffer(ours.buffer, options);
  const { out } = await session.run({ x: tensor, y: tensor });
  expect([...new Float32Array(await runtime.read(ours))]).toEqual([2, 4, 6, 8]);
  const again = await doubled(runtime, out!.gpuBuffer as GPUBuffer);
  expect([...new Float32Array(await runtime.read(again))]).toEqual([8, 16, 24, 32]);
});
