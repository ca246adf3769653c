/**
 * Errors of a GPU that nobody waited for. WebGPU reports them later and by itself, so they are kept
 * and thrown to the next who waits, as CUDA does.
 *
 * Guarantee: what was kept is thrown once, all of it as one error; memory that ran out comes first,
 * because what follows from it says less.
 */
import { formatBytes, RuntimeFault } from '../errors';

export class GpuFaults {
  private kept: RuntimeFault[] = [];

  private readonly refused = (event: Event): void => {
    const { error } = event as GPUUncapturedErrorEvent;
    this.keep(
      error.constructor.name === 'GPUOutOfMemoryError'
        ? outOfMemory(null)
        : new RuntimeFault('RuntimeError', `WebGPU refused a command: ${error.message}`),
    );
  };

  constructor(private readonly device: GPUDevice) {
    device.addEventListener('uncapturederror', this.refused);
  }

  /** Listens no longer: others may use the device. */
  destroy(): void {
    this.device.removeEventListener('uncapturederror', this.refused);
  }

  keep(fault: RuntimeFault): void {
    this.kept.push(fault);
  }

  /**
   * Forgets what WebGPU refused only because what it needs was refused before: that was reported.
   */
  dropFollowing(): void {
    this.kept = this.kept.filter(
      ({ message }) => !/Invalid Buffer|invalid due to a previous error/.test(message),
    );
  }

  /** @throws what was kept, if anything was. */
  throwAll(): void {
    const first = this.kept.find(({ name }) => name === 'MemoryError') ?? this.kept[0];
    if (!first) return;
    const diagnostics = this.kept.flatMap((fault) => fault.diagnostics);
    this.kept = [];
    throw new RuntimeFault(first.name, first.message, diagnostics);
  }
}

/** @param size bytes; null where WebGPU does not say how many. */
export function outOfMemory(size: number | null): RuntimeFault {
  const what = size === null ? 'memory' : formatBytes(size);
  return new RuntimeFault(
    'MemoryError',
    `Tried to allocate ${what}, which the GPU has not left. Delete tensors that are not needed, or use ` +
      'smaller shapes.',
  );
}
