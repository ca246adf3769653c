/** Operations on many elements: reductions, scans, sorting, maps; histograms and gathers. */
import { dropDim } from '../layoutAlgebra';
import { sameShape, sameTypeIgnoringLayout as sameType } from '../sameType';
import { elementAt } from '../tile';
import { splitAxis } from '../tileIndices';
import { I1, elementCount, elementOf, shapeOf, tensor, type Type } from '../types';
import { nothingKnown } from './axis';
import { flag, integer, optional } from './attributes';
import type { Definitions, NoAttributes, Signature, TerminatorOp, TileOp } from './definition';
import { sameLayout, unrelated } from './layouts';
import { maskCheck, need, none, stated } from './rules';

type Scratch = { readonly scratch?: number; readonly scratchBytes?: number };
type Return = `tt.${'reduce' | 'scan' | 'sort' | 'map_elementwise'}.return`;
export type CombineOps = Record<Return, NoAttributes> & {
  'tt.reduce': Scratch & { readonly axis: number };
  'tt.scan': Scratch & { readonly axis: number; readonly reverse: boolean };
  'tt.sort': Scratch & {
    readonly first: number;
    readonly keep: number;
    readonly descending: boolean;
  };
  'tt.map_elementwise': NoAttributes;
  'tt.histogram': Scratch;
  'tt.gather': Scratch & { readonly axis: number };
};

const SCRATCH = { scratch: optional(integer), scratchBytes: optional(integer) } as const;
const TILE = { kind: 'tile', axis: nothingKnown } as const satisfies Partial<TileOp<unknown>>;
const END = {
  kind: 'terminator',
  operands: ['values*'],
  results: 0,
  attributes: {},
  type: { infer: none },
} as const satisfies Partial<TerminatorOp<NoAttributes>>;

function dropAxis({
  operands,
  attributes: { axis },
}: Signature<{ readonly axis: number }>): Type[] {
  return operands.map((type) =>
    tensor(
      shapeOf(type).filter((_, i) => i !== axis),
      elementOf(type),
    ),
  );
}
function mapRegion({ operands, regions }: Signature<unknown>, results: readonly Type[]) {
  const [first] = operands;
  if (!first) return 'needs an input';
  const all = [...operands, ...results];
  if (!all.every((type) => sameShape(shapeOf(type), shapeOf(first)))) return 'shapes differ';
  const fits = (values: readonly { readonly type: Type }[], tiles: readonly Type[]): boolean =>
    values.length === tiles.length &&
    values.every(({ type }, i) => sameType(type, elementOf(tiles[i]!)));
  if (!fits(regions[0]!.args, operands)) return 'the region takes one element of each input';
  return need(
    fits(regions[0]!.terminator.operands, results),
    'the region must return one element of each result',
  );
}
function combineRegion({
  operands,
  attributes: { axis },
  regions,
}: Signature<{ readonly axis: number }>): string | undefined {
  const shape = shapeOf(operands[0]!);
  if (!operands.every((type) => sameShape(shapeOf(type), shape))) return 'inputs differ in shape';
  if (!(axis >= 0 && axis < shape.length)) return `no axis ${axis}`;
  const elements = operands.map(elementOf);
  const args = regions[0]!.args.map((arg) => arg.type);
  const wanted = [...elements, ...elements];
  const fits = args.length === wanted.length && args.every((t, i) => sameType(t, wanted[i]!));
  if (!fits) return 'the region takes the left elements and then the right ones';
  const yielded = regions[0]!.terminator.operands.map((value) => value.type);
  return need(
    yielded.length === elements.length && yielded.every((t, i) => sameType(t, elements[i]!)),
    'the region must return one element of each input',
  );
}

