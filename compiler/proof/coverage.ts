/**
 * Places of kernels that no launch of a run exercised: accesses that no program came to, masks that
 * left out no lane, and loops with too few iterations to show what they carry. A check of values
 * says nothing of these. Addresses, masks and bounds of loops alone are evaluated (`slice.ts`), of
 * all programs.
 *
 * Guarantee: what is reported was seen in no program of any launch that was looked at. Where a
 * launch takes too many steps, or its data were not kept, nothing is reported of its operations.
 */
import { funcAfter } from '../inspect/funcAfter';
import {
  argumentValues,
  hasContents,
  memoryOf,
  programCount,
  type LaunchInputs,
} from '../inspect/launch';
import { EnoughSeen, parameterOf, type OnAccess } from '../inspect/trace';
import { accessKind, maskOf, type AccessKind } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import { formatLocation, type Location } from '../ir/location';
import { shapeOf } from '../ir/types';
import type { Compiler } from '../pipeline';
import { addressSlice, readsMemory, sliceOf, traceAddresses } from './slice';

/** Operations and elements that all launches of a run may take together. */
const MOST_OPERATIONS = 10_000_000;
const MOST_ELEMENTS = 40_000_000;
/** The share that one launch may take, so that a large one leaves enough for others. */
const MOST_OF_LAUNCH = 0.25;
/**
 * Folding removes a mask that is true for a constexpr size, and a loop of one iteration: the
 * function is taken before.
 */
const PASS = 'lower';

interface Place {
  readonly kernel: string;
  readonly location: Location;
}
interface AccessText {
  readonly access: AccessKind;
  /** Name of the argument that the pointer comes from. */
  readonly argument: string | null;
  readonly isTile: boolean;
}

/** `access`: no program came to it. `mask`: it was true in every lane. */
export type Uncovered =
  | (Place & AccessText & { readonly kind: 'access' | 'mask' })
  /** A loop, with the most iterations in one execution of it. */
  | (Place & { readonly kind: 'loop'; readonly iterations: number });

/** An operation of the source, over the specializations of its kernel. */
interface Watched extends Place {
  /** Whether a program came to the access. */
  isReached: boolean;
  /** Nothing more is to be seen of it, or it cannot be decided. */
  isDone: boolean;
  readonly access?: AccessText & { readonly isMasked: boolean };
  /** The most that were seen of a loop, and those that leave nothing to see. */
  iterations: number;
  readonly enough: number;
}

/** The launches of a run; a compilation is looked at once. */
export class Coverage {
  readonly #watched = new Map<string, Watched>();
  readonly #funcs = new Map<string, Watching | null>();
  #operations = MOST_OPERATIONS;
  #elements = MOST_ELEMENTS;

  constructor(private readonly compiler: Compiler) {}

  add(inputs: LaunchInputs): void {
    const watching = this.#of(inputs);
    if (!watching) return;
    const open = new Set([...watching.ops].filter(([, { isDone }]) => !isDone).map(([op]) => op));
    if (open.size === 0) return;
    const isKnown = !watching.isOfData || hasContents(inputs);
    if (isKnown && this.#operations > 0 && this.#elements > 0) this.#trace(watching, inputs, open);
    // An operation that was not looked at to the end may be exercised there.
    else for (const op of open) watching.ops.get(op)!.isDone = true;
  }

  /** By kernel and line. */
  uncovered(): Uncovered[] {
    const found: Uncovered[] = [];
    for (const {
      isDone,
      isReached,
      access,
      iterations,
      location,
      kernel,
    } of this.#watched.values()) {
      if (isDone) continue;
      const place = { location, kernel };
      if (!access) found.push({ ...place, kind: 'loop', iterations });
      else {
        const { isMasked, ...about } = access;
        if (!isReached) found.push({ ...place, kind: 'access', ...about });
        else if (isMasked) found.push({ ...place, kind: 'mask', ...about });
      }
    }
    return found.sort(
      (a, b) => a.kernel.localeCompare(b.kernel) || a.location.line - b.location.line,
    );
  }

  #of(inputs: LaunchInputs): Watching | null {
    const key = `${inputs.kernel} ${inputs.key}`;
    const known = this.#funcs.get(key);
    if (known !== undefined) return known;
    const found = funcAfter(this.compiler, inputs.request, ({ name }) => name === PASS);
    const made = found.ok ? this.#watch(found.func, inputs.kernel) : null;
    this.#funcs.set(key, made);
    return made;
  }

