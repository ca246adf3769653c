/**
 * Values that nobody defined and that a launch stores, or takes an address, a mask or a branch
 * from: lanes that a masked load without `other` leaves, and elements that nothing has written, of
 * tensors (`torch.empty`, or parts of it) and of shared memory (`shadow.ts`). The launch runs on
 * the interpreter with other values in their place (NaN, large numbers of both signs; integers):
 * what it writes is the same where none of them counts.
 *
 * Guarantee: a fault is two runs of the programs named, in which nothing but undefined values
 * differs, and which store differently, or of which one loads out of range. Where no source is
 * found, or where contents of the launch's tensors were not kept, nothing is run.
 */
import { fillOf } from '../inspect/fill';
import { hasContents, memoryOf, type LaunchInputs } from '../inspect/launch';
import { parameterOf, type TraceEnd } from '../inspect/trace';
import type { Step } from '../interpret/compile';
import { accessKind, maskOf } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import { asDType, setElement } from '../ir/tile';
import { bitWidth, isFloat, type DType } from '../ir/types';
import { runLaunch, type AccessInRun, type RunOptions } from './launchRun';
import { hasUnwritten, READS_SHARED, Shadow, type Poison, type UnwrittenRead } from './shadow';
import {
  firstDifference,
  noting,
  type OnWrite,
  type WriteDifference,
  type WritingRun,
  type Written,
} from './written';

/** Sources of one launch that are looked at one by one. */
const MOST_SOURCES = 24;

/** An operation that undefined values come from. */
export interface UndefinedSource {
  /**
   * Lanes of a masked load without `other`; elements that nothing has written before a load or an
   * atomic reads them, of a tensor or of shared memory.
   */
  readonly kind: 'lanes' | 'memory' | 'shared';
  readonly op: Operation;
}

export interface UndefinedCheck {
  readonly sources: readonly UndefinedSource[];
  /** The first unwritten element that an operation read; absent where it read none. */
  readonly reads: ReadonlyMap<Operation, UnwrittenRead>;
  readonly uses: ReadonlyMap<UndefinedSource, WriteDifference>;
  /** Others than these have uses; each alone was not looked at, as there are too many. */
  readonly open: ReadonlySet<UndefinedSource>;
  /** Programs that every run went through. */
  readonly programs: number;
  readonly end: TraceEnd;
}

/** @returns undefined where the launch has no undefined values to begin with. */
export function checkUndefined(func: Func, inputs: LaunchInputs): UndefinedCheck | undefined {
  const possible = sourcesOf(func, inputs);
  if (possible.length === 0) return undefined;
  const uses = new Map<UndefinedSource, WriteDifference>();
  const none = { uses, open: new Set<UndefinedSource>() };
  if (!hasContents(inputs))
    return {
      sources: possible.filter(({ isStated }) => isStated),
      reads: new Map(),
      ...none,
      ...NOTHING_RAN,
    };
  const first = run(func, inputs, possible, 0);
  const { reads } = first;
  const sources = possible.filter(({ isStated, op }) => isStated || reads.has(op));
  if (sources.length === 0) return undefined;
  const real = sources.filter(({ kind, op }) => kind === 'lanes' || reads.has(op));
  const { use: all, programs, end } = compare(func, inputs, real, first);
  const found = { sources, reads, programs, end };
  if (!all) return { ...found, ...none };
  const alone = real.slice(0, MOST_SOURCES);
  for (const source of alone) {
    const { use } = real.length === 1 ? { use: all } : compare(func, inputs, [source]);
    if (use) uses.set(source, use);
  }
  const open = new Set(real.slice(MOST_SOURCES));
  // Two sources may count together alone.
  if (uses.size === 0 && open.size === 0) uses.set(real[0]!, all);
  return { ...found, uses, open };
}
const NOTHING_RAN = { programs: 0, end: { kind: 'complete' } } as const;

interface Comparison {
  readonly use: WriteDifference | undefined;
  readonly programs: number;
  /** The first run's that was not complete. */
  readonly end: TraceEnd;
}

/** Two runs, and a third where these agree; one where there is no source to differ in. */
function compare(
  func: Func,
  inputs: LaunchInputs,
  sources: readonly UndefinedSource[],
  first = run(func, inputs, sources, 0),
): Comparison {
  let { programs, end } = first;
  for (const variant of sources.length === 0 ? [] : ([1, 2] as const)) {
    const other = run(func, inputs, sources, variant);
    const use = firstDifference(first, other);
    if (use) return { use, programs, end };
    programs = Math.min(programs, other.programs);
    if (end.kind === 'complete' || other.end.kind === 'failed') end = other.end;
  }
  return { use: undefined, programs, end };
}

