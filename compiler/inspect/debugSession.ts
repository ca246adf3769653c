/**
 * A debugging session: one program of a launch, stepped through by operation or by line of the
 * source, with the call stack and the values of Python's names. Stepping back executes again from
 * the start, on the same inputs.
 */
import type { Func, Operation } from '../ir/ir';
import type { Location } from '../ir/location';
import { printFunc } from '../ir/printer';
import { ConditionError, holds } from './condition';
import type { Constexpr } from './constexprs';
import { DebugNames, type Place, type TileValues, type VariableReport } from './debugNames';
import { argumentValues, memoryOf, type LaunchInputs } from './launch';
import { calleeAt, frameKeyAt, isLibrary, isSameCall, ownDepth, stackOf } from './frames';
import {
  stopDepth,
  type Breakpoints,
  type Replay,
  type Search,
  type StepKind,
  type Walk,
} from './moves';
import { Stepper } from './stepper';
import { hitOf, type StoreHit } from './storeAt';

/** A function that is being executed. */
export interface FrameReport {
  readonly name: string;
  /** Its line that is executed; null where the program has ended. */
  readonly location: Location | null;
  /** Whether it belongs to our library: its text is not the user's. */
  readonly library: boolean;
  readonly variables: readonly VariableReport[];
}

export interface DebugState {
  readonly program: readonly [number, number, number];
  readonly steps: number;
  /** The next step; null at the end. */
  readonly next: {
    /** Lines of the IR. */
    readonly line: number;
    readonly op: string;
    /**
     * The call on the line, where the operation belongs to a function that was not stepped into.
     */
    readonly call: string | null;
    /** In the frame where the user stands. */
    readonly location: Location;
  } | null;
  readonly failure: string | null;
  /** Accesses out of range so far: the first ones. */
  readonly outside: readonly string[];
  /** Conditions of breakpoints that could not be computed at the last move, by `file:line`. */
  readonly conditions: readonly { readonly place: string; readonly message: string }[];
  /** The place to which the next operation stores the element that was looked for. */
  readonly store: { readonly index: readonly number[]; readonly stores: number } | null;
  readonly canGoBack: boolean;
  /** The call stack, the innermost function first. */
  readonly frames: readonly FrameReport[];
}

export interface DebugText {
  readonly ir: string;
  readonly locations: readonly (Location | null)[];
}

const MOST_OUTSIDE = 20;
const MOST_HISTORY = 10_000;

export class DebugSession {
  readonly text: DebugText;
  readonly #names: DebugNames;
  readonly #lines: ReadonlyMap<Operation, number>;
  #stepper: Stepper;
  #outside: string[] = [];
  /** The frame of the next operation in which the user stands. */
  #depth = 0;
  /** The user's last position. */
  #history: { readonly count: number; readonly depth: number }[] = [];
  /** Values written after this step are fresh. */
  #since = 0;
  /** The move that is being made. */
  #target: Walk | Replay | Search | null = null;
  #faults = new Map<string, string>();
  #store: { readonly hit: StoreHit; readonly stores: number } | null = null;

  constructor(
    private readonly func: Func,
    private readonly inputs: LaunchInputs,
    private readonly program: readonly [number, number, number],
    /** The kernel's compile-time arguments. */
    constexprs: readonly Constexpr[] = [],
  ) {
    const { text, locations, names, lines } = printFunc(func);
    this.text = { ir: text, locations };
    this.#names = new DebugNames(func, names, constexprs);
    this.#lines = lines;
    this.#stepper = this.#start();
  }

  #start(): Stepper {
    this.#outside = [];
    return new Stepper({
      func: this.func,
      args: argumentValues(this.inputs),
      memory: memoryOf(this.inputs),
      grid: this.inputs.grid,
      program: this.program,
      onOutOfRange: (error) => {
        if (this.#outside.length < MOST_OUTSIDE) this.#outside.push(error.message);
      },
    });
  }

