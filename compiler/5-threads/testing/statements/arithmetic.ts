/** Statements of random kernels that compute element by element, or call a function. */
import { F32, I1, I32, INTEGERS, NUMBERS, isFloatKind } from '../kernelText';
import type { Variable } from '../kernelText';
import type { KernelMaker } from '../randomKernel';

export function arithmetic(k: KernelMaker): void {
  const { t } = k;
  const x = k.any([...NUMBERS, I1]);
  const { dtype, shape } = x;
  const y = t.chance(0.8) ? k.some(dtype, shape).name : k.literal(dtype);
  if (dtype === I1) {
    t.let(I1, shape, `${x.name} ${t.pick(['&', '|', '^'])} ${k.some(I1, shape).name}`);
    return;
  }
  if (t.chance(0.25)) {
    t.let(I1, shape, `${x.name} ${t.pick(['<', '<=', '>', '>=', '==', '!='])} ${y}`);
    return;
  }
  if (isFloatKind(dtype)) {
    const text = t.pick([
      `${x.name} + ${y}`,
      `${x.name} - ${y}`,
      `${x.name} * ${y}`,
      `tl.maximum(${x.name}, ${y})`,
      `tl.minimum(${x.name}, ${y}, propagate_nan=tl.PropagateNan.ALL)`,
      `tl.abs(${x.name})`,
      `-${x.name}`,
      ...(dtype === F32 ? [`tl.floor(${x.name})`, `tl.ceil(${x.name})`] : []),
    ]);
    k.tamed(dtype, shape, text);
    return;
  }
  const positive = `((${y} & 7) + 1)`;
  const shift = `(${y} & ${dtype.bits - 1})`;
  t.let(
    dtype,
    shape,
    t.pick([
      `(${x.name} + ${y})`,
      `(${x.name} - ${y})`,
      `(${x.name} * ${y})`,
      `(${x.name} & ${y})`,
      `(${x.name} | ${y})`,
      `(${x.name} ^ ${y})`,
      `(${x.name} // ${positive})`,
      `(${x.name} % ${positive})`,
      `(${x.name} // 8)`,
      `(${x.name} % 3)`,
      `(${x.name} << ${shift})`,
      `(${x.name} >> ${shift})`,
      `tl.maximum(${x.name}, ${y})`,
      `tl.minimum(${x.name}, ${y})`,
      `(~${x.name})`,
      `(-${x.name})`,
      ...(dtype.kind === 'signed' ? [`tl.abs(${x.name})`] : []),
      ...(dtype.bits >= 32 && dtype.kind === 'unsigned' && y.startsWith('v')
        ? [`tl.umulhi(${x.name}, ${y})`]
        : []),
    ]) + (t.chance(0.9) ? `.to(${dtype.tl})` : `.to(tl.int64).to(${dtype.tl})`),
  );
}

export function choose(k: KernelMaker): void {
  const { t } = k;
  const x = k.any();
  const y = k.some(x.dtype, x.shape);
  const condition = t.chance(0.2) ? k.some(I1, []) : k.some(I1, x.shape);
  t.let(x.dtype, x.shape, `tl.where(${condition.name}, ${x.name}, ${y.name})`);
}

/** Functions with an error that WGSL allows; the result goes nowhere else. */
export function inexact(k: KernelMaker): void {
  const { t } = k;
  const output = k.outputs.find((o) => o.inexact)!;
  const x = k.some(F32, k.shape());
  const [y, shape] = [k.some(F32, x.shape), x.shape];
  // Between -8 and 8 without NaN, in either kind of kernel.
  const safe = (v: Variable): string =>
    `tl.minimum(tl.maximum(tl.where(${v.name} == ${v.name}, ${v.name}, 0.0), -8.0), 8.0)`;
  const text = t.pick([
    `${safe(x)} / (tl.abs(${safe(y)}) + 1.0)`,
    `tl.exp(${safe(x)})`,
    `tl.exp2(${safe(x)})`,
    `tl.log(tl.abs(${safe(x)}) + 2.0)`,
    `tl.log2(tl.abs(${safe(x)}) + 2.0)`,
    `tl.sqrt(tl.abs(${safe(x)}))`,
    `tl.rsqrt(tl.abs(${safe(x)}) + 1.0)`,
    `tl.sigmoid(${safe(x)})`,
    `tl.erf(${safe(x)} * 0.25)`,
    `tl.fma(${safe(x)}, ${safe(y)}, 0.5)`,
  ]);
  k.store(text, shape, output);
}

/** A function of ours that is called: with a branch, an early return, or several results. */
export function helper(k: KernelMaker): void {
  const { t } = k;
  const x = k.any([...INTEGERS, I32]);
  const y = k.some(x.dtype, x.shape);
  const name = t.fresh('helper');
  switch (t.int(3)) {
    case 0:
      k.helpers.push(
        `@triton.jit\ndef ${name}(a, b, flag):\n    if flag:\n        return a - b\n    c = a * b\n    return c ^ b`,
      );
      t.let(x.dtype, x.shape, `${name}(${x.name}, ${y.name}, ${k.some(I1, []).name})`);
      return;
    case 1: {
      k.helpers.push(`@triton.jit\ndef ${name}(a, b):\n    return a + b, a & b`);
      const [p, q] = [t.fresh('v'), t.fresh('v')];
      t.line(`${p}, ${q} = ${name}(${x.name}, b=${y.name})`);
      t.add({ name: p, dtype: x.dtype, shape: x.shape });
      t.add({ name: q, dtype: x.dtype, shape: x.shape });
      return;
    }
    default:
      k.helpers.push(
        `@triton.jit\ndef ${name}(a, K: tl.constexpr, UP: tl.constexpr = True):\n    for i in tl.static_range(K):\n` +
          '        if UP:\n            a = a * 3 + a\n        else:\n            a = a ^ (a + a)\n    return a',
      );
      t.let(
        x.dtype,
        x.shape,
        `${name}(${x.name}, ${1 + t.int(3)}${t.chance(0.5) ? ', False' : ''})`,
      );
  }
}
