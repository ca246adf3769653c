/** The kernels of a run in the ring, lowered again with floats, for what they use of those. */
import { ringUses, type KernelRingUses } from '../../compiler/inspect/ringUses';
import type { Compiler } from '../../compiler/pipeline';
import type { ProgramEvent } from '../events';
import type { EventOf } from './algebra';

/** @returns the uses of a kernel by the key of its compilation. */
export function kernelUses(
  events: readonly ProgramEvent[],
  compiler: Compiler,
): (key: string) => KernelRingUses | undefined {
  const found = new Map<string, KernelRingUses>();
  const compiled = events.filter((event): event is EventOf<'compile'> => event.type === 'compile');
  for (const { key, request } of compiled) {
    const { instrumentation: _, ...options } = request.options;
    compiler.optimize({ ...request, options }, {}, (record, func) => {
      if (record.name === 'lower') found.set(key, ringUses(func));
    });
  }
  return (key) => found.get(key);
}