  /** Begins a move; `advance` makes it. */
  begin(kind: StepKind, breakpoints: Breakpoints): void {
    this.#remember();
    const { next } = this.#stepper;
    if (!next) return;
    const stack = stackOf(next);
    const standing = { stack, depth: this.#depth };
    // The function that is called here begins with this operation: nothing is executed.
    if (kind === 'into' && this.#depth < stack.length - 1) this.#depth++;
    else
      this.#target = {
        kind,
        stops: breakpoints.size > 0 ? this.#stops(breakpoints) : null,
        standing,
        from: next,
        last: next,
      };
  }
  /** Begins looking for the last store of the element at an address, from the start. */
  beginStore(address: number): void {
    this.#remember();
    this.#stepper = this.#start();
    this.#target = { kind: 'search', address, hit: null, stores: 0 };
  }
  /** Begins going to where so many operations were executed, from the start. */
  beginAt(count: number): void {
    this.#remember();
    this.#stepper = this.#start();
    this.#since = Math.max(0, count - 1);
    this.#target = { kind: 'replay', goal: count, depth: Infinity, callBegan: 0 };
  }
  /** A condition that cannot be computed stops, so that somebody sees it. */
  #stops(breakpoints: Breakpoints): NonNullable<Walk['stops']> {
    return (at, depth, stack) => {
      const condition = breakpoints.get(at);
      if (condition === undefined || condition === null) return condition === null;
      try {
        if (condition instanceof ConditionError) throw condition;
        const { program } = this;
        const { grid } = this.inputs;
        return holds(
          condition,
          this.#names.scope(this.#stepper, { stack, depth }, { program, grid }),
        );
      } catch (error) {
        if (!(error instanceof ConditionError)) throw error;
        this.#faults.set(at, error.message);
        return true;
      }
    };
  }
  /** Begins going back to where the user stood before, or by an operation. */
  beginBack(kind: 'stop' | 'op'): void {
    this.#faults.clear();
    this.#store = null;
    const before = this.#history.pop();
    const { next, count } = this.#stepper;
    const inLibrary = next !== null && isLibrary(stackOf(next)[this.#depth]!);
    const goal = Math.max(0, kind === 'op' ? count - 1 : (before?.count ?? 0));
    this.#stepper = this.#start();
    this.#since = Math.max(0, goal - 1);
    this.#target = {
      kind: 'replay',
      goal,
      depth: kind === 'op' ? (inLibrary ? Infinity : null) : (before?.depth ?? 0),
      callBegan: 0,
    };
  }
  restart(): void {
    this.#remember();
    this.#stepper = this.#start();
    this.#history = [];
    this.#since = 0;
    this.#depth = 0;
    this.#target = null;
  }
  #remember(): void {
    const { count } = this.#stepper;
    this.#faults.clear();
    this.#store = null;
    this.#since = count;
    this.#history.push({ count, depth: this.#depth });
    if (this.#history.length > MOST_HISTORY) this.#history.shift();
  }

  /** Goes on with the move until it is made or the time is over. @returns whether it is made. */
  advance(milliseconds: number): boolean {
    const target = this.#target;
    if (!target) return true;
    const end = performance.now() + milliseconds;
    for (let i = 0; ; i++) {
      if (i % 16 === 15 && performance.now() > end) return false;
      if (this.#moves(target)) break;
      if (this.#target !== target) return false;
    }
    this.#target = null;
    return true;
  }
  #moves(target: Walk | Replay | Search): boolean {
    if (target.kind === 'replay') return this.#replay(target);
    return target.kind === 'search' ? this.#search(target) : this.#walk(target);
  }
  /**
   * Runs to the end, then again up to the last store that was met. @returns whether there was none.
   */
  #search(search: Search): boolean {
    const { next } = this.#stepper;
    if (next) {
      const hit = hitOf(next, search.address, this.#stepper);
      if (hit) [search.hit, search.stores] = [hit, search.stores + 1];
      this.#stepper.step();
      return false;
    }
    if (!search.hit) return true;
    this.#store = { hit: search.hit, stores: search.stores };
    this.#stepper = this.#start();
    this.#since = Math.max(0, search.hit.count - 1);
    this.#target = { kind: 'replay', goal: search.hit.count, depth: Infinity, callBegan: 0 };
    return false;
  }
  /** @returns whether the user stops here. */
  #walk(walk: Walk): boolean {
    this.#stepper.step();
    const { next } = this.#stepper;
    const depth = next ? stopDepth(walk, next) : 0;
    walk.last = next;
    if (depth !== null) this.#depth = depth;
    return depth !== null;
  }
  /** @returns whether it is where it has to be. */
  #replay(replay: Replay): boolean {
    const before = this.#stepper.next;
    if (before && this.#stepper.count < replay.goal) {
      this.#stepper.step();
      const { next } = this.#stepper;
      if (!next || !isSameCall(stackOf(before), stackOf(next)))
        replay.callBegan = this.#stepper.count;
      return false;
    }
    if (replay.depth === null && replay.callBegan < this.#stepper.count) {
      // A call into our library is one operation: back to where it begins.
      replay.goal = replay.callBegan;
      this.#stepper = this.#start();
      return false;
    }
    const stack = before ? stackOf(before) : [];
    this.#depth = Math.max(0, Math.min(replay.depth ?? ownDepth(stack), stack.length - 1));
    return true;
  }
  /** Ends a move where it stands. */
  pause(): void {
    if (!this.#target) return;
    this.#target = null;
    const { next } = this.#stepper;
    this.#depth = next ? ownDepth(stackOf(next)) : 0;
  }

  state(): DebugState {
    const { next, count, failure } = this.#stepper;
    const stack = next ? stackOf(next) : [];
    const location = stack[this.#depth];
    return {
      program: this.program,
      steps: count,
      next:
        next && location
          ? {
              line: this.#lines.get(next) ?? 1,
              op: next.name,
              call: this.#depth < stack.length - 1 ? this.#callee(location) : null,
              location,
            }
          : null,
      failure,
      outside: [...this.#outside],
      conditions: [...this.#faults].map(([place, message]) => ({ place, message })),
      store: this.#store && { index: this.#store.hit.index, stores: this.#store.stores },
      canGoBack: count > 0,
      frames: this.#frames(),
    };
  }

  #callee(place: Location): string | null {
    return calleeAt(place, this.inputs.request.program.files);
  }

  /** Those down to where the user stands, that one first. */
  #frames(): FrameReport[] {
    const { next } = this.#stepper;
    const stack = next ? stackOf(next) : [];
    const variables = this.#names.variables(this.#stepper, this.#since);
    const frames = stack.slice(0, this.#depth + 1).map((location, depth): FrameReport => {
      const call = depth === 0 ? null : this.#callee(stack[depth - 1]!);
      const key = frameKeyAt(stack, depth);
      return {
        name: depth === 0 ? this.func.name : (call ?? 'a function'),
        location,
        library: isLibrary(location),
        variables: variables.filter(({ frame }) => frame === key).map(({ report }) => report),
      };
    });
    if (frames.length > 0) return frames.toReversed();
    const own = variables.filter(({ frame }) => frame === '').map(({ report }) => report);
    return [{ name: this.func.name, location: null, library: false, variables: own }];
  }

  #place(): Place | null {
    const { next } = this.#stepper;
    return next && { stack: stackOf(next), depth: this.#depth };
  }

  /** All of a variable, by its key. */
  values(key: string): TileValues | null {
    return this.#names.values(key, this.#stepper);
  }

  /** `acc`, `acc[3, 17]`, `mask[-1]`; what is wrong, in words. */
  watch(expression: string): string {
    return this.#names.watch(expression, this.#stepper, this.#place());
  }
}
