/**
 * Block pointers and tensor descriptors: a base pointer with shape, strides, offsets and the shape
 * of a tile. Addresses and masks are computed by Triton code of ours (`library/block.py`).
 */
import { MESSAGES } from '../codes';
import { callFunction } from '../calls';
import type { Context } from '../context';
import { INT32, INT64, bits, isFloating, isInt } from '../dtypes';
import { callableOf } from '../functions';
import { bind, builtin, callBuiltin, define, Arguments } from '../registry';
import { TL } from '../paths';
import { cast, toTensor } from '../semantics/convert';
import { intList, shapeArgument, staticString, tensorArgument } from '../shapes';
import {
  NONE,
  describe,
  dtypeVal,
  float,
  int,
  isTensor,
  shapeVal,
  str,
  tuple,
  type Aggregate,
  type Tensor,
  type Tuple,
  type Val,
} from '../values';
import {
  atomicDtype,
  descriptorOffsets,
  everyDim,
  loadDescriptor,
  rows,
  storeDescriptor,
  tileOf,
} from './descriptorAccess';

export function library(cx: Context, name: string, ...args: Val[]): Val {
  return callFunction(cx, callableOf(cx, `lib:${name}`), args);
}
export function listOf(v: Val): readonly Val[] {
  return v.kind === 'tuple' ? v.items : [v];
}
export function integers(
  cx: Context,
  v: Val,
  what: string,
  dtype: typeof INT32 | typeof INT64,
): Tuple {
  return tuple(
    listOf(v).map((item) => {
      const x = toTensor(cx, item);
      if (x.shape.length > 0)
        cx.fail('HC0202', MESSAGES.HC0202.entriesScalarsGot({ what, x: describe(x) }));
      if (!isInt(x.dtype))
        cx.fail('HC0205', MESSAGES.HC0205.entriesIntegersGot({ what, x: describe(x) }));
      return cast(cx, x, dtype);
    }),
  );
}
function basePointer(cx: Context, v: Val, what: string): Tensor {
  const base = tensorArgument(cx, v, `the base of ${what}`);
  if (base.dtype.kind !== 'pointer' || base.shape.length > 0)
    cx.fail('HC0204', MESSAGES.HC0204.baseScalarPointer({ what, base: describe(base) }));
  return base;
}
export function part(of: Aggregate, name: string): Val {
  return of.parts[name] ?? NONE;
}
export function blockShape(cx: Context, of: Aggregate): number[] {
  return intList(cx, part(of, 'block_shape'), 'block_shape');
}
export function elementDtype(of: Aggregate): Val {
  const base = part(of, 'base');
  return isTensor(base) && base.dtype.kind === 'pointer' ? dtypeVal(base.dtype.element) : NONE;
}

// ── block pointers ──────────────────────────────────────────────────────────────────────────────

define(TL, 'make_block_ptr(base, shape, strides, offsets, block_shape, order)', (cx, a): Val => {
  cx.warn('HC0301', MESSAGES.HC0301.makeBlockPtr());
  const base = basePointer(cx, a.get('base'), 'tl.make_block_ptr');
  const tile = intList(cx, a.get('block_shape'), 'block_shape');
  const order = intList(cx, a.get('order'), 'order');
  if (tile.length === 0) return cx.fail('HC0202', MESSAGES.HC0202.makeBlockPtrDescribe());
  const parts = {
    base,
    shape: integers(cx, a.get('shape'), 'shape', INT64),
    strides: integers(cx, a.get('strides'), 'strides', INT64),
    offsets: integers(cx, a.get('offsets'), 'offsets', INT64),
    block_shape: shapeVal(tile),
    order: shapeVal(order),
  };
  for (const name of ['shape', 'strides', 'offsets', 'order'] as const)
    if (parts[name].items.length !== tile.length)
      cx.fail(
        'HC0202',
        MESSAGES.HC0202.makeBlockPtr({
          name,
          count: parts[name].items.length,
          count2: tile.length,
        }),
      );
  if ([...order].sort((p, q) => p - q).some((d, i) => d !== i))
    cx.fail('HC0215', MESSAGES.HC0215.orderPermutation({ value: tile.length - 1 }));
  return { kind: 'aggregate', type: 'block_ptr', parts: { ...parts, dtype: dtypeVal(base.dtype) } };
});

