/** Loops, branches, and what ends their regions. */
import type { Block, Value } from '../ir';
import { sameTypeIgnoringLayout as sameType } from '../sameType';
import type { Type } from '../types';
import { integer, optional } from './attributes';
import type { Definitions, Flow, NoAttributes, TerminatorOp } from './definition';
import { need, none } from './rules';

export interface ControlOps {
  'scf.for': {
    readonly unroll?: number;
    readonly 'tt.loop_unroll_factor'?: number;
    readonly 'tt.num_stages'?: number;
  };
  'scf.while': NoAttributes;
  'scf.if': NoAttributes;
  'scf.yield': NoAttributes;
  'scf.condition': NoAttributes;
  'tt.return': NoAttributes;
}

function carried(
  what: string,
  wanted: readonly Type[],
  found: readonly Type[],
): string | undefined {
  return need(
    wanted.length === found.length && wanted.every((type, i) => sameType(type, found[i]!)),
    `types of ${what} do not match the carried values`,
  );
}
function yields(block: Block, wanted: readonly Type[]): string | undefined {
  const last = block.terminator;
  if (last.name !== 'scf.yield') return 'a region must end in scf.yield';
  return carried(
    'scf.yield',
    wanted,
    last.operands.map((value) => value.type),
  );
}
const yielded = (block: Block): readonly Value[] => block.terminator.operands;
function flow(from: Value | undefined, to: Value | undefined): Flow[] {
  return from && to ? [{ from, to }] : [];
}

const END = {
  kind: 'terminator',
  results: 0,
  attributes: {},
  type: { infer: none },
} as const satisfies Partial<TerminatorOp<NoAttributes>>;

export const CONTROL_OPS: Definitions<ControlOps> = {
  'scf.for': {
    kind: 'control',
    doc:
      'Counts from {lower} to {upper} (exclusive, signed) by {step}. The body takes the counter and ' +
      'the carried values and yields the next ones. ' +
      '{unroll}: how many copies of the body the emitted loop has. ' +
      '{tt.loop_unroll_factor}, {tt.num_stages}: hints of the program.',
    operands: ['lower', 'upper', 'step', 'init*'],
    results: '*',
    regions: ['body'],
    attributes: {
      unroll: optional(integer),
      'tt.loop_unroll_factor': optional(integer),
      'tt.num_stages': optional(integer),
    },
    type: {
      infer: ({ operands }) => operands.slice(3),
      check: ({ operands, regions }, results) => {
        const [lower, upper, step] = operands;
        if (![lower!, upper!, step!].every((t) => t.kind === 'scalar' && sameType(t, lower!)))
          return 'bounds and step must be scalars of one type';
        const args = regions[0]!.args.map((arg) => arg.type);
        return carried('body', [lower!, ...results], args) ?? yields(regions[0]!, results);
      },
    },
    interpret: (machine, op) => machine.loop(op),
    flow: (op) => {
      const body = op.region(0);
      return op.results.flatMap((result, i) => {
        const arg = body.args[i + 1];
        return [
          ...flow(op.operand(i + 3), arg),
          ...flow(yielded(body)[i], arg),
          ...flow(arg, result),
        ];
      });
    },
  },
  'scf.while': {
    kind: 'control',
    doc:
      'Runs `before`, which ends in scf.condition; while true, `after` takes the forwarded values ' +
      'and yields the next ones to `before`. The results are what the last condition forwarded.',
    operands: ['init*'],
    results: '*',
    regions: ['before', 'after'],
    attributes: {},
    type: {
      infer: ({ regions }) => regions[1]!.args.map((arg) => arg.type),
      check: ({ operands, regions }, results) => {
        const [before, after] = [regions[0]!, regions[1]!];
        if (before.terminator.name !== 'scf.condition') return '`before` must end in scf.condition';
        const types = (values: readonly Value[]): Type[] => values.map((value) => value.type);
        return (
          carried('before', operands, types(before.args)) ??
          carried('scf.condition', results, types(yielded(before).slice(1))) ??
          carried('after', results, types(after.args)) ??
          yields(after, operands)
        );
      },
    },
    interpret: (machine, op) => machine.whileLoop(op),
    flow: (op) => {
      const [before, after] = [op.region(0), op.region(1)];
      return [
        ...before.args.flatMap((arg, i) => [
          ...flow(op.operand(i), arg),
          ...flow(yielded(after)[i], arg),
        ]),
        ...yielded(before)
          .slice(1)
          .flatMap((value, i) => [...flow(value, after.args[i]), ...flow(value, op.results[i])]),
      ];
    },
  },
  'scf.if': {
    kind: 'control',
    doc: 'One region or the other; both yield the results.',
    operands: ['condition'],
    results: '*',
    regions: ['then', 'else'],
    attributes: {},
    type: {
      infer: ({ regions }) => yielded(regions[0]!).map((value) => value.type),
      check: ({ operands: [condition], regions }, results) => {
        if (condition!.kind !== 'scalar' || condition!.dtype !== 'i1')
          return 'condition must be a scalar i1';
        return yields(regions[0]!, results) ?? yields(regions[1]!, results);
      },
    },
    interpret: (machine, op) => machine.branch(op),
    flow: (op) =>
      op.results.flatMap((result, i) =>
        op.regions.flatMap((region) => flow(yielded(region)[i], result)),
      ),
  },
  'scf.yield': { ...END, operands: ['values*'], doc: 'Ends a region.' },
  'scf.condition': {
    ...END,
    operands: ['condition', 'values*'],
    doc: 'Ends the `before` region of scf.while.',
  },
  'tt.return': { ...END, operands: [], doc: 'Ends the kernel.' },
};
