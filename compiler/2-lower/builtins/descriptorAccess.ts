/** Loads, stores, atomics, gathers and scatters through tensor descriptors. */
import { MESSAGES } from '../codes';
import type { Context } from '../context';
import { INT32, INT64, bits, publicName, sameDtype, showDtype } from '../dtypes';
import { builtin, callBuiltin, define, type Arguments } from '../registry';
import { TL } from '../paths';
import { showShape, toTensor } from '../semantics/convert';
import { staticInt, staticString, tensorArgument } from '../shapes';
import {
  describe,
  int,
  isTensor,
  type Aggregate,
  type Tensor,
  type Tuple,
  type Val,
} from '../values';
import {
  address,
  blockShape,
  descriptorArgument,
  elementDtype,
  integers,
  library,
  listOf,
  load,
  padding,
  part,
} from './blocks';

export function everyDim(cx: Context, of: Aggregate): number[] {
  return [...blockShape(cx, of).keys()];
}
export function descriptorOffsets(cx: Context, of: Aggregate, v: Val): Tuple {
  const rank = blockShape(cx, of).length;
  const given = listOf(v);
  if (given.length !== rank)
    cx.fail('HC0202', MESSAGES.HC0202.expectedOffsetsGot({ rank, count: given.length }));
  for (const offset of given)
    if (
      (isTensor(offset) && offset.dtype === INT64) ||
      (offset.kind === 'int' && BigInt.asIntN(32, offset.value) !== offset.value)
    )
      cx.fail('HC0205', MESSAGES.HC0205.offsetsDescriptorBits({ offset: describe(offset) }));
  return integers(cx, v, 'offsets', INT32);
}
export function loadDescriptor(cx: Context, of: Aggregate, offsets: Val): Val {
  const at = descriptorOffsets(cx, of, offsets);
  const { pointers, mask } = address(cx, of, at, everyDim(cx, of));
  const option = staticString(cx, part(of, 'padding'), 'padding');
  return load(cx, pointers, mask, padding(cx, option || 'zero', elementDtype(of)));
}
export function tileOf(cx: Context, of: Aggregate, v: Val): Tensor {
  const value = toTensor(cx, v);
  const tile = blockShape(cx, of);
  if (value.shape.join() !== tile.join())
    cx.fail(
      'HC0202',
      MESSAGES.HC0202.expectedValueShape({ tile: showShape(tile), value: describe(value) }),
    );
  return value;
}
export function storeDescriptor(cx: Context, of: Aggregate, offsets: Val, value: Val): Val {
  const tile = tileOf(cx, of, value);
  const { pointers, mask } = address(cx, of, descriptorOffsets(cx, of, offsets), everyDim(cx, of));
  return callBuiltin(cx, builtin(`${TL}.store`)!, [pointers, tile], new Map([['mask', mask]]));
}

for (const prefix of ['load_tensor_descriptor(', '_experimental_descriptor_load('])
  define(TL, `${prefix}desc, offsets, shape=None, dtype=None)`, (cx, a) =>
    loadDescriptor(cx, descriptorArgument(cx, a.get('desc')), a.get('offsets')),
  );
define(TL, 'store_tensor_descriptor(desc, offsets, value)', (cx, a) =>
  storeDescriptor(cx, descriptorArgument(cx, a.get('desc')), a.get('offsets'), a.get('value')),
);
define(TL, '_experimental_descriptor_store(desc, value, offsets)', (cx, a) =>
  storeDescriptor(cx, descriptorArgument(cx, a.get('desc')), a.get('offsets'), a.get('value')),
);
/** Dtypes that the units behind descriptors can add, compare and combine. */
const ATOMIC_DTYPES: Readonly<Record<string, readonly string[]>> = {
  atomic_add: ['uint32', 'int32', 'uint64', 'float32', 'float16', 'bfloat16'],
  atomic_min: ['uint32', 'int32', 'uint64', 'int64'],
  atomic_max: ['uint32', 'int32', 'uint64', 'int64'],
  atomic_and: ['uint32', 'int32', 'uint64', 'int64'],
  atomic_or: ['uint32', 'int32', 'uint64', 'int64'],
  atomic_xor: ['uint32', 'int32', 'uint64', 'int64'],
};
export function atomicDtype(cx: Context, self: Aggregate, name: string, value: Tensor): void {
  const base = part(self, 'base');
  if (!isTensor(base) || base.dtype.kind !== 'pointer') return;
  const { element } = base.dtype;
  if (!ATOMIC_DTYPES[name]?.includes(publicName(element)))
    cx.fail('HC0205', MESSAGES.HC0205.unsupportedDtypeDesc({ name, element: showDtype(element) }));
  if (!sameDtype(value.dtype, element))
    cx.fail(
      'HC0204',
      MESSAGES.HC0204.descValueDescriptor({
        name,
        value: describe(value),
        element: showDtype(element),
      }),
    );
}

/** Rows picked by a list of indices: `desc.gather`, `desc.scatter`. */
export function rows(cx: Context, self: Aggregate, name: 'gather' | 'scatter', a: Arguments): Val {
  const tile = blockShape(cx, self);
  if (tile.length !== 2 || tile[0] !== 1)
    cx.fail('HC0202', MESSAGES.HC0202.descTakesDescriptor({ name, tile: showShape(tile) }));
  const indices = tensorArgument(cx, a.get('x_offsets'), 'x_offsets');
  if (indices.shape.length !== 1 || !['int16', 'int32'].includes(publicName(indices.dtype)))
    cx.fail('HC0205', MESSAGES.HC0205.offsetsTileInt({ indices: describe(indices) }));
  if (indices.shape[0]! < 8)
    cx.fail('HC0202', MESSAGES.HC0202.descriptorAtLeastRows({ name, indices: describe(indices) }));
  const base = part(self, 'base');
  const elementBits =
    isTensor(base) && base.dtype.kind === 'pointer' ? bits(base.dtype.element) : 8;
  const least = Math.floor(32 / elementBits) * 8;
  if (tile[1]! < least)
    cx.fail('HC0202', MESSAGES.HC0202.descriptorAtLeast({ name, least, tile: showShape(tile) }));
  const [y] = integers(cx, a.get('y_offset'), 'y_offset', INT32).items as [Val];
  const width = int(staticInt(cx, int(tile[1]!), 'block_shape'));
  const shared = [indices, y, width] as const;
  const pointers = library(
    cx,
    '_row_pointers',
    part(self, 'base'),
    part(self, 'strides'),
    ...shared,
  );
  const mask = library(cx, '_row_mask', part(self, 'shape'), ...shared);
  if (name === 'gather') return load(cx, pointers, mask, padding(cx, 'zero', elementDtype(self)));
  const value = toTensor(cx, a.get('value'));
  return callBuiltin(cx, builtin(`${TL}.store`)!, [pointers, value], new Map([['mask', mask]]));
}
