/** The moves of a debugging session: forward, up to where the user stops; and back. */
import type { Expression } from '../1-parse/syntax';
import type { Operation } from '../ir/ir';
import type { ConditionError } from './condition';
import {
  ownDepth,
  stackOf,
  stopsAtBreakpoint,
  stopsAtOp,
  stopsInto,
  stopsOut,
  stopsOver,
  type Stack,
  type Standing,
} from './frames';
import type { StoreHit } from './storeAt';

export type StepKind = 'op' | 'into' | 'over' | 'out' | 'continue';
/**
 * By `file:line`: a condition, one that is no expression, or null where the program always stops.
 */
export type Breakpoints = ReadonlyMap<string, Expression | ConditionError | null>;

/** A move forward that is being made. */
export interface Walk {
  readonly kind: StepKind;
  /** Whether a breakpoint stops at a line that was just reached; null where there is none. */
  readonly stops: ((place: string, depth: number, stack: Stack) => boolean) | null;
  readonly standing: Standing;
  readonly from: Operation;
  last: Operation | null;
}
/** A move back: from the start again, up to a step. */
export interface Replay {
  readonly kind: 'replay';
  goal: number;
  /**
   * The frame to stand in; null: the user's innermost, at the beginning of a call into our library.
   */
  readonly depth: number | null;
  /** The step at which the call into our library began whose operation comes next. */
  callBegan: number;
}

/** A move to the last store of an element: from the start to the end, then back to it. */
export interface Search {
  readonly kind: 'search';
  readonly address: number;
  hit: StoreHit | null;
  stores: number;
}

/** The frame in which the user stops before this operation; null where the move goes on. */
export function stopDepth(
  { kind, stops, standing, from, last }: Walk,
  next: Operation,
): number | null {
  const stack = stackOf(next);
  // Again at the operation where it began: a loop of one line has come around.
  const around = next === from;
  const before = last && stackOf(last);
  const atBreakpoint = stopsAtBreakpoint(stops, before, stack, around);
  switch (kind) {
    case 'op':
      return around || !before ? ownDepth(stack) : stopsAtOp(standing, before, stack);
    case 'into':
      return atBreakpoint ?? (around ? standing.depth : stopsInto(standing, stack));
    case 'over':
      return atBreakpoint ?? (around ? standing.depth : stopsOver(standing, stack));
    case 'out':
      return atBreakpoint ?? (around ? null : stopsOut(standing, stack));
    case 'continue':
      return atBreakpoint;
    default:
      return kind satisfies never;
  }
}
