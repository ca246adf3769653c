/** ONNX Runtime Web on WebGPU: a model of one node a work, inputs and outputs stay on the GPU. */
/// <reference lib="esnext.float16" />
import * as ort from 'onnxruntime-web/webgpu';
import { fromHalves } from '../halves';
import type { Floats, Given } from '../work';
import { onnxModel, type Node } from './onnx';
import { decodeModels, type Model } from './onnxDecode';
import { floatsOf, halvesOf, typeOf, type Job, type Peer, type Shape } from './peer';

const DIM = 64;

function nodeOf(shape: Exclude<Shape, { readonly kind: 'grouped decode' }>): Omit<Node, 'type'> {
  switch (shape.kind) {
    case 'vector add': {
      const inputs = ['x', 'y'].map((name) => ({ name, shape: [shape.n] }));
      return { op: 'Add', inputs, output: [shape.n] };
    }
    case 'softmax': {
      const size = [shape.rows, shape.columns];
      return {
        op: 'Softmax',
        inputs: [{ name: 'x', shape: size }],
        output: size,
        integers: { axis: -1 },
      };
    }
    case 'layer norm': {
      const size = [shape.rows, shape.columns];
      return {
        op: 'LayerNormalization',
        inputs: [
          { name: 'x', shape: size },
          { name: 'weight', shape: [shape.columns] },
          { name: 'bias', shape: [shape.columns] },
        ],
        output: size,
        integers: { axis: -1 },
        floats: { epsilon: 1e-5 },
      };
    }
    case 'matmul': {
      const { m, n, k } = shape;
      const inputs = [
        { name: 'a', shape: [m, k] },
        { name: 'b', shape: [k, n] },
      ];
      return { op: 'MatMul', inputs, output: [m, n] };
    }
    case 'attention': {
      const size = [1, shape.length, shape.heads * DIM];
      if (shape.group > 1) return groupedAttention(shape);
      return {
        op: 'MultiHeadAttention',
        domain: 'com.microsoft',
        inputs: ['q', 'k', 'v'].map((name) => ({ name, shape: size })),
        output: size,
        integers: { num_heads: shape.heads, unidirectional: shape.causal ? 1 : 0 },
      };
    }
    case 'decode': {
      const [query, cache] = [1, shape.length].map((keys) => [shape.texts, keys, DIM]);
      const sizes = { q: query!, k: cache!, v: cache! };
      return {
        op: 'MultiHeadAttention',
        domain: 'com.microsoft',
        inputs: Object.entries(sizes).map(([name, each]) => ({ name, shape: each })),
        output: query!,
        integers: { num_heads: 1 },
      };
    }
    default:
      return shape satisfies never;
  }
}

/** With a mask, and no past; it writes what it was given as the present, too. */
function groupedAttention({
  heads,
  group,
  length,
}: Extract<Shape, { readonly kind: 'attention' }>): Omit<Node, 'type'> {
  const [query, token] = [heads, heads / group].map((each) => [1, length, each * DIM]);
  const present = [1, heads / group, length, DIM];
  return {
    op: 'GroupQueryAttention',
    domain: 'com.microsoft',
    inputs: [
      { name: 'q', shape: query! },
      { name: 'k', shape: token! },
      { name: 'v', shape: token! },
      { name: '', shape: [] },
      { name: '', shape: [] },
      { name: 'seqlens_k', shape: [1], type: 'i32' },
      { name: 'total_sequence_length', shape: [1], type: 'i32' },
    ],
    output: query!,
    more: ['present_key', 'present_value'].map((name) => ({ name, shape: present })),
    integers: { num_heads: heads, kv_num_heads: heads / group },
  };
}

/** [heads, length, dim] to [length, heads, dim], or back with the two exchanged. */
export function swapped(x: Floats, heads: number, length: number): Floats {
  const out = new Float32Array(x.length);
  for (let h = 0; h < heads; h++)
    for (let l = 0; l < length; l++) {
      const row = x.subarray((h * length + l) * DIM, (h * length + l + 1) * DIM);
      out.set(row, (l * heads + h) * DIM);
    }
  return out;
}

/** As they were given, for libraries that want [length, heads, dim]. */
export function tokensFirst(x: Floats, length: number): Floats {
  return swapped(x, x.length / (length * DIM), length);
}

