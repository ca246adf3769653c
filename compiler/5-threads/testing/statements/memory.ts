/** Statements of random kernels on memory that need more than a plain load or store. */
import { F32, isIntKind, list, total } from '../kernelText';
import type { KernelMaker } from '../randomKernel';

export function atomic(k: KernelMaker): void {
  const { t } = k;
  const output = t.pick(k.outputs.filter((o) => !o.inexact));
  const { dtype } = output;
  const wide = isIntKind(dtype) && dtype.bits === 32;
  if (!wide && (dtype !== F32 || k.wild)) return;
  const x = k.some(dtype, k.shape());
  const names = wide
    ? [
        'atomic_add',
        'atomic_max',
        'atomic_min',
        'atomic_and',
        'atomic_or',
        'atomic_xor',
        'atomic_xchg',
      ]
    : ['atomic_add', 'atomic_max', 'atomic_min'];
  const mask = t.chance(0.4) ? `, mask=${k.mask(x.shape)}` : '';
  if (t.chance(0.3) && x.shape.length > 0 && wide) {
    // All elements to a few places: the order does not show, so the old values must not.
    const start = k.reserve(output, 4);
    if (!start) return;
    const name = t.pick(names.slice(0, -1));
    t.line(`tl.${name}(${start} + (${k.flat(x.shape)}) % 4, ${x.name}${mask})`);
    return;
  }
  const start = k.reserve(output, total(x.shape));
  if (!start) return;
  const at = x.shape.length === 0 ? start : `${start} + ${k.flat(x.shape, true)}`;
  // The old value is poison; only integers' is a number that may go on.
  const name = t.pick(names);
  if (wide && !mask && t.chance(0.5)) t.let(dtype, x.shape, `tl.${name}(${at}, ${x.name}${mask})`);
  else t.line(`tl.${name}(${at}, ${x.name}${mask})`);
}

export function blockPointer(k: KernelMaker): void {
  const { t } = k;
  const shapes = k.shapes.filter((shape) => shape.length === 2);
  const shape = t.pick(shapes);
  const dtype = t.pick(k.inputs.filter(({ kind }) => kind !== 'bool' && kind !== 'fp8'));
  if (!dtype) return;
  const [rows, columns] = [t.pick([64, 50]), t.pick([64, 40])];
  const offset = (): string => t.pick(['0', '3', 'pid', '16']);
  const made = [offset(), offset()].join(', ');
  if (t.chance(0.4) && shape[1]! * (dtype.bits / 8) >= 16) {
    const name = t.fresh('d');
    const base = `in_${dtype.name}`;
    t.line(
      `${name} = tl.make_tensor_descriptor(${base}, [${rows}, ${columns}], [64, 1], ${list(shape)})`,
    );
    t.let(dtype, shape, `${name}.load([${made}])`);
    return;
  }
  const name = t.fresh('p');
  t.line(
    `${name} = tl.make_block_ptr(in_${dtype.name}, (${rows}, ${columns}), (64, 1), (${made}), ` +
      `(${shape.join(', ')}), (1, 0))`,
  );
  if (t.chance(0.3)) t.line(`${name} = tl.advance(${name}, (${offset()}, 8))`);
  const padding = isIntKind(dtype) || t.chance(0.3) ? ', padding_option="zero"' : '';
  t.let(dtype, shape, `tl.load(${name}, boundary_check=(0, 1)${padding})`);
}
