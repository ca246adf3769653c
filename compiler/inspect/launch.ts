/**
 * A launch as it can be interpreted again: its arguments, and the storages that they point into,
 * with what these held before the launch where that was kept. Plain data: it crosses workers.
 */
import type { MemoryStorage } from '../interpret/index';
import type { CompileRequest } from '../program';
import { filledBuffer, ZERO, type Fill } from './fill';

export interface LaunchStorage {
  readonly address: number;
  readonly byteLength: number;
  /** Contents before the launch; a fill where nobody had written it; null where it was not kept. */
  readonly contents: Uint8Array | Fill | null;
  /** The storage's contents before anything was written; absent where zero, or not kept. */
  readonly fill?: Fill;
  /** By byte, 1 where nothing has written; present where contents were partly written. */
  readonly unwritten?: Uint8Array;
}

/** One for each argument of the lowered function, in order. */
export type LaunchArgument =
  | { readonly kind: 'scalar'; readonly value: number | bigint | boolean }
  | {
      readonly kind: 'pointer';
      readonly address: number;
      /** Index into the launch's storages. */
      readonly storage: number;
      /** Length of the tensor, in elements; null where it is not known. */
      readonly shape: readonly number[] | null;
      readonly strides: readonly number[] | null;
    };

export interface LaunchInputs {
  /** The number of the launch in its run. */
  readonly launch: number;
  readonly kernel: string;
  readonly key: string;
  readonly request: CompileRequest;
  readonly grid: readonly [number, number, number];
  readonly args: readonly LaunchArgument[];
  readonly storages: readonly LaunchStorage[];
}

export function hasContents(inputs: LaunchInputs): boolean {
  return inputs.storages.every((storage) => storage.contents !== null);
}
export function totalBytes(inputs: LaunchInputs): number {
  return inputs.storages.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
export function argumentValues(inputs: LaunchInputs): (number | bigint | boolean)[] {
  return inputs.args.map((arg) => (arg.kind === 'pointer' ? arg.address : arg.value));
}

/** Memory for one run of the interpreter, which may change it; zeroes where nothing was kept. */
export function memoryOf(inputs: LaunchInputs): MemoryStorage[] {
  return inputs.storages.map(({ address, byteLength, contents }) => ({
    address,
    bytes:
      contents instanceof Uint8Array
        ? contents.slice()
        : new Uint8Array(filledBuffer(byteLength, contents ?? ZERO), 0, byteLength),
  }));
}

export function programCount({ grid }: LaunchInputs): number {
  return grid[0] * grid[1] * grid[2];
}
/** x runs fastest. */
export function linearProgram(
  [gx, gy]: readonly [number, number, number],
  [x, y, z]: readonly [number, number, number],
): number {
  return x + gx * (y + gy * z);
}
export function programOf(
  [gx, gy]: readonly [number, number, number],
  linear: number,
): [number, number, number] {
  return [linear % gx, Math.floor(linear / gx) % gy, Math.floor(linear / (gx * gy))];
}