/**
 * A source by the kernel's text and what the launch was given: it has an answer also where no
 * program reads what nothing has written. Others may be sources, as a run shows.
 */
interface Possible extends UndefinedSource {
  readonly isStated: boolean;
}

function sourcesOf(func: Func, inputs: LaunchInputs): Possible[] {
  const sources: Possible[] = [];
  const anyUnwritten = inputs.storages.some(hasUnwritten);
  walk(func.body, (op) => {
    if (READS_SHARED.has(op.name)) sources.push({ kind: 'shared', op, isStated: false });
    if (accessKind(op) === null || op.name === 'tt.store') return;
    if (op.name === 'tt.load' && maskOf(op) && op.operands.length === 2)
      sources.push({ kind: 'lanes', op, isStated: true });
    const argument = parameterOf(op, func);
    const view = argument === null ? undefined : inputs.args[argument];
    const mayRead = view?.kind === 'pointer' ? inputs.storages[view.storage]! : undefined;
    if (mayRead ? hasUnwritten(mayRead) : anyUnwritten)
      sources.push({ kind: 'memory', op, isStated: mayRead !== undefined });
  });
  return sources;
}

/**
 * Large in float32, bfloat16, float64 and integers; 7 and less in float16 and formats of 8 bits.
 */
const POSITIVE = fillOf(0x46e046e0, 0x46e046e0);
const NEGATIVE = fillOf(0xc6e0c6e0, 0xc6e0c6e0);

/** Which values stand for the undefined ones. */
type Variant = 0 | 1 | 2;

interface Ran extends WritingRun {
  readonly reads: ReadonlyMap<Operation, UnwrittenRead>;
}

function run(
  func: Func,
  inputs: LaunchInputs,
  sources: readonly UndefinedSource[],
  variant: Variant,
): Ran {
  const memory = memoryOf(inputs);
  const shadow = new Shadow(inputs, memory);
  const chosen = (kind: UndefinedSource['kind']): Set<Operation> =>
    new Set(sources.flatMap((one) => (one.kind === kind ? [one.op] : [])));
  const [loads, reads, shared] = [chosen('lanes'), chosen('memory'), chosen('shared')];
  const written: Written[] = [];
  let outside = 0;
  const onWrite: OnWrite = (op, { 0: x, 1: y, 2: z }, digest) => {
    written.push({ op, program: [x, y, z], digest });
  };
  const around = (own: AccessInRun): Step => {
    const { op, kind, compiler } = own;
    const access = { ...own, step: shadow.access(own, POISON[reads.has(op) ? variant : 0]) };
    if (kind !== 'load') return noting(access, onWrite);
    const load = loads.has(op) ? poisoned(access, variant) : access.step;
    return () => {
      const before = outside;
      load();
      if (outside > before) onWrite(op, compiler.program, outside - before);
    };
  };
  const others: RunOptions['others'] = (op, step, compiler) =>
    shadow.shared(op, step, compiler, POISON[shared.has(op) ? variant : 0]);
  const onOutOfRange = (): void => void outside++;
  const ran = runLaunch(func, inputs, { memory, around, others, onOutOfRange });
  return { written, reads: shadow.reads, ...ran };
}

/** The step of a load, with a value in the lanes that it leaves undefined. */
function poisoned({ op, step, compiler }: AccessInRun, variant: Variant): Step {
  const out = compiler.tile(op.result);
  const mask = compiler.tile(maskOf(op)!);
  const value = valuesFor(asDType(out.dtype))[variant];
  return () => {
    step();
    for (let i = 0; i < out.count; i++)
      if (mask.data[mask.count === 1 ? 0 : i] === 0) setElement(out, i, value);
  };
}

/** By variant; the finite ones are exact in their formats. */
function valuesFor(dtype: DType): readonly [number, number, number] {
  if (!isFloat(dtype)) return dtype === 'i1' ? [0, 1, 1] : [0, INTEGER, -1];
  const large = bitWidth(dtype) === 8 ? 224 : 28672;
  return [NaN, large, -large];
}
/** Cut to fewer bits, it is still no small number. */
const INTEGER = 0x3f9d3f9d;

/** By variant. */
const POISON: readonly [Poison, Poison, Poison] = [
  { bytes: null, number: (dtype) => valuesFor(dtype)[0] },
  { bytes: POSITIVE, number: (dtype) => valuesFor(dtype)[1] },
  { bytes: NEGATIVE, number: (dtype) => valuesFor(dtype)[2] },
];
