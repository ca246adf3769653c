/**
 * The check mode: compiles a kernel and interprets its IR after every pass on a launch's real
 * inputs, up to the last: tile IR by tiles, thread IR by workgroups. A pass whose result differs
 * from the one before it is marked, with the first element that differs. Each verdict states of how
 * many programs it is: workgroups take longer than tiles, and may be interpreted for fewer. That is
 * how a user can distinguish a fault of this compiler from one of the kernel, and how we find ours.
 */
import type { Func } from '../ir/ir';
import { printIr } from '../ir/printer';
import type { DType, ElementType } from '../ir/types';
import { byteSize, isFloat } from '../ir/types';
import type { ThreadKernel } from '../ir/thread/kernel';
import { printThreads } from '../ir/thread/printer';
import type { PassRecord, Specialization } from '../program';
import { ThreadPasses } from './checkThreads';
import { Decisions } from './decisions';
import type { CheckedLaunch, Outcome } from './checkOutcome';
import { interpretTiles, rangeOf } from './checkOutcome';
import type { MemoryStorage } from './memory';
import { MemoryRegion, reader } from './memory';
import { Tile, elementAt, tileDType } from '../ir/tile';

/** The verdict on one pass; also the event stream's `CheckedPass`. */
export interface PassCheck {
  /** The pass's index in the pipeline's log. */
  readonly index: number;
  readonly name: string;
  /** `rounding`: floats differ by what another order of additions explains. */
  readonly verdict: 'same' | 'rounding' | 'different' | 'failed';
  readonly first: {
    readonly argument: string;
    /** Index of the element in the argument's storage. */
    readonly index: number;
    readonly before: number | string;
    readonly after: number | string;
  } | null;
  readonly message: string | null;
  /** Programs of the launch that the verdict is of: its first ones. */
  readonly programs: number;
}

export interface CheckOptions extends CheckedLaunch {
  /** Whether floats are computed in a ring behind `fp_sanitizer`. */
  readonly instrumented?: boolean;
  /**
   * Compiles the kernel with these observers: `compiler.compile(request, services, …observers)`.
   */
  readonly compile: (
    observe: (record: PassRecord, func: Func, lower?: () => ThreadKernel) => void,
    observeThreads: (record: PassRecord, kernel: ThreadKernel) => void,
  ) => unknown;
  /** The request that the kernel is compiled for. Without it passes on threads are not checked. */
  readonly specialization?: Specialization;
}

/** One verdict for each pass that ran. @throws Stopped */
export function checkPasses(options: CheckOptions): PassCheck[] {
  const checks: PassCheck[] = [];
  const { first, end } = rangeOf(options);
  let programs = end - first;
  let previous: Outcome | undefined;
  let previousText = '';
  let last: Func | undefined;
  let threads: ThreadPasses | undefined;
  /** The result of the tiles that were lowered. */
  let tilesOutcome: Outcome | undefined;
  let barriers = false;
  const decisions = new Decisions();
  const check = (
    { index, name }: PassRecord,
    text: string,
    func: Func,
    interpret: () => Outcome,
  ): void => {
    // Not `record.changed`: a pass that says nothing changed may be the broken one.
    const inserted = name === BARRIERS;
    barriers ||= inserted;
    if (text === previousText && !inserted) {
      checks.push({ index, name, ...SAME, programs });
      return;
    }
    previousText = text;
    const outcome = interpret();
    const restates = options.instrumented === true && name === INSTRUMENTS;
    const before = restates ? undefined : previous;
    checks.push({ index, name, ...judge(func, options, before, outcome), programs });
    previous = outcome;
  };
  options.compile(
    (record, func, lower) => {
      [last, threads] = [func, undefined];
      decisions.note(checks.length, func, lower);
      check(record, printIr(func), func, () => interpretTiles(func, options, barriers));
    },
    (record, kernel) => {
      const { specialization } = options;
      if (!last || !specialization) return;
      const tiles = last;
      const lowered = threads === undefined;
      check(record, printThreads(kernel.func), tiles, () => {
        threads ??= new ThreadPasses({ ...options, specialization }, tiles);
        const outcome = threads.interpret(kernel);
        // Fewer programs than tiles were interpreted for: a workgroup's lanes take longer.
        previous = threads.shortened(previous);
        programs = threads.programs;
        tilesOutcome = lowered ? previous : undefined;
        return outcome;
      });
      // A wrong decision shows where `lower_tiles` follows it.
      const found = checks.at(-1)!;
      if (!lowered || !threads || !isBad(found)) return;
      const runner = threads;
      const isSound = (made: ThreadKernel, inStep = false): boolean =>
        !isBad(judge(tiles, options, tilesOutcome, runner.interpret(made, inStep)));
      const ordering = checks.findIndex((each) => each.name === ORDERING);
      const guilty =
        decisions.guilty(isSound) ??
        (ordering >= 0 && isSound(kernel, true) ? ordering : undefined);
      if (guilty === undefined) return;
      const { index, name } = checks[guilty]!;
      checks[guilty] = { ...found, index, name };
      checks[checks.length - 1] = { ...found, ...SAME };
    },
  );
  return checks;
}

/** The pass that changes what floats are: later ones are compared with what it leaves. */
const INSTRUMENTS = 'fp_sanitizer';
/** The pass that orders stores behind other subgroups' loads: without it lanes in step agree. */
const ORDERING = 'order_stores';
/** The pass behind which accesses to workgroup memory are to have barriers between them. */
const BARRIERS = 'insert_barriers';

const isBad = ({ verdict }: Pick<PassCheck, 'verdict'>): boolean =>
  verdict === 'different' || verdict === 'failed';