export const COMBINE_OPS: Definitions<CombineOps> = {
  'tt.reduce': {
    ...TILE,
    doc:
      'Reduces each input along {axis} with the region, which takes the left elements and then the ' +
      'right ones, and ends in tt.reduce.return. Associative; the order is left open.',
    operands: ['inputs*'],
    results: '*',
    attributes: { axis: integer, ...SCRATCH },
    regions: ['combine'],
    type: { infer: dropAxis, check: combineRegion },
    interpret: (machine, op) => machine.reduce(op),
    layout: {
      placement: 'operands',
      operand: () => undefined,
      result: (op, _, layout) => dropDim(layout, op.attributes.axis),
      shared: 0,
    },
    cost: (op, tally) => {
      const [input] = op.operands;
      const [result] = op.results;
      if (!input || !result) return;
      tally.region(op.region(0), elementCount(input.type) - elementCount(result.type));
    },
  },
  'tt.reduce.return': { ...END, doc: 'Ends a combine region.' },
  'tt.scan': {
    ...TILE,
    doc: 'Inclusive scan along {axis}; region as in tt.reduce.',
    operands: ['inputs*'],
    results: '*',
    attributes: { axis: integer, reverse: flag, ...SCRATCH },
    regions: ['combine'],
    type: { infer: ({ operands }) => operands, check: combineRegion },
    interpret: (machine, op) => machine.scan(op),
    layout: sameLayout('scan'),
    cost: (op, tally) => {
      const [input] = op.operands;
      if (!input) return;
      const length = shapeOf(input.type)[op.attributes.axis] ?? 1;
      const elements = elementCount(input.type);
      tally.region(op.region(0), elements - elements / length);
    },
  },
  'tt.scan.return': { ...END, doc: 'Ends a combine region.' },
  'tt.sort': {
    ...TILE,
    doc:
      "Batcher's bitonic network along the last dimension, from stage {first} on; the best 2 ** {keep} " +
      'elements of each row, upwards or {descending}. The region takes two elements: whether the first ' +
      'is greater, and whether it is NaN.',
    operands: ['x'],
    results: 1,
    attributes: { first: integer, keep: integer, descending: flag, ...SCRATCH },
    regions: ['compare'],
    type: {
      infer: stated,
      check: ({ operands: [x], attributes: { keep, first }, regions }, [result]) => {
        const [from, to] = [shapeOf(x!), shapeOf(result!)];
        const steps = Math.log2(from.at(-1) ?? 0);
        if (!(keep >= 0 && keep <= steps && first >= 1)) return 'no such stages';
        if (!sameShape(to, [...from.slice(0, -1), 2 ** keep]))
          return 'the result has another shape';
        if (!sameType(elementOf(x!), elementOf(result!))) return 'element types differ';
        const region = regions[0]!;
        const types = region.args.map((arg) => arg.type);
        if (types.length !== 2 || types.some((type) => !sameType(type, elementOf(x!))))
          return 'the region takes two elements';
        const given = region.terminator.operands.map((value) => value.type);
        return need(
          given.length === 2 && given.every((type) => sameType(type, I1)),
          'the region must return two truth values',
        );
      },
    },
    interpret: (machine, op) => machine.sort(op),
    layout: unrelated('apart'),
    cost: () => undefined,
  },
  'tt.sort.return': { ...END, doc: 'Ends a compare region.' },
  'tt.map_elementwise': {
    ...TILE,
    doc:
      'Runs the region for each element of tiles of one shape; it takes one scalar of each input and ' +
      'ends in tt.map_elementwise.return.',
    operands: ['inputs*'],
    results: '*',
    attributes: {},
    regions: ['map'],
    type: { infer: stated, check: mapRegion },
    interpret: (machine, op) => machine.map(op),
    layout: { ...sameLayout('operands'), shared: 0 },
    cost: (op, tally) => tally.region(op.region(0), elementCount(op.operand(0).type)),
  },
  'tt.map_elementwise.return': { ...END, doc: 'Ends the region of tt.map_elementwise.' },
  'tt.histogram': {
    ...TILE,
    doc: 'Counts of the values 0 … bins - 1 (bins: the size of the result).',
    operands: ['x', 'mask?'],
    results: 1,
    attributes: SCRATCH,
    type: {
      infer: stated,
      check: ({ operands: [x, mask] }) => {
        if (shapeOf(x!).length !== 1) return 'needs one dimension';
        return mask && maskCheck(x!, mask);
      },
    },
    interpret: (machine, op) => {
      const [x, mask] = op.operands.map((value) => machine.tile(value));
      const out = machine.define(op.result, true);
      return () => {
        out.data.fill(0);
        for (let i = 0; i < x!.count; i++) {
          if (mask && !mask.data[i]) continue;
          const value = Number(elementAt(x!, i));
          if (value >= 0 && value < out.count) out.data[value] = out.data[value]! + 1;
        }
      };
    },
    layout: unrelated('apart'),
    cost: () => undefined,
  },
  'tt.gather': {
    ...TILE,
    doc: 'Picks elements of {source} along {axis}.',
    operands: ['source', 'indices'],
    results: 1,
    attributes: { axis: integer, ...SCRATCH },
    type: {
      infer: ({ operands: [source, indices] }) => [tensor(shapeOf(indices!), elementOf(source!))],
      check: ({ operands: [source, indices], attributes: { axis } }) => {
        const [a, b] = [shapeOf(source!), shapeOf(indices!)];
        return need(
          a.length === b.length && a.every((size, i) => i === axis || size === b[i]),
          'source and indices may differ along the axis only',
        );
      },
    },
    interpret: (machine, op) => {
      const [source, indices] = [machine.tile(op.operand(0)), machine.tile(op.operand(1))];
      const out = machine.define(op.result, true);
      const [outer, axis, inner] = splitAxis(shapeOf(op.result.type), op.attributes.axis);
      const size = shapeOf(op.operand(0).type)[op.attributes.axis]!;
      return () => {
        out.wide = source.wide;
        if (source.wide) out.big ??= new BigInt64Array(out.count);
        const from = source.wide ? source.big! : source.data;
        const to = source.wide ? out.big! : out.data;
        let i = 0;
        for (let o = 0; o < outer; o++)
          for (let k = 0; k < axis; k++)
            for (let j = 0; j < inner; j++, i++) {
              const index = Number(elementAt(indices, i));
              const at = index >= 0 && index < size ? index : 0;
              (to as { [i: number]: number | bigint })[i] = from[(o * size + at) * inner + j]!;
            }
      };
    },
    layout: {
      placement: 'result',
      operand: (_, index, layout) => (index === 1 ? layout : undefined),
      result: (_, index, layout) => (index === 1 ? layout : undefined),
    },
    cost: () => undefined,
  },
};
