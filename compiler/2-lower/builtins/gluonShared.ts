/**
 * Gluon's shared memory: `gl.allocate_shared_memory` and what a descriptor can do. A descriptor is
 * a view of an allocation, whose leading dimensions are buffers and whose others lie as the
 * author's `SwizzledSharedLayout` says; each access computes the places of its elements by that.
 */
import { MESSAGES } from '../codes';
import { layoutNameOf, oneCta, withLayout } from '../authored';
import type { Context } from '../context';
import { INT32, irElement, sameDtype, showDtype, type Dtype } from '../dtypes';
import type { Value } from '../../ir/ir';
import { isPowerOfTwo } from '../../ir/layoutAlgebra';
import type { MemdescType } from '../../ir/types';
import { GL } from '../paths';
import { Arguments, bind, define, type BuiltinParameter } from '../registry';
import { add, bitwise, floorDivide, modulo, mul } from '../semantics/arithmetic';
import {
  broadcastTo,
  constant,
  expandDims,
  irType,
  tensorOf,
  toTensor,
} from '../semantics/convert';
import { dtypeArgument, intList, shapeArgument, staticInt, tensorArgument } from '../shapes';
import {
  describe,
  dtypeVal,
  int,
  NONE,
  shapeVal,
  type Aggregate,
  type Tensor,
  type Val,
} from '../values';

const allocations = new WeakMap<Context, Value[]>();

interface View {
  readonly allocation: number;
  readonly dtype: Dtype;
  /** Sizes of the view. */
  readonly shape: readonly number[];
  /** Sizes of the dimensions before those that the layout places, of those left in the view. */
  readonly buffers: readonly number[];
  /** For each dimension of the view behind the buffers, the dimension of the allocation. */
  readonly dims: readonly number[];
  /** The view's first element in the allocation's dimensions. */
  readonly origin: readonly number[];
  /** The allocation's sizes behind the buffers. */
  readonly inner: readonly number[];
  /** The layout: vec, per_phase, max_phase. */
  readonly swizzle: readonly number[];
  readonly order: readonly number[];
  /** First element of the buffer, an i32. */
  readonly base: Val;
  readonly layout: Val;
}

function descriptor(view: View): Aggregate {
  const { shape, dtype, base, layout } = view;
  const numbers = { shape, buffers: view.buffers, dims: view.dims, origin: view.origin };
  const more = { inner: view.inner, swizzle: view.swizzle, order: view.order };
  const lists = Object.entries({ ...numbers, ...more }).map(([name, list]) => [
    name,
    shapeVal(list),
  ]);
  const parts: Record<string, Val> = {
    ...(Object.fromEntries(lists) as Record<string, Val>),
    allocation: int(view.allocation),
    dtype: dtypeVal(dtype),
    rank: int(shape.length),
    numel: int(shape.reduce((a, b) => a * b, 1)),
    base,
    layout,
  };
  return { kind: 'aggregate', type: 'shared_memory', parts };
}
function viewOf(cx: Context, { parts }: Aggregate): View {
  const list = (name: string): number[] => intList(cx, parts[name] ?? NONE, name);
  return {
    allocation: staticInt(cx, parts['allocation'] ?? NONE, 'allocation'),
    dtype: dtypeArgument(cx, parts['dtype'] ?? NONE),
    shape: list('shape'),
    buffers: list('buffers'),
    dims: list('dims'),
    origin: list('origin'),
    inner: list('inner'),
    swizzle: list('swizzle'),
    order: list('order'),
    base: parts['base'] ?? NONE,
    layout: parts['layout'] ?? NONE,
  };
}

