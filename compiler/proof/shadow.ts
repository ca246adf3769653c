/**
 * Which elements nothing has written, while the programs of a launch run on the interpreter:
 * a shadow of the launch's storages, by byte, and one of each tile in shared memory, by element.
 * Stores clear it, also those of programs that ran before; an allocation of shared memory sets it.
 *
 * Guarantee: a read that is reported touches memory that neither the host nor an earlier launch nor
 * an earlier access of this one has written.
 */
import type { LaunchInputs, LaunchStorage } from '../inspect/launch';
import { bytesOfAccess } from '../inspect/trace';
import type { Step } from '../interpret/compile';
import type { MemoryStorage } from '../interpret/index';
import { isMaskedOff, maskOf } from '../ir/access';
import type { Operation } from '../ir/ir';
import { asDType, setElement, type Tile } from '../ir/tile';
import type { Fill } from '../inspect/fill';
import type { DType } from '../ir/types';
import type { AccessCompiler, AccessInRun, Program } from './launchRun';

/** The first read of memory that nothing has written, by an operation. */
export interface UnwrittenRead {
  readonly program: Program;
  /** The byte, from the start of memory; of shared memory, the element of the allocation. */
  readonly at: number;
}

export const READS_SHARED: ReadonlySet<string> = new Set(['ttg.local_load', 'ttg.local_gather']);

/** Values of unwritten elements as reads find them, in storages and in shared memory. */
export interface Poison {
  /** Null: what was there before the launch. */
  readonly bytes: Fill | null;
  readonly number: (dtype: DType) => number;
}

/** A storage of which something is unwritten. */
interface Watched extends MemoryStorage {
  /** By byte. */
  readonly unwritten: Uint8Array;
  /** The bytes before the launch. */
  readonly before: Uint8Array;
}

export class Shadow {
  readonly reads = new Map<Operation, UnwrittenRead>();
  readonly #storages: readonly Watched[];
  readonly #shared = new Map<Tile, Uint8Array>();

  constructor(inputs: LaunchInputs, memory: readonly MemoryStorage[]) {
    this.#storages = inputs.storages.flatMap((storage, i) => {
      const unwritten = unwrittenOf(storage);
      return unwritten ? [{ ...memory[i]!, unwritten, before: memory[i]!.bytes.slice() }] : [];
    });
  }

  /** The step of an access to a storage, which finds `poison` where nothing has been written. */
  access({ op, kind, step, compiler }: AccessInRun, poison: Poison): Step {
    if (this.#storages.length === 0) return step;
    const addresses = compiler.tile(op.operand(0)).data;
    const masked = maskOf(op);
    const mask = masked && compiler.tile(masked).data;
    const size = bytesOfAccess(op);
    const each = (visit: (storage: Watched, at: number) => void): void => {
      for (let i = 0; i < addresses.length; i++) {
        if (isMaskedOff(mask, i)) continue;
        const address = addresses[i]!;
        const storage = this.#storages.find(
          (one) => address >= one.address && address + size <= one.address + one.bytes.length,
        );
        if (storage) visit(storage, address - storage.address);
      }
    };
    return () => {
      if (kind !== 'store')
        each((storage, at) => {
          if (isWritten(storage, at, size)) return;
          this.#read(op, compiler.program, storage.address + at);
          poisonBytes(storage, at, size, poison.bytes);
        });
      step();
      if (kind !== 'load') each(({ unwritten }, at) => unwritten.fill(0, at, at + size));
    };
  }

  /** The step of an operation on shared memory; undefined of others. */
  shared(
    op: Operation,
    step: Step | undefined,
    compiler: AccessCompiler,
    poison: Poison,
  ): Step | undefined {
    switch (op.name) {
      case 'ttg.local_alloc': {
        const unwritten = this.#shadowOf(compiler.tile(op.result));
        return () => {
          unwritten.fill(1);
          step?.();
        };
      }
      case 'ttg.local_store':
      case 'ttg.local_scatter': {
        const places = op.name === 'ttg.local_scatter' ? compiler.tile(op.operand(0)).data : null;
        const unwritten = this.#shadowOf(compiler.tile(op.operands.at(-1)!));
        return () => {
          step?.();
          if (!places) return void unwritten.fill(0);
          for (const place of places) unwritten[place] = 0;
        };
      }
      case 'ttg.local_load':
      case 'ttg.local_gather': {
        const places = op.name === 'ttg.local_gather' ? compiler.tile(op.operand(0)).data : null;
        const tile = compiler.tile(op.operands.at(-1)!);
        const unwritten = this.#shadowOf(tile);
        const value = poison.number(asDType(tile.dtype));
        const read = (place: number): void => {
          if (!unwritten[place]) return;
          this.#read(op, compiler.program, place);
          setElement(tile, place, value);
        };
        return () => {
          if (places) for (const place of places) read(place);
          else for (let place = 0; place < tile.count; place++) read(place);
          step?.();
        };
      }
      default:
        return step;
    }
  }
  #shadowOf(tile: Tile): Uint8Array {
    let unwritten = this.#shared.get(tile);
    if (!unwritten) this.#shared.set(tile, (unwritten = new Uint8Array(tile.count).fill(1)));
    return unwritten;
  }

  #read(op: Operation, [x, y, z]: Program, at: number): void {
    if (!this.reads.has(op)) this.reads.set(op, { program: [x, y, z], at });
  }
}

/** By byte, 1 where nothing has written; undefined where everything is written, or not known. */
function unwrittenOf(storage: LaunchStorage): Uint8Array | undefined {
  const { byteLength, unwritten } = storage;
  if (!hasUnwritten(storage)) return undefined;
  return unwritten?.slice() ?? new Uint8Array(byteLength).fill(1);
}

export function hasUnwritten({ contents, unwritten }: LaunchStorage): boolean {
  if (contents instanceof Uint8Array) return unwritten !== undefined;
  return contents !== null && (contents.low !== 0 || contents.high !== 0);
}

function isWritten({ unwritten }: Watched, at: number, size: number): boolean {
  for (let i = at; i < at + size; i++) if (unwritten[i]) return false;
  return true;
}

function poisonBytes(storage: Watched, at: number, size: number, fill: Fill | null): void {
  const { bytes, unwritten, before } = storage;
  for (let i = at; i < at + size; i++) {
    if (!unwritten[i]) continue;
    const word = fill && (i & 4 ? fill.high : fill.low);
    // Empty booleans are True, and any other byte is True as well.
    if (word === null) bytes[i] = before[i]!;
    else bytes[i] = before[i] === 1 ? 0 : word >>> (8 * (i & 3));
  }
}
