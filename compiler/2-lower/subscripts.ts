/**
 * `object[index]`: items and slices of tuples and strings, `__getitem__` of an object, and of a
 * tensor whole dimensions and new ones only, as in Triton.
 */
import { MESSAGES } from './codes';
import type { Context } from './context';
import { callObjectMethod } from './objects';
import { expandDims } from './semantics/convert';
import { checkShape, staticInt } from './shapes';
import { describe, isTensor, show, str, tuple, type Tensor, type Tuple, type Val } from './values';

type Slice = Extract<Val, { kind: 'slice' }>;

export function subscript(cx: Context, object: Val, index: Val): Val {
  if (isTensor(object)) return tensorIndex(cx, object, index);
  if (object.kind === 'tuple')
    return index.kind === 'slice' ? tupleSlice(cx, object, index) : tupleItem(cx, object, index);
  if (object.kind === 'string') {
    const letters = subscript(cx, tuple([...object.value].map(str)), index);
    return letters.kind === 'tuple'
      ? str(letters.items.map((letter) => show(letter, false)).join(''))
      : letters;
  }
  if (object.kind === 'object')
    return callObjectMethod(cx, object, '__getitem__', [index], new Map());
  if (object.kind === 'invalid')
    return cx.fail('HC0109', object.message ?? 'this value is not valid');
  return cx.fail('HC0109', MESSAGES.HC0109.cannotIndexed({ object: describe(object) }));
}

function tupleItem(cx: Context, { items }: Tuple, index: Val): Val {
  const at = staticInt(cx, index, 'a tuple index');
  return (
    items.at(at) ??
    cx.fail(
      'HC0214',
      items.length > 0
        ? MESSAGES.HC0214.tupleIndexOut({ at, count: items.length })
        : MESSAGES.HC0214.emptyTupleIndex({ at }),
    )
  );
}

function tupleSlice(cx: Context, { items }: Tuple, slice: Slice): Tuple {
  const step = sliceBound(cx, slice.step) ?? 1;
  const within = items.slice(sliceBound(cx, slice.lower), sliceBound(cx, slice.upper));
  if (step === 1) return tuple(within);
  if (step === -1 && slice.lower.kind === 'none' && slice.upper.kind === 'none')
    return tuple([...items].reverse());
  return tuple(within.filter((_, i) => i % step === 0));
}

function sliceBound(cx: Context, bound: Val): number | undefined {
  return bound.kind === 'none' ? undefined : staticInt(cx, bound, 'slice bound');
}

function tensorIndex(cx: Context, x: Tensor, index: Val): Tensor {
  const items = index.kind === 'tuple' ? index.items : [index];
  let result = x;
  items.forEach((item, dim) => {
    if (item.kind === 'none') {
      checkShape(cx, result.shape);
      // A scalar has no dimensions to count: `s[:, None]` is `s[None]`, as in Triton.
      const axis = result.shape.length === 0 ? 0 : dim;
      if (axis > result.shape.length)
        cx.fail('HC0202', MESSAGES.HC0202.tooManyIndices({ result: describe(result) }));
      result = expandDims(cx, result, axis);
      return;
    }
    const whole =
      item.kind === 'slice' &&
      [item.lower, item.upper, item.step].every((part) => part.kind === 'none');
    if (!whole)
      cx.fail(
        'HC0102',
        x.dtype.kind === 'pointer' && x.shape.length === 0
          ? MESSAGES.HC0102.unsupportedPointerIndex()
          : MESSAGES.HC0102.unsupportedTensorIndex(),
      );
  });
  return result;
}
