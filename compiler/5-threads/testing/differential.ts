/**
 * For tests: the same function on the interpreter and on a GPU, and where the results differ.
 * Integers must be equal; floats equal, both NaN, or within a few units in the last place.
 */
import { OPTIMIZE_PASSES } from '../../3-optimize/index';
import { runInterpreter } from '../../interpret/index';
import type { MemoryStorage } from '../../interpret/memory';
import { OutOfRangeLog } from '../../interpret/outOfRange';
import { runWorkgroups } from '../../interpret/workgroup/index';
import type { WorkgroupOptions } from '../../interpret/workgroup/index';
import type { ThreadKernel } from '../../ir/thread/kernel';
import type { Func } from '../../ir/ir';
import type { DType } from '../../ir/types';
import { byteSize, elementOf } from '../../ir/types';
import { floatFromBits } from '../../ir/numbers';
import { isFloat } from '../../ir/types';
import { readReport } from '../../boundsReport';
import { locationKey } from '../../ir/location';
import type { CompiledKernel, CompileRequest } from '../../program';
import type { Target } from '../../target';
import { unneededLoads } from './unneededLoads';
import { compileFunc, distribute, launchKernel, lowerThreads, requestFor, storageOf } from './run';
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
  // The kernel as it is emitted: passes drop unused loads.
  const { outside } = interpret(func, args, grid, launch.shifts);
  if (kernel.boundsReport)
    compareReports(result.report, kernel, outside, unneededLoads(func), grid);
  else if (outside.found().length > 0) throw new Error('out of range, and not checked');
  const expected = interpret(make(), args, grid, launch.shifts).buffers;
  return compare(func, expected, result.buffers, tolerance);
}

/** More loads that may be left out than this, and their reports are not compared. */
const MAX_UNNEEDED = 6;

/** Throws where the launch reports other accesses out of range than the interpreter. */
function compareReports(
  words: readonly number[],
  { boundsReport }: CompiledKernel,
  outside: OutOfRangeLog,
  unneeded: ReadonlySet<string>,
  [x, y]: readonly [number, number, number],
): void {
  const found = readReport(words, boundsReport!.accesses);
  const differs = (left: ReadonlySet<string>): string | undefined => {
    const logged = outside.found(left);
    const ours = found.map(({ access, program, distance, count, counted }, i) => ({
      access: access.kind,
      at: locationKey(access.location),
      program,
      element: distance | 0,
      count: counted ? count : Math.max(count, logged[i]?.count ?? 0),
    }));
    const theirs = logged.map(({ first, count, program }, i) => ({
      access: first.access,
      at: locationKey(first.location),
      program: (program[2] * y + program[1]) * x + program[0],
      element: first.element ?? ours[i]?.element ?? null,
      count,
    }));
    const [got, expected] = [ours, theirs].map((each) => JSON.stringify(each));
    return got === expected ? undefined : `reports ${got}\nwhere the interpreter finds ${expected}`;
  };
  const problem = differs(new Set());
  const optional = [...unneeded].filter((place) => outside.has(place));
  if (problem === undefined || optional.length > MAX_UNNEEDED) return;
  const subsets = Array.from({ length: 2 ** optional.length }, (_, bits) =>
    optional.filter((_, i) => (bits >> i) & 1),
  );
  if (subsets.every((left) => differs(new Set(left)) !== undefined)) throw new Error(problem);
}

/**
 * As `differences`, without a GPU: the kernel as it is emitted, interpreted by tiles and by
 * workgroups.
 */
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
  distribute(func, target, launch);
  const run = (one: Func): Buffers => interpret(one, args, grid, launch.shifts).buffers;
  const expected = run(make());
  const request = requestFor(func, target, launch);
  const kernel = lowerThreads(func, request);
  const threads = interpretThreads(func, { kernel, request }, args, grid, launch.shifts);
  if (threads.findings.length > 0) throw new Error(threads.findings.join('\n'));
  return [
    ...compare(func, expected, run(func), tolerance),
    ...compare(func, expected, threads.buffers, tolerance),
  ];
}

type Buffers = readonly (Uint8Array<ArrayBuffer> | undefined)[];
/** Elements that two runs of a function left behind, and that are not close. */
export function compare(
  func: Func,
  expected: Buffers,
  got: Buffers,
  tolerance: Bound,
): Difference[] {
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

/** Bytes between storages: an access past the end of one must not fall into the next. */
const APART = 2 ** 32;

/** Arguments as the interpreters take them, and the storages behind them, copies. */
export function launched(
  func: Func,
  args: readonly LaunchArgument[],
  shifts: readonly number[] = [],
): {
  readonly buffers: Buffers;
  readonly memory: readonly MemoryStorage[];
  readonly values: readonly (number | bigint | boolean)[];
} {
  let address = 65_536;
  const memory: MemoryStorage[] = [];
  const buffers = args.map((arg, i) => {
    if (!(arg instanceof Uint8Array)) return undefined;
    const bytes = storageOf(arg, shifts[i]);
    memory.push({ address, bytes });
    address += Math.ceil(bytes.length / 4096) * 4096 + APART;
    return bytes;
  });
  let next = 0;
  const values = func.body.args.map((arg, i) => {
    if (arg.type.kind === 'pointer') return memory[next++]!.address + (shifts[i] ?? 0);
    return scalarValue(elementOf(arg.type), args[i] as readonly number[]);
  });
  return { buffers, memory, values };
}

/** The storages after a run on the interpreter; and what went out of range. */
export function interpret(
  func: Func,
  args: readonly LaunchArgument[],
  grid: readonly [number, number, number],
  shifts: readonly number[] = [],
): { readonly buffers: Buffers; readonly outside: OutOfRangeLog } {
  const { buffers, memory, values } = launched(func, args, shifts);
  const outside = new OutOfRangeLog();
  runInterpreter({ func, args: values, memory, grid, onOutOfRange: outside.add });
  return { buffers, outside };
}

/**
 * A distributed function in thread IR, by workgroups: the storages afterwards, and what was found.
 */
export function interpretThreads(
  func: Func,
  { kernel, request }: { readonly kernel: ThreadKernel; readonly request: CompileRequest },
  args: readonly LaunchArgument[],
  grid: readonly [number, number, number],
  shifts: readonly number[] = [],
  more: Pick<WorkgroupOptions, 'without' | 'stopAtFirst'> = {},
): { readonly buffers: Buffers; readonly findings: readonly string[] } {
  const { buffers, memory, values } = launched(func, args, shifts);
  const { findings } = runWorkgroups({
    kernel,
    parameters: func.body.args,
    specialization: request.specialization,
    args: values,
    memory,
    grid,
    ...more,
  });
  return { buffers, findings: findings.map(({ message }) => message) };
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
