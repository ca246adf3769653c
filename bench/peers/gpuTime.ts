/**
 * Time of a library's work on the GPU: timestamps around each compute pass that it encodes, beside
 * the wall clock, which also includes what queueing them takes. Copies between its passes are not
 * counted.
 */
import type { Job } from './peer';

/** The most that a query set has. */
const QUERIES = 4096;

/**
 * Seconds of a run on the GPU; null where its device has no timestamps, or it encodes too many
 * passes.
 */
export async function gpuSeconds(job: Job, runs: number): Promise<number | null> {
  const { device } = job;
  if (!device.features.has('timestamp-query')) return null;
  const set = device.createQuerySet({ type: 'timestamp', count: QUERIES });
  const create = device.createCommandEncoder.bind(device);
  let used = 0;
  let missed = false;
  // An own property hides the prototype's until it is deleted.
  device.createCommandEncoder = (encoderDescriptor) => {
    const encoder = create(encoderDescriptor);
    const begin = encoder.beginComputePass.bind(encoder);
    encoder.beginComputePass = (descriptor = {}) => {
      if (used === QUERIES || descriptor.timestampWrites) {
        missed = true;
        return begin(descriptor);
      }
      used += 2;
      const [beginningOfPassWriteIndex, endOfPassWriteIndex] = [used - 2, used - 1];
      const timestampWrites = { querySet: set, beginningOfPassWriteIndex, endOfPassWriteIndex };
      return begin({ ...descriptor, timestampWrites });
    };
    return encoder;
  };
  try {
    await job.wall(runs);
    return missed || used === 0 ? null : (await total(device, set, used)) / runs;
  } finally {
    Reflect.deleteProperty(device, 'createCommandEncoder');
    set.destroy();
  }
}

async function total(device: GPUDevice, set: GPUQuerySet, used: number): Promise<number> {
  const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const size = 8 * used;
  const resolved = device.createBuffer({ size, usage: QUERY_RESOLVE | COPY_SRC });
  const staging = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.resolveQuerySet(set, 0, used, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const ticks = new BigUint64Array(staging.getMappedRange().slice(0));
  for (const buffer of [resolved, staging]) buffer.destroy();
  let sum = 0n;
  for (let i = 0; i < used; i += 2) sum += ticks[i + 1]! - ticks[i]!;
  return Number(sum) * 1e-9;
}
