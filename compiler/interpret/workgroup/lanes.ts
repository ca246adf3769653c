/**
 * The registers of a workgroup's threads: of each value, a plane of numbers for every component,
 * one number a lane. Lanes run in step; those that take part in a step are listed.
 */
import type { FragmentType, NumberType, ScalarName } from '../../ir/thread/types';

export type Plane = Uint8Array | Int32Array | Uint32Array | Float32Array;
/** Truth values are bytes, halves are numbers rounded to a half. */
export interface Register {
  readonly kind: 'register';
  readonly type: NumberType;
  readonly planes: readonly Plane[];
}
/** A subgroup's matrices, one after the other, row by row. */
export interface Fragment {
  readonly kind: 'fragment';
  readonly type: FragmentType;
  readonly data: Float32Array | Int32Array;
}
/** Runs an operation for the first `n` of the listed lanes. */
export type Step = (lanes: Int32Array, n: number) => void;

export function newPlane(scalar: ScalarName, lanes: number): Plane {
  switch (scalar) {
    case 'bool':
      return new Uint8Array(lanes);
    case 'i32':
      return new Int32Array(lanes);
    case 'u32':
      return new Uint32Array(lanes);
    default:
      return new Float32Array(lanes);
  }
}

/** Gives out planes, and takes back those of values that are dead. */
export class Planes {
  readonly #free = new Map<ScalarName, Plane[]>();
  constructor(private readonly lanes: number) {}

  register(type: NumberType): Register {
    const free = this.#free.get(type.scalar) ?? [];
    const planes = Array.from(
      { length: type.size },
      () => free.pop() ?? newPlane(type.scalar, this.lanes),
    );
    return { kind: 'register', type, planes };
  }
  /** A register whose planes nobody else gets. */
  own(type: NumberType): Register {
    const planes = Array.from({ length: type.size }, () => newPlane(type.scalar, this.lanes));
    return { kind: 'register', type, planes };
  }
  release({ type, planes }: Register): void {
    const free = this.#free.get(type.scalar);
    if (free) free.push(...planes);
    else this.#free.set(type.scalar, [...planes]);
  }
}

/** Copies a value for the listed lanes; a fragment for the subgroups that they begin. */
export function copyStep(
  from: Register | Fragment,
  to: Register | Fragment,
  subgroup: number,
): Step {
  if (from.kind === 'fragment' || to.kind === 'fragment') {
    if (from.kind !== 'fragment' || to.kind !== 'fragment') throw new Error('types differ');
    const size = from.type.rows * from.type.columns;
    return (lanes, n) => {
      for (let k = 0; k < n; k++) {
        if (lanes[k]! % subgroup !== 0) continue;
        const at = (lanes[k]! / subgroup) * size;
        to.data.set(from.data.subarray(at, at + size), at);
      }
    };
  }
  const [source, target] = [from.planes, to.planes];
  return (lanes, n) => {
    for (let c = 0; c < target.length; c++) {
      const [x, out] = [source[c]!, target[c]!];
      for (let k = 0; k < n; k++) out[lanes[k]!] = x[lanes[k]!]!;
    }
  };
}

/**
 * Runs the steps between those in `together` for one subgroup after the other. Lanes are listed in
 * their order.
 */
export function bySubgroup(
  steps: readonly Step[],
  together: ReadonlySet<number>,
  subgroup: number,
): Step {
  const eachSubgroup = (from: number, to: number, lanes: Int32Array, n: number): void => {
    for (let k = 0, end = 0; k < n; k = end) {
      const number = Math.floor(lanes[k]! / subgroup);
      for (end = k; end < n && Math.floor(lanes[end]! / subgroup) === number;) end++;
      const own = lanes.subarray(k, end);
      for (let s = from; s < to; s++) steps[s]!(own, end - k);
    }
  };
  return (lanes, n) => {
    for (let s = 0, to = 0; s < steps.length; s = to) {
      for (to = s; to < steps.length && !together.has(to);) to++;
      eachSubgroup(s, to, lanes, n);
      if (to < steps.length) steps[to++]!(lanes, n);
    }
  };
}
