/** jax-js on WebGPU, its functions compiled by `jit`. */
/// <reference lib="esnext.float16" />
import * as jax from '@jax-js/jax';
import { nn, numpy as np } from '@jax-js/jax';
import { swapped, tokensFirst } from './onnxruntime';
import { floatsOf, halvesOf, typeOf, type Job, type Peer, type Shape } from './peer';

const DIM = 64;
type Arrays = readonly jax.Array[];

interface Operation {
  /** Dimensions of the inputs. */
  readonly sizes: number[][];
  /** Owns its arguments. */
  readonly run: (...x: jax.Array[]) => jax.Array;
  /** Elements that lie between its kernels. */
  readonly between?: number;
}

function operation(shape: Shape): Operation {
  switch (shape.kind) {
    case 'vector add':
      return { sizes: [[shape.n], [shape.n]], run: (x, y) => np.add(x!, y!) };
    case 'softmax':
      return { sizes: [[shape.rows, shape.columns]], run: (x) => nn.softmax(x!, -1) };
    case 'layer norm':
      return {
        sizes: [[shape.rows, shape.columns], [shape.columns], [shape.columns]],
        run: (x, weight, bias) => nn.standardize(x!, -1).mul(weight!).add(bias!),
      };
    case 'matmul': {
      const { m, n, k } = shape;
      return {
        sizes: [
          [m, k],
          [k, n],
        ],
        run: (a, b) => np.matmul(a!, b!),
      };
    }
    case 'attention': {
      const [size, shared] = [1, shape.group].map((by) => [1, shape.length, shape.heads / by, DIM]);
      return {
        sizes: [size!, shared!, shared!],
        run: (q, k, v) => nn.dotProductAttention(q!, k!, v!, { isCausal: shape.causal }),
        // Scores, and what their softmax makes of them.
        between: 2 * shape.heads * shape.length ** 2,
      };
    }
    case 'decode': {
      const cache = [shape.texts, shape.length, 1, DIM];
      return {
        sizes: [[shape.texts, 1, 1, DIM], cache, cache],
        run: (q, k, v) => nn.dotProductAttention(q!, k!, v!),
      };
    }
    case 'grouped decode': {
      const { texts, heads, group, length, dim } = shape;
      const cache = [texts, length, heads, dim];
      return {
        sizes: [[texts, 1, heads * group, dim], cache, cache],
        run: (q, k, v) => nn.dotProductAttention(q!, k!, v!),
        // Keys and values, once for each head that shares them.
        between: 2 * texts * length * heads * group * dim,
      };
    }
    default:
      return shape satisfies never;
  }
}

export const jaxJs: Peer = {
  name: 'jax-js',
  async prepare(shape, inputs): Promise<readonly Job[]> {
    if (typeOf(shape) === 'i8') return [];
    const there = await jax.init('webgpu');
    if (!there.includes('webgpu')) throw new Error('jax-js has no WebGPU here');
    jax.defaultDevice('webgpu');
    const { sizes, run, between } = operation(shape);
    const arrays: Arrays = inputs.map((input, i) => {
      const data = shape.kind === 'attention' ? tokensFirst(floatsOf(input), shape.length) : input;
      const half = typeOf(shape) === 'f16';
      const array = np.array(half ? new Float16Array(halvesOf(data).buffer) : floatsOf(data));
      return array.reshape(sizes[i]!);
    });
    const compiled = jax.jit(run);
    const call = (): jax.Array => compiled(...arrays.map((each) => each.ref));
    const device = jax.getWebGPUDevice();
    const job: Job = {
      device,
      ...(between ? { between: (typeOf(shape) === 'f16' ? 2 : 4) * between } : {}),
      async result() {
        const data = new Float32Array(await call().data());
        return shape.kind === 'attention' ? swapped(data, shape.length, shape.heads) : data;
      },
      async wall(runs) {
        const start = performance.now();
        // A result that is let go before it was needed is never computed: all are kept.
        const outs = Array.from({ length: runs }, call);
        await jax.blockUntilReady(outs);
        await device.queue.onSubmittedWorkDone();
        const seconds = (performance.now() - start) / 1000;
        for (const out of outs) out.dispose();
        return seconds;
      },
      release() {
        for (const each of arrays) each.dispose();
        compiled.dispose();
      },
    };
    return [job];
  },
};