define(
  TL,
  'advance(base, offsets)',
  (cx, a): Val => {
    const base = a.get('base');
    if (base.kind !== 'aggregate' || base.type !== 'block_ptr')
      return cx.fail('HC0204', MESSAGES.HC0204.advanceTakesBlock());
    const moved = integers(cx, a.get('offsets'), 'offsets', INT64);
    const offsets = part(base, 'offsets') as Tuple;
    if (moved.items.length !== offsets.items.length)
      cx.fail(
        'HC0202',
        MESSAGES.HC0202.advanceTakesOffsets({
          count: offsets.items.length,
          count2: moved.items.length,
        }),
      );
    return { ...base, parts: { ...base.parts, offsets: library(cx, '_add_each', offsets, moved) } };
  },
  true,
);

/** The pointers of a tile, and its mask over the dimensions that are checked. */
export function address(
  cx: Context,
  block: Aggregate,
  offsets: Val,
  checked: readonly number[],
): { pointers: Val; mask: Val } {
  const tile = part(block, 'block_shape');
  const pointers = library(
    cx,
    '_block_pointers',
    part(block, 'base'),
    part(block, 'strides'),
    offsets,
    tile,
  );
  const mask = checked.length
    ? library(cx, '_block_mask', part(block, 'shape'), offsets, tile, tuple(checked.map(int)))
    : NONE;
  return { pointers, mask };
}

function boundaryCheck(cx: Context, block: Aggregate, a: Arguments): number[] {
  const given = a.get('boundary_check');
  if (given.kind === 'none') return [];
  const rank = blockShape(cx, block).length;
  const dims = intList(cx, given, 'boundary_check');
  for (const dim of dims)
    if (dim < 0 || dim >= rank)
      cx.fail('HC0215', MESSAGES.HC0215.boundaryCheckTakes({ rank, dim }));
  if (new Set(dims).size < dims.length)
    cx.fail('HC0215', MESSAGES.HC0215.duplicateDimensionBoundary());
  return dims.sort((p, q) => p - q);
}

/** Values read out of bounds: nothing in particular, 0, or NaN. */
export function padding(cx: Context, option: string, dtype: Val): Val {
  const isFloat = dtype.kind === 'dtype' && isFloating(dtype.dtype);
  if (option === '') return NONE;
  if (option === 'zero') return isFloat ? float(0) : int(0);
  if (option !== 'nan') return cx.fail('HC0215', MESSAGES.HC0215.paddingOptionNot({ option }));
  return isFloat ? float(Number.NaN) : cx.fail('HC0215', MESSAGES.HC0215.paddingOptionNan());
}

export function load(cx: Context, pointers: Val, mask: Val, other: Val, a?: Arguments): Val {
  const keywords = new Map<string, Val>([['mask', mask]]);
  if (mask.kind !== 'none') keywords.set('other', other);
  for (const name of ['cache_modifier', 'eviction_policy', 'volatile'])
    if (a) keywords.set(name, a.get(name));
  return callBuiltin(cx, builtin(`${TL}.load`)!, [pointers], keywords);
}

/** `tl.load` of a block pointer. */
export function loadBlock(cx: Context, block: Aggregate, a: Arguments): Val {
  if (block.type !== 'block_ptr') return cx.fail('HC0204', MESSAGES.HC0204.loadTensorDescriptor());
  if (a.optional('mask') || a.optional('other'))
    cx.fail('HC0215', MESSAGES.HC0215.maskOtherCannot());
  const checked = boundaryCheck(cx, block, a);
  const { pointers, mask } = address(cx, block, part(block, 'offsets'), checked);
  const option = staticString(cx, a.get('padding_option'), 'padding_option');
  return load(cx, pointers, mask, padding(cx, option, elementDtype(block)), a);
}

/** `tl.store` to a block pointer. */
export function storeBlock(cx: Context, block: Aggregate, value: Val, a: Arguments): Val {
  if (block.type !== 'block_ptr') return cx.fail('HC0204', MESSAGES.HC0204.storeTensorDescriptor());
  if (a.optional('mask')) cx.fail('HC0215', MESSAGES.HC0215.maskCannotGiven());
  const checked = boundaryCheck(cx, block, a);
  const { pointers, mask } = address(cx, block, part(block, 'offsets'), checked);
  return callBuiltin(cx, builtin(`${TL}.store`)!, [pointers, value], new Map([['mask', mask]]));
}

// ── tensor descriptors ──────────────────────────────────────────────────────────────────────────

