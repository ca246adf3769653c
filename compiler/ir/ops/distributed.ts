/** Operations that distribution adds: layouts, workgroup memory, fragments, barriers. */
import { sameElement, sameShape, sameTypeIgnoringLayout as sameType } from '../sameType';
import { copyTile, elementAt, gatherTile, setElement } from '../tile';
import { sliceIndices } from '../tileIndices';
import { elementOf, shapeOf } from '../types';
import { nothingKnown, unchanged } from './axis';
import { flag, integer, integers, optional, text } from './attributes';
import type { Definitions, EffectOp, NoAttributes, TileOp } from './definition';
import { sameLayout, unrelated } from './layouts';
import { sameRange } from './range';
import { need, none, stated } from './rules';

/** The layout that the program gives the access (`authoredLayout.ts`). */
type Authored = { readonly layout?: string };
type Scratch = { readonly scratch?: number; readonly scratchBytes?: number };
export interface DistributedOps {
  'ttg.convert_layout': Scratch & { readonly layout?: string };
  'ttg.extract_slice': { readonly origin: readonly number[] };
  'ttg.local_alloc': { readonly offset?: number; readonly words?: boolean };
  'ttg.local_gather': Authored;
  'ttg.local_scatter': Authored;
  'ttg.local_store': { readonly slice?: readonly number[] };
  'ttg.local_load': NoAttributes;
  'ttg.load_fragments': NoAttributes;
  'ttg.read_fragments': Scratch & {
    readonly origin?: readonly number[];
    readonly scratchSlabs?: number;
    readonly scratchInRows?: boolean;
  };
  'gpu.barrier': { readonly rotated?: boolean };
}

const SCRATCH = { scratch: optional(integer), scratchBytes: optional(integer) } as const;
const MOVE = {
  kind: 'tile',
  operands: ['x'],
  results: 1,
  layout: unrelated('given'),
  cost: () => undefined,
} as const satisfies Partial<TileOp<unknown>>;
const SHARED = {
  kind: 'effect',
  attributes: {},
  layout: unrelated('given'),
  cost: () => undefined,
} as const satisfies Partial<EffectOp<NoAttributes>>;

