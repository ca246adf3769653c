/**
 * Tensors of the library: a dtype and a shape over a buffer. The buffer may be the caller's, or
 * another library's; it is used where it is.
 */
import { bytesOfDtype } from '../runtime/arguments';
import { dtypeOf } from './dtypes';
import { HippocampError } from './errors';
import type { Tensor, TensorInput } from './types';

/** The dtype of an array, by its constructor. */
const DTYPES: Readonly<Record<string, string>> = {
  Float32Array: 'float32',
  Float64Array: 'float64',
  Float16Array: 'float16',
  Int8Array: 'int8',
  Int16Array: 'int16',
  Int32Array: 'int32',
  BigInt64Array: 'int64',
  Uint8Array: 'uint8',
  Uint16Array: 'uint16',
  Uint32Array: 'uint32',
  BigUint64Array: 'uint64',
};

/** @throws HippocampError `bad-argument`, `limit` */
export function tensorOn(device: GPUDevice, input: TensorInput): Tensor {
  const { data, offset = 0 } = input;
  const named = input.dtype ?? (data && DTYPES[data.constructor.name]);
  if (!named) throw bad('dtype', 'a tensor needs a dtype');
  // torch's name of its booleans, too.
  const dtype = named === 'bool' ? 'int1' : dtypeOf(named);
  if (dtype === null) throw bad('dtype', `${String(named)} is no dtype`);
  const each = bytesOfDtype(dtype);
  const shape = input.shape ?? (data && [data.byteLength / each]);
  if (!shape) throw bad('shape', 'a tensor needs a shape');
  if (!Array.isArray(shape) || !shape.every((size) => Number.isSafeInteger(size) && size >= 0))
    throw bad('shape', `[${String(shape)}] is no shape`);
  const bytes = shape.reduce((product, size) => product * size, each);
  if (data && data.byteLength !== bytes)
    throw bad('data', `the shape needs ${bytes} bytes; the data has ${data.byteLength}`);
  if (data && input.buffer) checkWritable(input.buffer, data);
  const buffer = input.buffer ?? newBuffer(device, bytes);
  if (offset % each !== 0 || offset < 0 || offset + bytes > buffer.size)
    throw bad(
      'offset',
      `${bytes} bytes at ${offset} do not lie in a buffer of ${buffer.size}, at whole elements`,
    );
  if (data) upload(device, buffer, offset, data);
  return { buffer, offset, bytes, dtype, shape };
}

/** A write into a caller's buffer must leave the bytes beside it. */
function checkWritable(buffer: GPUBuffer, { byteLength }: ArrayBufferView): void {
  if (!(buffer.usage & GPUBufferUsage.COPY_DST))
    throw bad('buffer', 'data is written through COPY_DST');
  if (byteLength % 4 !== 0)
    throw bad('data', `WebGPU writes multiples of 4 bytes; the data has ${byteLength}`);
}

/** Padded to 16 bytes: vectors are read whole. */
function newBuffer(device: GPUDevice, bytes: number): GPUBuffer {
  const size = Math.max(16, Math.ceil(bytes / 16) * 16);
  const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
  const most = Math.min(maxBufferSize, maxStorageBufferBindingSize);
  if (size > most)
    throw new HippocampError(
      'limit',
      `a tensor of ${size} bytes; the device binds ${most}`,
      most === maxBufferSize ? 'maxBufferSize' : 'maxStorageBufferBindingSize',
    );
  const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
  return device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
}

/** Writes begin and end at multiples of 4: the last bytes are padded with 0 in new memory. */
function upload(device: GPUDevice, buffer: GPUBuffer, offset: number, data: ArrayBufferView): void {
  if (offset % 4 !== 0) throw bad('offset', 'data is written at multiples of 4 bytes');
  const whole = new Uint8Array(Math.ceil(data.byteLength / 4) * 4);
  whole.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  device.queue.writeBuffer(buffer, offset, whole);
}

function bad(subject: string, message: string): HippocampError {
  return new HippocampError('bad-argument', message, subject);
}
