/** Address arithmetic and casts of pointers. */
import { sameShape } from '../sameType';
import { bigElements, setElement, type Tile } from '../tile';
import { byteSize, dtypeOf, elementOf, isInteger, shapeOf, type ElementType } from '../types';
import { ofBoth, pointeeBytes, scattered, sum } from './axis';
import type { AddressOp, Definitions, NoAttributes } from './definition';
import type { Step } from './machine';
import { all, first, need, stated } from './rules';

export type PointerOps = Record<
  'tt.addptr' | 'tt.bitcast' | 'tt.int_to_ptr' | 'tt.ptr_to_int',
  NoAttributes
>;

const CAST = {
  kind: 'address',
  operands: ['x'],
  results: 1,
  attributes: {},
} as const satisfies Partial<AddressOp<NoAttributes>>;

/** Between i64 and pointers: the same number, unsigned as an address. */
function castStep(x: Tile, out: Tile): Step {
  const n = out.count;
  return () => {
    out.wide = false;
    if (!x.wide) {
      out.data.set(x.data);
      return;
    }
    const big = bigElements(x, n);
    for (let i = 0; i < n; i++) setElement(out, i, Number(BigInt.asUintN(64, big[i]!)));
  };
}
/** The addresses `count` elements of `bytes` on. Addresses are exact in doubles. */
function advance(pointer: Tile, offset: Tile, bytes: number, out: Tile): Step {
  const n = out.count;
  const a = pointer.data;
  const o = out.data;
  return () => {
    if (offset.wide) {
      for (let i = 0; i < n; i++)
        o[i] = Number(BigInt.asUintN(64, BigInt(a[i]!) + offset.big![i]! * BigInt(bytes)));
      return;
    }
    const b = offset.data;
    for (let i = 0; i < n; i++) o[i] = a[i]! + b[i]! * bytes;
  };
}

export const POINTER_OPS: Definitions<PointerOps> = {
  'tt.addptr': {
    kind: 'address',
    doc: '{pointer} moved by {offset} elements (a signed integer of any width).',
    operands: ['pointer', 'offset'],
    results: 1,
    attributes: {},
    type: {
      infer: first,
      check: ({ operands: [pointer, offset] }) => {
        if (elementOf(pointer!).kind !== 'pointer') return 'needs a pointer';
        if (!all([offset!], isInteger, '') && sameShape(shapeOf(pointer!), shapeOf(offset!)))
          return undefined;
        return 'the offset must be an integer of the shape of the pointer';
      },
    },
    interpret: (machine, op) => {
      const out = machine.define(op.result, true);
      const { pointee } = elementOf(op.result.type) as { pointee: ElementType };
      const [pointer, offset] = [machine.tile(op.operand(0)), machine.tile(op.operand(1))];
      return advance(pointer, offset, byteSize(pointee), out);
    },
    algebra: { identity: 0 },
    axis: ofBoth((x, y, op) => sum(x, y, pointeeBytes(elementOf(op.operand(0).type)), true)),
    pointsInto: true,
  },
  'tt.bitcast': {
    ...CAST,
    doc: 'The same address as a pointer to another type.',
    type: {
      infer: stated,
      check: ({ operands: [x] }, [type]) =>
        need(
          sameShape(shapeOf(x!), shapeOf(type!)) &&
            elementOf(x!).kind === 'pointer' &&
            elementOf(type!).kind === 'pointer',
          'must be pointers of one shape',
        ),
    },
    renames: () => true,
    interpret: () => undefined,
    axis: (op, [x]) => {
      const same =
        pointeeBytes(elementOf(op.operand(0).type)) === pointeeBytes(elementOf(op.result.type));
      return !x || same ? x : scattered(x, op);
    },
    pointsInto: true,
  },
  'tt.int_to_ptr': {
    ...CAST,
    doc: 'An i64 address as a pointer.',
    type: {
      infer: stated,
      check: ({ operands: [x] }, [type]) =>
        need(dtypeOf(x!) === 'i64' && elementOf(type!).kind === 'pointer', 'i64 to pointer'),
    },
    interpret: (machine, op) =>
      castStep(machine.tile(op.operand(0)), machine.define(op.result, true)),
    axis: (op, [x]) => x && scattered(x, op),
  },
  'tt.ptr_to_int': {
    ...CAST,
    doc: 'A pointer as an i64 address.',
    type: {
      infer: stated,
      check: ({ operands: [x] }, [type]) =>
        need(elementOf(x!).kind === 'pointer' && dtypeOf(type!) === 'i64', 'pointer to i64'),
    },
    interpret: (machine, op) =>
      castStep(machine.tile(op.operand(0)), machine.define(op.result, true)),
    axis: (op, [x]) => x && scattered(x, op),
  },
};
