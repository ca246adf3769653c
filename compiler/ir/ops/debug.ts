/** Prints and assertions. */
import { dtypeOf, shapeOf } from '../types';
import { flag, flags, text } from './attributes';
import type { Definitions, EffectOp } from './definition';
import { sameLayout, unrelated } from './layouts';
import { need, none } from './rules';

export interface DebugOps {
  'tt.print': {
    readonly prefix: string;
    readonly hex: boolean;
    readonly signed: readonly (boolean | number)[];
  };
  'tt.assert': { readonly message: string };
}

const REPORT = {
  kind: 'effect',
  effects: ['writes'],
  results: 0,
  cost: () => undefined,
} as const satisfies Partial<EffectOp<unknown>>;

export const DEBUG_OPS: Definitions<DebugOps> = {
  'tt.print': {
    ...REPORT,
    doc: 'Prints {prefix} and the values.',
    operands: ['values*'],
    attributes: { prefix: text, hex: flag, signed: flags },
    type: { infer: none },
    interpret: (machine, op) => {
      const values = op.operands.map((value) => machine.tile(value));
      return () => machine.print(op, values);
    },
    layout: unrelated('each'),
  },
  'tt.assert': {
    ...REPORT,
    doc: 'Fails the launch with {message} where {condition} is false.',
    operands: ['condition', 'mask?'],
    attributes: { message: text },
    type: {
      infer: none,
      check: ({ operands: [condition] }) =>
        need(dtypeOf(condition!) === 'i1', 'condition must be i1'),
    },
    interpret: (machine, op) => {
      const [condition, mask] = op.operands.map((value) => machine.tile(value));
      const { message } = op.attributes;
      const shape = shapeOf(op.operand(0).type);
      return () => {
        for (let i = 0; i < condition!.count; i++)
          if (!condition!.data[i] && (!mask || mask.data[i]))
            return machine.assert(op, message, shape.length > 0 ? i : null, shape);
      };
    },
    layout: sameLayout('operands'),
  },
};
