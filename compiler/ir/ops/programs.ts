/** Constants, program ids and ranges: where values begin. */
import { fillTile, setElement } from '../tile';
import { I32, dtypeOf, tensor } from '../types';
import { nothingKnown, powerOfTwoDivisor, rankOf, unknown } from './axis';
import { integer, scalar } from './attributes';
import type { Definitions, TileOp } from './definition';
import { unrelated } from './layouts';
import { need, stated } from './rules';

type Axis = { readonly axis: number };
export interface ProgramOps {
  'arith.constant': { readonly value: number | bigint | boolean };
  'tt.get_program_id': Axis;
  'tt.get_num_programs': Axis;
  'tt.make_range': { readonly start: number; readonly end: number };
}

const SOURCE = {
  kind: 'tile',
  operands: [],
  results: 1,
  layout: unrelated('result'),
  cost: () => undefined,
} as const satisfies Partial<TileOp<unknown>>;

export const PROGRAM_OPS: Definitions<ProgramOps> = {
  'arith.constant': {
    ...SOURCE,
    doc: 'The number {value} (number, bigint for i64, boolean for i1), in every element of a tile.',
    attributes: { value: scalar },
    type: {
      infer: stated,
      check: ({ attributes }, [type]) => {
        const dtype = dtypeOf(type!);
        if (!dtype) return 'a constant is a number';
        const wanted = dtype === 'i1' ? 'boolean' : dtype === 'i64' ? 'bigint' : 'number';
        return need(typeof attributes.value === wanted, `value of a ${dtype} must be a ${wanted}`);
      },
    },
    free: true,
    interpret: (machine, op) => {
      const out = machine.define(op.result, false);
      const { value } = op.attributes;
      setElement(out, 0, typeof value === 'boolean' ? Number(value) : value);
      fillTile(out, out, out.count);
      return undefined;
    },
    axis: (op) => {
      const shape = rankOf(op.result);
      const { value } = op.attributes;
      const whole = typeof value === 'boolean' ? Number(value) : value;
      if (typeof whole === 'number' && !Number.isInteger(whole))
        return { ...unknown(op.result), constancy: shape };
      return {
        contiguity: shape.map(() => 1),
        divisibility: shape.map(() => powerOfTwoDivisor(whole)),
        constancy: shape,
        constant: Number(whole),
        ...(whole < 0 ? { mayBeNegative: true } : {}),
      };
    },
  },
  'tt.get_program_id': {
    ...SOURCE,
    doc: 'Which program this is along {axis} (0, 1, 2); i32.',
    attributes: { axis: integer },
    type: { infer: () => [I32] },
    interpret: (machine, op) => {
      const out = machine.define(op.result, true);
      const axis = op.attributes.axis as 0 | 1 | 2;
      const { programId } = machine;
      return () => {
        out.data[0] = programId[axis];
      };
    },
    axis: nothingKnown,
    range: () => ({ low: 0, high: 2 ** 31 - 1 }),
  },
  'tt.get_num_programs': {
    ...SOURCE,
    doc: 'How many programs the grid has along {axis}; i32.',
    attributes: { axis: integer },
    type: { infer: () => [I32] },
    interpret: (machine, op) => {
      const out = machine.define(op.result, true);
      const size = machine.grid[op.attributes.axis as 0 | 1 | 2];
      return () => {
        out.data[0] = size;
      };
    },
    axis: nothingKnown,
    range: () => ({ low: 1, high: 2 ** 31 - 1 }),
  },
  'tt.make_range': {
    ...SOURCE,
    doc: 'The integers {start} … {end} - 1.',
    attributes: { start: integer, end: integer },
    type: { infer: ({ attributes: { start, end } }) => [tensor([end - start], I32)] },
    free: true,
    interpret: (machine, op) => {
      const out = machine.define(op.result, false);
      for (let i = 0; i < out.count; i++) out.data[i] = op.attributes.start + i;
      return undefined;
    },
    axis: (op) => ({
      contiguity: rankOf(op.result),
      divisibility: [powerOfTwoDivisor(op.attributes.start)],
      constancy: [1],
    }),
    range: (op) => ({ low: op.attributes.start, high: op.attributes.end - 1 }),
  },
};
