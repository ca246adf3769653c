/** A compiled kernel: its module, bindings, words and reports. Plain data, for the runtime. */
import type { Location } from './ir/location';
import type { ElementType } from './ir/types';
import type { TritonDtype } from './program';

/** A 32-bit word of the kernel's arguments, in order of position. */
export type UniformWord =
  /**
   * Scalar argument `path` (index, then indices into tuples); `word` 1 is the high half of 64 bits.
   */
  | {
      readonly kind: 'scalar';
      readonly path: readonly number[];
      readonly dtype: TritonDtype;
      readonly word: 0 | 1;
    }
  /** Start of the pointer, in elements from the start of its group's buffer. */
  | { readonly kind: 'offset'; readonly path: readonly number[] }
  /**
   * One past the last element that the pointer's storage has, from the start of the group's buffer.
   */
  | { readonly kind: 'end'; readonly path: readonly number[] }
  /** First element of the pointer's storage, from the start of the group's buffer. */
  | { readonly kind: 'begin'; readonly path: readonly number[] }
  | { readonly kind: 'grid'; readonly axis: 0 | 1 | 2 }
  /** The address at which the arena's buffer begins. */
  | { readonly kind: 'arena'; readonly word: 0 | 1 }
  /**
   * Bytes of the arena; there its table of pages begins: for every 256 bytes 16 bits, how many of
   * them belong to a storage.
   */
  | { readonly kind: 'arena-bytes' }
  /** 0, which no compiler behind ours can assume. */
  | { readonly kind: 'zero' }
  /** For immediates: the first word of the launch's bounds report in the buffer that is bound. */
  | { readonly kind: 'report' }
  /**
   * The linear index of a dispatch's first program: of kernels that run `oneByOne`, or have
   * shared memory in storage (their dispatches are one-dimensional, of any number of programs), or
   * `Target.slicedLaunches`.
   */
  | { readonly kind: 'program' };

/**
 * Words after the bounds report (`boundsReport.ts`): records requested, failed assertions, the
 * first one's program, site and element. Then the records, of so many words: program, turn, site,
 * element, value (low, high).
 */
export const DEBUG_HEADER = 8;
export const DEBUG_RECORD = 6;

export interface KernelBinding {
  readonly group: number | 'shared';
  readonly access: 'read' | 'read_write';
}
export interface CompiledKernel {
  readonly name: string;
  readonly wgsl: string;
  readonly entryPoint: string;
  /** The line of the module where the entry point begins, from 1. */
  readonly entryLine: number;
  readonly workgroupSize: number;
  /**
   * Programs that a workgroup runs: one, or, on software adapters, as many as it has threads. Then
   * workgroups count through the programs in linear order, and the last may have some to spare.
   */
  readonly programs: number;
  /** Bytes of workgroup memory used, or of the storage that takes its place. */
  readonly workgroupBytes: number;
  /**
   * `@group(0) @binding(i)`, i = index here; `group` is the binding group of the specialization.
   * `shared` has `workgroupBytes` for each program of a dispatch (`Target.sharedMemoryInStorage`).
   */
  readonly bindings: readonly KernelBinding[];
  /**
   * `@group(0) @binding(bindings.length)`: a uniform buffer of these u32 words, padded to 16 bytes.
   */
  readonly uniforms: readonly UniformWord[];
  /**
   * The words are `var<immediate>` instead, padded as well: no binding is a uniform buffer's, and
   * the report takes its place. Its binding is of any length, and the word `report` says where in
   * it to write.
   */
  readonly immediates?: boolean;
  /**
   * With `checkBounds`: `@group(0) @binding(bindings.length + 1)`, the `REPORT_WORDS` words of
   * `boundsReport.ts`, zeroed before a launch. The accesses are in the order of the text.
   */
  readonly boundsReport: { readonly accesses: readonly BoundsAccess[] } | null;
  /**
   * The kernel prints or asserts: then the report's binding is there in any case, and goes on after
   * `REPORT_WORDS` with a queue (`5-threads/debug.ts`) as long as the buffer that is bound.
   */
  readonly debugSites?: readonly DebugSite[];
  /**
   * Programs wait for each other (a spin lock), which WebGPU does not promise to let them do, or
   * update 64 bits in one step, which its atomics cannot: each is a dispatch of one workgroup, in
   * linear order, with its index in the word `program`.
   */
  readonly oneByOne: boolean;
  /** WebGPU features the module needs: 'shader-f16', 'subgroups' … */
  readonly features: readonly string[];
  /** For each line of `wgsl`, where it comes from. */
  readonly sourceMap: readonly (Location | null)[];
  /** Registers of 32 bits a thread holds at the most, estimated. */
  readonly registers: number;
}
/** One operand of a `tl.device_print`, or an assertion. */
export type DebugSite =
  | {
      readonly kind: 'print';
      readonly location: Location;
      readonly prefix: string;
      readonly hex: boolean;
      readonly operand: number;
      readonly operands: number;
      /** Null for a print without values. */
      readonly value: {
        readonly element: ElementType;
        readonly shape: readonly number[];
        readonly signed: boolean;
        /** For a pointer, whose record holds elements from the start of the group's buffer. */
        readonly argument: readonly number[] | null;
      } | null;
    }
  | {
      readonly kind: 'assert';
      readonly location: Location;
      readonly message: string;
      readonly shape: readonly number[];
    };
export interface BoundsAccess {
  readonly location: Location;
  /**
   * `wait`: a loop waited for an atomic that no earlier program has set. `loop`: a loop took more
   * iterations than its budget has (`5-threads/bound_loops.ts`); the report's distance is how many
   * it has.
   */
  readonly kind: 'load' | 'store' | 'atomic' | 'wait' | 'loop';
  /** The path of the pointer argument it goes through; empty for a pointer made of an integer. */
  readonly argument: readonly number[];
  /**
   * Other arguments that the pointer may come from: distances count from the tensor that begins
   * first.
   */
  readonly others: readonly (readonly number[])[];
  /** Bytes of an element as it is accessed, which may be another than the argument's. */
  readonly elementBytes: number;
  /** Each element out of range is counted once; else some may not be counted. */
  readonly counted: boolean;
}
