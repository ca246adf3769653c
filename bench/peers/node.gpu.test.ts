/** The peers in Node: each computes on the adapter that ours computes on. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { dawnInstance, findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { Floats } from '../work';
import { peersInNode } from './node';
import { ORT_FOLDER } from './ortWasm';
import type { Peer, Shape } from './peer';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);
const withGpu = it.skipIf(software.kind === 'missing');

const SIZE = 16;
const shape: Shape = { kind: 'matmul', type: 'f32', m: SIZE, n: SIZE, k: SIZE };
const made = (f: (row: number, column: number) => number): Floats =>
  Float32Array.from({ length: SIZE * SIZE }, (_, i) => f(Math.floor(i / SIZE), i % SIZE));
// A matrix that moves every row up by one, so that no operand passes for the product.
const shift = made((row, column) => (column === (row + 1) % SIZE ? 1 : 0));
const numbers = made((row, column) => row * 100 + column);
const expected = made((row, column) => ((row + 1) % SIZE) * 100 + column);

let device: GPUDevice;
let peers: readonly Peer[] = [];
beforeAll(async () => {
  if (software.kind === 'missing') return;
  ({ device } = await openDawn());
  const folders = [
    join(import.meta.dirname, 'no-such-folder'),
    join(import.meta.dirname, '..', '..', ORT_FOLDER),
  ];
  peers = await peersInNode(await dawnInstance(), device, folders);
});

for (const name of ['tfjs', 'onnxruntime-web', 'jax-js'])
  withGpu(`${name} multiplies matrices in Dawn, twice`, async () => {
    const peer = peers.find((each) => each.name === name)!;
    // The second job meets what the first one released.
    for (let turn = 0; turn < 2; turn++) {
      const job = (await peer.prepare(shape, [shift, numbers]))!;
      expect([...(await job.result())]).toEqual([...expected]);
      expect(job.device.adapterInfo.device).toBe(device.adapterInfo.device);
      expect(await job.wall(3)).toBeGreaterThan(0);
      job.release();
    }
  });

withGpu('what a peer has no tensors for it does not pretend to do', async () => {
  for (const peer of peers)
    expect(await peer.prepare({ ...shape, type: 'i8' }, [shift, numbers])).toBeNull();
});

withGpu('where its WebAssembly is missing, ONNX Runtime says where it was looked for', async () => {
  const [, onnx] = await peersInNode(await dawnInstance(), device, ['/nowhere']);
  await expect(onnx!.prepare(shape, [shift, numbers])).rejects.toThrow(/asyncify\.wasm.*\/nowhere/);
});
