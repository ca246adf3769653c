/**
 * Whether an access lies in the tensor it belongs to: the test of an offset, the branch around the access,
 * and what is remembered of one that was out of range until the kernel's end reports it.
 */
import type { Operation } from '../../ir/ir';
import type { BoundsAccess } from '../../program';
import type { Emission } from '../emission';
import { insideArena, pointeeBytes } from './addresses';
import { readWord } from './runs';

/** How an access tests an offset, and what it reports. */
export interface Bounds {
  /** A bool expression: the aligned run at this offset lies inside its storage. */
  inside(offset: string): string;
  /** The first offset that may be, and how many there are, where they are the same throughout the kernel. */
  readonly range?: { readonly begin: string; readonly length: string };
  readonly access: number;
  readonly kind: BoundsAccess['kind'];
  /** Of a storage that begins and ends somewhere: what `remember` counts from, and how far is too far. */
  reach?(): Reach;
}
export interface Reach {
  readonly from: string;
  readonly length: string;
}

/** How far a load went in each thread: a variable that is read at the kernel's end. */
export interface Reached extends Reach {
  readonly name: string;
  readonly access: number;
}

export function boundsOf(
  e: Emission,
  op: Operation,
  kind: BoundsAccess['kind'],
  vector: number,
): Bounds | undefined {
  if (!e.checkBounds || e.free.has(op)) return undefined;
  const known = e.bounds.get(op);
  if (known) return known;
  const { arguments: roots, computed, group } = e.memory.of(op);
  const paths = roots.map((root) => e.parameters.of(root).path);
  const bytes = pointeeBytes(op.operand(0).type);
  e.accesses.push({ location: op.location, kind, argument: paths[0] ?? [], elementBytes: bytes });
  const access = e.accesses.length - 1;
  if (computed) {
    const inside = insideArena(e, group, readWord);
    const bounds = { inside: (at: string) => inside(at, bytes, bytes * vector), access, kind };
    e.bounds.set(op, bounds);
    return bounds;
  }
  // The words count elements of the argument, which may be cast to a pointer to others.
  const limit = (name: 'begin' | 'end', i: number): string => {
    const word = e.parameters.word({ kind: name, path: paths[i]! });
    const from = pointeeBytes(roots[i]!.type);
    if (from === bytes) return `i32(${word})`;
    return from > bytes ? `i32(${word} * ${from / bytes}u)` : `i32(${word} / ${bytes / from}u)`;
  };
  const begins = paths.map((_, i) => limit('begin', i));
  const ends = paths.map((_, i) => limit('end', i));
  // A pointer chosen among several arguments may go as far as any of them.
  const extreme = (name: string, list: string[]): string =>
    list.reduce((a, b) => `${name}(${a}, ${b})`);
  const key = `${paths.map((path) => path.join('.')).join(' ')} by ${bytes}`;
  const begin = e.prelude(`begin ${key}`, 'begin', () => extreme('min', begins));
  const end = e.prelude(`end ${key}`, 'end', () => extreme('max', ends));
  // Of an aligned run, the first element tells, when the length is a multiple of the run too.
  const length = e.prelude(`length ${key} ${vector}`, 'length', () =>
    vector === 1 ? `u32(${end} - ${begin})` : `u32(${end} - ${begin}) / ${vector}u * ${vector}u`,
  );
  // Where nothing is in range the first place is too far, as well.
  const from = (): string =>
    e.prelude(
      `from ${key} ${vector}`,
      'from',
      () => `select(${begin}, i32(u32(${begin}) ^ 0x80000000u), ${length} == 0u)`,
    );
  const bounds: Bounds = {
    inside: (offset) => `u32(${offset} - ${begin}) < ${length}`,
    range: { begin, length },
    access,
    kind,
    reach: () => ({ from: from(), length }),
  };
  e.bounds.set(op, bounds);
  return bounds;
}

/** A run that may be out of range: the condition that it is, and where. */
export interface Suspect {
  readonly bad: string;
  readonly offset: string;
}

/**
 * Runs `body` where the mask holds and the offset is in range; reports what is not in range, or leaves
 * that to who collects the `suspects` of an operation.
 */
export function guarded(
  e: Emission,
  bounds: Bounds | undefined,
  mask: string | undefined,
  offset: string,
  body: () => void,
  suspects?: Suspect[],
): void {
  if (!bounds) {
    if (mask === undefined) body();
    else e.writer.block(`if (${mask})`, body);
    return;
  }
  const inside = e.let('inside', bounds.inside(offset));
  // `&`, not `&&`: a branch inside of the condition makes SwiftShader's compiler exponential (over
  // 200 s for a softmax of 1024 columns, 0.9 s so).
  const ok = mask === undefined ? inside : `(${mask}) & ${inside}`;
  const bad = mask === undefined ? `!${inside}` : `(${mask}) & !${inside}`;
  e.writer.block(`if (${ok})`, body);
  if (suspects) suspects.push({ bad, offset });
  else report(e, bounds, [{ bad, offset }]);
}

export function report(e: Emission, bounds: Bounds, suspects: readonly Suspect[]): void {
  // Remembered in registers and reported at the kernel's end: no call, no branch on the way. Loads
  // and writes apart: a load out of range is only suspicious, and must not hide a write.
  const name = bounds.kind === 'load' ? 'bad_load' : 'bad_write';
  if (e.software) {
    for (const { bad, offset } of suspects) {
      e.writer.line(`${name} = select(${name}, ${bounds.access}u, ${bad});`);
      e.writer.line(`${name}_offset = select(${name}_offset, ${offset}, ${bad});`);
    }
    return;
  }
  const each = (): void => {
    for (const { bad, offset } of suspects)
      e.writer.line(`if (${bad}) { ${name} = ${bounds.access}u; ${name}_offset = ${offset}; }`);
  };
  // One test for all runs of an operation: almost always nothing is wrong with any.
  if (suspects.length <= 1) each();
  else e.writer.block(`if (${suspects.map(({ bad }) => `(${bad})`).join(' | ')})`, each);
}

/** How far a run lies from where its storage begins, and the mask that it is read under. */
export interface Asked {
  readonly distance: string;
  readonly mask: string | undefined;
}

/**
 * Remembers how far a load goes, and nothing else: no condition that lives on beside the one that its runs are
 * read under (f32 matmul of odd sizes on an H200: 26.2 in place of 25.4 TFLOP/s).
 */
export function remember(
  e: Emission,
  access: number,
  { from, length }: Reach,
  asked: readonly Asked[],
): void {
  // The same load of another iteration has the same variable.
  const key = JSON.stringify([e.accesses[access], from, length]);
  let reached = e.reached.get(key);
  if (!reached) {
    reached = { name: e.names.fresh('reached'), access, from, length };
    e.reached.set(key, reached);
  }
  const most = asked.reduce((far, { distance, mask }) => {
    const own = mask === undefined ? distance : `select(0u, ${distance}, ${mask})`;
    return `max(${far}, ${own})`;
  }, reached.name);
  e.writer.line(`${reached.name} = ${most};`);
}

/** What the kernel's end makes of it: an access out of range like any other. */
export function reachedLines(e: Emission): string[] {
  return [...e.reached.values()].map(({ name, access, from, length }) => {
    const found = `bad_load = ${access}u; bad_load_offset = i32(${name}) + ${from};`;
    return `if (${name} >= max(${length}, 1u)) { ${found} }`;
  });
}
