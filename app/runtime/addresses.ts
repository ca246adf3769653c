/**
 * Addresses of storages in one 64-bit address space, given out when somebody asks for one:
 * `data_ptr()`, the interpreter, a launch that reaches tensors by their addresses. Given out low,
 * and again after a storage is gone, as CUDA's allocator does, so that the storages that have one
 * lie close together: on the GPU they share one buffer, where each lies at its address less
 * `ARENA_ADDRESS`.
 */
/** Base of a typical CUDA heap; above 2³², so programs that cut addresses to 32 bits fail. */
export const ARENA_ADDRESS = 0x7f00_0000_0000;
/** Base of a process's own heap: tensors of the CPU, which no kernel can reach. */
export const HOST_ADDRESS = 0x5600_0000_0000;
/** CUDA's allocations are aligned to 256 bytes, and so are WebGPU's binding offsets. */
export const STORAGE_ALIGNMENT = 256;

export function alignUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}

interface Hole {
  begin: number;
  end: number;
}

export class AddressSpace {
  /** Below `top`, in order, not touching each other. */
  private readonly holes: Hole[] = [];
  private top: number;

  constructor(readonly base: number) {
    this.top = base;
  }

  /** The lowest address with room for `size` bytes and a gap: one past the end is no start. */
  allocate(size: number): number {
    const room = spanOf(size);
    const index = this.holes.findIndex((hole) => hole.end - hole.begin >= room);
    const hole = this.holes[index];
    if (!hole) {
      const address = this.top;
      this.top += room;
      return address;
    }
    const address = hole.begin;
    hole.begin += room;
    if (hole.begin === hole.end) this.holes.splice(index, 1);
    return address;
  }

  /** Gives back what `allocate(size)` gave. */
  free(address: number, size: number): void {
    const end = address + spanOf(size);
    let index = this.holes.findIndex((hole) => hole.begin > address);
    if (index < 0) index = this.holes.length;
    const [before, after] = [this.holes[index - 1], this.holes[index]];
    const made: Hole = { begin: address, end };
    let first = index;
    let count = 0;
    if (before?.end === address) {
      made.begin = before.begin;
      first--;
      count++;
    }
    if (after?.begin === end) {
      made.end = after.end;
      count++;
    }
    if (made.end === this.top) {
      this.top = made.begin;
      this.holes.splice(first, count);
    } else this.holes.splice(first, count, made);
  }
}

function spanOf(size: number): number {
  return alignUp(size, STORAGE_ALIGNMENT) + STORAGE_ALIGNMENT;
}
