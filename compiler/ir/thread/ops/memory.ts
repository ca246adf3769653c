/** Variables and arrays: declarations, loads, stores, atomics. Indices are u32. */
import { BOOL, number, printThreadType, U32 } from '../types';
import type { MemoryType, ThreadType } from '../types';
import type { ThreadOpSpec } from './spec';

/** Checks a memory operand and one u32 index for each of its dimensions. */
function place(operands: readonly ThreadType[]): MemoryType | string {
  const [memory, ...indices] = operands;
  if (memory?.kind !== 'memory') return 'the first operand is a memory';
  if (indices.length < memory.shape.length) return `${memory.shape.length} indices are needed`;
  const bad = indices.slice(0, memory.shape.length).find((type) => type !== U32);
  return bad ? `${printThreadType(bad)} is no index` : memory;
}
function access(
  atomic: boolean,
  values: number,
  result: boolean,
): (operands: readonly ThreadType[]) => readonly ThreadType[] | string {
  return (operands) => {
    const memory = place(operands);
    if (typeof memory === 'string') return memory;
    if (memory.atomic !== atomic) return `${atomic ? 'no ' : ''}atomic memory`;
    const rest = operands.slice(1 + memory.shape.length);
    if (rest.length !== values) return `${rest.length} values`;
    const wrong = rest.find((type) => type !== memory.element);
    if (wrong) return `a ${printThreadType(wrong)} does not fit ${printThreadType(memory)}`;
    return result ? [memory.element] : [];
  };
}

/** Checks a memory of vectors, its indices, a u32 component, and that so many operands follow. */
function componentPlace(operands: readonly ThreadType[], rest: number): MemoryType | string {
  const memory = place(operands);
  if (typeof memory === 'string') return memory;
  if (operands.length !== 2 + memory.shape.length + rest) return `${operands.length} operands`;
  return operands[1 + memory.shape.length] === U32 ? memory : 'a component is named by a u32';
}

export const MEMORY = {
  'thread.alloc': {
    traits: [],
    operands: ['initial?'],
    types: ([initial], _, [type]) =>
      type?.kind === 'memory' && (!initial || initial === type.element)
        ? [type]
        : 'declares a memory',
    doc: 'A variable, {initial} at first or else 0, or an array of zeros.',
  },
  'thread.load': {
    traits: ['reads'],
    operands: ['memory', 'indices*'],
    types: access(false, 0, true),
    doc: 'The element of {memory} at {indices}.',
  },
  'thread.store': {
    traits: ['writes'],
    operands: ['memory', 'indicesAndValue*'],
    types: access(false, 1, false),
    doc: 'Writes the last operand to the element of {memory} that the operands before it name.',
  },
  'thread.load_component': {
    traits: ['reads'],
    operands: ['memory', 'indicesAndComponent*'],
    types: (operands) => {
      const memory = componentPlace(operands, 0);
      return typeof memory === 'string' ? memory : [number(memory.element.scalar)];
    },
    doc: 'One component, named by the last operand, of the vector at the indices before it.',
  },
  'thread.store_component': {
    traits: ['writes'],
    operands: ['memory', 'indicesComponentValue*'],
    types: (operands) => {
      const memory = componentPlace(operands, 1);
      if (typeof memory === 'string') return memory;
      return operands.at(-1) === number(memory.element.scalar) ? [] : 'a value of another type';
    },
    doc: 'Writes one component of a vector, and leaves the others as they are.',
  },
  'thread.atomic_load': {
    traits: ['reads'],
    operands: ['memory', 'indices*'],
    types: access(true, 0, true),
    doc: 'Atomic read.',
  },
  'thread.atomic_store': {
    traits: ['writes'],
    operands: ['memory', 'indicesAndValue*'],
    types: access(true, 1, false),
    doc: 'Atomic write.',
  },
  'thread.atomic_rmw': {
    traits: ['reads', 'writes'],
    operands: ['memory', 'indicesAndValue*'],
    attributes: ['kind'],
    types: access(true, 1, true),
    doc: 'Atomic {kind} (add and or xor max min exchange); the old value.',
  },
  'thread.atomic_cas': {
    traits: ['reads', 'writes'],
    operands: ['memory', 'indicesCompareValue*'],
    types: (operands) => {
      const types = access(true, 2, true)(operands);
      return typeof types === 'string' ? types : [types[0]!, BOOL];
    },
    doc:
      'Writes the last operand where memory holds the one before it; may fail without a reason. The old ' +
      'value, and whether it wrote.',
  },
  'thread.array_length': {
    traits: ['pure'],
    operands: ['memory'],
    types: ([memory]) => (memory?.kind === 'memory' ? [U32] : 'takes an array'),
    doc: 'Elements of an array whose length is known at run time.',
  },
} satisfies Record<string, ThreadOpSpec>;
