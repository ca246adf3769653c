/**
 * Bounds guards: whether an access lies in the tensor it belongs to. Each run has a guard of its
 * own, which also says what is reported (`thread.guard`); passes on thread IR merge, defer and
 * lower them.
 *
 * An access moves aligned runs of elements. A tensor begins at a multiple of 256 bytes, so only the
 * run that holds its end can be partly in range. The runtime pads tensors to the longest run, 16
 * bytes, with zeros: a run with some element in range is read at once, and elements past the end
 * read as 0. A store writes the zeros back. So every element in range is read and written, whatever
 * lies in its run.
 */
import { compareLocations, locationKey } from '../../ir/location';
import { accessKind } from '../../ir/access';
import { type Operation, walk } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import { REPORT_LOADS, REPORT_WRITES } from '../../boundsReport';
import type { BoundsAccess } from '../../program';
import type { Lowering } from '../context';
import { arenaGood, pointeeBytes } from './addresses';
import { isOwner, ownerMask } from '../owners';
import { readWord } from './runs';

/** The accesses that a guard permits a run. */
export interface Guarded {
  /** The run's mask holds and some element is in range: the run may be read. */
  readonly some: ThreadValue;
  /** Whether element `k` is in range, whatever the mask; absent where all are if one is. */
  readonly has?: (k: number) => ThreadValue;
}

/** One run of an access: its first element, and the mask that it is accessed under. */
export interface Run {
  readonly offset: ThreadValue;
  readonly mask: ThreadValue | undefined;
}
export interface GuardOptions {
  /** Guards of one operation have one number. */
  readonly operation: number;
  /** How many runs of the thread are the same. */
  readonly times?: number;
  /**
   * Whether this evaluation of a rematerialized load counts its elements out of range, or where it
   * does.
   */
  readonly counted?: boolean | ThreadValue;
  /** False where not every element out of range is counted once. */
  readonly exact?: boolean;
  /** No branch tests the guard. */
  readonly predicated?: boolean;
  /** Guards of one section may share a test. */
  readonly section?: number | undefined;
}

/** How an access tests its runs, and what it reports. */
export interface Bounds {
  /** Checks a run, and reports what is out of range of it. */
  guard(run: Run, options: GuardOptions): Guarded;
  /** Whether all elements of a run are in range. */
  whole(offset: ThreadValue): ThreadValue;
  /**
   * The first offset of the tensor, and how many there are in whole runs, where the kernel does not
   * change them.
   */
  readonly range?: { readonly begin: ThreadValue; readonly length: ThreadValue };
  /** Elements of a run. */
  readonly vector: number;
  /** Its number among the kernel's accesses. */
  readonly access: number;
}

/** Numbers the accesses in the order of the text. Those of one place and one argument are one. */
export function listAccesses(t: Lowering): void {
  if (!t.checkBounds) return;
  const found = new Map<string, { access: BoundsAccess; ops: Operation[] }>();
  walk(t.func.body, (op) => {
    const kind = accessKind(op);
    if (kind === null) return;
    const [argument = [], ...others] = t.memory
      .of(op)
      .arguments.map((root) => t.parameters.of(root).path);
    const elementBytes = pointeeBytes(op.operand(0).type);
    const { location } = op;
    const key = `${locationKey(location)} ${kind} ${argument.join('.')} ${elementBytes}`;
    const known = found.get(key);
    if (known) known.ops.push(op);
    else {
      const access = { location, kind, argument, others, elementBytes, counted: true };
      found.set(key, { access, ops: [op] });
    }
  });
  const sorted = [...found.values()].sort((a, b) =>
    compareLocations(a.access.location, b.access.location),
  );
  for (const { access, ops } of sorted) t.checks.add(access, ops);
}

/** @param vector elements of a run. */
export function boundsOf(t: Lowering, op: Operation, vector: number): Bounds | undefined {
  if (!t.checkBounds || t.assumptions.inRange(op)) return undefined;
  const make = t.memory.of(op).computed ? arenaBounds : tensorBounds;
  return t.checks.bounds(op, vector, (access) => make(t, op, vector, access));
}

/** A guard of one run; `limits` as the operation has them. */
function guardOf(
  t: Lowering,
  op: Operation,
  { access, vector }: Pick<Bounds, 'access' | 'vector'>,
  by: 'length' | 'good',
  distance: ThreadValue,
  limits: readonly ThreadValue[],
  mask: ThreadValue | undefined,
  { operation, times = 1, counted = true, exact = true, ...facts }: GuardOptions,
): ThreadValue {
  const yes = t.b.bool(true);
  const own = typeof counted === 'boolean' ? t.b.bool(counted) : counted;
  const counts = counted === false ? own : t.every([countsHere(t, op), own])!;
  const repeated = isRepeated(t, op);
  return t.b.create('thread.guard', [mask ?? yes, counts, distance, ...limits], {
    attributes: {
      access,
      half: t.checks.accesses[access]!.kind === 'load' ? REPORT_LOADS : REPORT_WRITES,
      by,
      vector,
      times,
      operation,
      ...(exact && !repeated ? {} : { counted: false }),
      ...(repeated ? { repeated: true } : {}),
      ...(facts.predicated ? { predicated: true } : {}),
      ...(facts.section === undefined ? {} : { section: facts.section }),
    },
  }).result;
}

