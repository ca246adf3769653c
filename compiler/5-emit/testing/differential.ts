/**
 * For tests: the same function on the interpreter and on a GPU, and where the results differ. Integers
 * must be equal; floats equal, both NaN, or within a few units in the last place.
 */
import { OPTIMIZE_PASSES } from '../../3-optimize/index';
import { runInterpreter } from '../../interpret/index';
import type { Func } from '../../ir/ir';
import type { DType } from '../../ir/types';
import { byteSize, elementOf } from '../../ir/types';
import { floatFromBits } from '../../ir/numbers';
import { isFloat } from '../../ir/types';
import { REPORT_WRITES } from '../../program';
import type { Target } from '../../target';
import { compileFunc, launchKernel } from './run';
import type { LaunchArgument, LaunchOptions } from './run';

export interface Difference {
  readonly argument: number;
  readonly element: number;
  readonly expected: number | bigint;
  readonly got: number | bigint;
}

/** How far floats may differ. */
export interface Tolerance {
  readonly ulps: number;
  /** Differences below this do not count: cancellation, flushed denormals. */
  readonly absolute: number;
}
export const EXACT: Tolerance = { ulps: 0, absolute: 0 };
/** One for all arguments, or each its own. */
export type Bound = Tolerance | ((argument: number) => Tolerance);

/** `make` is called twice: distribution changes the function in place. */
export async function differences(
  gpu: { readonly device: GPUDevice; readonly target: Target },
  make: () => Func,
  args: readonly LaunchArgument[],
  grid: readonly [number, number, number] = [1, 1, 1],
  tolerance: Bound = EXACT,
  launch: LaunchOptions = {},
): Promise<Difference[]> {
  const func = make();
  if (launch.optimize) for (const pass of OPTIMIZE_PASSES) pass.run(func);
  const kernel = compileFunc(func, gpu.target, launch);
  const result = await launchKernel(gpu.device, func, kernel, args, grid, launch);
  if (result.report[0] || result.report[REPORT_WRITES])
    throw new Error(`out of range: ${result.report.join(' ')}`);
  return compare(func, interpret(make(), args, grid), result.buffers, tolerance);
}

/** As `differences`, without a GPU: the kernel as it is emitted, interpreted. */
export function passDifferences(
  target: Target,
  make: () => Func,
  args: readonly LaunchArgument[],
  grid: readonly [number, number, number],
  tolerance: Bound,
  launch: LaunchOptions,
): Difference[] {
  const func = make();
  if (launch.optimize) for (const pass of OPTIMIZE_PASSES) pass.run(func);
  compileFunc(func, target, launch);
  return compare(func, interpret(make(), args, grid), interpret(func, args, grid), tolerance);
}

type Buffers = readonly (Uint8Array<ArrayBuffer> | undefined)[];
function compare(func: Func, expected: Buffers, got: Buffers, tolerance: Bound): Difference[] {
  const out: Difference[] = [];
  func.body.args.forEach((arg, argument) => {
    const element = elementOf(arg.type);
    if (element.kind !== 'pointer' || element.pointee.kind === 'pointer') return;
    const { dtype } = element.pointee;
    const bound = typeof tolerance === 'function' ? tolerance(argument) : tolerance;
    const left = numbers(expected[argument]!, dtype);
    const right = numbers(got[argument]!, dtype);
    left.forEach((value, i) => {
      if (!close(dtype, value, right[i]!, bound))
        out.push({ argument, element: i, expected: value, got: right[i]! });
    });
  });
  return out;
}

/** The buffers after a run on the interpreter; copies. */
export function interpret(
  func: Func,
  args: readonly LaunchArgument[],
  grid: readonly [number, number, number],
): (Uint8Array<ArrayBuffer> | undefined)[] {
  let address = 65_536;
  const memory: { address: number; bytes: Uint8Array<ArrayBuffer> }[] = [];
  const buffers = args.map((arg) => {
    if (!(arg instanceof Uint8Array)) return undefined;
    const bytes = arg.slice();
    memory.push({ address, bytes });
    address += Math.ceil(bytes.length / 4096) * 4096 + 4096;
    return bytes;
  });
  let next = 0;
  const values = func.body.args.map((arg, i) => {
    if (arg.type.kind === 'pointer') return memory[next++]!.address;
    return scalarValue(elementOf(arg.type), args[i] as readonly number[]);
  });
  runInterpreter({ func, args: values, memory, grid });
  return buffers;
}

function scalarValue(
  element: ReturnType<typeof elementOf>,
  words: readonly number[],
): number | bigint | boolean {
  if (element.kind === 'pointer') throw new Error('a pointer is no scalar');
  const { dtype } = element;
  const bits = (BigInt(words[1] ?? 0) << 32n) | BigInt((words[0] ?? 0) >>> 0);
  if (isFloat(dtype)) return floatFromBits(dtype, bits);
  if (dtype === 'i1') return bits !== 0n;
  const signed = BigInt.asIntN(dtype === 'i64' ? 64 : Number(dtype.slice(1)), bits);
  return dtype === 'i64' ? signed : Number(signed);
}

/** The elements of a buffer. */
export function numbers(bytes: Uint8Array, dtype: DType): (number | bigint)[] {
  const size = byteSize({ kind: 'scalar', dtype });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / size }, (_, i) => {
    const at = i * size;
    if (size === 8) {
      return dtype === 'f64' ? view.getFloat64(at, true) : view.getBigInt64(at, true);
    }
    if (dtype === 'i32') return view.getInt32(at, true);
    if (dtype === 'f32') return view.getFloat32(at, true);
    const bits = size === 1 ? view.getUint8(at) : view.getUint16(at, true);
    if (isFloat(dtype)) return floatFromBits(dtype, BigInt(bits));
    return size === 1 ? view.getInt8(at) : view.getInt16(at, true);
  });
}

const word = new DataView(new ArrayBuffer(8));
/** The position of a float among its format's numbers. */
function rank(dtype: DType, x: number): number {
  word.setFloat32(0, x);
  const bits = word.getInt32(0);
  const ordered = bits < 0 ? -(bits & 0x7fffffff) : bits;
  return dtype === 'bf16' ? ordered / 65_536 : dtype === 'f16' ? ordered / 8192 : ordered;
}

function close(
  dtype: DType,
  expected: number | bigint,
  got: number | bigint,
  { ulps, absolute }: Tolerance,
): boolean {
  if (typeof expected === 'bigint' || typeof got === 'bigint') return expected === got;
  if (!isFloat(dtype)) return expected === got;
  if (Number.isNaN(expected) || Number.isNaN(got))
    return Number.isNaN(expected) && Number.isNaN(got);
  if (expected === got || Math.abs(expected - got) <= absolute) return true;
  return Math.abs(rank(dtype, expected) - rank(dtype, got)) <= ulps;
}
