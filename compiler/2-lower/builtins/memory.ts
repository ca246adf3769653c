/** Loads, stores and atomics. */
import { MESSAGES } from '../codes';
import type { AtomicKind } from '../../ir/builder';
import type { Attribute, Value } from '../../ir/ir';
import type { Context } from '../context';
import {
  BF16,
  FP16,
  FP32,
  FP64,
  INT1,
  INT32,
  INT64,
  INT8,
  UINT32,
  UINT64,
  bits,
  isFloating,
  isInt,
  isSigned,
  pointerTo,
  publicName,
  showDtype,
  type Dtype,
  type NumberDtype,
} from '../dtypes';
import { define, type Arguments } from '../registry';
import { TL } from '../paths';
import {
  bitcast,
  broadcastPair,
  cast,
  constant,
  irType,
  showShape,
  splat,
  tensorOf,
  toTensor,
} from '../semantics/convert';
import { bitwise, invert, shift, where } from '../semantics/arithmetic';
import { staticBool, staticString } from '../shapes';
import { NONE, describe, int, isTensor, type Tensor, type Val, show } from '../values';
import { loadBlock, storeBlock } from './blocks';

const LOAD_CACHE = ['', '.ca', '.cg', '.cs', '.cv'];
const STORE_CACHE = ['', '.wb', '.cg', '.cs', '.wt'];
const EVICTION = ['', 'evict_last', 'evict_first', 'evict_normal'];

/** Checks the hints; they change nothing here. */
function hints(cx: Context, a: Arguments, caches: readonly string[]): void {
  const cache = staticString(cx, a.get('cache_modifier'), 'cache_modifier');
  if (!caches.includes(cache)) cx.fail('HC0215', MESSAGES.HC0215.cacheModifierNot({ cache }));
  const eviction = staticString(cx, a.get('eviction_policy'), 'eviction_policy');
  if (!EVICTION.includes(eviction))
    cx.fail('HC0215', MESSAGES.HC0215.evictionPolicyNot({ eviction }));
}

function pointerArgument(
  cx: Context,
  v: Val,
  what: string,
): Tensor & { dtype: { kind: 'pointer' } } {
  if (isTensor(v) && v.dtype.kind === 'pointer')
    return v as Tensor & { dtype: { kind: 'pointer' } };
  return cx.fail('HC0204', MESSAGES.HC0204.takesPointerOr({ what, v: describe(v) }));
}
function pointee(p: Tensor): Dtype {
  return p.dtype.kind === 'pointer' ? p.dtype.element : INT8;
}
function optionalTensor(cx: Context, a: Arguments, name: string): Tensor | undefined {
  const v = a.optional(name);
  return v && toTensor(cx, v);
}
/** Memory has no bits: a pointer to int1 reads and writes bytes. */
function asBytes(cx: Context, p: Tensor): Tensor {
  return pointee(p) === INT1 ? cast(cx, p, pointerTo(INT8)) : p;
}
function checkMask(cx: Context, mask: Tensor): void {
  if (mask.dtype !== INT1) cx.fail('HC0205', MESSAGES.HC0205.maskIntGot({ mask: describe(mask) }));
}

define(
  TL,
  'load(pointer, mask=None, other=None, boundary_check=(), padding_option="", ' +
    'cache_modifier="", eviction_policy="", volatile=False)',
  (cx, a) => {
    hints(cx, a, LOAD_CACHE);
    const target = a.get('pointer');
    if (target.kind === 'aggregate') return loadBlock(cx, target, a);
    let pointer: Tensor = pointerArgument(cx, target, 'tl.load');
    let mask = optionalTensor(cx, a, 'mask');
    let other = optionalTensor(cx, a, 'other');
    if (!mask && other) cx.fail('HC0215', MESSAGES.HC0215.otherCannotProvided());
    noBlockArguments(cx, a);
    noPadding(cx, a);
    if (pointer.shape.length === 0) {
      for (const [name, value] of [
        ['mask', mask],
        ['other', other],
      ] as const)
        if (value && value.shape.length > 0)
          cx.fail('HC0202', MESSAGES.HC0202.loadTileBut({ name, value: describe(value) }));
    } else {
      if (mask) [pointer, mask] = broadcastPair(cx, pointer, mask);
      if (other) [pointer, other] = broadcastPair(cx, pointer, other);
      // `other` may have enlarged the pointer.
      if (mask) [pointer, mask] = broadcastPair(cx, pointer, mask);
    }
    if (mask) checkMask(cx, mask);
    const element = pointee(pointer);
    pointer = asBytes(cx, pointer);
    const stored = pointee(pointer);
    if (other) other = cast(cx, other, stored);
    const operands: Value[] = [pointer, mask, other].flatMap((t) => (t ? [t.handle] : []));
    const attributes: Record<string, Attribute> = staticBool(cx, a.get('volatile'), 'volatile')
      ? { isVolatile: true }
      : {};
    const type = irType(stored, pointer.shape);
    const loaded = tensorOf(
      cx.builder.value('tt.load', operands, type, attributes),
      stored,
      pointer.shape,
    );
    return element === INT1 ? cast(cx, loaded, INT1) : loaded;
  },
);