export const DISTRIBUTED_OPS: Definitions<DistributedOps> = {
  'ttg.convert_layout': {
    ...MOVE,
    doc:
      'The same tile in another layout. {scratch}: byte offset in workgroup memory, if it needs any. ' +
      '{layout}: the author’s, before distribution.',
    attributes: { ...SCRATCH, layout: optional(text) },
    type: {
      infer: stated,
      check: ({ operands: [x] }, [type]) => need(sameType(x!, type!), 'only the layout may change'),
    },
    rearranges: true,
    renames: () => true,
    interpret: () => undefined,
    axis: unchanged,
    range: sameRange,
  },
  'ttg.extract_slice': {
    ...MOVE,
    doc: 'The part of a tile that begins at {origin}: some of the registers of every thread.',
    attributes: { origin: integers },
    type: {
      infer: stated,
      check: ({ operands: [x], attributes: { origin } }, [type]) => {
        const [from, to] = [shapeOf(x!), shapeOf(type!)];
        return need(
          from.length === to.length &&
            sameElement(elementOf(x!), elementOf(type!)) &&
            to.every((size, d) => origin[d]! % size === 0 && origin[d]! + size <= from[d]!),
          'takes an aligned part of a tile of the same element type',
        );
      },
    },
    rearranges: true,
    interpret: (machine, op) => {
      const [from, to] = [shapeOf(op.operand(0).type), shapeOf(op.result.type)];
      const indices = sliceIndices(from, op.attributes.origin, to);
      const [x, out] = [machine.tile(op.operand(0)), machine.define(op.result, true)];
      return () => gatherTile(out, x, indices);
    },
    axis: nothingKnown,
  },
  'ttg.local_alloc': {
    ...SHARED,
    effects: [],
    doc:
      'A tile in workgroup memory, at byte {offset} once allocated; contents undefined. {words}: the program’s ' +
      'own, of which each element takes whole words.',
    operands: [],
    results: 1,
    attributes: { offset: optional(integer), words: optional(flag) },
    type: {
      infer: stated,
      check: (_, [type]) => need(type!.kind === 'memdesc', 'allocates a memdesc'),
    },
    interpret: (machine, op) => {
      machine.define(op.result, false);
      return undefined;
    },
  },
  'ttg.local_store': {
    ...SHARED,
    effects: ['writes'],
    doc:
      'Writes {x} into workgroup memory. {slice}: the origin in {x} of the part that {target} takes, ' +
      'one number a dimension.',
    operands: ['x', 'target'],
    results: 0,
    attributes: { slice: optional(integers) },
    type: {
      infer: none,
      check: ({ operands: [x, target] }) =>
        need(
          target!.kind === 'memdesc' && sameElement(elementOf(x!), target!.element),
          'stores a tile into a memdesc of its element type',
        ),
    },
    interpret: (machine, op) => {
      const [x, target] = [machine.tile(op.operand(0)), machine.tile(op.operand(1))];
      const { slice } = op.attributes;
      if (!slice) return () => copyTile(target, x);
      const part = shapeOf(op.operand(1).type);
      const indices = sliceIndices(shapeOf(op.operand(0).type), slice, part);
      return () => gatherTile(target, x, indices);
    },
  },
  'ttg.local_load': {
    ...SHARED,
    effects: ['reads'],
    doc: 'Reads a whole tile from workgroup memory.',
    operands: ['source'],
    results: 1,
    type: {
      infer: stated,
      check: ({ operands: [source] }, [type]) =>
        need(
          source!.kind === 'memdesc' && sameShape(source!.shape, shapeOf(type!)),
          'loads a tile of the shape of the memdesc',
        ),
    },
    interpret: (machine, op) => {
      const [source, out] = [machine.tile(op.operand(0)), machine.define(op.result, true)];
      return () => copyTile(out, source);
    },
  },
  'ttg.local_gather': {
    ...SHARED,
    effects: ['reads'],
    doc: 'The elements of {source}, a flat tile in workgroup memory, at {places}.',
    operands: ['places', 'source'],
    results: 1,
    attributes: { layout: optional(text) },
    type: {
      infer: stated,
      check: ({ operands: [places, source] }, [type]) =>
        need(
          source!.kind === 'memdesc' &&
            source!.shape.length === 1 &&
            sameShape(shapeOf(places!), shapeOf(type!)) &&
            sameElement(source!.element, elementOf(type!)),
          'reads elements of a flat memdesc, one for each place',
        ),
    },
    interpret: (machine, op) => {
      const [places, source] = [machine.tile(op.operand(0)), machine.tile(op.operand(1))];
      const out = machine.define(op.result, true);
      return () => {
        for (let i = 0; i < out.count; i++)
          setElement(out, i, elementAt(source, Number(elementAt(places, i))));
      };
    },
    layout: sameLayout('access'),
  },
  'ttg.local_scatter': {
    ...SHARED,
    effects: ['writes'],
    doc: 'Writes each element of {x} to {target}, a flat tile in workgroup memory, at its place.',
    operands: ['places', 'x', 'target'],
    results: 0,
    attributes: { layout: optional(text) },
    type: {
      infer: none,
      check: ({ operands: [places, x, target] }) =>
        need(
          target!.kind === 'memdesc' &&
            target!.shape.length === 1 &&
            sameShape(shapeOf(places!), shapeOf(x!)) &&
            sameElement(elementOf(x!), target!.element),
          'writes elements to a flat memdesc, one for each place',
        ),
    },
    interpret: (machine, op) => {
      const [places, x, target] = op.operands.map((value) => machine.tile(value));
      return () => {
        for (let i = 0; i < x!.count; i++)
          setElement(target!, Number(elementAt(places!, i)), elementAt(x!, i));
      };
    },
    layout: { ...sameLayout('access'), shared: 1 },
  },
  'ttg.load_fragments': {
    ...SHARED,
    effects: ['reads'],
    doc: 'The left operand of a dot, from workgroup memory into the subgroup matrices that hold it.',
    operands: ['source'],
    results: 1,
    type: {
      infer: stated,
      check: ({ operands: [source] }, [type]) =>
        need(
          source!.kind === 'memdesc' &&
            type!.kind === 'fragments' &&
            type!.across !== undefined &&
            sameShape(source!.shape, type!.shape) &&
            sameElement(source!.element, type!.element),
          'loads fragments of the shape and element type of the memdesc, with {across}',
        ),
    },
    interpret: (machine, op) => {
      const [source, out] = [machine.tile(op.operand(0)), machine.define(op.result, true)];
      return () => copyTile(out, source);
    },
  },
  'ttg.read_fragments': {
    ...MOVE,
    doc:
      'The tile that subgroup matrices hold, in registers; by way of workgroup memory at {scratch}. ' +
      'With {origin}: the rows of it that begin there. {scratchSlabs}: that memory is an array of so many ' +
      'slabs, one for each row of blocks; with {scratchInRows} the one in which rows of operands are staged.',
    attributes: {
      origin: optional(integers),
      scratchSlabs: optional(integer),
      scratchInRows: optional(flag),
      ...SCRATCH,
    },
    type: {
      infer: stated,
      check: ({ operands: [x], attributes: { origin } }, [type]) => {
        const [rows = 0, columns] = shapeOf(type!);
        const [from = 0] = origin ?? [];
        return need(
          x!.kind === 'fragments' &&
            columns === x!.shape[1] &&
            (origin
              ? rows % x!.matrix[0] === 0 && from % rows === 0 && from + rows <= x!.shape[0]!
              : rows === x!.shape[0]) &&
            sameElement(x!.element, elementOf(type!)),
          'gives a tile of the shape and element type of the fragments, or whole rows of matrices',
        );
      },
    },
    renames: (op) => op.attributes.origin === undefined,
    interpret: (machine, op) => {
      const [from, to] = [shapeOf(op.operand(0).type), shapeOf(op.result.type)];
      const indices = sliceIndices(from, op.attributes.origin ?? [], to);
      const [x, out] = [machine.tile(op.operand(0)), machine.define(op.result, true)];
      return () => gatherTile(out, x, indices);
    },
    axis: nothingKnown,
  },
  'gpu.barrier': {
    ...SHARED,
    effects: ['barrier'],
    doc:
      'Every thread of the workgroup arrives before any goes on; workgroup memory is in step. {rotated}: it stands ' +
      'before the loop and at the end of each iteration, in front of the loads of the next fragments.',
    operands: [],
    results: 0,
    attributes: { rotated: optional(flag) },
    type: { infer: none },
    interpret: () => undefined,
  },
};
