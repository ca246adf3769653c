/**
 * Contents of the values of thread IR in a workgroup that is being stepped through, as one lane
 * sees them.
 */
import { memoryOf, type ThreadOp, type ThreadValue } from '../ir/thread/ir';
import { printThreadType } from '../ir/thread/types';
import type { Fragment, Register } from '../interpret/workgroup/lanes';
import type { SteppingWorkgroup } from '../interpret/workgroup/stepping';
import type { TileValues } from './debugNames';

export interface RegisterReport {
  /** The name in the IR: `%sum_3`. */
  readonly name: string;
  /** `f32`, `vec4<u32>`. */
  readonly type: string;
  /** In the thread's lane; components of a vector in parentheses. */
  readonly text: string;
  /** Whether the last step wrote it. */
  readonly fresh: boolean;
}
/** An array in shared memory, or a thread's own. */
export interface SharedArray {
  readonly name: string;
  readonly type: string;
  readonly space: 'workgroup' | 'private';
  readonly bytes: number;
  /** Its content, where it is one element: in the thread's lane, or of all. */
  readonly text: string;
}

/** Registers that are listed at most: the last ones that were written. */
const MOST = 200;

export class ThreadValues {
  readonly #byName: ReadonlyMap<string, ThreadValue>;
  constructor(private readonly names: ReadonlyMap<ThreadValue, string>) {
    this.#byName = new Map([...names].map(([value, name]) => [name, value]));
  }
  at(compiler: SteppingWorkgroup, lane: number): LaneValues {
    return new LaneValues(this.names, this.#byName, compiler, lane);
  }
}

class LaneValues {
  constructor(
    private readonly names: ReadonlyMap<ThreadValue, string>,
    private readonly byName: ReadonlyMap<string, ThreadValue>,
    private readonly compiler: SteppingWorkgroup,
    private readonly lane: number,
  ) {}

  operands(op: ThreadOp): RegisterReport[] {
    const values = [...new Set(op.operands)].filter(({ type }) => type.kind !== 'memory');
    return values.map((value) => this.#report(value, false));
  }
  registers(since: number): RegisterReport[] {
    return [...this.compiler.written]
      .filter(([{ type }]) => type.kind !== 'memory')
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, MOST)
      .map(([value, step]) => this.#report(value, step > since));
  }
  #report(value: ThreadValue, fresh: boolean): RegisterReport {
    const held = this.compiler.held(value);
    const text = held.kind === 'register' ? this.#text(held) : 'a matrix of the subgroup';
    return { name: this.#name(value), type: printThreadType(value.type), text, fresh };
  }
  #text({ type, planes }: Register): string {
    const parts = planes.map((plane) => {
      const x = plane[this.lane]!;
      if (type.scalar === 'bool') return x ? 'true' : 'false';
      return numberText(x);
    });
    return parts.length === 1 ? parts[0]! : `(${parts.join(', ')})`;
  }
  #name(value: ThreadValue): string {
    return this.names.get(value) ?? value.name ?? '?';
  }

  arrays(): SharedArray[] {
    const found = [...this.names].flatMap(([value, name]): SharedArray[] => {
      if (value.type.kind !== 'memory' || value.type.space === 'storage') return [];
      const { space } = value.type;
      const { bytes, laneStride, view } = this.compiler.memory(value);
      const own = laneStride * view.BYTES_PER_ELEMENT;
      const type = printThreadType(value.type);
      const { shape, values } = this.#array(value);
      const text = shape.length === 0 ? numberText(values[0]!) : '';
      return [{ name, type, space, bytes: space === 'private' ? own : bytes.length, text }];
    });
    return found.toSorted(
      (a, b) => Number(b.space === 'workgroup') - Number(a.space === 'workgroup'),
    );
  }

  values(name: string): TileValues | null {
    const value = this.byName.get(name);
    if (!value) return null;
    const type = printThreadType(value.type);
    if (value.type.kind === 'memory') return { name, type, ...this.#array(value) };
    const held = this.compiler.held(value);
    return { name, type, ...(held.kind === 'register' ? lanesOf(held) : this.#matrix(held)) };
  }
  #array(value: ThreadValue): Pick<TileValues, 'shape' | 'values'> {
    const { shape, element } = memoryOf(value);
    const memory = this.compiler.memory(value);
    const words = memory.laneStride || memory.words;
    const first = memory.laneStride * this.lane;
    const count = shape.reduce((product, size) => product * size, 1);
    const values = Float64Array.from({ length: count * element.size }, (_, i) => {
      const word = Math.floor(i / element.size) * memory.stride + (i % element.size);
      return word < words ? memory.get(first + word) : 0;
    });
    return { shape: element.size > 1 ? [...shape, element.size] : shape, values };
  }
  #matrix({ type, data }: Fragment): Pick<TileValues, 'shape' | 'values'> {
    const size = type.rows * type.columns;
    const first = Math.floor(this.lane / this.compiler.state.subgroup) * size;
    const values = Float64Array.from(data.subarray(first, first + size));
    return { shape: [type.rows, type.columns], values };
  }
}

function numberText(x: number | bigint): string {
  return typeof x === 'bigint' || Number.isInteger(x)
    ? String(x)
    : String(Number(x.toPrecision(7)));
}

/** A register in every lane: a row for each. */
function lanesOf({ planes }: Register): Pick<TileValues, 'shape' | 'values'> {
  const lanes = planes[0]!.length;
  const values = new Float64Array(lanes * planes.length);
  planes.forEach((plane, c) => plane.forEach((x, lane) => (values[lane * planes.length + c] = x)));
  return { shape: planes.length > 1 ? [lanes, planes.length] : [lanes], values };
}