/** Result of `getData` for halves: their bits where it has no better type. */
function numbers(data: ort.Tensor.DataType): Floats {
  return data instanceof Uint16Array
    ? fromHalves(new Uint16Array(data))
    : new Float32Array(data as Float32Array | Float16Array);
}

/** Its WebAssembly: the folder that it may load it from, or the bytes. */
export function onnxRuntime(wasm: string | Uint8Array): Peer {
  if (typeof wasm === 'string') ort.env.wasm.wasmPaths = wasm;
  else ort.env.wasm.wasmBinary = wasm;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  return {
    name: 'onnxruntime-web',
    async prepare(shape, inputs) {
      // Its products of integers run on the CPU.
      if (typeOf(shape) === 'i8') return [];
      const jobs: Job[] = [];
      for (const model of modelsOf(shape, inputs)) jobs.push(await jobOf(shape, model));
      return jobs;
    },
  };
}

function modelsOf(shape: Shape, inputs: readonly Given[]): Model[] {
  if (shape.kind === 'grouped decode') return decodeModels(shape, inputs);
  const data =
    shape.kind === 'attention'
      ? inputs.map((each) => tokensFirst(floatsOf(each), shape.length))
      : inputs;
  if (shape.kind === 'attention' && shape.group > 1) {
    const { length } = shape;
    return [
      {
        node: nodeOf(shape),
        data: [...data, Int32Array.of(length - 1), Int32Array.of(length)],
        onCpu: ['total_sequence_length'],
      },
    ];
  }
  return [{ node: nodeOf(shape), data }];
}

async function jobOf(shape: Shape, model: Model): Promise<Job> {
  const type = typeOf(shape) === 'f16' ? 'f16' : 'f32';
  const node: Node = { ...model.node, type };
  const session = await ort.InferenceSession.create(onnxModel(node), {
    executionProviders: ['webgpu'],
    preferredOutputLocation: 'gpu-buffer',
  });
  const device = await ort.env.webgpu.device;
  const buffers: GPUBuffer[] = [];
  const feeds: Record<string, ort.Tensor> = {};
  const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const made = (bytes: number): GPUBuffer => {
    const size = Math.ceil(bytes / 16) * 16;
    const buffer = device.createBuffer({ size, usage: STORAGE | COPY_DST | COPY_SRC });
    buffers.push(buffer);
    return buffer;
  };
  const halfOr32 = type === 'f16' ? 'float16' : 'float32';
  const given = node.inputs.filter(({ name }) => name !== '');
  for (const [i, { name, shape: dims }] of given.entries()) {
    const values = model.data[i]!;
    if (values instanceof Int32Array && model.onCpu?.includes(name)) {
      feeds[name] = new ort.Tensor('int32', values, dims);
      continue;
    }
    const whole = values instanceof Int32Array;
    const data = whole ? values : type === 'f16' ? halvesOf(values) : floatsOf(values);
    const buffer = made(data.byteLength);
    device.queue.writeBuffer(buffer, 0, data);
    feeds[name] = ort.Tensor.fromGpuBuffer(buffer, { dataType: whole ? 'int32' : halfOr32, dims });
  }
  const fetches: Record<string, ort.Tensor | null> = { out: null };
  for (const { name, shape: dims } of node.more ?? []) {
    const input = model.inPlace?.[name];
    const bytes = (type === 'f16' ? 2 : 4) * dims.reduce((a, b) => a * b);
    fetches[name] = input
      ? feeds[input]!
      : ort.Tensor.fromGpuBuffer(made(bytes), { dataType: halfOr32, dims });
  }
  const run = async (): Promise<ort.Tensor> => (await session.run(feeds, fetches))['out']!;
  return {
    ...(model.what ? { what: model.what } : {}),
    device,
    async result() {
      const out = await run();
      const data = numbers(await out.getData(true));
      return shape.kind === 'attention' ? swapped(data, shape.length, shape.heads) : data;
    },
    async wall(runs) {
      const start = performance.now();
      for (let i = 0; i < runs; i++) (await run()).dispose();
      await device.queue.onSubmittedWorkDone();
      return (performance.now() - start) / 1000;
    },
    release() {
      void session.release();
      for (const buffer of buffers) buffer.destroy();
    },
  };
}
