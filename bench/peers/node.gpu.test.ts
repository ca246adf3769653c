/** The peers in Node: each computes on the adapter that ours computes on. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { dawnInstance, findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { Floats } from '../work';
import { gpuSeconds } from './gpuTime';
import { peersInNode } from './node';
import { ORT_FOLDER } from './ortWasm';
import type { Job, Peer, Shape } from './peer';

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
      const [job] = (await peer.prepare(shape, [shift, numbers])) as [Job];
      expect([...(await job.result())]).toEqual([...expected]);
      expect(job.device.adapterInfo.device).toBe(device.adapterInfo.device);
      expect(await job.wall(3)).toBeGreaterThan(0);
      job.release();
    }
  });

for (const name of ['tfjs', 'onnxruntime-web', 'jax-js'])
  withGpu(`${name} keeps no memory of runs that are over`, async () => {
    const peer = peers.find((each) => each.name === name)!;
    const [job] = (await peer.prepare(shape, [shift, numbers])) as [Job];
    const create = job.device.createBuffer.bind(job.device);
    let live = 0;
    job.device.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      const destroy = buffer.destroy.bind(buffer);
      live += descriptor.size;
      buffer.destroy = () => {
        live -= descriptor.size;
        buffer.destroy = destroy;
        return destroy();
      };
      return buffer;
    };
    try {
      // Buffers kept for the next run are allocated once.
      await job.wall(8);
      const kept = live;
      for (let i = 0; i < 4; i++) await job.wall(8);
      expect(live).toBe(kept);
    } finally {
      Reflect.deleteProperty(job.device, 'createBuffer');
      job.release();
    }
  });

for (const name of ['onnxruntime-web', 'jax-js'])
  withGpu(`${name} decodes with grouped queries, where there are halves`, async (context) => {
    if (!device.features.has('shader-f16')) context.skip();
    const sizes = { texts: 2, heads: 2, group: 2, length: 32, dim: 128 } as const;
    const decode: Shape = { kind: 'grouped decode', type: 'f16', ...sizes };
    const { texts, heads, group, length, dim } = sizes;
    // Every query matches one key alone, another for each text and head; its value is found again.
    const wanted = (text: number, head: number): number => (text === 1 ? length - 1 : 3 + head);
    const q = new Float32Array(texts * heads * group * dim);
    const [k, v] = [0, 1].map(() => new Float32Array(texts * length * heads * dim));
    const expected = new Float32Array(q.length);
    for (let text = 0; text < texts; text++)
      for (let head = 0; head < heads; head++) {
        const at = ((text * length + wanted(text, head)) * heads + head) * dim;
        k!.fill(8, at, at + dim);
        for (let d = 0; d < dim; d++) v![at + d] = 10 * text + head + d / 16;
        for (let member = 0; member < group; member++) {
          const first = ((text * heads + head) * group + member) * dim;
          q.fill(8, first, first + dim);
          expected.set(v!.subarray(at, at + dim), first);
        }
      }
    const peer = peers.find((each) => each.name === name)!;
    const jobs = await peer.prepare(decode, [q, k!, v!]);
    expect(jobs.map(({ what }) => what)).toEqual(
      name === 'jax-js' ? [undefined] : ['GroupQueryAttention', 'PagedAttention'],
    );
    for (const job of jobs) {
      expect([...(await job.result())]).toEqual([...expected]);
      job.release();
    }
  });

withGpu('a library takes time on the GPU, and its device is left as it was', async () => {
  // Some milliseconds on a CPU: this Dawn's clock has steps of a tenth of one.
  const large: Shape = { kind: 'matmul', type: 'f32', m: 192, n: 192, k: 192 };
  const zeros = new Float32Array(192 * 192);
  for (const peer of peers) {
    const [job] = (await peer.prepare(large, [zeros, zeros])) as [Job];
    if (job.device.features.has('timestamp-query'))
      expect(await gpuSeconds(job, 3), peer.name).toBeGreaterThan(0);
    else expect(await gpuSeconds(job, 3), peer.name).toBeNull();
    expect(Object.hasOwn(job.device, 'createCommandEncoder')).toBe(false);
    job.release();
  }
});

withGpu('what a peer has no tensors for it does not pretend to do', async () => {
  for (const peer of peers)
    expect(await peer.prepare({ ...shape, type: 'i8' }, [shift, numbers])).toEqual([]);
});

withGpu('where its WebAssembly is missing, ONNX Runtime says where it was looked for', async () => {
  const [, onnx] = await peersInNode(await dawnInstance(), device, ['/nowhere']);
  await expect(onnx!.prepare(shape, [shift, numbers])).rejects.toThrow(/asyncify\.wasm.*\/nowhere/);
});
