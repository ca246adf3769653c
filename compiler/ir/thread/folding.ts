/**
 * Values that are known while thread IR is built: operations on constants, and operations that give
 * back an operand. Only integers and truth values: floats are left to WGSL, whose rounding is not
 * ours.
 */
import type { Attribute } from '../ir';
import { THREAD_OPS, hasThreadTrait } from './ops';
import type { ThreadOpName } from './ops';
import type { ThreadValue } from './ir';
import { U32 } from './types';
import type { NumberType, ScalarName } from './types';

export function isConstant({ definition }: ThreadValue): boolean {
  return definition?.name === 'thread.constant';
}
/** Whether a value is the constant 0, and not -0. */
export function isZero(value: ThreadValue): boolean {
  return isConstant(value) && Object.is(value.definition!.attributes['value'], 0);
}
/** Whether a truth value is known to be true; `isZero` whether to be false. */
export function isTrue(value: ThreadValue): boolean {
  return isConstant(value) && value.definition!.attributes['value'] === 1;
}

/** The type and the value of an operation whose operands are all constants. */
export function fold(
  name: ThreadOpName,
  operands: readonly ThreadValue[],
): { readonly type: NumberType; readonly value: number } | undefined {
  const spec = THREAD_OPS[name];
  if (!spec.evaluate || operands.length === 0) return undefined;
  for (const value of operands) {
    const { type } = value;
    if (!isConstant(value) || type.kind !== 'number') return undefined;
    if (type.size !== 1 || type.scalar === 'f32' || type.scalar === 'f16') return undefined;
  }
  const values = operands.map(({ definition }) => Number(definition!.attributes['value']));
  const types = spec.types(
    operands.map(({ type }) => type),
    {},
    [],
  );
  if (typeof types === 'string') return undefined;
  const { scalar } = operands[0]!.type as NumberType;
  const type = types[0] as NumberType;
  const value = spec.evaluate(scalar, type.scalar)(values[0]!, values[1]!, values[2]!);
  return { type, value };
}

/**
 * The operand that an operation on integers or truth values gives back: `x + 0`, `x * 1`, `x &
 * true`, `tid % threads`. @param threads of the kernel, where it is known.
 */
export function identity(
  name: ThreadOpName,
  [x, y]: readonly ThreadValue[],
  threads?: Attribute,
): ThreadValue | undefined {
  if (!x || !y || x.type !== y.type || x.type.kind !== 'number' || x.type.size !== 1)
    return undefined;
  if (name === 'thread.rem' && typeof threads === 'number') {
    const divisor = constantOf(y);
    return divisor !== undefined && largest(x, threads) < divisor ? x : undefined;
  }
  const { scalar } = x.type;
  if (scalar === 'f32' || scalar === 'f16') return undefined;
  const neutral = NEUTRAL[name]?.[scalar];
  if (neutral === undefined) return undefined;
  const isNeutral = ({ definition }: ThreadValue): boolean =>
    definition?.name === 'thread.constant' && definition.attributes['value'] === neutral;
  if (isNeutral(y)) return x;
  return hasThreadTrait(name, 'commutative') && isNeutral(x) ? y : undefined;
}

/** The largest value of a u32 that is made of the thread's number; infinite for all others. */
function largest(value: ThreadValue, threads: number): number {
  const op = value.definition;
  if (op?.name === 'thread.thread_id') return threads - 1;
  if (op?.name !== 'thread.div' && op?.name !== 'thread.rem') return Infinity;
  const by = value.type === U32 ? constantOf(op.operand(1)) : undefined;
  if (!by) return Infinity;
  const most = largest(op.operand(0), threads);
  return op.name === 'thread.div' ? Math.floor(most / by) : Math.min(most, by - 1);
}
function constantOf({ definition }: ThreadValue): number | undefined {
  return definition?.name === 'thread.constant'
    ? Number(definition.attributes['value'])
    : undefined;
}

const ZERO = { i32: 0, u32: 0, bool: undefined, f32: undefined, f16: undefined };
const ONE = { ...ZERO, i32: 1, u32: 1 };
/** The second operand that changes nothing, by type. */
const NEUTRAL: Partial<Record<ThreadOpName, Readonly<Record<ScalarName, number | undefined>>>> = {
  'thread.add': ZERO,
  'thread.sub': ZERO,
  'thread.mul': ONE,
  'thread.and': { ...ZERO, i32: -1, u32: 0xffffffff, bool: 1 },
  'thread.or': { ...ZERO, bool: 0 },
  'thread.min': { ...ZERO, i32: 0x7fffffff, u32: 0xffffffff },
};

/** An integer or truth value as a number of another scalar type. */
export function cast(to: ScalarName, x: number): number {
  switch (to) {
    case 'bool':
      return x === 0 ? 0 : 1;
    case 'i32':
      return x | 0;
    case 'u32':
      return x >>> 0;
    default:
      return Math.fround(x);
  }
}
