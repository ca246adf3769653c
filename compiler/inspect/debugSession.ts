/**
 * A debugging session: one program of a launch, stepped through by operation or by line of the source,
 * with the values of Python's names. Stepping back executes again from the start, on the same inputs.
 */
import type { Func, Operation, Value } from '../ir/ir';
import type { Location } from '../ir/location';
import { printFunc, printType } from '../ir/printer';
import { elementCount, shapeOf } from '../ir/types';
import { elementAt, type Tile } from '../interpret/tile';
import { argumentValues, memoryOf, type LaunchInputs } from './launch';
import { outermost } from './places';
import { Stepper, type Bound } from './stepper';

export type StepKind = 'op' | 'into' | 'over' | 'continue';
/** `file:line` of each breakpoint. */
export type Breakpoints = ReadonlySet<string>;

export interface VariableReport {
  /** Tells it from a variable of the same name in another function. */
  readonly key: string;
  readonly name: string;
  /** `%offsets_0` */
  readonly ir: string;
  /** The function whose variable it is, where that was inlined: its call's line. */
  readonly inlinedAt: number | null;
  readonly type: string;
  readonly shape: readonly number[];
  /** Whether the last step computed it. */
  readonly fresh: boolean;
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly nans: number;
  readonly infinities: number;
  /** The first elements. */
  readonly first: readonly string[];
}

export interface DebugState {
  readonly program: readonly [number, number, number];
  readonly steps: number;
  /** What comes next; null at the end. */
  readonly next: { readonly line: number; readonly op: string; readonly location: Location } | null;
  readonly failure: string | null;
  /** Accesses out of range so far: the first ones. */
  readonly outside: readonly string[];
  readonly canGoBack: boolean;
  readonly variables: readonly VariableReport[];
}

export interface DebugText {
  readonly ir: string;
  readonly locations: readonly (Location | null)[];
}

export interface TileValues {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: string;
  /** Row-major; 64-bit integers beyond 2⁵³ are bigint. */
  readonly values: Float64Array | BigInt64Array;
}

const SHOWN = 8;
const MOST_OUTSIDE = 20;
const MOST_HISTORY = 10_000;

export class DebugSession {
  readonly text: DebugText;
  readonly #names: ReadonlyMap<Value, string>;
  readonly #lines: ReadonlyMap<Operation, number>;
  #stepper: Stepper;
  #outside: string[] = [];
  /** Steps at which the user stood. */
  #history: number[] = [];
  /** Values written after this step are fresh. */
  #since = 0;
  /** The move that is being made. */
  #target: Walk | Replay | null = null;

  constructor(
    private readonly func: Func,
    private readonly inputs: LaunchInputs,
    private readonly program: readonly [number, number, number],
  ) {
    const { text, locations, names, lines } = printFunc(func);
    this.text = { ir: text, locations };
    this.#names = names;
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
    this.#target = {
      kind,
      breakpoints,
      from: this.#stepper.next,
      last: this.#stepper.next,
    };
  }
  /** Begins going back to where the user stood before, or by an operation. */
  beginBack(kind: 'stop' | 'op'): void {
    const before = this.#history.pop();
    const goal = kind === 'op' ? this.#stepper.count - 1 : (before ?? 0);
    this.#stepper = this.#start();
    this.#since = Math.max(0, goal - 1);
    this.#target = { kind: 'replay', goal: Math.max(0, goal) };
  }
  restart(): void {
    this.#stepper = this.#start();
    this.#history = [];
    this.#since = 0;
    this.#target = null;
  }
  #remember(): void {
    this.#since = this.#stepper.count;
    this.#history.push(this.#stepper.count);
    if (this.#history.length > MOST_HISTORY) this.#history.shift();
  }

  /** Goes on with the move until it is made or the time is over. @returns whether it is made. */
  advance(milliseconds: number): boolean {
    const target = this.#target;
    if (!target) return true;
    const end = performance.now() + milliseconds;
    for (let i = 0; ; i++) {
      if (i % 16 === 15 && performance.now() > end) return false;
      if (target.kind === 'replay') {
        if (this.#stepper.count >= target.goal || !this.#stepper.next) break;
        this.#stepper.step();
        continue;
      }
      this.#stepper.step();
      const { next } = this.#stepper;
      if (!next || stopsAt(target, next)) break;
      target.last = next;
    }
    this.#target = null;
    return true;
  }
  /** Ends a move where it stands. */
  pause(): void {
    this.#target = null;
  }

  state(): DebugState {
    const { next, count, failure } = this.#stepper;
    return {
      program: this.program,
      steps: count,
      next: next && {
        line: this.#lines.get(next) ?? 1,
        op: next.name,
        location: next.location,
      },
      failure,
      outside: [...this.#outside],
      canGoBack: count > 0,
      variables: this.#variables(),
    };
  }

  /** What the source's names mean now; by the values' own names where the IR was changed since. */
  #current(): Map<string, Bound> {
    const current = new Map<string, Bound>();
    for (const value of this.func.body.args) add(value, 0);
    for (const [key, bound] of this.#stepper.bound) current.set(key, bound);
    if (this.func.bindings.size > 0) return current;
    for (const [value, step] of this.#stepper.written) add(value, step);
    return current;

    function add(value: Value, step: number): void {
      const { kind } = value.type;
      if (value.name === undefined) return;
      // Workgroup memory and matrices are no variables.
      if (kind !== 'tensor' && kind !== 'scalar' && kind !== 'pointer') return;
      const key = ` ${value.name}`;
      const known = current.get(key);
      if (!known || known.step <= step)
        current.set(key, { name: value.name, inlinedAt: undefined, value, step });
    }
  }

  #variables(): VariableReport[] {
    return [...this.#current()].map(([key, { name, inlinedAt, value, step }]) => {
      const tile = this.#stepper.tile(value);
      return {
        key,
        name,
        ir: this.#names.get(value) ?? '',
        inlinedAt: inlinedAt ? outermost(inlinedAt).line : null,
        type: printType(value.type),
        shape: shapeOf(value.type),
        fresh: step > this.#since,
        ...statistics(tile, elementCount(value.type)),
      };
    });
  }

  /** All of a variable, by its key. */
  values(key: string): TileValues | null {
    const found = this.#current().get(key);
    if (!found) return null;
    const { name, value } = found;
    const tile = this.#stepper.tile(value);
    const count = elementCount(value.type);
    const values = tile.wide
      ? tile.big!.slice(0, count)
      : Float64Array.from(tile.data.subarray(0, count));
    return { name, shape: shapeOf(value.type), type: printType(value.type), values };
  }

  /** `acc`, `acc[3, 17]`, `mask[-1]`; what is wrong, in words. */
  watch(expression: string): string {
    const match = /^\s*([A-Za-z_]\w*)\s*(?:\[([^\]]*)\])?\s*$/.exec(expression);
    if (!match) return 'a name, or a name with indices: acc[3, 17]';
    const [, name = '', inside] = match;
    const all = [...this.#current().values()].filter((each) => each.name === name);
    const found = all.reduce<Bound | null>(
      (best, one) => (best && best.step > one.step ? best : one),
      null,
    );
    if (!found) return 'not computed yet';
    const shape = shapeOf(found.value.type);
    const tile = this.#stepper.tile(found.value);
    if (inside === undefined) {
      const count = elementCount(found.value.type);
      const shown = Array.from({ length: Math.min(count, SHOWN) }, (_, i) => show(tile, i));
      if (shape.length === 0) return shown[0] ?? '';
      return `[${shown.join(', ')}${count > SHOWN ? ', …' : ''}]`;
    }
    const at = inside.split(',').map((text) => (/^\s*-?\d+\s*$/.test(text) ? Number(text) : NaN));
    if (at.some(Number.isNaN)) return 'indices are whole numbers';
    if (at.length !== shape.length) return `${name} has ${shape.length} dimensions`;
    let flat = 0;
    for (const [d, index] of at.entries()) {
      const size = shape[d]!;
      const place = index < 0 ? index + size : index;
      if (place < 0 || place >= size) return `index ${index} is out of range for ${size} elements`;
      flat = flat * size + place;
    }
    return show(tile, flat);
  }
}

