/**
 * Rules of thread IR beyond an operation's types: what attributes and constants may be, which
 * memory an operation may touch, how regions begin and end. Each function names what is wrong, or
 * nothing.
 */
import type { ThreadFunc, ThreadOp, ThreadValue } from './ir';
import { libraryFunction } from './library/index';
import { hasThreadTrait } from './ops';
import { printThreadType, U32 } from './types';
import type { FragmentType, MemoryType, NumberType, ThreadType } from './types';

// ── attributes
// ──────────────────────────────────────────────────────────────────────────────────────

/** The values that an attribute may have, where they are few. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  'thread.for': { test: ['top', 'bottom'] },
  'thread.atomic_rmw': { kind: ['add', 'and', 'or', 'xor', 'max', 'min', 'exchange'] },
  'thread.program_id': { axis: [0, 1, 2] },
  'thread.workgroup_id': { axis: [0, 1, 2] },
  'thread.barrier': { workgroup: [true, false], storage: [true, false] },
  'thread.guard': { by: ['length', 'good', 'mask'] },
  'thread.matrix_load': { transposed: [true, false] },
};

export function attributeProblem(op: ThreadOp): string | undefined {
  const { name, attributes } = op;
  for (const [key, values] of Object.entries(CHOICES[name] ?? {}))
    if (!values.includes(attributes[key])) return `${key} is ${String(attributes[key])}`;
  switch (name) {
    case 'thread.constant':
      return constantProblem(op.result.type, attributes['value']);
    case 'thread.swizzle': {
      const { size } = op.operand(0).type as NumberType;
      const indices = attributes['indices'] as readonly number[];
      return indices.every((i) => i < size) ? undefined : `no components ${indices.join(', ')}`;
    }
    case 'thread.call':
      return callProblem(op);
    case 'thread.barrier':
      return attributes['workgroup'] || attributes['storage'] ? undefined : 'orders no memory';
    default:
      return undefined;
  }
}
function constantProblem(type: ThreadType, value: unknown): string | undefined {
  if (type.kind !== 'number' || typeof value !== 'number') return 'is no number';
  const { scalar } = type;
  if (scalar === 'f32') return isRounded(value, Math.fround(value));
  if (scalar === 'f16') return undefined;
  const [low, high] =
    scalar === 'bool' ? [0, 1] : scalar === 'u32' ? [0, 0xffffffff] : [-0x80000000, 0x7fffffff];
  const fits = Number.isInteger(value) && value >= low && value <= high;
  return fits ? undefined : `${value} is no ${scalar}`;
}
function isRounded(value: number, rounded: number): string | undefined {
  return Object.is(value, rounded) ? undefined : `${value} is no f32`;
}
function callProblem({ attributes, operands, results }: ThreadOp): string | undefined {
  const callee = String(attributes['callee']);
  const called = libraryFunction(callee);
  if (!called) return `no function ${callee}`;
  const { parameters, result } = called;
  const fits =
    operands.length === parameters.length &&
    operands.every(({ type }, i) => type === parameters[i]!.type) &&
    results.length === 1 &&
    results[0]!.type === result;
  return fits
    ? undefined
    : `${callee} takes (${parameters.map((each) => printThreadType(each.type)).join(', ')})`;
}

// ── memory
// ──────────────────────────────────────────────────────────────────────────────────────────

export function memoryProblem(func: ThreadFunc, op: ThreadOp): string | undefined {
  if (op.name === 'thread.alloc') return allocProblem(func, op);
  if (op.results.some(({ type }) => type.kind === 'memory')) return 'gives a memory';
  const [memory, ...others] = op.operands;
  if (others.some(({ type }) => type.kind === 'memory')) return 'a memory is no value';
  if (memory?.type.kind !== 'memory') return undefined;
  const touches = hasThreadTrait(op.name, 'reads') || hasThreadTrait(op.name, 'writes');
  const names = op.name === 'thread.array_length' || op.name === 'thread.workgroup_uniform';
  if (!touches && !names) return 'a memory is no value';
  if (hasThreadTrait(op.name, 'writes') && isReadOnly(func, memory))
    return 'writes a read-only buffer';
  if (op.name === 'thread.array_length')
    return memory.type.shape[0] === 0 ? undefined : 'the length is known';
  return op.name.startsWith('thread.matrix') ? matrixPlaceProblem(op, memory.type) : undefined;
}
function isReadOnly(func: ThreadFunc, memory: ThreadValue): boolean {
  const parameter = func.parameters[func.body.args.indexOf(memory)];
  return parameter?.kind === 'buffer' && !parameter.written;
}
function allocProblem(func: ThreadFunc, op: ThreadOp): string | undefined {
  const type = op.result.type as MemoryType;
  if (type.space === 'storage') return 'storage is bound, not declared';
  if (type.shape.includes(0)) return 'the length of an array is known';
  if (type.space === 'workgroup') {
    if (op.parent !== func.body) return 'workgroup memory is declared at the top';
    if (op.operands.length > 0) return 'workgroup memory has no first value';
  }
  if (op.operands.length > 0 && type.shape.length > 0) return 'an array has no first value';
  return elementProblem(type);
}
function elementProblem({ element, atomic, space }: MemoryType): string | undefined {
  if (space === 'storage' && element.scalar === 'bool') return 'storage holds no truth values';
  if (!atomic) return undefined;
  if (space === 'private') return "a thread's own memory is not atomic";
  const word = element.size === 1 && (element.scalar === 'u32' || element.scalar === 'i32');
  return word ? undefined : `no atomic ${printThreadType(element)}`;
}
function matrixPlaceProblem(op: ThreadOp, type: MemoryType): string | undefined {
  if (type.space === 'private') return "a matrix is not in a thread's own memory";
  if (type.atomic) return 'a matrix is not in atomic memory';
  const values = op.name === 'thread.matrix_store' ? 1 : 0;
  const indices = op.operands.slice(1, op.operands.length - values);
  const fits =
    type.shape.length > 0 &&
    indices.length === type.shape.length &&
    indices.every((index) => index.type === U32);
  return fits ? undefined : 'an index for each dimension of an array is needed';
}

/** The fault of an argument of the function. */
export function parameterProblem(func: ThreadFunc, index: number): string | undefined {
  const { type } = func.body.args[index]!;
  const parameter = func.parameters[index];
  if (!parameter) return 'it has no parameter';
  if (parameter.kind === 'word') return type === U32 ? undefined : 'a word is a u32';
  if (type.kind !== 'memory' || type.space !== 'storage') return 'a buffer is in storage';
  if (type.shape.length !== 1 || type.shape[0] !== 0) return 'a buffer is an array of any length';
  return elementProblem(type);
}

