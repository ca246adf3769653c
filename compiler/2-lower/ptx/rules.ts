/**
 * Parts of the rules for PTX instructions: types, operands, packed halves, saturation, and
 * comparisons.
 */
import type { FloatPredicate, IntPredicate } from '../../ir/builder';
import type { OpName } from '../../ir/ops';
import { INT1, isFloating, type NumberDtype } from '../dtypes';
import { extremum } from '../semantics/arithmetic';
import type { Tensor } from '../values';
import { PTX_TYPES, halves, joined, unsignedOf } from './machine';
import type { Machine } from './machine';
import { PtxError, PtxMistake, type Instruction, type Operand } from './parse';

export type Rule = (m: Machine, i: Instruction) => void;

/** Modifiers that change nothing here, or not within what is promised. */
const SILENT = new Set(['ftz', 'approx', 'rn', 'full', 'noftz']);

/** The type that an instruction ends in, and its modifiers that matter; others are refused. */
export function typeOf(i: Instruction, allowed: readonly string[] = []): NumberDtype {
  const name = i.modifiers.at(-1) ?? '';
  const type = PTX_TYPES[name];
  if (!type) return refuse(i);
  for (const modifier of i.modifiers.slice(0, -1))
    if (!SILENT.has(modifier) && !allowed.includes(modifier)) refuse(i);
  return type;
}
export function refuse(i: Instruction): never {
  throw new PtxError(`the instruction ${i.text}`);
}
export function operand(i: Instruction, index: number): Operand {
  const found = i.operands[index];
  if (!found) throw new PtxMistake(`${i.text} with ${i.operands.length} operands`);
  return found;
}
export const has = (i: Instruction, modifier: string): boolean => i.modifiers.includes(modifier);

/** Runs `rule` for the type, or for both halves of a packed one (`f16x2`). */
export function each(
  m: Machine,
  i: Instruction,
  sources: number,
  run: (type: NumberDtype, args: Tensor[]) => Tensor,
  allowed: readonly string[] = [],
): void {
  const packed = /^(f16|bf16|u16|s16)x2$/.exec(i.modifiers.at(-1) ?? '');
  const read = (type: NumberDtype): Tensor[] =>
    Array.from({ length: sources }, (_, k) => m.read(operand(i, k + 1), type));
  if (!packed) {
    const type = typeOf(i, allowed);
    m.write(operand(i, 0), run(type, read(type)), i);
    return;
  }
  const type = typeOf({ ...i, modifiers: [...i.modifiers.slice(0, -1), packed[1]!] }, allowed);
  const both = read(unsignedOf(32)).map((x) => halves(m, x, type));
  const [low, high] = [0, 1].map((half) =>
    run(
      type,
      both.map((pair) => pair[half]!),
    ),
  );
  m.write(operand(i, 0), joined(m, low!, high!), i);
}
export function unary(m: Machine, name: OpName, x: Tensor): Tensor {
  return { ...x, handle: m.cx.builder.unary(name, x.handle) };
}
/** To [0, 1] where the instruction says `.sat`; NaN gives 0. */
export function saturated(m: Machine, i: Instruction, x: Tensor): Tensor {
  if (!has(i, 'sat')) return x;
  if (!isFloating(x.dtype)) return refuse(i);
  const [zero, one] = [0, 1].map((v) => m.constant(v, x.dtype as NumberDtype)) as [Tensor, Tensor];
  return extremum(m.cx, 'min', extremum(m.cx, 'max', x, zero, 'none'), one, 'none');
}

export const COMPARISONS: Readonly<Record<string, string>> = {
  lo: 'lt',
  ls: 'le',
  hi: 'gt',
  hs: 'ge',
};
export function compare(
  m: Machine,
  predicate: IntPredicate | FloatPredicate,
  a: Tensor,
  b: Tensor,
): Tensor {
  return { ...a, dtype: INT1, handle: m.cx.builder.cmp(predicate, a.handle, b.handle) };
}
