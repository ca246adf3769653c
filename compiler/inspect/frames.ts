/**
 * The call stack of an operation. Functions are inlined, so an operation's location names the calls
 * that brought it into the kernel: the kernel's own line first, the line of the innermost function
 * last. Calls into our library are frames, too, but a debugger stops at the user's line that makes
 * them.
 */
import { indexAt } from '../1-parse/tree';
import type { Operation } from '../ir/ir';
import { formatLocation, type Location } from '../ir/location';

/** A place for each function, the kernel's first. */
export type Stack = readonly Location[];

const stacks = new WeakMap<object, Stack>();

/** For an operation on tiles or on threads. */
export function stackOf(operation: Pick<Operation, 'location'>): Stack {
  const known = stacks.get(operation);
  if (known) return known;
  const stack = placesOf(operation.location);
  stacks.set(operation, stack);
  return stack;
}

function placesOf(location: Location): Location[] {
  const places: Location[] = [];
  for (let at: Location | undefined = location; at; at = at.inlinedAt) places.unshift(at);
  return places;
}

export const isLibrary = ({ file }: Location): boolean => file.startsWith('triton/');

/** Index of the innermost frame that is the user's. */
export function ownDepth(stack: Stack): number {
  const library = stack.findIndex((place) => isLibrary(place));
  return library < 0 ? stack.length - 1 : Math.max(0, library - 1);
}

const sameLine = (a: Location, b: Location): boolean => a.file === b.file && a.line === b.line;
/** Two calls of one line differ by their columns. */
const sameCall = (a: Location, b: Location): boolean =>
  sameLine(a, b) && a.column === b.column && a.endLine === b.endLine && a.endColumn === b.endColumn;

/**
 * Both are in the same activation of the function at `depth`: the calls that led there are the
 * same.
 */
function sharesFrame(a: Stack, b: Stack, depth: number): boolean {
  if (a.length <= depth || b.length <= depth) return false;
  for (let i = 0; i < depth; i++) if (!sameCall(a[i]!, b[i]!)) return false;
  return true;
}
/** The innermost frame up to `depth` that both are in. */
function commonDepth(a: Stack, b: Stack, depth: number): number {
  let common = Math.min(depth, a.length - 1, b.length - 1);
  while (common > 0 && !sharesFrame(a, b, common)) common--;
  return common;
}

/** Position of the user: before an operation, in one of its frames. */
export interface Standing {
  readonly stack: Stack;
  readonly depth: number;
}

/** The next line of the function, or of its caller where it ends. @returns the depth of a stop. */
export function stopsOver({ stack, depth }: Standing, next: Stack): number | null {
  const common = commonDepth(stack, next, depth);
  if (common < depth) return common;
  return sameLine(stack[depth]!, next[depth]!) ? null : depth;
}

/**
 * As `stopsOver`, and the first line of a function that is called; of our library only from inside.
 */
export function stopsInto(from: Standing, next: Stack): number | null {
  const { stack, depth } = from;
  const common = commonDepth(stack, next, depth);
  const most = isLibrary(stack[depth]!) ? next.length - 1 : ownDepth(next);
  const entered = sameLine(stack[common]!, next[common]!) && most > common;
  return entered ? common + 1 : stopsOver(from, next);
}

/** Behind the function's end, in a caller. Out of the kernel itself leads to its end. */
export function stopsOut({ stack, depth }: Standing, next: Stack): number | null {
  const common = commonDepth(stack, next, depth);
  return common < depth ? common : null;
}

/** A call into our library counts as one operation, unless the user stands in it. */
export function stopsAtOp({ stack, depth }: Standing, last: Stack, next: Stack): number | null {
  const own = ownDepth(next);
  if (isLibrary(stack[depth]!)) return sharesFrame(stack, next, own + 1) ? next.length - 1 : own;
  return isSameCall(last, next) ? null : own;
}

/** Both are operations of one call into our library. */
export function isSameCall(a: Stack, b: Stack): boolean {
  const own = ownDepth(b);
  return own < b.length - 1 && own < a.length - 1 && sharesFrame(a, b, own + 1);
}

/** The innermost frame whose line was just reached and has a breakpoint. */
export function stopsAtBreakpoint(
  stops: ((place: string, depth: number, stack: Stack) => boolean) | null,
  last: Stack | null,
  next: Stack,
  around: boolean,
): number | null {
  if (!stops) return null;
  const line = ({ file, line: number }: Location): string => `${file}:${number}`;
  const before = new Set(around ? [] : last?.map(line));
  const depth = next.findLastIndex((place, i) => {
    const at = line(place);
    return !before.has(at) && stops(at, i, next);
  });
  return depth < 0 ? null : depth;
}

/** Distinguishes the variables of one frame from those of another: the calls that led to it. */
export function frameKey(inlinedAt: Location | undefined): string {
  return inlinedAt ? placesOf(inlinedAt).map(formatLocation).join(' ') : '';
}
export const frameKeyAt = (stack: Stack, depth: number): string =>
  stack.slice(0, depth).map(formatLocation).join(' ');

/** `attend`, `tl.max`: what the call at a place calls; null where the text is not at hand. */
export function calleeAt(place: Location, files: Readonly<Record<string, string>>): string | null {
  const text = files[place.file];
  if (text === undefined) return null;
  const rest = text.slice(indexAt(text, place));
  return /^[A-Za-z_][\w.]*/.exec(rest)?.[0] ?? null;
}
