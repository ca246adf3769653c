/**
 * Gluon's layouts as values of a kernel: records of their fields, as Python has them. Here they are
 * read, checked against the launch, and given to tiles: `ttg.convert_layout` with the author's
 * layout as an attribute, of which `settleLayouts.ts` keeps those that convert.
 */
import { MESSAGES } from './codes';
import {
  authoredName,
  type AuthoredLayout,
  faultOf,
  isSupported,
  linearOf,
  rankOf,
  threadsOf,
  WARP_LANES,
} from '../ir/authoredLayout';
import type { Context } from './context';
import { tensorOf } from './semantics/convert';
import { intList, staticInt } from './shapes';
import { describe, NONE, type Tensor, type Tuple, type Val } from './values';

/** The fields of each layout, in Python's order. */
export const LAYOUT_FIELDS = {
  AutoLayout: ['auto'],
  CoalescedLayout: ['coalesced'],
  BlockedLayout: ['size_per_thread', 'threads_per_warp', 'warps_per_cta', 'order', 'cga_layout'],
  SliceLayout: ['dim', 'parent'],
  DistributedLinearLayout: ['reg_bases', 'lane_bases', 'warp_bases', 'block_bases', 'shape'],
  DotOperandLayout: ['operand_index', 'parent', 'k_width'],
  NVMMADistributedLayout: ['version', 'warps_per_cta', 'instr_shape', 'nvmma_cga_layout'],
  SwizzledSharedLayout: ['vec', 'per_phase', 'max_phase', 'order', 'cga_layout'],
  PaddedSharedLayout: ['interval_padding_pairs', 'offset_bases', 'cga_layout', 'shape'],
  SharedLinearLayout: ['offset_bases', 'block_bases', 'alignment'],
  NVMMASharedLayout: [
    'swizzle_byte_width',
    'element_bitwidth',
    'rank',
    'transposed',
    'fp4_padded',
    'nvmma_shared_cga_layout',
  ],
} as const satisfies Record<string, readonly string[]>;
export type LayoutName = keyof typeof LAYOUT_FIELDS;

const byFields = new Map(
  Object.entries(LAYOUT_FIELDS).map(([name, fields]) => [fields.join(), name as LayoutName]),
);

/** Which layout a record is; undefined for any other value. */
export function layoutNameOf(v: Val): LayoutName | undefined {
  return v.kind === 'tuple' && v.fields ? byFields.get(v.fields.join()) : undefined;
}

/**
 * The layout of tiles that a value is; undefined for those that the compiler chooses: None,
 * AutoLayout and CoalescedLayout.
 */
export function authoredLayout(cx: Context, v: Val, what = 'layout'): AuthoredLayout | undefined {
  if (v.kind === 'none') return undefined;
  const name = layoutNameOf(v);
  if (name === 'AutoLayout' || name === 'CoalescedLayout') return undefined;
  return readLayout(cx, v, what);
}

function readLayout(cx: Context, v: Val, what: string): AuthoredLayout {
  const name = layoutNameOf(v);
  if (!name || v.kind !== 'tuple')
    return cx.fail('HC0222', MESSAGES.HC0222.notALayout({ what, got: describe(v) }));
  const field = (key: string): Val => v.items[v.fields?.indexOf(key) ?? -1] ?? NONE;
  const layout = fromFields(cx, name, field, what);
  const fault = faultOf(layout);
  if (fault) cx.fail('HC0222', MESSAGES.HC0222.fault({ name, fault }));
  return layout;
}

function fromFields(
  cx: Context,
  name: LayoutName,
  field: (key: string) => Val,
  what: string,
): AuthoredLayout {
  const ints = (key: string): number[] => intList(cx, field(key), key);
  const bases = (key: string): number[][] => {
    const value = field(key);
    return value.kind === 'tuple' ? value.items.map((item) => intList(cx, item, key)) : [];
  };
  switch (name) {
    case 'BlockedLayout':
      oneCta(cx, field('cga_layout'));
      return {
        kind: 'blocked',
        sizePerThread: ints('size_per_thread'),
        threadsPerWarp: ints('threads_per_warp'),
        warpsPerCTA: ints('warps_per_cta'),
        order: ints('order'),
      };
    case 'SliceLayout': {
      const dim = staticInt(cx, field('dim'), 'dim');
      return { kind: 'slice', dim, parent: readLayout(cx, field('parent'), 'parent') };
    }
    case 'DistributedLinearLayout':
      oneCta(cx, field('block_bases'));
      return {
        kind: 'linear',
        register: bases('reg_bases'),
        lane: bases('lane_bases'),
        subgroup: bases('warp_bases'),
      };
    case 'DotOperandLayout':
    case 'NVMMADistributedLayout':
      return cx.fail('HC0222', MESSAGES.HC0222.otherHardware({ name }));
    default:
      return cx.fail('HC0222', MESSAGES.HC0222.notALayout({ what, got: name }));
  }
}

/** A program is one workgroup: no layout spreads over several. */
export function oneCta(cx: Context, v: Val): void {
  if (v.kind === 'tuple' && v.items.length > 0) cx.fail('HC0222', MESSAGES.HC0222.twoCtas());
}

/** A layout that the compiler chooses. */
export const COALESCED = 'coalesced';

/** `x` in the layout that `v` is; `x` itself where others decide it: AutoLayout, or None. */
export function withLayout(cx: Context, x: Tensor, v: Val): Tensor {
  const layout = authoredLayout(cx, v);
  if (layout) checkFit(cx, layout, x.shape);
  else if (layoutNameOf(v) !== 'CoalescedLayout') return x;
  const attributes = { layout: layout ? authoredName(layout) : COALESCED };
  const handle = cx.builder.value('ttg.convert_layout', [x.handle], x.handle.type, attributes);
  return tensorOf(handle, x.dtype, x.shape);
}

function checkFit(cx: Context, authored: AuthoredLayout, shape: readonly number[]): void {
  const layout = authoredName(authored);
  const rank = rankOf(authored);
  if (rank !== shape.length)
    cx.fail('HC0222', MESSAGES.HC0222.rankDiffers({ layout, rank, dimensions: shape.length }));
  const { lanes, warps } = threadsOf(authored);
  if (lanes !== WARP_LANES)
    cx.fail('HC0222', MESSAGES.HC0222.lanes({ layout, lanes, expected: WARP_LANES }));
  const expected = cx.launch.numWarps;
  if (warps !== expected)
    cx.fail('HC0215', MESSAGES.HC0215.layoutWarps({ layout, warps, expected }));
  if (!isSupported(linearOf(authored, shape), shape))
    cx.fail('HC0222', MESSAGES.HC0222.notOneBitEach({ layout, shape: shape.join('x') }));
}

/** A record with the fields of a layout. */
export function layoutRecord(name: LayoutName, items: readonly Val[]): Tuple {
  return { kind: 'tuple', items, fields: LAYOUT_FIELDS[name] };
}
