/** Accesses to global memory. */
import { integer, oneOf, optional, flag, text } from './attributes';
import type { Definitions, EffectOp, Signature } from './definition';
import { sameLayout } from './layouts';
import { maskCheck, none, pointee, valueCheck } from './rules';
import type { Type } from '../types';

type Scratch = { readonly scratch?: number; readonly scratchBytes?: number };
/** The layout that the program gives the access: `#ttg.blocked<…>` (`authoredLayout.ts`). */
type Authored = { readonly layout?: string };
type Ordering = Scratch & Authored & { readonly semantics?: string; readonly scope?: string };
export type AtomicKind =
  'and' | 'or' | 'xor' | 'add' | 'fadd' | 'max' | 'min' | 'umax' | 'umin' | 'exch';

export interface MemoryOps {
  'tt.load': Authored & {
    readonly vector?: number;
    readonly run?: number;
    readonly cache?: string;
    readonly isVolatile?: boolean;
    readonly kSlice?: number;
    readonly prefetched?: boolean;
    readonly mergedGuard?: boolean;
  };
  'tt.store': Authored & {
    readonly vector?: number;
    readonly run?: number;
    readonly cache?: string;
  };
  'tt.atomic_rmw': Ordering & { readonly kind: AtomicKind };
  'tt.atomic_cas': Ordering;
}

const loaded = ({ operands }: Signature<unknown>): readonly Type[] | undefined => {
  const type = pointee(operands[0]!);
  return type && [type];
};
const ORDERING = {
  semantics: optional(text),
  scope: optional(text),
  scratch: optional(integer),
  scratchBytes: optional(integer),
  layout: optional(text),
} as const;
const ATOMIC = {
  kind: 'effect',
  effects: ['reads', 'writes'],
  results: 1,
  layout: sameLayout('access'),
  cost: (op, tally) => {
    tally.read(op.operand(0));
    tally.write(op.operand(0));
  },
} as const satisfies Partial<EffectOp<unknown>>;

export const MEMORY_OPS: Definitions<MemoryOps> = {
  'tt.load': {
    kind: 'effect',
    effects: ['reads'],
    access: { kind: 'load', mask: 1 },
    doc:
      'Reads global memory. Where {mask} is false the result is {other}, or 0. {vector}: how many ' +
      'elements in consecutive registers are known to be one aligned run with one mask; {run}: ' +
      'whatever the mask, where that is more. {kSlice}: which K slice of a staged tile it is. ' +
      '{prefetched}: issued before its result is used. {mergedGuard}: one bounds guard covers all such ' +
      'loads side by side. {layout}: the author’s, in which it runs.',
    operands: ['pointer', 'mask?', 'other?'],
    results: 1,
    attributes: {
      vector: optional(integer),
      run: optional(integer),
      cache: optional(text),
      isVolatile: optional(flag),
      kSlice: optional(integer),
      prefetched: optional(flag),
      mergedGuard: optional(flag),
      layout: optional(text),
    },
    type: {
      infer: loaded,
      check: ({ operands: [pointer, mask, other] }) =>
        pointee(pointer!)
          ? (maskCheck(pointer!, mask) ?? (other && valueCheck(pointer!, other)))
          : 'needs a pointer',
    },
    interpret: (machine, op) => machine.load(op),
    layout: sameLayout('access'),
    cost: (op, tally) => tally.read(op.operand(0)),
  },
  'tt.store': {
    kind: 'effect',
    effects: ['writes'],
    access: { kind: 'store', mask: 2 },
    doc: 'Writes {value} to global memory where {mask}.',
    operands: ['pointer', 'value', 'mask?'],
    results: 0,
    attributes: {
      vector: optional(integer),
      run: optional(integer),
      cache: optional(text),
      layout: optional(text),
    },
    type: {
      infer: none,
      check: ({ operands: [pointer, value, mask] }) =>
        valueCheck(pointer!, value!) ?? maskCheck(pointer!, mask),
    },
    interpret: (machine, op) => machine.store(op),
    layout: { ...sameLayout('access'), shared: 1 },
    cost: (op, tally) => tally.write(op.operand(0)),
  },
  'tt.atomic_rmw': {
    ...ATOMIC,
    access: { kind: 'atomic', mask: 2 },
    doc: 'Atomic {kind} (and or xor add fadd max min umax umin exch); the old value.',
    operands: ['pointer', 'value', 'mask?'],
    attributes: {
      kind: oneOf('and', 'or', 'xor', 'add', 'fadd', 'max', 'min', 'umax', 'umin', 'exch'),
      ...ORDERING,
    },
    type: {
      infer: loaded,
      check: ({ operands: [pointer, value, mask] }) =>
        valueCheck(pointer!, value!) ?? maskCheck(pointer!, mask),
    },
    interpret: (machine, op) => machine.atomic(op),
  },
  'tt.atomic_cas': {
    ...ATOMIC,
    access: { kind: 'atomic' },
    doc: 'Atomic compare and exchange; the old value.',
    operands: ['pointer', 'compare', 'value'],
    attributes: ORDERING,
    type: {
      infer: loaded,
      check: ({ operands: [pointer, compare, value] }) =>
        valueCheck(pointer!, compare!) ?? valueCheck(pointer!, value!),
    },
    interpret: (machine, op) => machine.compareExchange(op),
  },
};
