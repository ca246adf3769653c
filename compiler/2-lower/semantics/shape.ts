/** Operations on shapes. */
import { MESSAGES } from '../codes';
import type { Context } from '../context';
import { sameDtype } from '../dtypes';
import { describe, type Tensor } from '../values';
import { broadcastPair, expandDims, irType, showShape, tensorOf, unsplat } from './convert';

export function permute(cx: Context, x: Tensor, order: readonly number[]): Tensor {
  if (order.length !== x.shape.length)
    cx.fail(
      'HC0202',
      MESSAGES.HC0202.permutationNotAs({ order: order.join(', '), x: describe(x) }),
    );
  if ([...order].sort((a, b) => a - b).some((d, i) => d !== i))
    cx.fail(
      'HC0215',
      MESSAGES.HC0215.noPermutation({ order: order.join(', '), value: order.length - 1 }),
    );
  const shape = order.map((d) => x.shape[d]!);
  const handle = cx.builder.value('tt.trans', [x.handle], irType(x.dtype, shape), {
    order: [...order],
  });
  return tensorOf(handle, x.dtype, shape);
}

export function reshape(
  cx: Context,
  x: Tensor,
  shape: readonly number[],
  canReorder: boolean,
): Tensor {
  const count = (s: readonly number[]): number => s.reduce((a, b) => a * b, 1);
  if (count(shape) !== count(x.shape))
    cx.fail(
      'HC0202',
      MESSAGES.HC0202.reshapeCannotChange({
        shape: showShape(x.shape),
        shape2: count(x.shape),
        shape3: showShape(shape),
        shape4: count(shape),
      }),
    );
  if (shape.length === 0) return unsplat(cx, x);
  const source = x.shape.length === 0 ? expandDims(cx, x, 0) : x;
  const type = irType(x.dtype, shape);
  const attributes = canReorder ? { allowReorder: true } : undefined;
  return tensorOf(
    cx.builder.value('tt.reshape', [source.handle], type, attributes),
    x.dtype,
    shape,
  );
}

export function join(cx: Context, left: Tensor, right: Tensor): Tensor {
  if (!sameDtype(left.dtype, right.dtype))
    cx.fail(
      'HC0204',
      MESSAGES.HC0204.joinTakesTensors({ left: describe(left), right: describe(right) }),
    );
  let [a, b] = broadcastPair(cx, left, right);
  const scalars = a.shape.length === 0;
  if (scalars) [a, b] = [expandDims(cx, a, 0), expandDims(cx, b, 0)];
  const shape = [...a.shape, 2];
  const handle = cx.builder.value('tt.join', [a.handle, b.handle], irType(a.dtype, shape));
  const joined = tensorOf(handle, a.dtype, shape);
  return scalars ? reshape(cx, joined, [2], false) : joined;
}

export function split(cx: Context, x: Tensor): [Tensor, Tensor] {
  if (x.shape.at(-1) !== 2) cx.fail('HC0202', MESSAGES.HC0202.splitTakesLast({ x: describe(x) }));
  const flat = x.shape.length === 1;
  const source = flat ? expandDims(cx, x, 0) : x;
  const shape = source.shape.slice(0, -1);
  const type = irType(x.dtype, shape);
  const op = cx.builder.create('tt.split', [source.handle], [type, type]);
  const [a, b] = op.results.map((value) => tensorOf(value, x.dtype, shape)) as [Tensor, Tensor];
  return flat ? [unsplat(cx, a), unsplat(cx, b)] : [a, b];
}
