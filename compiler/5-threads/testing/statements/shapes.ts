/** Statements of random kernels that change the shape of a tile, and products of tiles. */
import { BF16, F16, F32, I32, I8, isIntKind, list, total } from '../kernelText';
import type { Variable } from '../kernelText';
import type { KernelMaker } from '../randomKernel';

/** The ways to change a tile's shape; some fit only tiles of some shapes. */
const RESHAPES: readonly ((k: KernelMaker, x: Variable) => void)[] = [
  expand,
  broadcast,
  regroup,
  permute,
  join,
  interleave,
  broadcastInOperation,
  split,
  split,
];

export function reshape(k: KernelMaker): void {
  const x = k.tile();
  k.t.pick(RESHAPES)(k, x);
}

function expand({ t }: KernelMaker, { name, shape, dtype }: Variable): void {
  const rank = shape.length;
  if (rank > 3) return;
  const axis = t.int(rank + 1);
  const out = [...shape.slice(0, axis), 1, ...shape.slice(axis)];
  const index = out.map((_, i) => (i === axis ? 'None' : ':')).join(', ');
  t.let(dtype, out, t.chance(0.5) ? `tl.expand_dims(${name}, ${axis})` : `${name}[${index}]`);
}

function broadcast({ t, limit }: KernelMaker, { name, shape, dtype }: Variable): void {
  const out = shape.map((size) => (size === 1 ? t.pick([1, 2, 8]) : size));
  if (total(out) <= limit) t.let(dtype, out, `tl.broadcast_to(${name}, ${list(out)})`);
}

function regroup({ t }: KernelMaker, { name, shape, dtype }: Variable): void {
  const count = total(shape);
  const first = 2 ** t.int(Math.log2(count) + 1);
  const out = t.chance(0.3) ? [count] : [first, count / first];
  t.let(dtype, out, `tl.reshape(${name}, ${list(out)})`);
}

function permute({ t }: KernelMaker, { name, shape, dtype }: Variable): void {
  const rank = shape.length;
  const dims = shape.map((_, i) => i).reverse();
  if (rank === 3 && t.chance(0.5)) [dims[0], dims[1]] = [dims[1]!, dims[0]!];
  const out = dims.map((d) => shape[d]!);
  const text = rank === 2 && t.chance(0.4) ? `${name}.T` : `tl.permute(${name}, ${list(dims)})`;
  t.let(dtype, out, rank === 1 ? `tl.ravel(${name})` : text);
}

function join(k: KernelMaker, { name, shape, dtype }: Variable): void {
  if (shape.length > 3 || total(shape) * 2 > k.limit) return;
  k.t.let(dtype, [...shape, 2], `tl.join(${name}, ${k.some(dtype, shape).name})`);
}

function interleave(k: KernelMaker, { name, shape, dtype }: Variable): void {
  if (total(shape) * 2 > k.limit) return;
  const out = [...shape.slice(0, -1), shape.at(-1)! * 2];
  k.t.let(dtype, out, `tl.interleave(${name}, ${k.some(dtype, shape).name})`);
}

function broadcastInOperation(k: KernelMaker, { name, shape, dtype }: Variable): void {
  const [rows, columns] = shape;
  if (shape.length !== 2 || !isIntKind(dtype)) return;
  const row = k.some(dtype, [1, columns!]);
  const column = k.some(dtype, [rows!, 1]);
  k.t.let(dtype, shape, `(${row.name} + ${column.name} * ${name}).to(${dtype.tl})`);
}

function split({ t }: KernelMaker, { name, shape, dtype }: Variable): void {
  const size = shape.at(-1)!;
  if (size < 2) return;
  const half = [...shape.slice(0, -1), size / 2];
  const [low, high] = [t.fresh('v'), t.fresh('v')];
  t.line(`${low}, ${high} = tl.split(tl.reshape(${name}, ${list([...half, 2])}))`);
  t.add({ name: low, dtype, shape: half });
  t.add({ name: high, dtype, shape: half });
}

export function dot(k: KernelMaker): void {
  const { t } = k;
  const dtype = t.pick([F32, F16, BF16, I8]);
  if (k.wild && dtype !== I8) return;
  const room = Math.max(256, Math.min(k.limit, 4096));
  const sizes = [16, 32, 64].filter((size) => size * 16 <= room);
  const n = t.pick(sizes);
  const m = t.pick(sizes.filter((size) => size * n <= room));
  const least = dtype === I8 ? 32 : 16;
  const fits = (size: number): boolean => size >= least && size * Math.max(m, n) <= 2 * room;
  const inner = t.pick([...sizes, 32].filter(fits));
  const batch = t.chance(0.2) && 2 * m * n <= room ? [2] : [];
  const a = k.some(dtype, [...batch, m, inner]);
  const b = m === inner && inner === n && t.chance(0.3) ? a : k.some(dtype, [...batch, inner, n]);
  const out = [...batch, m, n];
  const type = dtype === I8 ? I32 : F32;
  const acc = t.chance(0.4) ? `, ${k.some(type, out).name}` : '';
  const precision = dtype === F32 ? ', input_precision="ieee"' : '';
  k.tamed(type, out, `tl.dot(${a.name}, ${b.name}${acc}${precision})`);
}
