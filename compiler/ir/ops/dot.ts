/** Products of tiles. */
import { elementCount, shapeOf } from '../types';
import { nothingKnown } from './axis';
import type { Operation } from '../ir';
import { flag, integer, integers, oneOf, optional, text } from './attributes';
import type { Definitions } from './definition';
import { need } from './rules';

export type DotStrategyName = 'fma' | 'matrices' | 'direct';

/** The strategy that `select_dot_path` wrote on a dot; `fma` where it wrote none. */
export function strategyOf(dot: Operation): DotStrategyName {
  return (dot.attributes as DotOps['tt.dot']).strategy ?? 'fma';
}

export interface DotOps {
  'tt.dot': {
    readonly inputPrecision: string;
    readonly unroll?: number;
    readonly strategy?: 'matrices' | 'direct';
    readonly matrix?: readonly number[];
    readonly block?: readonly number[];
    readonly overlapColumns?: number;
    readonly rematerializedOperands?: boolean;
  };
}

export const DOT_OPS: Definitions<DotOps> = {
  'tt.dot': {
    kind: 'tile',
    doc:
      'acc + a · b for tiles M×K, K×N and M×N (or batched, one more dimension in front). ' +
      '{inputPrecision}: "ieee", "tf32", "tf32x3". After distribution {b} is a memdesc, and {a} one or its fragments. ' +
      '{strategy}: "matrices" or "direct", else "fma"; {matrix}: M, N and K of the subgroup matrices that compute it; {block}: rows and columns of a subgroup; ' +
      '{overlapColumns}: its ' +
      'last MMA step overlaps the stores of the next tile, so many columns of fragments behind the stores; {rematerializedOperands}: the operands and their addresses ' +
      'are computed again wherever the dot reads them.',
    operands: ['a', 'b', 'acc'],
    results: 1,
    attributes: {
      inputPrecision: text,
      unroll: optional(integer),
      strategy: optional(oneOf('matrices', 'direct')),
      matrix: optional(integers),
      block: optional(integers),
      overlapColumns: optional(integer),
      rematerializedOperands: optional(flag),
    },
    type: {
      infer: ({ operands }) => [operands[2]!],
      check: ({ operands: [a, b, acc] }) => {
        const [x, y, z] = [shapeOf(a!), shapeOf(b!), shapeOf(acc!)];
        const rank = z.length;
        if ((rank !== 2 && rank !== 3) || x.length !== rank || y.length !== rank)
          return 'tiles must have two dimensions, or three';
        const m = rank - 2;
        return need(
          x[m + 1] === y[m] &&
            x[m] === z[m] &&
            y[m + 1] === z[m + 1] &&
            (m === 0 || (x[0] === y[0] && x[0] === z[0])),
          'shapes must be M×K, K×N, M×N',
        );
      },
    },
    interpret: (machine, op) => {
      const shape = shapeOf(op.result.type);
      const batch = shape.length === 3 ? shape[0]! : 1;
      const k = shapeOf(op.operand(0).type).at(-1)!;
      const [a, b, acc] = op.operands.map((value) => machine.tile(value));
      const out = machine.define(op.result, true);
      return machine.dot([batch, shape.at(-2)!, shape.at(-1)!, k], a!, b!, acc!, out);
    },
    layout: {
      placement: 'result',
      operand: (_, index, layout) => (index === 2 ? layout : undefined),
      result: (_, index, layout) => (index === 2 ? layout : undefined),
    },
    axis: nothingKnown,
    cost: (op, tally) => {
      const [a] = op.operands;
      const depth = shapeOf(a!.type).at(-1) ?? 1;
      tally.compute(a!, 2 * depth * elementCount(op.result.type));
    },
  },
};
