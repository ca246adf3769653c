/** Shapes: reshape, broadcast, transpose, join, split. */
import { MESSAGES } from '../codes';
import type { Context } from '../context';
import { define } from '../registry';
import { TL } from '../paths';
import {
  broadcastPair,
  broadcastTo,
  expandDims,
  irType,
  tensorOf,
  toTensor,
  unsplat,
} from '../semantics/convert';
import { join, permute, reshape, split } from '../semantics/shape';
import { isInt } from '../dtypes';
import {
  checkShape,
  intList,
  spread,
  staticBool,
  staticInt,
  tensorArgument,
  wrapAxis,
} from '../shapes';
import { describe, tuple, type Val } from '../values';

function integers(cx: Context, items: readonly Val[], what: string): number[] {
  return spread(items).map((item) => staticInt(cx, item, what));
}

define(TL, 'broadcast(input, other)', (cx, a) =>
  tuple(broadcastPair(cx, toTensor(cx, a.get('input')), toTensor(cx, a.get('other')))),
);
define(
  TL,
  'broadcast_to(input, *shape)',
  (cx, a) => {
    const shape = checkShape(cx, integers(cx, a.rest('shape'), 'shape entry'));
    return broadcastTo(cx, tensorArgument(cx, a.get('input'), 'the input of broadcast_to'), shape);
  },
  true,
);
define(
  TL,
  'trans(input, *dims)',
  (cx, a) => {
    const x = tensorArgument(cx, a.get('input'), 'input of tl.trans');
    let order = integers(cx, a.rest('dims'), 'dimension');
    if (order.length === 0) {
      const n = x.shape.length;
      if (n < 2) cx.fail('HC0202', MESSAGES.HC0202.transTakesTile({ x: describe(x) }));
      order = [...Array(n - 2).keys(), n - 1, n - 2];
    }
    return permute(cx, x, order);
  },
  true,
);
define(
  TL,
  'permute(input, *dims)',
  (cx, a) =>
    permute(
      cx,
      tensorArgument(cx, a.get('input'), 'input of tl.permute'),
      integers(cx, a.rest('dims'), 'dimension'),
    ),
  true,
);
define(
  TL,
  'reshape(input, *shape, can_reorder=False)',
  (cx, a) => {
    const shape = checkShape(cx, integers(cx, a.rest('shape'), 'shape entry'));
    const canReorder = staticBool(cx, a.get('can_reorder'), 'can_reorder');
    return reshape(cx, toTensor(cx, a.get('input')), shape, canReorder);
  },
  true,
);
define(
  TL,
  'view(input, *shape)',
  (cx, a) => {
    cx.warn('HC0301', MESSAGES.HC0301.view());
    const shape = checkShape(cx, integers(cx, a.rest('shape'), 'shape entry'));
    return reshape(cx, toTensor(cx, a.get('input')), shape, true);
  },
  true,
);
define(TL, 'item(input)', (cx, a) => unsplat(cx, toTensor(cx, a.get('input'))), true);
define(
  TL,
  'expand_dims(input, axis)',
  (cx, a) => {
    let x = toTensor(cx, a.get('input'));
    const given = intList(cx, a.get('axis'), 'axis');
    const rank = x.shape.length + given.length;
    const axes = given.map((axis) => wrapAxis(cx, axis, rank)).sort((p, q) => p - q);
    if (new Set(axes).size < axes.length)
      cx.fail('HC0215', MESSAGES.HC0215.expandDimsReceived({ axes: axes.join(', ') }));
    for (const axis of axes) x = expandDims(cx, x, axis);
    return x;
  },
  true,
);
define(TL, 'join(a, b)', (cx, a) => join(cx, toTensor(cx, a.get('a')), toTensor(cx, a.get('b'))));
define(
  TL,
  'split(a)',
  (cx, a) => tuple(split(cx, tensorArgument(cx, a.get('a'), 'the operand of tl.split'))),
  true,
);
define(TL, 'cat(input, other, can_reorder=False, dim=0)', (cx, a) => {
  const x = tensorArgument(cx, a.get('input'), 'input of tl.cat');
  const y = tensorArgument(cx, a.get('other'), 'other of tl.cat');
  const rank = x.shape.length;
  if (rank !== y.shape.length)
    cx.fail('HC0202', MESSAGES.HC0202.catTakesTensorsOne({ x: describe(x), y: describe(y) }));
  const dim = wrapAxis(cx, staticInt(cx, a.get('dim'), 'dim'), rank);
  if (x.shape.some((size, i) => size !== y.shape[i]))
    cx.fail('HC0202', MESSAGES.HC0202.catTakesTensors({ x: describe(x), y: describe(y) }));
  const joined = join(cx, x, y);
  const order = [...Array(rank).keys()];
  order.splice(dim, 0, rank);
  const shape = x.shape.map((size, i) => (i === dim ? 2 * size : size));
  return reshape(cx, permute(cx, joined, order), checkShape(cx, shape), false);
});
define(
  TL,
  'gather(src, index, axis)',
  (cx, a) => {
    const source = tensorArgument(cx, a.get('src'), 'src of tl.gather');
    const index = tensorArgument(cx, a.get('index'), 'index of tl.gather');
    if (!isInt(index.dtype)) cx.fail('HC0205', MESSAGES.HC0205.indexGatherIntegers());
    if (index.shape.length !== source.shape.length)
      cx.fail('HC0202', MESSAGES.HC0202.sourceIndexGather());
    const axis = wrapAxis(cx, staticInt(cx, a.get('axis'), 'axis'), source.shape.length);
    source.shape.forEach((size, i) => {
      if (i !== axis && size !== index.shape[i])
        cx.fail(
          'HC0202',
          MESSAGES.HC0202.indexSourceDiffer({
            index: describe(index),
            source: describe(source),
            i,
          }),
        );
    });
    const type = irType(source.dtype, index.shape);
    const handle = cx.builder.value('tt.gather', [source.handle, index.handle], type, { axis });
    return tensorOf(handle, source.dtype, index.shape);
  },
  true,
);