function noBlockArguments(cx: Context, a: Arguments): void {
  const check = a.get('boundary_check');
  if (check.kind === 'tuple' && check.items.length > 0)
    cx.fail('HC0215', MESSAGES.HC0215.boundaryCheckBlock());
}
function noPadding(cx: Context, a: Arguments): void {
  if (show(a.get('padding_option'), false) !== '' && a.optional('padding_option'))
    cx.fail('HC0215', MESSAGES.HC0215.paddingOptionBlock());
}

define(
  TL,
  'store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy="")',
  (cx, a) => {
    hints(cx, a, STORE_CACHE);
    const target = a.get('pointer');
    if (target.kind === 'aggregate') return storeBlock(cx, target, a.get('value'), a);
    let pointer: Tensor = pointerArgument(cx, target, 'tl.store');
    let value = toTensor(cx, a.get('value'));
    let mask = optionalTensor(cx, a, 'mask');
    noBlockArguments(cx, a);
    writable(cx, pointer, 'tl.store');
    if (pointer.shape.length === 0) {
      for (const [name, operand] of [
        ['value', value],
        ['mask', mask],
      ] as const)
        if (operand && operand.shape.length > 0)
          cx.fail('HC0202', MESSAGES.HC0202.storeTileBut({ name, operand: describe(operand) }));
    } else [pointer, value, mask] = together(cx, pointer, value, mask);
    if (mask) checkMask(cx, mask);
    pointer = asBytes(cx, pointer);
    const stored = cast(cx, value, pointee(pointer));
    const operands = [pointer.handle, stored.handle, ...(mask ? [mask.handle] : [])];
    cx.builder.create('tt.store', operands, []);
    return NONE;
  },
  true,
);

function writable(cx: Context, pointer: Tensor, what: string): void {
  if (pointer.dtype.kind === 'pointer' && pointer.dtype.const)
    cx.fail('HC0216', MESSAGES.HC0216.cannotStoreConstant({ what }));
}

/** Value and mask in the pointer's shape, which they must not enlarge. */
function together(
  cx: Context,
  pointer: Tensor,
  value: Tensor,
  mask: Tensor | undefined,
): [Tensor, Tensor, Tensor | undefined] {
  const shape = pointer.shape;
  let p = pointer;
  let v = value;
  let m = mask;
  [p, v] = broadcastPair(cx, p, v);
  if (m) {
    [p, m] = broadcastPair(cx, p, m);
    [p, v] = broadcastPair(cx, p, v);
  }
  if (p.shape.length !== shape.length || p.shape.some((n, i) => n !== shape[i]))
    cx.fail(
      'HC0202',
      `the pointer has shape ${showShape(shape)}, but value` +
        `${mask ? ' and mask' : ''} need ${showShape(p.shape)}`,
    );
  return [p, v, m];
}

// ── atomics ─────────────────────────────────────────────────────────────────────────────────────

const SEMANTICS = ['acquire', 'release', 'acq_rel', 'relaxed'];
const SCOPES = ['gpu', 'cta', 'sys'];

function ordering(cx: Context, a: Arguments): Record<string, string> {
  const semantics = staticString(cx, a.get('sem'), 'sem') || 'acq_rel';
  if (!SEMANTICS.includes(semantics))
    cx.fail('HC0215', MESSAGES.HC0215.memorySemanticNot({ semantics }));
  const scope = staticString(cx, a.get('scope'), 'scope') || 'gpu';
  if (!SCOPES.includes(scope)) cx.fail('HC0215', MESSAGES.HC0215.memoryScopeNot({ scope }));
  return { semantics, scope };
}

function rmw(
  cx: Context,
  kind: AtomicKind,
  pointer: Tensor,
  value: Tensor,
  mask: Tensor,
  order: Record<string, string>,
): Tensor {
  const operands = [pointer.handle, value.handle, mask.handle];
  const type = irType(value.dtype, value.shape);
  const handle = cx.builder.value('tt.atomic_rmw', operands, type, { kind, ...order });
  return tensorOf(handle, value.dtype, value.shape);
}

/** Checks and shapes the operands; the mask is there afterwards. */
function atomicOperands(cx: Context, a: Arguments, name: string): [Tensor, Tensor, Tensor] {
  let pointer: Tensor = pointerArgument(cx, a.get('pointer'), `tl.${name}`);
  let value = toTensor(cx, a.get('val'));
  let mask = optionalTensor(cx, a, 'mask');
  writable(cx, pointer, `tl.${name}`);
  const element = pointee(pointer);
  const isHalf = element === FP16 || element === BF16;
  if (
    (isHalf && name !== 'atomic_add') ||
    bits(element) < 16 ||
    (isInt(element) && bits(element) < 32)
  )
    cx.fail('HC0205', MESSAGES.HC0205.elementNotSupported({ name, element: showDtype(element) }));
  if (pointer.shape.length > 0) [pointer, value, mask] = together(cx, pointer, value, mask);
  else if (value.shape.length > 0)
    cx.fail('HC0202', MESSAGES.HC0202.valueTileBut({ name, value: describe(value) }));
  value = cast(cx, value, element);
  if (mask) checkMask(cx, mask);
  mask ??= constant(cx, true, INT1, pointer.shape);
  return [pointer, value, mask];
}

