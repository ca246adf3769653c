/**
 * Copies of tensors for the page, which outlive the program: the tensors that it leaves behind, and
 * both sides of its comparisons. Room is limited, and each purpose has its own share of it, so that
 * many comparisons that hold cannot take the room of the one that fails.
 */
import { arrayType, ITEM_SIZE, rawView, type Dtype, type Values } from '../numerics/dtypes';
import { count, forEachRun, isContiguous } from '../numerics/operands';
import type { HoldRequest } from '../workers/bridge';

export interface Holder {
  /** A new run: what was held of the last one is gone. */
  begin(): void;
  hasRoom(request: HoldRequest): boolean;
  /** @param bytes the elements, dense and row-major; given away. @returns an id. */
  hold(request: HoldRequest, bytes: Uint8Array<ArrayBuffer>): string;
}

export function bytesOf(request: HoldRequest): number {
  return count(request.shape) * ITEM_SIZE[request.dtype as Dtype];
}

/** Counts what is held; `send` takes the copies. */
export class LimitedHolder implements Holder {
  private readonly used = new Map<HoldRequest['budget'], number>();
  private next = 1;

  /** @param share bytes for each purpose. @param prefix distinguishes the ids of two workers. */
  constructor(
    private readonly share: number,
    private readonly prefix: string,
    private readonly send: (id: string, request: HoldRequest, bytes: ArrayBuffer) => void,
    private readonly clear: () => void,
  ) {}

  begin(): void {
    this.used.clear();
    this.clear();
  }

  hasRoom(request: HoldRequest): boolean {
    return (this.used.get(request.budget) ?? 0) + bytesOf(request) <= this.share;
  }

  hold(request: HoldRequest, bytes: Uint8Array<ArrayBuffer>): string {
    this.used.set(request.budget, (this.used.get(request.budget) ?? 0) + bytes.byteLength);
    const id = `${this.prefix}${this.next++}`;
    this.send(id, request, bytes.buffer);
    return id;
  }
}

/** The elements of a strided window in row-major order, in their stored bits. */
export function denseCopy(request: HoldRequest, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { shape, strides, offset } = request;
  const dtype = request.dtype as Dtype;
  const size = ITEM_SIZE[dtype];
  const n = count(shape);
  if (isContiguous(shape, strides)) return copyOf(bytes, offset * size, n * size);
  const raw = rawView(dtype, bytes);
  const out = new (arrayType(dtype) as Float64ArrayConstructor)(n) as Values;
  const [from, to] = [raw as Float64Array, out as Float64Array];
  forEachRun(shape, strides, offset, (start, length, stride, at) => {
    for (let i = 0; i < length; i++) to[at + i] = from[start + i * stride]!;
  });
  return new Uint8Array(out.buffer as ArrayBuffer);
}

function copyOf(bytes: Uint8Array, from: number, length: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length);
  out.set(bytes.subarray(from, from + length));
  return out;
}
