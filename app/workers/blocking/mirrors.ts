/**
 * Copies of storages on Python's side, where the session lives in another worker. A copy is good
 * until a kernel may have written the storage; what Python wrote goes over before anybody reads it
 * there.
 */
import { filledBuffer, type Fill } from '../../../compiler/inspect/fill';

export interface MirrorCalls {
  /** Fills `into` with the storage's bytes. */
  read(storage: number, into: SharedArrayBuffer): void;
  /** The storage's bytes are these from now on. */
  write(storage: number, from: SharedArrayBuffer, bytes: number): void;
}

interface Mirror {
  readonly bytes: Uint8Array;
  fresh: boolean;
  /** Written here, and not there yet. */
  dirty: boolean;
}

export class Mirrors {
  private readonly all = new Map<number, Mirror>();
  private scratch = new SharedArrayBuffer(0);

  constructor(private readonly calls: MirrorCalls) {}

  /** A new storage holds its fill on both sides. */
  add(storage: number, bytes: number, fill: Fill): void {
    const filled = new Uint8Array(filledBuffer(bytes, fill), 0, bytes);
    this.all.set(storage, { bytes: filled, fresh: true, dirty: false });
  }
  remove(storage: number): void {
    this.all.delete(storage);
  }

  /** The live bytes: what is written into them counts after `written`. */
  read(storage: number): Uint8Array {
    const mirror = this.get(storage);
    if (!mirror.fresh) {
      const shared = this.shared(mirror.bytes.length);
      this.calls.read(storage, shared);
      mirror.bytes.set(new Uint8Array(shared, 0, mirror.bytes.length));
      mirror.fresh = true;
    }
    return mirror.bytes;
  }
  written(storage: number): void {
    const mirror = this.get(storage);
    mirror.dirty = mirror.fresh = true;
  }

  /** Before the session reads storages. */
  flush(): void {
    for (const [storage, mirror] of this.all) {
      if (!mirror.dirty) continue;
      mirror.dirty = false;
      const shared = this.shared(mirror.bytes.length);
      new Uint8Array(shared).set(mirror.bytes);
      this.calls.write(storage, shared, mirror.bytes.length);
    }
  }
  /** After kernels may have written any storage. */
  forget(): void {
    for (const mirror of this.all.values()) mirror.fresh = false;
  }
  clear(): void {
    this.all.clear();
  }

  private get(storage: number): Mirror {
    const mirror = this.all.get(storage);
    if (!mirror) throw new RangeError(`no storage ${storage}`);
    return mirror;
  }
  /** Shared memory of at least so many bytes; the last call is done with it. */
  private shared(bytes: number): SharedArrayBuffer {
    if (this.scratch.byteLength < bytes) this.scratch = new SharedArrayBuffer(bytes);
    return this.scratch;
  }
}