define(GL, 'allocate_shared_memory(element_ty, shape, layout, value=None)', (cx, a) => {
  const dtype = dtypeArgument(cx, a.get('element_ty'), 'element_ty');
  const shape = intList(cx, a.get('shape'), 'shape');
  const layout = a.get('layout');
  if (layoutNameOf(layout) !== 'SwizzledSharedLayout' || layout.kind !== 'tuple')
    return cx.fail(
      'HC0222',
      MESSAGES.HC0222.notSharedLayout({ got: layoutNameOf(layout) ?? describe(layout) }),
    );
  const [vec = NONE, perPhase = NONE, maxPhase = NONE, order = NONE, ctas = NONE] = layout.items;
  oneCta(cx, ctas);
  const swizzle = [vec, perPhase, maxPhase].map((v) => staticInt(cx, v, 'SwizzledSharedLayout'));
  if (!swizzle.every(isPowerOfTwo)) {
    const fault = 'vec, per_phase and max_phase must be powers of two';
    cx.fail('HC0222', MESSAGES.HC0222.fault({ name: 'SwizzledSharedLayout', fault }));
  }
  const dims = intList(cx, order, 'order');
  const rank = dims.length;
  if (rank > shape.length || [...dims].sort((p, q) => p - q).some((d, i) => d !== i))
    cx.fail('HC0222', MESSAGES.HC0222.sharedRank({ rank, dimensions: shape.length }));
  const inner = shapeArgument(cx, shapeVal(shape.slice(shape.length - rank)));
  const type: MemdescType = {
    kind: 'memdesc',
    shape: [shape.reduce((x, y) => x * y, 1)],
    element: irElement(dtype) as MemdescType['element'],
    order: [0],
    padding: 0,
  };
  const known = allocations.get(cx) ?? [];
  allocations.set(cx, known);
  known.push(cx.builder.create('ttg.local_alloc', [], [type], { words: true }).result);
  const made = descriptor({
    allocation: known.length - 1,
    dtype,
    shape,
    buffers: shape.slice(0, shape.length - rank),
    dims: inner.map((_, d) => d),
    origin: inner.map(() => 0),
    inner,
    swizzle,
    order: dims,
    base: constant(cx, 0, INT32),
    layout,
  });
  const value = a.optional('value');
  if (value) store(cx, made, value);
  return made;
});

/** The place of each element of a view in its allocation, in the view's shape. */
function placesOf(cx: Context, view: View): Tensor {
  const { shape, buffers, dims, origin, inner, order } = view;
  if (buffers.length > 0)
    cx.fail('HC0222', MESSAGES.HC0222.sharedBuffers({ shape: `[${shape.join(', ')}]` }));
  const coordinates = dims.map((dim, d) => {
    let x = tensorOf(cx.builder.makeRange(0, shape[d]!), INT32, [shape[d]!]);
    for (let axis = 0; axis < shape.length; axis++) if (axis !== d) x = expandDims(cx, x, axis);
    const first = origin[dim]!;
    return { dim, x: first === 0 ? x : add(cx, x, int(first)) };
  });
  const at = (dim: number): Tensor => coordinates.find((each) => each.dim === dim)!.x;
  let stride = 1;
  let place: Tensor = toTensor(cx, view.base);
  for (const dim of order) {
    const x = dim === order[0] ? swizzled(cx, view, at) : at(dim);
    place = add(cx, place, stride === 1 ? x : mul(cx, x, int(stride)));
    stride *= inner[dim]!;
  }
  return broadcastTo(cx, place, shape);
}

/** The column, of which groups of `vec` change places with the row's phase. */
function swizzled(cx: Context, view: View, at: (dim: number) => Tensor): Tensor {
  const [fast = 0, slow] = view.order;
  const [vec = 1, perPhase = 1, maxPhase = 1] = view.swizzle;
  const column = at(fast);
  if (slow === undefined || maxPhase <= 1) return column;
  const row = perPhase === 1 ? at(slow) : floorDivide(cx, at(slow), int(perPhase));
  const phase = modulo(cx, row, int(maxPhase));
  const wide = vec === 1 ? phase : mul(cx, phase, int(vec));
  const columns = view.inner[fast]!;
  // Phases past the end of a row begin again.
  const within = vec * maxPhase > columns ? modulo(cx, wide, int(columns)) : wide;
  return bitwise(cx, '^', column, within);
}

function load(cx: Context, self: Aggregate, layout: Val): Tensor {
  const view = viewOf(cx, self);
  const places = withLayout(cx, placesOf(cx, view), layout);
  const operands = [places.handle, allocations.get(cx)![view.allocation]!];
  const type = irType(view.dtype, view.shape);
  return tensorOf(cx.builder.value('ttg.local_gather', operands, type), view.dtype, view.shape);
}