// ── matrices and subgroups
// ──────────────────────────────────────────────────────────────────────────

export function groupProblem(func: ThreadFunc, op: ThreadOp): string | undefined {
  if (op.name === 'thread.matrix_multiply_accumulate') {
    const [left, right, sum] = op.operands.map(({ type }) => type as FragmentType);
    const roles = left!.role === 'left' && right!.role === 'right' && sum!.role === 'result';
    const shapes =
      left!.columns === right!.rows && sum!.rows === left!.rows && sum!.columns === right!.columns;
    return roles && shapes ? undefined : 'matrices do not fit';
  }
  const lanes = hasThreadTrait(op.name, 'convergent') && !hasThreadTrait(op.name, 'barrier');
  return lanes && !func.attributes['subgroupSize']
    ? 'the size of subgroups is not known'
    : undefined;
}

// ── regions
// ─────────────────────────────────────────────────────────────────────────────────────────

/** The operands, yields and terminator of a region must fit the results and the carried values. */
export function regionProblem(op: ThreadOp): string | undefined {
  if (op.regions.length === 0) return undefined;
  const results = op.results.map(({ type }) => type);
  const ends = op.regions.map((region) =>
    region.ops.length === 0 ? [] : region.terminator.operands.map(({ type }) => type),
  );
  const args = op.regions.map((region) => region.args.map(({ type }) => type));
  switch (op.name) {
    case 'thread.if':
      if (args.some((list) => list.length > 0)) return 'a branch takes values';
      return ends.every((end) => sameTypes(end, results))
        ? endsIn(op, 'thread.yield')
        : 'a branch yields others';
    case 'thread.for':
      if (!args.every((list) => sameTypes(list, [U32, ...results]))) return 'the body takes others';
      return ends.every((end) => sameTypes(end, results))
        ? endsIn(op, 'thread.yield')
        : 'the body yields others';
    case 'thread.while': {
      const init = op.operands.map(({ type }) => type);
      const takes = sameTypes(args[0]!, init) && sameTypes(args[1]!, results);
      if (!takes) return 'the regions take others';
      const forwards = sameTypes(ends[0]!.slice(1), results);
      return forwards && sameTypes(ends[1]!, init)
        ? endsIn(op, 'thread.condition', 'thread.yield')
        : 'the regions yield others';
    }
    default:
      return undefined;
  }
}
/** Each region in the operation of that name; the last one stands for those that follow. */
function endsIn(op: ThreadOp, ...names: readonly ThreadOp['name'][]): string | undefined {
  const wrong = op.regions.findIndex((region, i) => {
    const { ops } = region;
    return ops.length > 0 && ops.at(-1)!.name !== (names[i] ?? names.at(-1));
  });
  return wrong < 0 ? undefined : `region ${wrong} ends in ${op.regions[wrong]!.terminator.name}`;
}
export function sameTypes(a: readonly ThreadType[], b: readonly ThreadType[]): boolean {
  return a.length === b.length && a.every((type, i) => type === b[i]);
}