/** A move forward that is being made. */
interface Walk {
  readonly kind: StepKind;
  readonly breakpoints: Breakpoints;
  readonly from: Operation | null;
  last: Operation | null;
}
/** A move back: from the start again, up to a step. */
interface Replay {
  readonly kind: 'replay';
  readonly goal: number;
}

function stopsAt(walk: Walk, next: Operation): boolean {
  const { kind, breakpoints, from, last } = walk;
  // Again at the operation where it began: a loop of one line has come around.
  const around = next === from;
  const fromLine = from ? outermost(from.location) : undefined;
  switch (kind) {
    case 'op':
      return true;
    case 'into':
      return around || !sameLine(next.location, last?.location) || onBreakpoint();
    case 'over':
      return around || !sameLine(outermost(next.location), fromLine) || onBreakpoint();
    case 'continue':
      return onBreakpoint();
    default:
      return kind satisfies never;
  }
  function onBreakpoint(): boolean {
    const lines = linesOf(next.location).filter((line) => breakpoints.has(line));
    if (lines.length === 0) return false;
    const before = new Set(last ? linesOf(last.location) : []);
    return around || lines.some((line) => !before.has(line));
  }
}

function sameLine(a: Location, b: Location | undefined): boolean {
  return b !== undefined && a.file === b.file && a.line === b.line;
}
function linesOf(location: Location): string[] {
  const lines: string[] = [];
  for (let at: Location | undefined = location; at; at = at.inlinedAt)
    lines.push(`${at.file}:${at.line}`);
  return lines;
}
function statistics(
  tile: Tile,
  count: number,
): Pick<VariableReport, 'count' | 'min' | 'max' | 'mean' | 'nans' | 'infinities' | 'first'> {
  let [min, max, sum, finite, nans, infinities] = [Infinity, -Infinity, 0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const x = tile.wide ? Number(tile.big![i]!) : tile.data[i]!;
    if (Number.isNaN(x)) nans++;
    else if (!Number.isFinite(x)) infinities++;
    else {
      finite++;
      sum += x;
      if (x < min) min = x;
      if (x > max) max = x;
    }
  }
  return {
    count,
    min: finite > 0 ? min : null,
    max: finite > 0 ? max : null,
    mean: finite > 0 ? sum / finite : null,
    nans,
    infinities,
    first: Array.from({ length: Math.min(count, SHOWN) }, (_, i) => show(tile, i)),
  };
}

/** One element as text: truth by name, addresses in hexadecimal, floats as short as they are exact. */
export function show(tile: Tile, i: number): string {
  const x = elementAt(tile, i);
  if (tile.dtype === 'i1') return x ? 'True' : 'False';
  if (tile.dtype === 'pointer') return `0x${Number(x).toString(16)}`;
  if (typeof x === 'bigint' || Number.isInteger(x)) return String(x);
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  return String(Number(x.toPrecision(7)));
}
