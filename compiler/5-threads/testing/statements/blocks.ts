/**
 * Statements of random kernels that access memory through block pointers and tensor descriptors. A
 * tile may hang over each side of its tensor, below its start, too, where that side is checked.
 */
import { isFloatKind, isIntKind, list, total } from '../kernelText';
import type { KernelDtype } from '../kernelText';
import { INPUT } from '../kernelMemory';
import type { KernelMaker, Output } from '../randomKernel';

/** A tensor that tiles are taken from, in elements, and the place of one tile in it. */
interface Parent {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  /** Dimensions from the one that changes fastest on. */
  readonly order: readonly number[];
  readonly offsets: readonly string[];
  readonly checked: readonly number[];
  /** Elements from the tensor's first to its last. */
  readonly span: number;
}

/** `descriptor`: all sides are checked, and rows are multiples of 16 bytes apart. */
function parentOf(k: KernelMaker, tile: readonly number[], descriptor: boolean): Parent {
  const { t } = k;
  const checked = tile.map(() => descriptor || t.chance(0.75));
  const sizes = tile.map((size, d) =>
    checked[d]
      ? Math.max(1, t.pick([size, size + 3, size - 1, size >> 1, 2 * size]))
      : size + t.pick([0, 0, 4]),
  );
  const offsets = tile.map((size, d) =>
    checked[d]
      ? t.pick(['0', '0', '3', '-1', '-3', 'pid', '-pid', `${size >> 1}`, `${-size}`])
      : t.pick(['0', `${sizes[d]! - size}`]),
  );
  const order = tile.map((_, d) => d).reverse();
  if (!descriptor && t.chance(0.3)) order.reverse();
  const strides = tile.map(() => 1);
  let span = 1;
  order.forEach((d, i) => {
    strides[d] = span;
    span = span * sizes[d]! + (i === order.length - 1 ? 0 : t.pick([0, 0, 1, 8]));
    if (descriptor) span = Math.ceil(span / 16) * 16;
  });
  return { sizes, strides, order, offsets, checked: numbersOf(checked), span };
}
function numbersOf(flags: readonly boolean[]): number[] {
  return flags.flatMap((flag, i) => (flag ? [i] : []));
}
const tuple = (items: readonly (string | number)[]): string =>
  `(${items.join(', ')}${items.length === 1 ? ',' : ''})`;

/** Writes a block pointer, which may move on from where it is made; its name. */
function makeBlock(k: KernelMaker, base: string, tile: readonly number[], parent: Parent): string {
  const { t } = k;
  const { sizes, strides, offsets, order, checked } = parent;
  const name = t.fresh('p');
  const made = [sizes, strides, offsets, tile, order].map(tuple);
  t.line(`${name} = tl.make_block_ptr(${[base, ...made].join(', ')})`);
  if (t.chance(0.3)) {
    const steps = tile.map((_, d) => (checked.includes(d) ? t.pick(['0', '8', '-2', 'pid']) : '0'));
    t.line(`${name} = tl.advance(${name}, ${tuple(steps)})`);
  }
  return name;
}
/** The argument that names the sides that are checked; none where no side is. */
const boundaryCheck = ({ checked }: Parent): string =>
  checked.length === 0 ? '' : `, boundary_check=${tuple(checked)}`;

function makeDescriptor(
  k: KernelMaker,
  base: string,
  tile: readonly number[],
  parent: Parent,
  more = '',
): string {
  const name = k.t.fresh('d');
  const made = [base, list(parent.sizes), list(parent.strides), list(tile)];
  k.t.line(`${name} = tl.make_tensor_descriptor(${made.join(', ')}${more})`);
  return name;
}

const holdsBlocks = ({ kind }: KernelDtype): boolean => kind !== 'bool';
/** Rows of a descriptor's tile have 16 bytes at least. */
const fitsDescriptor = (tile: readonly number[], dtype: KernelDtype): boolean =>
  tile.at(-1)! * (dtype.bits / 8) >= 16;

export function blockLoad(k: KernelMaker): void {
  const { t } = k;
  const tile = t.pick(k.shapes.filter((shape) => shape.length > 0));
  const fitting = k.inputs.filter((dtype) => holdsBlocks(dtype) && dtype.kind !== 'fp8');
  if (fitting.length === 0) return;
  const dtype = t.pick(fitting);
  const descriptor = fitsDescriptor(tile, dtype) && t.chance(0.4);
  const parent = parentOf(k, tile, descriptor);
  if (parent.span > INPUT) return;
  const base = `in_${dtype.name}`;
  const nan = k.wild && isFloatKind(dtype) && t.chance(0.5);
  if (descriptor) {
    const name = makeDescriptor(k, base, tile, parent, nan ? ', padding_option="nan"' : '');
    t.let(dtype, tile, `${name}.load(${offsetList(parent)})`);
    return;
  }
  const name = makeBlock(k, base, tile, parent);
  const check = boundaryCheck(parent);
  const zero = isIntKind(dtype) || t.chance(0.3);
  const padding = nan ? ', padding_option="nan"' : zero ? ', padding_option="zero"' : '';
  t.let(dtype, tile, `tl.load(${name}${check}${check === '' ? '' : padding})`);
}

export function blockStore(k: KernelMaker): void {
  const { t } = k;
  const fitting = k.outputs.filter((o) => !o.inexact && holdsBlocks(o.dtype));
  if (fitting.length === 0) return;
  const output = t.pick(fitting);
  const tile = t.pick(k.shapes.filter((shape) => shape.length > 0));
  const x = k.some(output.dtype, tile);
  const descriptor = fitsDescriptor(tile, output.dtype) && t.chance(0.5);
  const parent = parentOf(k, tile, descriptor);
  const base = k.reserve(output, parent.span, descriptor);
  if (!base) return;
  if (!descriptor) {
    const name = makeBlock(k, base, tile, parent);
    t.line(`tl.store(${name}, ${x.name}${boundaryCheck(parent)})`);
    return;
  }
  const name = makeDescriptor(k, base, tile, parent);
  const update = t.chance(0.4) ? t.pick(descriptorUpdates(k, output, tile)) : 'store';
  t.line(`${name}.${update}(${offsetList(parent)}, ${x.name})`);
}

const offsetList = ({ offsets }: Parent): string => `[${offsets.join(', ')}]`;

/** Methods that put a tile of the output's dtype where each element has a place of its own. */
function descriptorUpdates(
  k: KernelMaker,
  { dtype }: Output,
  tile: readonly number[],
): readonly string[] {
  const bitwise = ['atomic_and', 'atomic_or', 'atomic_xor'];
  const ordered = ['atomic_max', 'atomic_min'];
  if (isFloatKind(dtype)) return k.wild ? ['store'] : ['atomic_add'];
  if (!isIntKind(dtype) || dtype.bits < 32) return ['store'];
  if (dtype.bits === 64) return total(tile) > 64 ? ['store'] : [...bitwise, ...ordered];
  return ['atomic_add', ...bitwise, ...ordered];
}
