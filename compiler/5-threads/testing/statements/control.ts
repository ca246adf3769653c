/** Statements of random kernels that hold other statements: loops and branches. */
import { I1, I32, isIntKind, total } from '../kernelText';
import type { Variable } from '../kernelText';
import { INPUT } from '../kernelMemory';
import type { KernelMaker } from '../randomKernel';

/** Gives variables from outside other values of their types. */
function update(k: KernelMaker, outer: readonly Variable[]): void {
  const { t } = k;
  for (const variable of outer) {
    const { dtype, shape } = variable;
    const others = t.known(dtype, shape).filter((known) => known !== variable);
    const other = others.length > 0 && t.chance(0.6) ? t.pick(others) : k.fresh(dtype, shape);
    t.line(`${variable.name} = ${other.name}`);
  }
}

/** Variables that a block may change: none that offsets rely on. */
function changeable(k: KernelMaker): Variable[] {
  const { t } = k;
  const found = Array.from({ length: t.int(4) }, () => {
    const x = k.any();
    if (x.name.startsWith('v')) return x;
    return t.let(x.dtype, x.shape, `${x.name} + 0`);
  });
  return [...new Set(found)];
}

/**
 * Variables of one type that a loop assigns at once: two that it exchanges, or each to the one
 * before it, and the last to another value.
 */
function exchanged(k: KernelMaker): () => void {
  const { t } = k;
  if (!t.chance(0.3)) return () => {};
  const [first] = changeable(k);
  if (!first) return () => {};
  const { dtype, shape } = first;
  const copy = (): Variable => t.let(dtype, shape, k.some(dtype, shape).name);
  const names = [first, ...Array.from({ length: 1 + t.int(2) }, copy)].map(({ name }) => name);
  const step = isIntKind(dtype) ? `(${names.at(-1)} + 1).to(${dtype.tl})` : undefined;
  return () => {
    const last = t.chance(0.4) ? names[0]! : (step ?? k.some(dtype, shape).name);
    t.line(`${names.join(', ')} = ${[...names.slice(1), last].join(', ')}`);
  };
}

/** A number of trips that the compiler may or may not know. */
function trips(k: KernelMaker): string {
  const { t } = k;
  return t.pick([
    String(t.int(4)),
    '(n & 3)',
    `(${k.some(I32, []).name} & 3)`,
    `${t.int(3)} + pid`,
  ]);
}

export function loop(k: KernelMaker): void {
  const { t } = k;
  const outer = changeable(k);
  const exchange = exchanged(k);
  const i = t.fresh('i');
  const head = t.pick([
    `range(${trips(k)})`,
    `range(${t.int(3)}, ${trips(k)} + 1)`,
    `range(0, ${trips(k)} * 2, 2)`,
    `tl.range(0, ${trips(k)}, num_stages=${1 + t.int(3)})`,
    `tl.range(0, ${trips(k)}, loop_unroll_factor=${1 + t.int(4)})`,
    `tl.range(${t.int(3)}, ${trips(k)} * 2, ${1 + t.int(2)}, loop_unroll_factor=2, num_stages=3)`,
    `tl.static_range(${1 + t.int(2)})`,
    `range(3, ${t.int(3)}, -1)`,
  ]);
  k.nested(`for ${i} in ${head}:`, 1 + t.int(3), () => {
    if (!head.startsWith('tl.static')) t.add({ name: i, dtype: I32, shape: [] });
    update(k, outer);
    exchange();
  });
}

export function whileLoop(k: KernelMaker): void {
  const { t } = k;
  const outer = changeable(k);
  const exchange = exchanged(k);
  const i = t.fresh('w');
  t.line(`${i} = ${trips(k)} + n * 0`);
  k.nested(`while ${i} > 0:`, 1 + t.int(2), () => {
    update(k, outer);
    exchange();
    t.line(`${i} -= 1`);
  });
}

export function branch(k: KernelMaker): void {
  const { t } = k;
  const outer = changeable(k);
  const condition = k.some(I1, []);
  k.nested(`if ${condition.name}:`, t.int(3), () => update(k, outer));
  if (t.chance(0.6)) k.nested('else:', t.int(3), () => update(k, outer));
}

/** A pointer of a tile that moves along as the loop runs: up, or down and below its tensor. */
export function pointerLoop(k: KernelMaker): void {
  const { t } = k;
  const dtype = t.pick(k.inputs);
  const shape = k.shape();
  const count = total(shape);
  const step = t.pick([1, 16, 64]);
  if (count + 4 * step > INPUT) return;
  // Before a tensor are only integers' numbers.
  const below = !k.inside && isIntKind(dtype) && t.chance(0.4);
  const down = below || t.chance(0.3);
  const start = below ? step : down ? 3 * step : 0;
  if (below) k.outside = true;
  const p = t.fresh('p');
  const flat = shape.length === 0 ? '0' : k.flat(shape, true);
  t.line(`${p} = in_${dtype.name} + ${start} + ${flat}`);
  const sum = k.convert(k.some(dtype, shape), dtype);
  if (!sum.name.startsWith('v')) return;
  const trips = below ? t.pick(['4', '(n & 7)']) : t.pick(['3', '(n & 3)']);
  k.nested(`for ${t.fresh('i')} in range(${trips}):`, t.int(2), () => {
    const mask = below && t.chance(0.4) ? `, mask=${k.mask(shape)}, other=0` : '';
    const x = t.let(dtype, shape, `tl.load(${p}${mask})`);
    const mixed = isIntKind(dtype)
      ? `(${sum.name} + ${x.name}).to(${dtype.tl})`
      : `tl.where(${k.some(I1, shape).name}, ${x.name}, ${sum.name})`;
    t.line(`${sum.name} = ${mixed}`);
    t.line(`${p} ${down ? '-' : '+'}= ${step}`);
  });
}

/** An early return of some programs. */
export function leave(k: KernelMaker): void {
  const { t } = k;
  if (k.depth > 0) return;
  k.nested(`if ${t.chance(0.5) ? 'pid == 1' : k.some(I1, []).name}:`, t.int(2), () =>
    t.line('return'),
  );
}