type Verdict = Pick<PassCheck, 'verdict' | 'first' | 'message'>;
const SAME: Verdict = { verdict: 'same', first: null, message: null };

function judge(
  func: Func,
  options: CheckOptions,
  before: Outcome | undefined,
  after: Outcome,
): Verdict {
  const promised = before?.ok ? before.broken : undefined;
  if (after.ok && after.broken !== undefined && promised === undefined)
    return { verdict: 'failed', first: null, message: after.broken };
  const verdict = compareOutcomes(func, options, before, after);
  // Thread IR that follows a broken promise is wrong by no fault of `lower_tiles`.
  const follows = promised !== undefined && (!after.ok || after.broken === undefined);
  return follows ? SAME : verdict;
}
function compareOutcomes(
  func: Func,
  options: CheckOptions,
  before: Outcome | undefined,
  after: Outcome,
): Verdict {
  if (!after.ok) {
    // A kernel that fails from the start is not the fault of the passes that follow.
    if (before && !before.ok && isSameFailure(before, after)) return SAME;
    return { verdict: 'failed', first: null, message: after.message };
  }
  if (!before) return SAME;
  if (!before.ok)
    return { verdict: 'different', first: null, message: `no longer fails: ${before.message}` };
  return compareMemory(func, options, before.memory, after.memory);
}

type Failure = Outcome & { readonly ok: false };
function isSameFailure(before: Failure, after: Failure): boolean {
  return before.message === after.message || (before.outOfRange && after.outOfRange);
}

/**
 * Compares what two runs left in memory, such as the interpreter's and the GPU's.
 * @param slack for each storage, how far each float may be off and still be rounding
 */
export function compareMemory(
  func: Func,
  { args }: Pick<CheckOptions, 'args'>,
  before: readonly MemoryStorage[],
  after: readonly MemoryStorage[],
  slack: readonly (Float64Array | null)[] = [],
): Verdict {
  let rounding: Verdict | undefined;
  for (const [i, storage] of before.entries()) {
    const other = after[i]!;
    if (sameBytes(storage.bytes, other.bytes)) continue;
    const { address, bytes } = storage;
    const { name, element } = argumentOf(func, args, { address, byteLength: bytes.length });
    const found = compareElements(element, storage, other, slack[i] ?? null);
    if (!found) continue;
    const { index, values, verdict } = found;
    const [x, y] = values.map(show);
    const first = { argument: name, index, before: x!, after: y! };
    if (verdict === 'different') return { verdict, first, message: null };
    rounding ??= { verdict, first, message: null };
  }
  return rounding ?? SAME;
}
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
function show(x: number | bigint): number | string {
  return typeof x === 'number' && Number.isFinite(x) ? x : String(x);
}

/** Which argument points into the storage, and what at; bytes where none does. */
export function argumentOf(
  func: Func,
  args: CheckOptions['args'],
  { address, byteLength }: { readonly address: number; readonly byteLength: number },
): { readonly name: string; readonly element: ElementType } {
  for (const [i, parameter] of func.body.args.entries()) {
    const at = Number(args[i]);
    if (parameter.type.kind !== 'pointer' || at < address || at >= address + byteLength) continue;
    return { name: parameter.name ?? `argument ${i}`, element: parameter.type.pointee };
  }
  return { name: 'memory', element: { kind: 'scalar', dtype: 'i8' } };
}

/** How far apart floats may be, relative to the largest of the storage, and still be rounding. */
const TOLERANCE: Partial<Record<DType, number>> = { f64: 1e-12, f32: 3e-5, f16: 4e-3, bf16: 3e-2 };
const FLOAT8_TOLERANCE = 0.25;

interface Difference {
  readonly index: number;
  readonly values: readonly [number | bigint, number | bigint];
  readonly verdict: 'rounding' | 'different';
}
/** The first element beyond rounding, else the first that is rounded differently. */
function compareElements(
  element: ElementType,
  before: MemoryStorage,
  after: MemoryStorage,
  slack: Float64Array | null,
): Difference | undefined {
  const dtype = tileDType(element);
  const count = Math.floor(before.bytes.length / byteSize(element));
  const [a, b] = [before, after].map((storage) => readAll(element, storage, count)) as [Tile, Tile];
  const float = dtype !== 'pointer' && isFloat(dtype);
  const tolerance = float ? (TOLERANCE[dtype] ?? FLOAT8_TOLERANCE) * largest(a) : 0;
  let rounding: Difference | undefined;
  for (let i = 0; i < count; i++) {
    const [x, y] = [elementAt(a, i), elementAt(b, i)];
    if (x === y || (x !== x && y !== y)) continue;
    const off = float ? Math.abs((x as number) - (y as number)) : Infinity;
    const near = off <= tolerance || off <= (slack?.[i] ?? 0);
    if (!near) return { index: i, values: [x, y], verdict: 'different' };
    rounding ??= { index: i, values: [x, y], verdict: 'rounding' };
  }
  return rounding;
}
/** The first `count` elements of a storage. */
export function readAll(element: ElementType, storage: MemoryStorage, count: number): Tile {
  const tile = new Tile(tileDType(element), count);
  // A copy is aligned for every dtype.
  const view = new MemoryRegion({ address: 0, bytes: storage.bytes.slice() }).rawView(tile.dtype)!;
  const read = reader(tile.dtype, view);
  for (let i = 0; i < count; i++) read(i, tile, i);
  return tile;
}
function largest(tile: Tile): number {
  let most = 0;
  for (const x of tile.data) if (Number.isFinite(x)) most = Math.max(most, Math.abs(x));
  return most;
}
