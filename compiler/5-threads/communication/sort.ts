/**
 * tt.sort: the rows lie in the shared words, as many at a time as its scratch holds, and the
 * network runs over them in loops: its code is short however long the rows are, where a network in
 * registers would be thousands of operations. Elements are compared and moved exactly as in
 * Triton's network, NaNs included.
 */
import type { Operation } from '../../ir/ir';
import { registerCount, threadBases } from '../../ir/layout';
import type { ThreadValue } from '../../ir/thread/ir';
import type { NumberType } from '../../ir/thread/types';
import { rowMajorStrides, shapeOf } from '../../ir/types';
import { layoutOf } from '../context';
import type { Lowering } from '../context';
import { plus, registerCoordinate, threadSum } from '../layouts';
import { Chunks } from './chunks';
import { combine } from './combine';
import { readShared, writeShared } from './scratch';
import type { Region } from './scratch';

export function lowerSort(t: Lowering, op: Operation): void {
  const x = op.operand(0);
  const shape = shapeOf(x.type);
  const length = shape.at(-1)!;
  const chunks = new Chunks(t, op, x);
  const out = chunks.pick(resultPlaces(t, op, shape), t.hint(op.result), () =>
    new Network(t, op, chunks.region, length, chunks.size).lower(),
  );
  t.setRegisters(op.result, out);
}

/** Place of each register of the result among the elements of the source. */
function resultPlaces(t: Lowering, op: Operation, shape: readonly number[]): ThreadValue[] {
  const layout = layoutOf(op.result);
  const strides = rowMajorStrides(shape);
  const at = (coordinate: (d: number) => number): number =>
    strides.reduce((sum, stride, d) => sum + stride * coordinate(d), 0);
  const base = threadSum(
    t,
    threadBases(layout).map((basis) => at((d) => basis[d] ?? 0)),
  );
  return Array.from({ length: registerCount(layout) }, (_, r) => {
    const offset = at((d) => registerCoordinate(layout, r, d));
    return t.let('place', plus(t, base, offset));
  });
}

/** The network on the elements of one chunk. */
class Network {
  readonly #steps: number;
  readonly #keep: number;
  readonly #descending: boolean;
  readonly #type: NumberType;

  constructor(
    private readonly t: Lowering,
    private readonly op: Operation,
    private readonly region: Region,
    length: number,
    private readonly size: number,
  ) {
    this.#steps = Math.log2(length);
    this.#keep = Number(op.attributes['keep']);
    this.#descending = op.attributes['descending'] === true;
    this.#type = t.registerTypeOf(op.operand(0));
  }

  lower(): void {
    const { t } = this;
    const first = Number(this.op.attributes['first']);
    const keep = this.#keep;
    if (this.size === 1) return;
    if (first <= keep)
      this.#loop(keep - first + 1, (i) => {
        const stage = t.let('stage', t.x`${i} + ${first}u`);
        this.#merge(stage, stage, undefined);
      });
    if (keep === this.#steps) return;
    this.#loop(this.#steps - keep, (i) => {
      const stage = t.let('stage', t.x`${i} + ${keep + 1}u`);
      this.#better(stage);
      if (keep > 0) this.#merge(t.b.u32(keep), stage, stage);
    });
  }
  #loop(trips: number | ThreadValue, body: (iteration: ThreadValue) => void): void {
    const { b } = this.t;
    b.for(typeof trips === 'number' ? b.u32(trips) : trips, [], (iteration) => {
      body(iteration);
      return [];
    });
  }
  /** The pairs of one step, dealt out to the threads; then all wait. */
  #pairs(count: ThreadValue, body: (pair: ThreadValue) => void): void {
    const { t } = this;
    const { threads } = t;
    const trips = t.let(
      'trips',
      t.x`select(0u, (${count} - tid - 1u) / ${threads}u + 1u, tid < ${count})`,
    );
    this.#loop(trips, (i) => body(t.let('pair', t.x`tid + ${i} * ${threads}u`)));
    t.shared.barrier();
  }
  /** Place of compact index c once only 2 ** keep of 2 ** spread elements are left. */
  #place(c: ThreadValue, spread: ThreadValue | undefined): ThreadValue {
    if (spread === undefined) return c;
    return this.t.x`((${c} >> ${this.#keep}u) << ${spread}) | (${c} & ${2 ** this.#keep - 1}u)`;
  }
  #read(at: ThreadValue): ThreadValue {
    return readShared(this.t, this.region, this.#type, at, 'element');
  }
  /** Sorts bitonic runs of 2 ** bits elements, alternately up and down but in the last stage. */
  #merge(bits: ThreadValue, stage: ThreadValue, spread: ThreadValue | undefined): void {
    const { t } = this;
    this.#loop(bits, (i) => {
      const bit = t.let('bit', t.x`${bits} - ${i}`);
      const by = t.let('by', t.x`${bit} - 1u`);
      const half = t.b.u32(this.size / 2);
      const count = spread === undefined ? half : t.x`${half} >> (${spread} - ${this.#keep}u)`;
      this.#pairs(count, (q) => {
        const c = t.let('c', t.x`((${q} >> ${by}) << ${bit}) | (${q} & ((1u << ${by}) - 1u))`);
        const low = t.let('low', this.#place(c, spread));
        const high = t.let('high', t.x`${low} + (1u << ${by})`);
        const odd = t.x`((${low} >> (${stage} & 31u)) & 1u) != 0u`;
        const last = t.b.bool(this.#descending);
        const down = t.let('down', t.x`select(${last}, ${odd}, ${stage} < ${this.#steps}u)`);
        const [a, b] = [this.#read(low), this.#read(high)];
        const [above] = combine(t, this.op, [a], [b]);
        const [below] = combine(t, this.op, [b], [a]);
        const left = t.let('left', t.x`select(${a}, ${b}, ${above!} != ${down})`);
        const right = t.let('right', t.x`select(${b}, ${a}, ${below!} == ${down})`);
        writeShared(t, this.region, low, left);
        writeShared(t, this.region, high, right);
      });
    });
  }
  /** The better half of two runs that were sorted in opposite directions, into the lower one. */
  #better(stage: ThreadValue): void {
    const { t } = this;
    this.#pairs(t.x`${this.size}u >> (${stage} - ${this.#keep}u)`, (q) => {
      const low = t.let('low', this.#place(q, stage));
      const high = t.let('high', t.x`${low} + (1u << (${stage} - 1u))`);
      const [a, b] = [this.#read(low), this.#read(high)];
      const [above] = combine(t, this.op, [a], [b]);
      const [below, isNaN] = combine(t, this.op, [b], [a]);
      const wanted = this.#descending ? above : below;
      const kept = t.let('kept', t.x`select(${b}, ${a}, ${wanted!} | ${isNaN!})`);
      writeShared(t, this.region, low, kept);
    });
  }
}
