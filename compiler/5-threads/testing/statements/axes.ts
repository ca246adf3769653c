/** Statements of random kernels that combine or arrange the elements along an axis. */
import {
  BF16,
  F32,
  I32,
  I64,
  I8,
  INTEGERS,
  NUMBERS,
  isFloatKind,
  isIntKind,
  total,
} from '../kernelText';
import type { KernelDtype, Variable } from '../kernelText';
import type { KernelMaker } from '../randomKernel';

/** Without a NaN, whose place among others no order defines. */
function withoutNan(k: KernelMaker, x: Variable): Variable {
  if (!k.wild || !isFloatKind(x.dtype)) return x;
  return k.t.let(
    x.dtype,
    x.shape,
    `tl.where(${x.name} == ${x.name}, ${x.name}, 0.0).to(${x.dtype.tl})`,
  );
}

export function reduce(k: KernelMaker): void {
  const { t } = k;
  let x = k.tile(NUMBERS);
  const { shape } = x;
  const all = t.chance(0.2);
  const axis = t.int(shape.length);
  const keep = !all && t.chance(0.2);
  const out = all ? [] : shape.flatMap((size, i) => (i !== axis ? [size] : keep ? [1] : []));
  const how = all ? 'axis=None' : `axis=${axis}${keep ? ', keep_dims=True' : ''}`;
  const float = isFloatKind(x.dtype);
  if (float) x = withoutNan(k, x);
  const { dtype } = x;
  const plain = (name: string, expression: string): void => {
    // The dtype that Triton widens a sum to is not what is tested here.
    const text = `${expression}.to(${dtype.tl})`;
    if (float && name === 'sum') k.tamed(dtype, out, text);
    else t.let(dtype, out, text);
  };
  const kind = t.int(6);
  if (kind === 0 && !all) {
    const name = t.pick(['argmax', 'argmin']);
    t.let(I32, out, `tl.${name}(${x.name}, ${how})`);
    return;
  }
  if (kind === 1 && !all && !keep) {
    const value = t.fresh('v');
    const index = t.fresh('v');
    t.line(
      `${value}, ${index} = tl.${t.pick(['max', 'min'])}(${x.name}, ${how}, return_indices=True)`,
    );
    t.add({ name: index, dtype: I32, shape: out });
    plain('max', value);
    return;
  }
  if (kind === 2 && !all) {
    const combine = combiner(k, dtype);
    plain('max', `tl.reduce(${x.name}, ${axis}, ${combine}${keep ? ', keep_dims=True' : ''})`);
    return;
  }
  const name = t.pick(['max', 'min', ...(isIntKind(dtype) ? ['sum', 'xor_sum'] : [])]);
  // In a narrow float a sum may pass through what it cannot hold.
  const sum = float && !k.wild && dtype !== BF16 && (dtype === F32 || total(shape) <= 128);
  if (name === 'max' && sum) plain('sum', `tl.sum(${x.name}, ${how})`);
  else plain(name, `tl.${name}(${x.name}, ${how})`);
}

/** A helper that combines two values in any order. */
function combiner(k: KernelMaker, dtype: KernelDtype): string {
  const name = k.t.fresh('combine');
  // `tl.maximum` of bf16 is fp32, which a combining function may not return.
  const text = isFloatKind(dtype)
    ? k.t.pick([
        'tl.where(a > b, a, b)',
        dtype === BF16 ? 'tl.where(a < b, a, b)' : 'tl.maximum(a, b)',
      ])
    : k.t.pick(['a + b', 'a ^ b', 'tl.minimum(a, b)', 'tl.where(a > b, a, b)', 'a * b']);
  k.helpers.push(`@triton.jit\ndef ${name}(a, b):\n    return ${text}`);
  return name;
}

export function scan(k: KernelMaker): void {
  const { t } = k;
  const x = withoutNan(k, k.tile([I32, I64, I8, F32, ...INTEGERS]));
  const axis = t.int(x.shape.length);
  const reverse = t.chance(0.4) ? ', reverse=True' : '';
  if (isFloatKind(x.dtype) || t.chance(0.5)) {
    const combine = combiner(k, x.dtype);
    t.let(x.dtype, x.shape, `tl.associative_scan(${x.name}, ${axis}, ${combine}${reverse})`);
    return;
  }
  const name = t.pick(['cumsum', 'cumsum', 'cumprod']);
  t.let(x.dtype, x.shape, `tl.${name}(${x.name}, axis=${axis}${reverse}).to(${x.dtype.tl})`);
}

export function collect(k: KernelMaker): void {
  const { t } = k;
  const x = k.tile([I32]);
  if (t.chance(0.4)) {
    const bins = t.pick([4, 16, 64]);
    t.let(I32, [bins], `tl.histogram(tl.ravel(${x.name}) & ${bins - 1}, ${bins})`);
    return;
  }
  const axis = t.int(x.shape.length);
  const source = k.some(t.pick(NUMBERS), x.shape);
  const size = x.shape[axis]!;
  t.let(source.dtype, x.shape, `tl.gather(${source.name}, ${x.name} & ${size - 1}, ${axis})`);
}

export function order(k: KernelMaker): void {
  const { t } = k;
  const x = withoutNan(k, k.tile([...INTEGERS, F32]));
  const { shape, dtype } = x;
  const size = shape.at(-1)!;
  if (size > 64 || total(shape) > 1024) return;
  const how = t.pick(['sort', 'sort', 'flip', 'topk']);
  if (how === 'flip') {
    t.let(dtype, shape, `tl.flip(${x.name}, ${shape.length - 1})`);
    return;
  }
  if (how === 'topk' && size > 1) {
    const top = [...shape.slice(0, -1), size / 2];
    // The greater of two is tl.max, which widens narrow integers to 32 bits.
    const wide = dtype.bits < 32 ? I32 : dtype;
    t.let(wide, top, `tl.topk(${x.name}, ${size / 2})`);
    return;
  }
  t.let(dtype, shape, `tl.sort(${x.name}${t.chance(0.4) ? ', descending=True' : ''})`);
}