function store(cx: Context, self: Aggregate, value: Val): Val {
  const view = viewOf(cx, self);
  const x = tensorArgument(cx, value, 'value');
  const expected = `${showDtype(view.dtype)}[${view.shape.join(', ')}]`;
  if (!sameDtype(x.dtype, view.dtype))
    cx.fail('HC0205', MESSAGES.HC0205.sharedStoreDtype({ expected, got: describe(x) }));
  if (x.shape.join() !== view.shape.join())
    cx.fail('HC0222', MESSAGES.HC0222.sharedStore({ expected, got: describe(x) }));
  const target = allocations.get(cx)![view.allocation]!;
  cx.builder.create('ttg.local_scatter', [placesOf(cx, view).handle, x.handle, target], []);
  return NONE;
}

/** One buffer of several. */
function index(cx: Context, self: Aggregate, which: Val): Aggregate {
  const view = viewOf(cx, self);
  const [count, ...buffers] = view.buffers;
  if (count === undefined)
    return cx.fail('HC0222', MESSAGES.HC0222.sharedIndex({ got: describe(self) }));
  if (which.kind === 'int' && (which.value < 0n || which.value >= BigInt(count)))
    cx.fail('HC0222', MESSAGES.HC0222.sharedIndexOut({ at: String(which.value), count }));
  const size = [...buffers, ...view.inner].reduce((a, b) => a * b, 1);
  const at = toTensor(cx, which);
  if (at.shape.length > 0) cx.fail('HC0222', MESSAGES.HC0222.sharedIndex({ got: describe(at) }));
  const base = add(cx, view.base, mul(cx, at, int(size)));
  return descriptor({ ...view, buffers, shape: view.shape.slice(1), base });
}

function slice(cx: Context, self: Aggregate, a: Arguments): Aggregate {
  const view = viewOf(cx, self);
  const start = staticInt(cx, a.get('start'), 'start');
  const length = staticInt(cx, a.get('length'), 'length');
  const dim = staticInt(cx, a.get('dim'), 'dim');
  const size = view.shape[dim];
  if (view.buffers.length > 0 || size === undefined || start < 0 || start + length > size)
    return cx.fail(
      'HC0222',
      MESSAGES.HC0222.sharedSlice({ start, end: start + length, dim, shape: view.shape.join('x') }),
    );
  const shape = shapeArgument(cx, shapeVal(view.shape.map((n, d) => (d === dim ? length : n))));
  const origin = view.origin.map((n, d) => (d === view.dims[dim] ? n + start : n));
  return descriptor({ ...view, shape, origin });
}

function permute(cx: Context, self: Aggregate, order: Val): Aggregate {
  const view = viewOf(cx, self);
  const by = intList(cx, order, 'order');
  if (
    view.buffers.length > 0 ||
    [...by].sort((p, q) => p - q).join() !== view.dims.map((_, d) => d).join()
  )
    cx.fail(
      'HC0222',
      MESSAGES.HC0222.sharedRank({ rank: by.length, dimensions: view.shape.length }),
    );
  const shape = by.map((d) => view.shape[d]!);
  return descriptor({ ...view, shape, dims: by.map((d) => view.dims[d]!) });
}

const required = (name: string): BuiltinParameter => ({
  name,
  variadic: false,
  keywordOnly: false,
});
const METHODS: Readonly<Record<string, readonly BuiltinParameter[]>> = {
  load: [required('layout')],
  store: [required('value')],
  index: [required('index')],
  slice: [required('start'), required('length'), { ...required('dim'), default: int(0) }],
  permute: [required('order')],
  _keep_alive: [],
};
/** Methods of Gluon's descriptors that are not here, refused by name. */
const ABSENT = /^(gather|scatter|reshape|_reinterpret|atomic_scatter_\w+)$/;

export function isSharedMethod(name: string): boolean {
  return name in METHODS || ABSENT.test(name);
}

/** `descriptor.name(…)`. */
export function callSharedMethod(
  cx: Context,
  self: Aggregate,
  name: string,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  const parameters = METHODS[name];
  if (!parameters)
    return cx.fail('HC0222', MESSAGES.HC0222.unsupported({ name: `${name} of shared memory` }));
  const a = new Arguments(bind(cx, `descriptor.${name}`, parameters, args, keywords));
  switch (name) {
    case 'load':
      return load(cx, self, a.get('layout'));
    case 'store':
      return store(cx, self, a.get('value'));
    case 'index':
      return index(cx, self, a.get('index'));
    case 'slice':
      return slice(cx, self, a);
    case 'permute':
      return permute(cx, self, a.get('order'));
    default:
      return NONE;
  }
}
