/**
 * Layout anchors: which layout each value gets. What the program's author wrote stands (Gluon).
 * Then accumulators of dots decide, then accesses to memory from the largest tile to the smallest.
 * Each decision spreads along elementwise operations,
 * shape operations, loops and branches up to values that are decided already. Values that are cheap
 * to rematerialize (`CheapValues`) take no part: they are computed in every layout that is
 * required. Triton's Coalesce and the forward half of its RemoveLayoutConversions do the same.
 */
import { accessKind } from '../ir/access';
import { type Func, type Operation, type Value, walk } from '../ir/ir';
import type { Layout } from '../ir/layout';
import { blockedLayout, type ThreadBits } from '../ir/layoutAlgebra';
import { elementCount, shapeOf } from '../ir/types';
import { AxisAnalysis } from './axis_analysis';
import type { Choices } from './choices';
import { planOf } from './dots/index';
import { authoredOf, CheapValues, isTile, type Relation, relationsOf } from './layoutRules';
import {
  accessOrder,
  coalescedLayout,
  dotLoadLayout,
  isPoorAccess,
  summedDimensions,
} from './memoryLayouts';

const CONVERT = 'ttg.convert_layout';

export class LayoutAnchors {
  readonly cheap = new CheapValues();
  readonly #layouts = new Map<Value, Layout>();
  readonly #accesses = new Map<Operation, Layout>();
  readonly #relations = new Map<Value, Relation[]>();
  readonly #axes: AxisAnalysis;
  /** Whether operands of a dot stay narrow in workgroup memory. */
  readonly #packed: boolean;

  constructor(
    func: Func,
    readonly choices: Choices,
    readonly threads: ThreadBits,
  ) {
    this.#axes = new AxisAnalysis(func);
    const dots: Operation[] = [];
    const accesses: Operation[] = [];
    const values: Value[] = [];
    const ops: Operation[] = [];
    walk(func.body, (op) => {
      ops.push(op);
      if (op.name === 'tt.dot') dots.push(op);
      if (accessKind(op) !== null && isTile(op.operand(0))) accesses.push(op);
      for (const relation of relationsOf(op)) {
        this.#relate(relation.from, relation);
        this.#relate(relation.to, relation);
      }
      for (const region of op.regions) values.push(...region.args.filter(isTile));
      values.push(...op.results.filter(isTile));
    });
    this.#packed = dots.some((dot) => planOf(dot).staging?.packed);
    this.#decideAuthored(ops);
    this.#decideDots(dots);
    this.#decideAccesses(accesses, summedDimensions(ops));
    for (const value of values) {
      if (!this.cheap.has(value)) this.#spread(value, this.plain(shapeOf(value.type)));
    }
  }

  /** The layout of a value that is not cheap. */
  of(value: Value): Layout {
    return this.#layouts.get(value) ?? this.plain(shapeOf(value.type));
  }
  /** The layout in which an access to global memory runs. */
  ofAccess(op: Operation): Layout {
    const own = this.#accesses.get(op);
    if (own) return own;
    return this.of(op.results[0] ?? op.operand(0));
  }
  plain(shape: readonly number[]): Layout {
    return blockedLayout(shape, this.threads);
  }

  #relate(value: Value, relation: Relation): void {
    const list = this.#relations.get(value);
    if (list) list.push(relation);
    else this.#relations.set(value, [relation]);
  }

  /** Layouts that the program states stand before all that is chosen here. */
  #decideAuthored(ops: readonly Operation[]): void {
    const authored = ops.flatMap((op) => {
      const layout = authoredOf(op, this.threads);
      return layout ? [{ op, layout }] : [];
    });
    for (const { op, layout } of authored) if (op.name !== CONVERT) this.#accesses.set(op, layout);
    for (const { op, layout } of authored)
      for (const value of op.name === CONVERT ? op.results : [...op.results, ...op.operands])
        if (isTile(value)) this.#spread(value, layout);
  }

  #decideDots(dots: readonly Operation[]): void {
    const rowThreads = new Map<number, number>();
    const size = (op: Operation): number => elementCount(op.result.type);
    for (const dot of [...dots].sort((a, b) => size(b) - size(a))) {
      const plan = planOf(dot);
      const { threads, choices } = this;
      this.#spread(dot.result, plan.resultLayout({ threads, choices, rowThreads }));
      for (const [load, layout] of plan.loadLayouts(this.of(dot.result), this.#axes)) {
        this.#accesses.set(load, layout);
        this.#layouts.set(load.result, layout);
      }
    }
  }

  #decideAccesses(accesses: readonly Operation[], summed: ReadonlyMap<Value, number>): void {
    const kind = (op: Operation): string =>
      `${shapeOf(op.operand(0).type).join()};${accessOrder(op, this.#axes).join()}`;
    const byKind = new Map<string, Operation[]>();
    for (const op of accesses) {
      const list = byKind.get(kind(op));
      if (list) list.push(op);
      else byKind.set(kind(op), [op]);
    }
    const size = (op: Operation): number => elementCount(op.operand(0).type);
    for (const op of [...accesses].sort((a, b) => size(b) - size(a))) {
      if (this.#accesses.has(op)) continue;
      const { threads, choices } = this;
      // The value that the access moves, if it is not rematerialized: its layout was perhaps
      // decided already.
      const moved =
        op.results[0] ?? op.operands.slice(1).find((v) => isTile(v) && !this.cheap.has(v));
      const decided = moved && this.#layouts.get(moved);
      if (decided && !isPoorAccess(op, this.#axes, decided)) {
        this.#accesses.set(op, decided);
        continue;
      }
      const dimension = op.name === 'tt.load' ? summed.get(op.result) : undefined;
      const layout =
        dimension === undefined
          ? coalescedLayout(op, byKind.get(kind(op))!, this.#axes, threads)
          : dotLoadLayout(op, dimension, choices, this.#axes, threads, this.#packed);
      this.#accesses.set(op, layout);
      for (const value of [...op.results, ...op.operands])
        if (isTile(value) && !this.cheap.has(value)) this.#spread(value, layout);
    }
  }

  /** Decides `start` and all that follows from it. */
  #spread(start: Value, layout: Layout): void {
    const work: [Value, Layout][] = [[start, layout]];
    for (let next = work.pop(); next; next = work.pop()) {
      const [value, layoutOfValue] = next;
      if (this.#layouts.has(value) || this.cheap.has(value)) continue;
      const op = value.definition;
      // A load whose addresses do not suit the layout decides for itself later.
      if (value !== start && op?.name === 'tt.load' && isPoorAccess(op, this.#axes, layoutOfValue))
        continue;
      this.#layouts.set(value, layoutOfValue);
      for (const relation of this.#relations.get(value) ?? []) {
        const [other, derived] =
          relation.from === value
            ? [relation.to, relation.forward(layoutOfValue)]
            : [relation.from, relation.backward(layoutOfValue)];
        if (derived) work.push([other, derived]);
      }
    }
  }
}
