/** TensorFlow.js on WebGPU. What it has no operation for is composed, as its users do. */
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import type { Floats } from '../work';
import { floatsOf, typeOf, type Job, type Peer, type Shape } from './peer';

const DIM = 64;

/** The inputs' shapes, and the operation. */
function operation(shape: Shape): { sizes: number[][]; run: (x: tf.Tensor[]) => tf.Tensor } {
  switch (shape.kind) {
    case 'vector add':
      return { sizes: [[shape.n], [shape.n]], run: ([x, y]) => tf.add(x!, y!) };
    case 'softmax':
      return { sizes: [[shape.rows, shape.columns]], run: ([x]) => tf.softmax(x!, -1) };
    case 'layer norm':
      return {
        sizes: [[shape.rows, shape.columns], [shape.columns], [shape.columns]],
        run: ([x, weight, bias]) => {
          const { mean, variance } = tf.moments(x!, -1, true);
          const scale = tf.rsqrt(tf.add(variance, 1e-5));
          return tf.add(tf.mul(tf.mul(tf.sub(x!, mean), scale), weight!), bias!);
        },
      };
    case 'matmul': {
      const { m, n, k } = shape;
      return {
        sizes: [
          [m, k],
          [k, n],
        ],
        run: ([a, b]) => tf.matMul(a!, b!),
      };
    }
    case 'attention': {
      const { heads, length, causal } = shape;
      const size = [heads, length, DIM];
      if (shape.group > 1) throw new Error('grouped queries are requested in halves alone');
      const rows = tf.reshape(tf.range(0, length), [length, 1]);
      const hidden = tf.less(rows, tf.reshape(tf.range(0, length), [1, length]));
      const mask = causal ? tf.keep(tf.mul(tf.cast(hidden, 'float32'), -1e6)) : null;
      return {
        sizes: [size, size, size],
        run: ([q, k, v]) => {
          const scores = tf.mul(tf.matMul(q!, k!, false, true), 1 / Math.sqrt(DIM));
          return tf.matMul(tf.softmax(mask ? tf.add(scores, mask) : scores, -1), v!);
        },
      };
    }
    case 'decode': {
      const cache = [shape.texts, shape.length, DIM];
      return {
        sizes: [[shape.texts, 1, DIM], cache, cache],
        run: ([q, k, v]) => {
          const scores = tf.mul(tf.matMul(q!, k!, false, true), 1 / Math.sqrt(DIM));
          return tf.matMul(tf.softmax(scores, -1), v!);
        },
      };
    }
    case 'grouped decode':
      throw new Error('it has no halves');
    default:
      return shape satisfies never;
  }
}

export const tensorflow: Peer = {
  name: 'tfjs',
  async prepare(shape, inputs): Promise<readonly Job[]> {
    // It has no halves.
    if (typeOf(shape) !== 'f32') return [];
    if (!(await tf.setBackend('webgpu'))) throw new Error('tfjs has no WebGPU here');
    const { device } = tf.backend() as WebGPUBackend;
    const { sizes, run } = operation(shape);
    const tensors = inputs.map((input, i) => tf.tensor(floatsOf(input), sizes[i]));
    const job: Job = {
      device,
      async result() {
        const out = tf.tidy(() => run(tensors));
        const data = (await out.data()) as Floats;
        out.dispose();
        return data;
      },
      async wall(runs) {
        const start = performance.now();
        for (let i = 1; i < runs; i++) tf.tidy(() => run(tensors)).dispose();
        // A number of the last result, read: nothing less waits for all of them.
        const one = tf.tidy(() => tf.slice(tf.reshape(run(tensors), [-1]), 0, 1));
        await one.data();
        one.dispose();
        return (performance.now() - start) / 1000;
      },
      release() {
        for (const tensor of tensors) tensor.dispose();
        // It keeps what it ever allocated for itself: gigabytes that the next library needs.
        const open = tf.findBackendFactory('webgpu');
        tf.removeBackend('webgpu');
        tf.registerBackend('webgpu', open, 3);
        device.destroy();
      },
    };
    return [job];
  },
};