/** Makes a descriptor; also the compiler's own, for descriptors that come as arguments. */
export function makeDescriptor(
  cx: Context,
  baseVal: Val,
  shapeVals: Val,
  strideVals: Val,
  tile: readonly number[],
  option: string,
): Aggregate {
  const base = basePointer(cx, baseVal, 'tl.make_tensor_descriptor');
  const rank = tile.length;
  if (rank < 1 || rank > 5) cx.fail('HC0202', MESSAGES.HC0202.descriptorDimensionsGot({ rank }));
  const strides = listOf(strideVals);
  for (const [name, list] of [
    ['shape', listOf(shapeVals)],
    ['strides', strides],
  ] as const)
    if (list.length !== rank)
      cx.fail('HC0202', MESSAGES.HC0202.descriptorRankTakes({ rank, name, count: list.length }));
  const element = base.dtype.kind === 'pointer' ? base.dtype.element : INT32;
  const bytes = (tile[rank - 1]! * bits(element)) / 8;
  if (bytes < 16) cx.fail('HC0203', MESSAGES.HC0203.descriptorBlockShape({ bytes }));
  const last = strides[rank - 1]!;
  if (last.kind !== 'int' || last.value !== 1n)
    cx.fail('HC0215', MESSAGES.HC0215.lastStrideDescriptor({ last: describe(last) }));
  padding(cx, option, dtypeVal(element));
  return {
    kind: 'aggregate',
    type: 'tensor_descriptor',
    parts: {
      base,
      shape: integers(cx, shapeVals, 'shape', INT32),
      strides: integers(cx, strideVals, 'strides', INT64),
      block_shape: shapeVal(tile),
      padding: str(option),
      dtype: dtypeVal(element),
    },
  };
}

for (const name of ['make_tensor_descriptor', '_experimental_make_tensor_descriptor'])
  define(TL, `${name}(base, shape, strides, block_shape, padding_option="zero")`, (cx, a) =>
    makeDescriptor(
      cx,
      a.get('base'),
      a.get('shape'),
      a.get('strides'),
      shapeArgument(cx, a.get('block_shape')),
      staticString(cx, a.get('padding_option'), 'padding_option'),
    ),
  );

export function descriptorArgument(cx: Context, v: Val): Aggregate {
  if (v.kind === 'aggregate' && v.type === 'tensor_descriptor') return v;
  return cx.fail('HC0204', MESSAGES.HC0204.expectedTensorDescriptor({ v: describe(v) }));
}

const METHODS: Record<string, readonly { name: string; default?: Val }[]> = {
  load: [{ name: 'offsets' }],
  store: [{ name: 'offsets' }, { name: 'value' }],
  gather: [{ name: 'x_offsets' }, { name: 'y_offset' }],
  scatter: [{ name: 'value' }, { name: 'x_offsets' }, { name: 'y_offset' }],
};

/** `desc.load(…)`, `block.advance(…)` … */
export function callAggregateMethod(
  cx: Context,
  self: Aggregate,
  name: string,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  if (self.type === 'block_ptr') {
    const operation = builtin(`${TL}.${name}`);
    if (!operation || !['advance', 'load', 'store'].includes(name))
      return cx.fail('HC0109', MESSAGES.HC0109.blockPointerNo({ name }));
    return callBuiltin(cx, operation, [self, ...args], keywords);
  }
  const names = name.startsWith('atomic_') ? METHODS['store'] : METHODS[name];
  if (!names) return cx.fail('HC0109', MESSAGES.HC0109.tensorDescriptorNo({ name }));
  const ignored = ['cache_modifier', 'eviction_policy'].map((hint) => ({
    name: hint,
    default: str(''),
  }));
  const parameters = [...names, ...ignored].map((p) => ({
    variadic: false,
    keywordOnly: false,
    ...p,
  }));
  const a = new Arguments(bind(cx, `desc.${name}`, parameters, args, keywords));
  switch (name) {
    case 'load':
      return loadDescriptor(cx, self, a.get('offsets'));
    case 'store':
      return storeDescriptor(cx, self, a.get('offsets'), a.get('value'));
    case 'gather':
    case 'scatter':
      return rows(cx, self, name, a);
    default: {
      const operation = builtin(`${TL}.${name}`);
      if (!operation) return cx.fail('HC0109', MESSAGES.HC0109.tensorDescriptorNo({ name }));
      const value = tileOf(cx, self, a.get('value'));
      atomicDtype(cx, self, name, value);
      const at = descriptorOffsets(cx, self, a.get('offsets'));
      const { pointers, mask } = address(cx, self, at, everyDim(cx, self));
      callBuiltin(cx, operation, [pointers, value], new Map([['mask', mask]]));
      return NONE;
    }
  }
}
