/**
 * Launches on the interpreter, where there is no WebGPU or the user wants none. Same interface as
 * the GPU's; storages have only their CPU copies. A launch ends before `launch` returns.
 */
import { BASELINE_TARGET, type Target } from '../../compiler/target';
import type { AdapterInfo } from '../events';
import { CPU_QUANTUM, timingOf } from './clock';
import { arenaOf, type Engine, type EngineEvents, type EngineLaunch, type Unit } from './engine';
import { RuntimeFault } from './errors';
import { interpret, interpreterMemory } from './interpretation';
import { cpuCopy, markCpuWritten, type Storage } from './storage';

export class InterpreterEngine implements Engine {
  readonly info: AdapterInfo;
  /** As if every storage had its own binding: the interpreter merges nothing. */
  readonly target: Target = { ...BASELINE_TARGET, name: 'interpreter' };
  readonly bindingLimit = Infinity;
  readonly lost = null;

  /**
   * @param reason why there is no GPU; null where the user asked for the interpreter.
   * @param shouldStop asked now and then during a launch, which ends with an error where it is true
   */
  constructor(
    reason: string | null,
    private readonly events: EngineEvents,
    private readonly shouldStop: () => boolean = () => false,
  ) {
    this.info = {
      kind: 'interpreter',
      name: 'interpreter',
      vendor: '',
      architecture: '',
      reason,
    };
  }

  unfinished(): readonly EngineLaunch[] {
    return [];
  }

  prepare(unit: Unit): void {
    if (!unit.func) {
      throw new RuntimeFault('RuntimeError', `${unit.name} has no IR for the interpreter`);
    }
  }

  launch(launch: EngineLaunch): void {
    const { func } = launch.unit;
    if (!func) throw new RuntimeFault('RuntimeError', `${launch.unit.name} has no IR`);
    const start = performance.now();
    const arena = arenaOf(launch);
    const memory = interpreterMemory(launch.leaves, cpuCopy, arena);
    try {
      interpret(launch, func, {
        memory,
        shouldStop: this.shouldStop,
        onPrints: (prints, dropped) => this.events.onPrint(launch, prints, dropped),
        report: (found) => this.events.onDiagnostic(found, launch),
      });
    } finally {
      for (const leaf of launch.leaves) if (leaf.kind === 'pointer') markCpuWritten(leaf.storage);
      for (const storage of arena) markCpuWritten(storage);
    }
    const nanoseconds = (performance.now() - start) * 1e6;
    this.events.onTime(launch, timingOf([nanoseconds], 'cpu', CPU_QUANTUM));
  }

  read(storage: Storage): void {
    cpuCopy(storage);
  }

  release(storage: Storage): void {
    storage.releaseAddress();
  }
  synchronize(): void {}
  benchBegin(): void {}
  calibrate(): Promise<null> {
    return Promise.resolve(null);
  }
  benchEnd(): null {
    return null;
  }
  dispose(): void {}
}