/**
 * Guards a run by its mask alone, for a test that it may share. @returns whether the mask holds.
 */
export function maskGuard(
  t: Lowering,
  mask: ThreadValue,
  { operation, section }: GuardOptions,
): ThreadValue {
  if (section === undefined) return mask;
  return t.b.create('thread.guard', [mask, t.b.bool(true), t.b.u32(0)], {
    attributes: { by: 'mask', vector: 1, times: 1, operation, section },
  }).result;
}

/** Whether this thread counts, of those with the same elements; undefined where all do. */
function countsHere(t: Lowering, op: Operation): ThreadValue | undefined {
  if (t.threads === 1 || op.name !== 'tt.load') return undefined;
  return isOwner(t, ownerMask(t, op.result));
}

/** Whether the operation runs many times in a thread: then each instruction beside it counts. */
function isRepeated(t: Lowering, op: Operation): boolean {
  for (let at = op.parent?.parent; at; at = at.parent?.parent)
    if (at.name === 'scf.for' || at.name === 'scf.while') return true;
  return t.dots.isRematerialized(op);
}

function arenaBounds(t: Lowering, op: Operation, vector: number, access: number): Bounds {
  const { group } = t.memory.of(op);
  const good = arenaGood(t, (word) => readWord(t, group, word));
  const bytes = pointeeBytes(op.operand(0).type);
  return {
    guard({ offset, mask }, options) {
      const name = t.let('good', good(offset, bytes, vector));
      const own = { access, vector };
      const far = t.x`u32(${offset})`;
      const some = guardOf(t, op, own, 'good', far, [name], mask, options);
      return { some, has: (k) => t.x`${name} > ${k}u` };
    },
    whole: (offset) => t.x`${good(offset, bytes, vector)} == ${vector}u`,
    vector,
    access,
  };
}

function tensorBounds(t: Lowering, op: Operation, vector: number, access: number): Bounds {
  const { b } = t;
  const roots = t.memory.of(op).arguments;
  const paths = roots.map((root) => t.parameters.of(root).path);
  const bytes = pointeeBytes(op.operand(0).type);
  // The words count elements of the argument, which may be cast to a pointer to others.
  const limit = (name: 'begin' | 'end', i: number): ThreadValue => {
    const word = b.word({ kind: name, path: paths[i]! });
    const from = pointeeBytes(roots[i]!.type);
    if (from === bytes) return t.x`i32(${word})`;
    return from > bytes
      ? t.x`i32(${word} * ${from / bytes}u)`
      : t.x`i32(${word} / ${bytes / from}u)`;
  };
  // A pointer chosen among several arguments may go as far as any of them.
  const extreme = (name: 'begin' | 'end'): ThreadValue =>
    paths
      .map((_, i) => limit(name, i))
      .reduce((x, y) => b.value(name === 'begin' ? 'thread.min' : 'thread.max', [x, y]));
  const key = `${paths.map((path) => path.join('.')).join(' ')} by ${bytes}`;
  const begin = b.prelude(`begin ${key}`, 'begin', () => extreme('begin'));
  const end = b.prelude(`end ${key}`, 'end', () => extreme('end'));
  const length = b.prelude(`length ${key}`, 'length', () => t.x`u32(${end} - ${begin})`);
  // The first element of an aligned run decides whether all are in range.
  // No vector crosses the end of a tensor that has whole ones.
  const divides = vector * bytes <= 16 && roots.every((root) => t.parameters.hasWholeVectors(root));
  const whole =
    vector === 1 || divides
      ? length
      : b.prelude(
          `whole ${key} ${vector}`,
          'whole',
          () => t.x`${length} / ${vector}u * ${vector}u`,
        );
  return {
    guard({ offset, mask }, options) {
      const distance = t.let('distance', t.x`u32(${offset} - ${begin})`);
      const own = { access, vector };
      const limits = [whole, length];
      const some = guardOf(t, op, own, 'length', distance, limits, mask, options);
      return whole === length
        ? { some }
        : { some, has: (k) => t.x`${distance} + ${k}u < ${length}` };
    },
    whole: (offset) => t.x`u32(${offset} - ${begin}) < ${whole}`,
    range: { begin, length: whole },
    vector,
    access,
  };
}

/** Runs `body` where the mask holds and an element is in range; reports it where it is not. */
export function guarded(
  t: Lowering,
  bounds: Bounds | undefined,
  run: Run,
  options: GuardOptions,
  body: () => readonly ThreadValue[],
  otherwise: () => readonly ThreadValue[] = () => [],
): readonly ThreadValue[] {
  const condition = bounds ? bounds.guard(run, options).some : run.mask;
  return condition ? t.b.if(condition, body, otherwise) : body();
}

/** Reports that a loop waits in vain where the condition holds: an element that has no place. */
export function reportWait(
  t: Lowering,
  loop: Operation,
  { access }: Bounds,
  condition: ThreadValue,
): void {
  const wait = { ...t.checks.accesses[access]!, location: loop.location, kind: 'wait' } as const;
  const own = { access: t.checks.add(wait), vector: 1 };
  const none = t.b.u32(0);
  const options = { operation: t.checks.nextGuard() };
  guardOf(t, loop, own, 'length', none, [none, none], condition, options);
}
