/**
 * The definitions' view of the interpreter: tiles of values, steps of blocks, and the services that
 * need a launch's memory, its program id or SIMD instructions.
 */
import type { Operation, Value } from '../ir';
import type { Tile } from '../tile';

export type Step = () => void;

export interface TileMachine {
  readonly programId: readonly [number, number, number];
  readonly grid: readonly [number, number, number];
  /** The tile of an operand. */
  tile(value: Value): Tile;
  /** A tile for a result; kept for the whole launch unless `pooled`. */
  define(value: Value, pooled: boolean): Tile;

  // ── services ──────────────────────────────────────────────────────────────────────────────────
  load(op: Operation): Step;
  store(op: Operation): Step;
  atomic(op: Operation): Step;
  compareExchange(op: Operation): Step;
  /** acc + a · b, batched: `size` is batch, M, N, K. */
  dot(
    size: readonly [number, number, number, number],
    a: Tile,
    b: Tile,
    acc: Tile,
    out: Tile,
  ): Step;
  reduce(op: Operation): Step;
  scan(op: Operation): Step;
  sort(op: Operation): Step;
  /** Runs a region once for each element. */
  map(op: Operation): Step;
  loop(op: Operation): Step;
  whileLoop(op: Operation): Step;
  branch(op: Operation): Step;
  print(op: Operation, values: readonly Tile[]): void;
  assert(op: Operation, message: string, element: number | null, shape: readonly number[]): void;
}