  #watch(func: Func, kernel: string): Watching {
    const ops = new Map<Operation, Watched>();
    walk(func.body, (op) => {
      const made = watchedOf(op, func, kernel);
      if (!made) return;
      const { location, access } = made;
      const key = `${kernel} ${formatLocation(location)} ${access?.access} ${access?.argument}`;
      const watched = this.#watched.get(key) ?? made;
      this.#watched.set(key, watched);
      ops.set(op, watched);
    });
    const slice = sliceOf(func);
    return { func, ops, isOfData: slice === null || readsMemory(slice) };
  }

  /** @param open operations of which more is to be seen. */
  #trace({ func, ops }: Watching, inputs: LaunchInputs, open: Set<Operation>): void {
    const done = (op: Operation, watched: Watched): void => {
      watched.isDone = true;
      open.delete(op);
      if (open.size === 0) throw new EnoughSeen();
    };
    let elements = Math.min(this.#elements, MOST_ELEMENTS * MOST_OF_LAUNCH);
    this.#elements -= elements;
    const onAccess: OnAccess = (op, addresses, mask) => {
      elements -= addresses.length;
      if (elements < 0) throw new EnoughSeen();
      const watched = ops.get(op);
      if (!watched || watched.isDone) return;
      watched.isReached = true;
      if (!watched.access?.isMasked || mask?.includes(0)) done(op, watched);
    };
    const onLoop = (op: Operation, iterations: number): void => {
      const watched = ops.get(op);
      if (!watched || watched.isDone) return;
      watched.iterations = Math.max(watched.iterations, iterations);
      if (watched.iterations >= watched.enough) done(op, watched);
    };
    const budget = Math.min(this.#operations, MOST_OPERATIONS * MOST_OF_LAUNCH);
    // The last programs have the edges.
    const range = { first: 0, end: programCount(inputs), backwards: true };
    const end = traceAddresses({
      ...{ func, args: argumentValues(inputs), memory: memoryOf(inputs), grid: inputs.grid },
      ...{ range, budget, onAccess, onLoop },
    });
    this.#elements += Math.max(0, elements);
    if (end.kind === 'complete' || open.size === 0) return;
    this.#operations -= budget;
    for (const op of open) ops.get(op)!.isDone = true;
  }
}

interface Watching {
  readonly func: Func;
  readonly ops: ReadonlyMap<Operation, Watched>;
  /** Whether values in memory decide addresses, masks or bounds. */
  readonly isOfData: boolean;
}

function watchedOf(op: Operation, func: Func, kernel: string): Watched | null {
  const common = {
    location: op.location,
    kernel,
    isReached: false,
    isDone: false,
    iterations: 0,
    enough: 0,
  };
  const access = accessKind(op);
  if (access !== null) {
    const at = parameterOf(op, func);
    const argument = at === null ? null : (func.body.args[at]?.name ?? null);
    const isTile = shapeOf(op.operand(0).type).length > 0;
    return { ...common, access: { access, argument, isTile, isMasked: maskOf(op) !== undefined } };
  }
  return op.name === 'scf.for' && isOfArguments(op, func)
    ? { ...common, enough: enoughIterations(op) }
    : null;
}

/** Whether a bound of the loop comes from what a launch is given, and not from constants. */
function isOfArguments(loop: Operation, func: Func): boolean {
  return [...addressSlice(loop.operands.slice(0, 3))].some(
    (value) =>
      func.body.args.includes(value) ||
      value.definition?.name === 'tt.get_program_id' ||
      value.definition?.name === 'tt.get_num_programs',
  );
}

/**
 * Two iterations show what one carries to the next. A value that each iteration replaces, whatever
 * it was before, is the same as one that adds up until there are three.
 */
function enoughIterations(loop: Operation): number {
  const body = loop.region(0);
  const replaced = body.args.slice(1).some((arg, i) => {
    const next = body.terminator.operand(i);
    return arg.uses.size > 0 && next !== arg && !addressSlice([next]).has(arg);
  });
  return replaced ? 3 : 2;
}
