/**
 * Statements of random kernels whose pointers go below the start of a tensor: below its storage,
 * too, where each access is out of range and must be reported, and neither read nor written.
 */
import { total } from '../kernelText';
import type { KernelMaker } from '../randomKernel';

/** Elements that a tile begins below a tensor: some of it, all of it, or far below. */
function distanceBelow(k: KernelMaker, count: number): number {
  const { t } = k;
  return t.pick([1, 3, Math.max(1, count >> 1), count, count + 5, 64, 100_000_000]);
}

export function loadBelow(k: KernelMaker): void {
  const { t } = k;
  // Memory before a tensor is that of no number: of a bool, or of an exact fp8.
  const fitting = k.inputs.filter(({ kind }) => kind !== 'bool' && kind !== 'fp8');
  if (fitting.length === 0) return;
  const dtype = t.pick(fitting);
  const shape = k.shape();
  const distance = distanceBelow(k, total(shape));
  const flat = shape.length === 0 ? '0' : k.flat(shape, true);
  const wide = shape.length > 0 && t.chance(0.3);
  const offsets = wide ? `(${flat}).to(tl.int64) - ${distance}` : `(${flat}) - ${distance}`;
  const within = k.inside || t.chance(0.3);
  if (!within) k.outside = true;
  const mask = within ? `${offsets} >= 0` : t.chance(0.5) ? k.mask(shape) : '';
  const masked = mask === '' ? '' : `, mask=${mask}, other=${k.literal(dtype)}`;
  k.tamed(dtype, shape, `tl.load(in_${dtype.name} + ${offsets}${masked})`);
}

export function storeBelow(k: KernelMaker): void {
  const { t } = k;
  const output = t.pick(k.outputs.filter((o) => !o.inexact));
  const x = k.some(output.dtype, k.shape());
  const at = k.placeBelow(output, x.shape, 1);
  if (!at) return;
  const mask = t.chance(0.5) ? `, mask=${k.mask(x.shape)}` : '';
  t.line(`tl.store(${at}, ${x.name}${mask})`);
}
