/** Compile-time arguments: integers, shapes, flags, dtypes; each error says what was expected. */
import { MESSAGES } from './codes';
import type { Diagnostic } from '../diagnostics';
import type { Context } from './context';
import { dtypeNamed, publicName, type Dtype } from './dtypes';
import { describe, isTensor, type Tensor, type Val } from './values';
import { truthOf } from './static';

/** Triton's largest tile, in elements. */
const MAX_ELEMENTS = 1_048_576;

/** Suggests `name: tl.constexpr` for the kernel's parameter `name`. */
function constexprFix(cx: Context, name: string): Diagnostic['fix'] {
  const { callable } = cx.frame;
  const parameter = callable.definition.parameters.find((p) => p.name === name);
  if (!parameter || parameter.annotation || callable.library) return undefined;
  const { file, line, column } = parameter.location;
  const endColumn = column + name.length;
  return {
    title: `Declare ${name} as tl.constexpr`,
    location: { file, line, column, endLine: line, endColumn },
    text: `${name}: tl.constexpr`,
  };
}

function notConstant(cx: Context, v: Val, what: string): never {
  const name = [...cx.frame.scope].find(([, value]) => value === v)?.[0];
  const fix = name ? constexprFix(cx, name) : undefined;
  const isNumber = isTensor(v) && v.handle.definition?.name === 'arith.constant';
  return cx.fail(
    'HC0201',
    `${what} must be a compile-time integer (tl.constexpr), got ${describe(v)}` +
      (fix
        ? `. Declare the parameter as ${fix.text}`
        : name && isNumber
          ? `: a plain assignment makes a tensor of a number. Write ${name}: tl.constexpr = …`
          : ''),
    fix ? { fix } : {},
  );
}

export function staticInt(cx: Context, v: Val, what: string): number {
  if (v.kind === 'int' || v.kind === 'bool') return Number(v.value);
  if (isTensor(v)) return notConstant(cx, v, what);
  return cx.fail('HC0215', MESSAGES.HC0215.integerGot({ what, v: describe(v) }));
}
export function staticBool(cx: Context, v: Val, what: string): boolean {
  if (isTensor(v)) return notConstant(cx, v, what);
  return truthOf(v) ?? cx.fail('HC0215', MESSAGES.HC0215.trueOrFalse({ what, v: describe(v) }));
}
/** A string, or `''` for None. */
export function staticString(cx: Context, v: Val, what: string): string {
  if (v.kind === 'none') return '';
  if (v.kind === 'string') return v.value;
  return cx.fail('HC0215', MESSAGES.HC0215.stringGot({ what, v: describe(v) }));
}
export function dtypeArgument(cx: Context, v: Val, what = 'dtype'): Dtype {
  if (v.kind === 'dtype') return v.dtype;
  const meant = v.kind === 'string' ? dtypeNamed(v.value) : undefined;
  const v2 = meant
    ? `the string "${publicName(meant)}": write tl.${publicName(meant)}`
    : describe(v);
  return cx.fail('HC0215', MESSAGES.HC0215.dtypeSuchAs({ what, v: v2 }));
}
export function tensorArgument(cx: Context, v: Val, what: string): Tensor {
  if (isTensor(v)) return v;
  return cx.fail('HC0215', MESSAGES.HC0215.tensorGot({ what, v: describe(v) }));
}

/** A list of compile-time integers; a single one counts as a list of one. */
export function intList(cx: Context, v: Val, what: string): number[] {
  if (v.kind === 'tuple') return v.items.map((item) => staticInt(cx, item, `${what} entry`));
  return [staticInt(cx, v, what)];
}
/** `f(x, (2, 3))` and `f(x, 2, 3)` mean the same. */
export function spread(items: readonly Val[]): readonly Val[] {
  const [first] = items;
  return items.length === 1 && first?.kind === 'tuple' ? first.items : items;
}

/** A shape whose sizes are powers of two and whose tile is not too large. */
export function checkShape(cx: Context, shape: readonly number[]): readonly number[] {
  shape.forEach((size, i) => {
    if (size < 1 || (size & (size - 1)) !== 0)
      cx.fail(
        'HC0203',
        `Shape element ${i} must be a power of 2, got ${size} in [${shape.join(', ')}]` +
          (size > 1 ? `. The next power of 2 is ${2 ** Math.ceil(Math.log2(size))}` : ''),
      );
  });
  const count = shape.reduce((a, b) => a * b, 1);
  if (count > MAX_ELEMENTS)
    cx.fail('HC0217', MESSAGES.HC0217.tensorElementsExceeds({ count, limit: MAX_ELEMENTS }));
  return shape;
}
export function shapeArgument(cx: Context, v: Val): readonly number[] {
  // Triton takes sizes one by one in some functions, and a sequence of them in these.
  if (v.kind === 'int') cx.fail('HC0215', MESSAGES.HC0215.shapeTuple({ size: v.value.toString() }));
  return checkShape(cx, intList(cx, v, 'shape'));
}

/** `axis` counted from the front. */
export function wrapAxis(cx: Context, axis: number, rank: number): number {
  if (axis < -rank || axis >= rank)
    cx.fail('HC0215', `invalid axis ${axis}. Expected ${-rank} <= axis < ${rank}`);
  return axis < 0 ? axis + rank : axis;
}
