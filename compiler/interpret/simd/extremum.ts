/**
 * Maxima and minima of f32 in WebAssembly SIMD. A processor cannot guess which of two numbers is
 * the greater, and JavaScript's engines branch on it. As `arith.maxnumf`: a NaN only where both
 * are.
 */
import type { Code } from './assembler';
import {
  add,
  constant,
  differentF32x4,
  get,
  instantiate,
  load,
  maxF32x4,
  minF32x4,
  moduleOf,
  repeat,
  reserve,
  select,
  set,
  shiftRight,
  shuffle,
  store,
} from './assembler';

/** How many results at a time: counts must be multiples of it. */
export const SIMD_FLOATS = 4;

export interface SimdExtremum {
  /** Memory for `count` numbers. Good until the next call. */
  floats(count: number): Float32Array;
  /** Combines numbers from `a` and `b` on into those from `o` on: indices of `floats`. */
  both(kind: 'max' | 'min', a: number, b: number, o: number, count: number): void;
  /** Combines neighbours: number i of the result, from 0 on, of 2i and 2i + 1. */
  pairs(kind: 'max' | 'min', count: number): void;
}

let found: SimdExtremum | undefined;

/** Undefined where the engine has no WebAssembly SIMD. */
export function simdExtremum(): SimdExtremum | undefined {
  return (found ??= make());
}

function make(): SimdExtremum | undefined {
  const instance = instantiate(assemble);
  if (!instance) return undefined;
  const { memory, functions } = instance;
  return {
    floats: (count) => new Float32Array(reserve(memory, 4 * count), 0, count),
    both: (kind, a, b, o, count) => functions[`${kind}Both`]!(4 * a, 4 * b, 4 * o, count),
    pairs: (kind, count) => functions[`${kind}Pairs`]!(0, 0, count),
  };
}

function assemble(): Uint8Array<ArrayBuffer> {
  const combine = (kind: 'max' | 'min', x: number, y: number): Code => {
    const either = (kind === 'max' ? maxF32x4 : minF32x4)(get(x), get(y));
    const unlessY = select(differentF32x4(get(y), get(y)), get(x), either);
    return select(differentF32x4(get(x), get(x)), get(y), unlessY);
  };
  const forward = (local: number, bytes: number): Code =>
    set(local, add(get(local), constant(bytes)));
  return moduleOf(
    (['max', 'min'] as const).flatMap((kind) => [
      {
        name: `${kind}Both`,
        // a, b, o, count; the counter, x and y.
        parameters: 4,
        locals: { i32: 1, v128: 2 },
        body: [
          repeat(4, shiftRight(get(3), 2), [
            set(5, load(get(0), 0)),
            set(6, load(get(1), 0)),
            store(get(2), 0, combine(kind, 5, 6)),
            ...[0, 1, 2].map((local) => forward(local, 16)),
          ]),
        ],
      },
      {
        name: `${kind}Pairs`,
        // From, to, count; the counter, what is loaded, x and y.
        parameters: 3,
        locals: { i32: 1, v128: 4 },
        body: [
          repeat(3, shiftRight(get(2), 2), [
            set(4, load(get(0), 0)),
            set(5, load(get(0), 16)),
            set(6, shuffle(get(4), get(5), [0, 2, 4, 6])),
            set(7, shuffle(get(4), get(5), [1, 3, 5, 7])),
            store(get(1), 0, combine(kind, 6, 7)),
            forward(0, 32),
            forward(1, 16),
          ]),
        ],
      },
    ]),
  );
}
