/**
 * Variables and arrays of thread IR: storage buffers, workgroup memory, and what each thread has
 * alone.
 */
import { decodeTable, encodeSmall } from '../../ir/numbers';
import type { MemoryType, ScalarName } from '../../ir/thread/types';
import type { Shadow } from './shadow';

type View = Uint16Array | Int32Array | Uint32Array | Float32Array;

/** Words of an element, from one to the next: a vector of three takes the place of four. */
export function strideOf({ element }: MemoryType): number {
  return element.size === 3 ? 4 : element.size;
}
export function unitBytes(scalar: ScalarName): 2 | 4 {
  return scalar === 'f16' ? 2 : 4;
}

export class Memory {
  readonly kind = 'memory';
  /** Elements of one copy. */
  readonly count: number;
  readonly stride: number;
  /** For a thread's own memory: words from one lane's copy to the next; else 0. */
  readonly laneStride: number;
  readonly bytes: Uint8Array;
  readonly view: View;
  /** Halves are kept as their bits. */
  readonly half: Float32Array | undefined;
  shadow: Shadow | undefined;

  /** @param bytes of a storage buffer; other memory is made here. */
  constructor(
    readonly type: MemoryType,
    readonly name: string,
    lanes: number,
    bytes?: Uint8Array,
  ) {
    const { element, shape, space } = type;
    const unit = unitBytes(element.scalar);
    this.stride = strideOf(type);
    const length = shape.reduce((a, b) => a * b, 1);
    const own = space === 'private';
    this.bytes = bytes ?? new Uint8Array(length * this.stride * unit * (own ? lanes : 1));
    this.count = bytes ? Math.floor(bytes.length / (this.stride * unit)) : length;
    this.laneStride = own ? length * this.stride : 0;
    this.view = viewOf(element.scalar, this.bytes);
    this.half = element.scalar === 'f16' ? decodeTable('f16') : undefined;
  }
  /** Words (halves, of an array of halves) of all copies. */
  get words(): number {
    return this.view.length;
  }
  get(word: number): number {
    const x = this.view[word]!;
    return this.half ? this.half[x]! : x;
  }
  set(word: number, x: number): void {
    this.view[word] = this.half ? encodeSmall('f16', x) : x;
  }
}

function viewOf(scalar: ScalarName, { buffer, byteOffset, byteLength }: Uint8Array): View {
  switch (scalar) {
    case 'f16':
      return new Uint16Array(buffer, byteOffset, byteLength / 2);
    case 'f32':
      return new Float32Array(buffer, byteOffset, byteLength / 4);
    case 'i32':
      return new Int32Array(buffer, byteOffset, byteLength / 4);
    default:
      return new Uint32Array(buffer, byteOffset, byteLength / 4);
  }
}
