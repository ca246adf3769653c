/**
 * Reports of the GPU on launches: times, passes, prints, accesses out of range. They arrive with
 * the batch that a launch was in.
 *
 * Guarantee: each launch is reported once, in the order of the launches; a program that would wait
 * forever is no event but kept for the engine, which may try again (`takeEndless`).
 */
import { pathKey } from '../arguments';
import type { LaunchOutcome } from './batch';
import { boundsDiagnostics, endless } from '../bounds';
import { CPU_QUANTUM, timingOf, timingOfOne } from '../clock';
import { readDebug, type Bases } from './debugReport';
import type { EngineEvents, EngineLaunch } from '../engine';
import type { RuntimeFault } from '../errors';
import type { GpuFaults } from './gpuFaults';

export class LaunchOutcomes {
  private readonly bases = new WeakMap<EngineLaunch, Bases>();
  /** Launches with a program that would wait forever. */
  private readonly endless = new Map<EngineLaunch, RuntimeFault>();
  private lastDone = 0;

  constructor(
    private readonly events: EngineEvents,
    /** Step of the GPU's clock, in nanoseconds; null where the CPU's has to do. */
    private readonly quantum: number | null,
    private readonly faults: GpuFaults,
  ) {}

  /** A launch that prints is encoded: its addresses are resolved by where its tensors lie now. */
  prints(launch: EngineLaunch): void {
    const bases = new Map<string, number>();
    for (const leaf of launch.leaves)
      if (leaf.kind === 'pointer') bases.set(pathKey(leaf.path), leaf.storage.base);
    this.bases.set(launch, bases);
  }

  /** @param submitted, @param now of `performance.now()`. */
  report(outcomes: readonly LaunchOutcome<EngineLaunch>[], submitted: number, now: number): void {
    const { events, quantum } = this;
    for (const { launch, report, debug, nanoseconds, together, pass } of outcomes) {
      if (pass) events.onPass?.(launch, together, ...pass, now);
      if (debug) this.reportDebug(launch, debug);
      if (report) this.reportReport(launch, report);
      if (quantum === null) {
        const since = Math.max(submitted, this.lastDone);
        events.onTime(launch, timingOf([(now - since) * 1e6], 'cpu', CPU_QUANTUM));
      } else if (nanoseconds !== null)
        events.onTime(launch, timingOfOne(nanoseconds, quantum, together));
    }
    this.lastDone = now;
  }

  /** Why the launch would never have ended, where that was reported; it is forgotten. */
  takeEndless(launch: EngineLaunch): RuntimeFault | undefined {
    const fault = this.endless.get(launch);
    this.endless.delete(launch);
    return fault;
  }

  private reportDebug(launch: EngineLaunch, queue: Uint32Array): void {
    const bases = this.bases.get(launch) ?? new Map<string, number>();
    const { prints, dropped, failure } = readDebug(launch, queue, bases);
    if (prints.length > 0 || dropped > 0) this.events.onPrint(launch, prints, dropped);
    if (failure) this.faults.keep(failure);
  }

  private reportReport(launch: EngineLaunch, report: Uint32Array): void {
    for (const found of boundsDiagnostics(launch, report)) {
      const fault = endless(found);
      if (fault && found.code === 'HC8016') this.faults.keep(fault);
      else if (fault) this.endless.set(launch, fault);
      else this.events.onDiagnostic(found, launch);
    }
  }
}
