/**
 * Atomics of 64 bits, where WebGPU has them of 32. What the two words can do on their own is done so:
 * bitwise operations, and an addition that carries, where nobody asks for the old value. Everything else
 * takes turns: the threads of a program update memory one after the other, and programs run one at a
 * time (`waiting.ts`). Right, and slow.
 */
import type { Operation } from '../../ir/ir';
import { bitWidth, elementOf } from '../../ir/types';
import type { Emission } from '../emission';
import { refuse } from '../emission';
import type { GroupPlan } from './groups';

const WORDS: Readonly<Record<string, string>> = {
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
};

export function isWideAtomic(op: Operation): boolean {
  if (op.name !== 'tt.atomic_rmw' && op.name !== 'tt.atomic_cas') return false;
  const element = elementOf(op.operand(0).type);
  if (element.kind !== 'pointer') return false;
  return element.pointee.kind === 'pointer' || bitWidth(element.pointee.dtype) === 64;
}

/** Whether the update is one of both words at once, which only one thread at a time can do. */
export function takesTurns(op: Operation): boolean {
  if (!isWideAtomic(op)) return false;
  const kind = String(op.attributes['kind']);
  const apart = op.name === 'tt.atomic_rmw' && (kind === 'add' || kind in WORDS);
  return !apart || op.result.uses.size > 0;
}

/** Writes the update of the element at `offset`, and gives the old value. */
export function updateWide(
  e: Emission,
  op: Operation,
  group: GroupPlan,
  offset: string,
  value: string,
): string {
  const kind = String(op.attributes['kind']);
  const at = e.let('at', `u32(${offset}) * 2u`);
  const [low, high] = [`&${group.name}[${at}]`, `&${group.name}[${at} + 1u]`];
  if (!takesTurns(op)) {
    const word = WORDS[kind];
    if (word) {
      e.writer.line(`${word}(${low}, ${value}.x);`);
      e.writer.line(`${word}(${high}, ${value}.y);`);
    } else {
      const old = e.let('old', `atomicAdd(${low}, ${value}.x)`);
      e.writer.line(
        `atomicAdd(${high}, ${value}.y + select(0u, 1u, ${old} + ${value}.x < ${old}));`,
      );
    }
    return 'vec2<u32>(0u)';
  }
  const old = readWide(e, low, high);
  writeWide(e, low, high, nextOf(e, op, kind, old, value));
  return old;
}

/** Compares and exchanges the element at `offset`, and gives the old value. */
export function compareExchangeWide(
  e: Emission,
  group: GroupPlan,
  offset: string,
  compare: string,
  value: string,
): string {
  const at = e.let('at', `u32(${offset}) * 2u`);
  const [low, high] = [`&${group.name}[${at}]`, `&${group.name}[${at} + 1u]`];
  const old = readWide(e, low, high);
  e.writer.block(`if (all(${old} == ${compare}))`, () => writeWide(e, low, high, value));
  return old;
}

function readWide(e: Emission, low: string, high: string): string {
  return e.let('old', `vec2<u32>(atomicLoad(${low}), atomicLoad(${high}))`);
}
function writeWide(e: Emission, low: string, high: string, value: string): void {
  const next = e.let('next', value);
  e.writer.line(`atomicStore(${low}, ${next}.x);`);
  e.writer.line(`atomicStore(${high}, ${next}.y);`);
}

function nextOf(e: Emission, op: Operation, kind: string, old: string, value: string): string {
  switch (kind) {
    case 'exch':
      return value;
    case 'add':
      return e.call('i64_add', old, value);
    case 'fadd':
      return e.call('f64_add', old, value);
    case 'and':
      return `${old} & ${value}`;
    case 'or':
      return `${old} | ${value}`;
    case 'xor':
      return `${old} ^ ${value}`;
    case 'max':
      return `select(${old}, ${value}, ${e.call('i64_less', old, value)})`;
    case 'min':
      return `select(${old}, ${value}, ${e.call('i64_less', value, old)})`;
    case 'umax':
      return `select(${old}, ${value}, ${e.call('u64_less', old, value)})`;
    case 'umin':
      return `select(${old}, ${value}, ${e.call('u64_less', value, old)})`;
    default:
      return refuse(op, 'HC0507', `atomic ${kind} of 64 bits is not supported on the GPU`);
  }
}
