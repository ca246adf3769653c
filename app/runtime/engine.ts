/**
 * Interface of the engines: the GPU (`gpu/gpuEngine.ts`) and the interpreter
 * (`interpreterEngine.ts`), behind one interface. Methods return a promise only where there is
 * something to wait for, because every wait costs Python a stack switch.
 */
import type { CostModel } from '../../compiler/cost/index';
import type { Diagnostic } from '../../compiler/diagnostics';
import type { AddressUse } from '../../compiler/ir/addresses';
import type { Func } from '../../compiler/ir/ir';
import type { CompiledKernel } from '../../compiler/program';
import type { Target } from '../../compiler/target';
import type {
  AdapterInfo,
  Calibration,
  CallSite,
  DevicePrint,
  LaunchCost,
  Timing,
} from '../events';
import type { Leaf } from './arguments';
import type { Storage } from './storage';

/** A kernel compiled for a specialization, as the engines need it. */
export interface Unit {
  readonly key: string;
  readonly name: string;
  /** Null where the unit was compiled for the interpreter only. */
  readonly kernel: CompiledKernel | null;
  /** Tile IR before distribution, for the interpreter. */
  readonly func: Func | null;
  /** Use of addresses in `func`. */
  readonly addresses: AddressUse;
  /** Counts what its launches compute and move. */
  readonly cost: CostModel | null;
}

export interface EngineLaunch {
  readonly id: number;
  readonly unit: Unit;
  readonly leaves: readonly Leaf[];
  /** Storages of each binding group of the specialization. */
  readonly groups: readonly (readonly Storage[])[];
  /** Which of them is the arena; null where the kernel makes no pointers of integers. */
  readonly arena: number | null;
  readonly grid: readonly [number, number, number];
  readonly site: CallSite;
  readonly labels: readonly string[];
  /** Bytes and operations, for the time's event. */
  cost?: LaunchCost | undefined;
  /** Shares its pass with launches of other kernels before and after it, so it has no time. */
  readonly untimed?: boolean;
  /** Its prints are dropped: it repeats a launch of the program's. */
  readonly silent?: boolean;
}

/** @throws where the unit was compiled for the interpreter only. */
export function kernelOf(unit: Unit): CompiledKernel {
  if (!unit.kernel) throw new Error(`${unit.name} was not compiled for a GPU`);
  return unit.kernel;
}

/** The storages that a launch can reach by their addresses. */
export function arenaOf(launch: EngineLaunch): readonly Storage[] {
  return launch.arena === null ? [] : (launch.groups[launch.arena] ?? []);
}

export interface EngineEvents {
  /** Called when a launch's time is known, later than the launch. */
  onTime(launch: EngineLaunch, timing: Timing): void;
  /** `tl.device_print`. */
  onPrint(launch: EngineLaunch, prints: readonly DevicePrint[], dropped: number): void;
  /** Faults of a launch that do not end the program: accesses out of range. */
  onDiagnostic(diagnostic: Diagnostic, launch: EngineLaunch): void;
  /**
   * A pass with so many launches, the first of them given: nanoseconds of the GPU's clock, and when
   * its results came (`performance.now()`).
   */
  onPass?(
    launch: EngineLaunch,
    together: number,
    begin: number,
    end: number,
    arrived: number,
  ): void;
  /** Bytes went to the GPU; `performance.now()`. */
  onUpload?(bytes: number, start: number, end: number): void;
}

/** Samples of a replayed recording, in nanoseconds for one run of all of its launches. */
export interface Replay {
  readonly samples: readonly number[];
  readonly quantum: number;
  /** It was clearly slower than the best known, and not measured further. */
  readonly dropped: boolean;
}

/** Samples of several launches, taken in turn: nanoseconds of one run each. */
export interface Race {
  /** For each launch, a sample a round. */
  readonly samples: readonly (readonly number[])[];
  readonly quantum: number;
}

export interface Engine {
  readonly info: AdapterInfo;
  readonly target: Target;
  /** Binding groups that a launch can have; beyond it storages are merged. */
  readonly bindingLimit: number;
  /** Why it cannot go on: the device was lost. */
  readonly lost: string | null;
  /**
   * Whether the device is lost: what fails by it may do so a moment before `lost` is set. Absent
   * where there is no device.
   */
  isLost?(): Promise<boolean>;
  /** Launches that were not known to have ended when the device was lost. */
  unfinished(): readonly EngineLaunch[];

  /** Makes the unit ready to launch. @throws RuntimeFault with diagnostics. */
  prepare(unit: Unit): void | Promise<void>;
  launch(launch: EngineLaunch): void | Promise<void>;
  /** Makes the CPU copy fresh. @throws the faults of the launches before it. */
  read(storage: Storage): void | Promise<void>;
  release(storage: Storage): void;
  /** Waits for every launch. @throws their faults. */
  synchronize(): void | Promise<void>;
  benchBegin(): void;
  /** Null where the recording cannot be replayed, or there is no GPU clock. */
  benchEnd(milliseconds: number, replay: boolean, best?: number): null | Promise<Replay | null>;
  /**
   * Makes each launch, then runs all of them in turn, round after round. Null where there is no GPU
   * clock, or they cannot be replayed; absent where there is no GPU.
   */
  race?(launches: readonly EngineLaunch[], rounds: number): Promise<Race | null>;
  /** Best rates of the adapter; null where they cannot be measured. */
  calibrate(): Promise<Calibration | null>;
  /**
   * Resolves when what was submitted so far is done, whatever came of it; absent where nothing is
   * left undone.
   */
  drained?(): Promise<void>;
  dispose(): void;
}