const RMW = '(pointer, val, mask=None, sem=None, scope=None)';
define(
  TL,
  `atomic_add${RMW}`,
  (cx, a) => {
    const [pointer, value, mask] = atomicOperands(cx, a, 'atomic_add');
    const kind = isFloating(value.dtype) ? 'fadd' : 'add';
    return rmw(cx, kind, pointer, value, mask, ordering(cx, a));
  },
  true,
);
for (const [name, kind] of [
  ['atomic_and', 'and'],
  ['atomic_or', 'or'],
  ['atomic_xor', 'xor'],
  ['atomic_xchg', 'exch'],
] as const)
  define(
    TL,
    `${name}${RMW}`,
    (cx, a) => {
      const [pointer, value, mask] = atomicOperands(cx, a, name);
      if (kind !== 'exch' && isFloating(value.dtype))
        cx.fail('HC0205', MESSAGES.HC0205.doesNotSupport({ name, dtype: showDtype(value.dtype) }));
      return rmw(cx, kind, pointer, value, mask, ordering(cx, a));
    },
    true,
  );
for (const which of ['max', 'min'] as const)
  define(
    TL,
    `atomic_${which}${RMW}`,
    (cx, a) => {
      const [pointer, value, mask] = atomicOperands(cx, a, `atomic_${which}`);
      const order = ordering(cx, a);
      if (isInt(value.dtype)) {
        const kind: AtomicKind = isSigned(value.dtype) ? which : `u${which}`;
        return rmw(cx, kind, pointer, value, mask, order);
      }
      if (value.dtype !== FP32 && value.dtype !== FP64)
        return cx.fail(
          'HC0205',
          MESSAGES.HC0205.atomicDoesNot({ which, dtype: showDtype(value.dtype) }),
        );
      return floatExtremum(cx, which, pointer, value, mask, order);
    },
    true,
  );

/**
 * Floats of one sign are ordered as their bits are: as signed integers where they are positive, and
 * backwards as unsigned ones where they are negative.
 */
function floatExtremum(
  cx: Context,
  which: 'max' | 'min',
  pointer: Tensor,
  value: Tensor,
  mask: Tensor,
  order: Record<string, string>,
): Tensor {
  const [signed, unsigned] = value.dtype === FP32 ? [INT32, UINT32] : [INT64, UINT64];
  const asInt = bitcast(cx, value, signed);
  const asUnsigned = bitcast(cx, value, unsigned);
  const intPointer = cast(cx, pointer, pointerTo(signed));
  const unsignedPointer = cast(cx, pointer, pointerTo(unsigned));
  const sign = shift(cx, '>>', asUnsigned, int(bits(signed) - 1), asUnsigned);
  const negative = cast(cx, sign, INT1);
  const positive = invert(cx, negative);
  const other = which === 'max' ? 'umin' : 'umax';
  const up = rmw(cx, which, intPointer, asInt, bitwise(cx, '&', mask, positive), order);
  const down = rmw(cx, other, unsignedPointer, asUnsigned, bitwise(cx, '&', mask, negative), order);
  return bitcast(cx, where(cx, positive, up, bitcast(cx, down, signed)), value.dtype);
}

define(
  TL,
  'atomic_cas(pointer, cmp, val, sem=None, scope=None)',
  (cx, a) => {
    const pointer: Tensor = pointerArgument(cx, a.get('pointer'), 'tl.atomic_cas');
    const element = pointee(pointer);
    writable(cx, pointer, 'tl.atomic_cas');
    if (![16, 32, 64].includes(bits(element))) cx.fail('HC0205', MESSAGES.HC0205.atomicCasOnly());
    const fit = (name: string): Tensor => {
      let value = toTensor(cx, a.get(name));
      if (value.shape.length === 0 && pointer.shape.length > 0)
        value = splat(cx, value, pointer.shape);
      if (value.shape.join() !== pointer.shape.join())
        cx.fail(
          'HC0202',
          MESSAGES.HC0202.atomicCasPointer({
            name,
            value: describe(value),
            pointer: describe(pointer),
          }),
        );
      if (value.dtype !== element) {
        const sameBits =
          isInt(value.dtype) && isInt(element) && bits(value.dtype) === bits(element);
        if (!sameBits)
          cx.fail(
            'HC0204',
            MESSAGES.HC0204.atomicCasBut({
              name,
              value: describe(value),
              element: publicName(element),
            }),
          );
        value = cast(cx, value, element as NumberDtype);
      }
      return value;
    };
    const compare = fit('cmp');
    const value = fit('val');
    const operands = [pointer.handle, compare.handle, value.handle];
    const type = irType(value.dtype, value.shape);
    const handle = cx.builder.value('tt.atomic_cas', operands, type, ordering(cx, a));
    return tensorOf(handle, value.dtype, value.shape);
  },
  true,
);
