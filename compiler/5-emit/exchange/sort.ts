/**
 * tt.sort: the rows lie in workgroup memory, as many at a time as its scratch holds, and the network runs
 * over them in loops: its text is short however long the rows are, where a network in registers would be
 * thousands of lines. Elements are compared and moved exactly as in Triton's network, NaNs included.
 */
import type { Operation } from '../../ir/ir';
import { registerCount, threadBases } from '../../ir/layout';
import { rowMajorStrides, shapeOf } from '../../ir/types';
import { combine } from './combine';
import { layoutOf } from '../emission';
import type { Emission } from '../emission';
import { plus, registerCoordinate, threadSum } from '../layouts';
import { Rounds } from './rounds';
import { readShared, writeShared } from './scratch';

export function emitSort(e: Emission, op: Operation): void {
  const x = op.operand(0);
  const shape = shapeOf(x.type);
  const length = shape.at(-1)!;
  const rounds = new Rounds(e, op, x);
  const out = rounds.pick(resultPlaces(e, op, shape), e.hint(op.result), () =>
    new Network(e, op, rounds.region, length, rounds.size).emit(),
  );
  e.setRegisters(op.result, out);
}

/** Where each register of the result stands among the elements of the source. */
function resultPlaces(e: Emission, op: Operation, shape: readonly number[]): string[] {
  const layout = layoutOf(op.result);
  const strides = rowMajorStrides(shape);
  const at = (coordinate: (d: number) => number): number =>
    strides.reduce((sum, stride, d) => sum + stride * coordinate(d), 0);
  const weights = threadBases(layout).map((basis) => at((d) => basis[d] ?? 0));
  const base = threadSum(e, weights);
  return Array.from({ length: registerCount(layout) }, (_, r) =>
    e.let(
      'place',
      plus(
        base,
        at((d) => registerCoordinate(layout, r, d)),
      ),
    ),
  );
}

/** The network on the elements of one round. */
class Network {
  readonly #steps: number;
  readonly #keep: number;
  readonly #descending: boolean;
  readonly #type;

  constructor(
    readonly e: Emission,
    readonly op: Operation,
    readonly region: Parameters<typeof readShared>[1],
    length: number,
    readonly size: number,
  ) {
    this.#steps = Math.log2(length);
    this.#keep = Number(op.attributes['keep']);
    this.#descending = op.attributes['descending'] === true;
    this.#type = e.registerTypeOf(op.operand(0));
  }

  emit(): void {
    const first = Number(this.op.attributes['first']);
    const keep = this.#keep;
    if (this.size === 1) return;
    const stage = this.e.names.fresh('stage');
    if (first <= keep)
      this.#loop(`for (var ${stage} = ${first}u; ${stage} <= ${keep}u; ${stage}++)`, () =>
        this.#merge(stage, stage, undefined),
      );
    if (keep === this.#steps) return;
    const last = this.e.names.fresh('stage');
    this.#loop(`for (var ${last} = ${keep + 1}u; ${last} <= ${this.#steps}u; ${last}++)`, () => {
      this.#better(last);
      if (keep > 0) this.#merge(`${keep}u`, last, last);
    });
  }
  #loop(head: string, body: () => void): void {
    this.e.writer.block(head, body);
  }
  /** The pairs of one step, dealt out to the threads; then all wait. */
  #pairs(count: string, body: (pair: string) => void): void {
    const q = this.e.names.fresh('pair');
    this.e.writer.block(`for (var ${q} = tid; ${q} < ${count}; ${q} += ${this.e.threads}u)`, () =>
      body(q),
    );
    this.e.barrier();
  }
  /** Where compact index c stands once only 2 ** keep of 2 ** spread elements are left. */
  #place(c: string, spread: string | undefined): string {
    if (spread === undefined) return c;
    return `((${c} >> ${this.#keep}u) << ${spread}) | (${c} & ${2 ** this.#keep - 1}u)`;
  }
  #read(at: string): string {
    return readShared(this.e, this.region, this.#type, at, 'element');
  }
  /** Sorts bitonic runs of 2 ** bits elements, by turns up and down but in the last stage. */
  #merge(bits: string, stage: string, spread: string | undefined): void {
    const { e } = this;
    const bit = e.names.fresh('bit');
    const shrunk = spread === undefined ? '' : ` >> (${spread} - ${this.#keep}u)`;
    this.#loop(`for (var ${bit} = ${bits}; ${bit} > 0u; ${bit}--)`, () => {
      const by = e.let('by', `${bit} - 1u`);
      this.#pairs(`(${this.size / 2}u${shrunk})`, (q) => {
        const c = e.let('c', `((${q} >> ${by}) << ${bit}) | (${q} & ((1u << ${by}) - 1u))`);
        const low = e.let('low', this.#place(c, spread));
        const high = e.let('high', `${low} + (1u << ${by})`);
        const down = e.let(
          'down',
          `select(${this.#descending}, ((${low} >> (${stage} & 31u)) & 1u) != 0u, ${stage} < ${this.#steps}u)`,
        );
        const [a, b] = [this.#read(low), this.#read(high)];
        const [above] = combine(e, this.op, [a], [b]);
        const [below] = combine(e, this.op, [b], [a]);
        const left = e.let('left', `select(${a}, ${b}, (${above}) != ${down})`);
        const right = e.let('right', `select(${b}, ${a}, (${below}) == ${down})`);
        writeShared(e, this.region, this.#type, low, left);
        writeShared(e, this.region, this.#type, high, right);
      });
    });
  }
  /** Of two runs that were sorted in opposite directions, the better half, into the lower one. */
  #better(stage: string): void {
    const { e } = this;
    this.#pairs(`(${this.size}u >> (${stage} - ${this.#keep}u))`, (q) => {
      const low = e.let('low', this.#place(q, stage));
      const high = e.let('high', `${low} + (1u << (${stage} - 1u))`);
      const [a, b] = [this.#read(low), this.#read(high)];
      const [above] = combine(e, this.op, [a], [b]);
      const [below, isNaN] = combine(e, this.op, [b], [a]);
      const wanted = this.#descending ? above : below;
      const kept = e.let('kept', `select(${b}, ${a}, (${wanted}) | (${isNaN}))`);
      writeShared(e, this.region, this.#type, low, kept);
    });
  }
}
