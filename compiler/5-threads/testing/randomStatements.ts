/**
 * The statements that a random kernel is made of (see `randomKernel.ts`), with how often each
 * comes.
 */
import {
  ALL,
  BF16,
  F16,
  F32,
  I1,
  I32,
  I64,
  I8,
  INTEGERS,
  NUMBERS,
  isFloatKind,
  isIntKind,
  list,
  total,
} from './kernelText';
import type { KernelDtype, Variable } from './kernelText';
import { INPUT } from './randomKernel';
import type { KernelMaker } from './randomKernel';

export interface StatementKind {
  readonly weight: number;
  readonly nests?: boolean;
  readonly write: (k: KernelMaker) => void;
}

export const STATEMENTS: readonly StatementKind[] = [
  { weight: 2, write: (k) => k.sink(k.any()) },
  { weight: 3, write: (k) => void k.load(k.t.pick(k.inputs), k.shape()) },
  { weight: 5, write: arithmetic },
  { weight: 2, write: (k) => void k.convert(k.any(), k.t.pick(ALL)) },
  { weight: 2, write: choose },
  { weight: 3, write: reduce },
  { weight: 3, write: reshape },
  { weight: 1, write: scan },
  { weight: 1, write: collect },
  { weight: 1, write: order },
  { weight: 1.5, write: dot },
  { weight: 1, write: atomic },
  { weight: 1, write: inexact },
  { weight: 1, write: blockPointer },
  { weight: 1, write: helper },
  { weight: 2, nests: true, write: loop },
  { weight: 1, nests: true, write: whileLoop },
  { weight: 1.5, nests: true, write: branch },
  { weight: 1, nests: true, write: pointerLoop },
  { weight: 0.5, nests: true, write: leave },
];

function arithmetic(k: KernelMaker): void {
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

function choose(k: KernelMaker): void {
  const { t } = k;
  const x = k.any();
  const y = k.some(x.dtype, x.shape);
  const condition = t.chance(0.2) ? k.some(I1, []) : k.some(I1, x.shape);
  t.let(x.dtype, x.shape, `tl.where(${condition.name}, ${x.name}, ${y.name})`);
}

/** Without a NaN, whose place among others no order defines. */
function withoutNan(k: KernelMaker, x: Variable): Variable {
  if (!k.wild || !isFloatKind(x.dtype)) return x;
  return k.t.let(
    x.dtype,
    x.shape,
    `tl.where(${x.name} == ${x.name}, ${x.name}, 0.0).to(${x.dtype.tl})`,
  );
}

function reduce(k: KernelMaker): void {
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

function scan(k: KernelMaker): void {
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

function collect(k: KernelMaker): void {
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

function order(k: KernelMaker): void {
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

function reshape(k: KernelMaker): void {
  const { t } = k;
  const x = k.tile();
  const { shape, dtype } = x;
  const rank = shape.length;
  switch (t.int(9)) {
    case 0: {
      if (rank > 3) return;
      const axis = t.int(rank + 1);
      const out = [...shape.slice(0, axis), 1, ...shape.slice(axis)];
      const index = out.map((_, i) => (i === axis ? 'None' : ':')).join(', ');
      t.let(
        dtype,
        out,
        t.chance(0.5) ? `tl.expand_dims(${x.name}, ${axis})` : `${x.name}[${index}]`,
      );
      return;
    }
    case 1: {
      const out = shape.map((size) => (size === 1 ? t.pick([1, 2, 8]) : size));
      if (total(out) <= k.limit) t.let(dtype, out, `tl.broadcast_to(${x.name}, ${list(out)})`);
      return;
    }
    case 2: {
      const count = total(shape);
      const first = 2 ** t.int(Math.log2(count) + 1);
      const out = t.chance(0.3) ? [count] : [first, count / first];
      t.let(dtype, out, `tl.reshape(${x.name}, ${list(out)})`);
      return;
    }
    case 3: {
      const dims = shape.map((_, i) => i).reverse();
      if (rank === 3 && t.chance(0.5)) [dims[0], dims[1]] = [dims[1]!, dims[0]!];
      const out = dims.map((d) => shape[d]!);
      const text =
        rank === 2 && t.chance(0.4) ? `${x.name}.T` : `tl.permute(${x.name}, ${list(dims)})`;
      t.let(dtype, out, rank === 1 ? `tl.ravel(${x.name})` : text);
      return;
    }
    case 4: {
      if (rank > 3 || total(shape) * 2 > k.limit) return;
      t.let(dtype, [...shape, 2], `tl.join(${x.name}, ${k.some(dtype, shape).name})`);
      return;
    }
    case 5: {
      if (total(shape) * 2 > k.limit) return;
      const out = [...shape.slice(0, -1), shape.at(-1)! * 2];
      t.let(dtype, out, `tl.interleave(${x.name}, ${k.some(dtype, shape).name})`);
      return;
    }
    case 6: {
      // Broadcasting in an operation.
      if (rank !== 2 || !isIntKind(dtype)) return;
      const row = k.some(dtype, [1, shape[1]!]);
      const column = k.some(dtype, [shape[0]!, 1]);
      t.let(dtype, shape, `(${row.name} + ${column.name} * ${x.name}).to(${dtype.tl})`);
      return;
    }
    default: {
      const size = shape.at(-1)!;
      if (size < 2) return;
      const pairs = `tl.reshape(${x.name}, ${list([...shape.slice(0, -1), size / 2, 2])})`;
      const [low, high] = [t.fresh('v'), t.fresh('v')];
      t.line(`${low}, ${high} = tl.split(${pairs})`);
      const half = [...shape.slice(0, -1), size / 2];
      t.add({ name: low, dtype, shape: half });
      t.add({ name: high, dtype, shape: half });
    }
  }
}

function dot(k: KernelMaker): void {
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
  const b = k.some(dtype, [...batch, inner, n]);
  const out = [...batch, m, n];
  const type = dtype === I8 ? I32 : F32;
  const acc = t.chance(0.4) ? `, ${k.some(type, out).name}` : '';
  const precision = dtype === F32 ? ', input_precision="ieee"' : '';
  k.tamed(type, out, `tl.dot(${a.name}, ${b.name}${acc}${precision})`);
}

function atomic(k: KernelMaker): void {
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

/** Functions with an error that WGSL allows; the result goes nowhere else. */
function inexact(k: KernelMaker): void {
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

function blockPointer(k: KernelMaker): void {
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

/** A function of ours that is called: with a branch, an early return, or several results. */
function helper(k: KernelMaker): void {
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

// ── control
// ───────────────────────────────────────────────────────────────────────────────────────
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

function loop(k: KernelMaker): void {
  const { t } = k;
  const outer = changeable(k);
  const i = t.fresh('i');
  const head = t.pick([
    `range(${trips(k)})`,
    `range(${t.int(3)}, ${trips(k)} + 1)`,
    `range(0, ${trips(k)} * 2, 2)`,
    `tl.range(0, ${trips(k)}, num_stages=2)`,
    `tl.static_range(${1 + t.int(2)})`,
    `range(3, ${t.int(3)}, -1)`,
  ]);
  k.nested(`for ${i} in ${head}:`, 1 + t.int(3), () => {
    if (!head.startsWith('tl.static')) t.add({ name: i, dtype: I32, shape: [] });
    update(k, outer);
  });
}

function whileLoop(k: KernelMaker): void {
  const { t } = k;
  const outer = changeable(k);
  const i = t.fresh('w');
  t.line(`${i} = ${trips(k)} + n * 0`);
  k.nested(`while ${i} > 0:`, 1 + t.int(2), () => {
    update(k, outer);
    t.line(`${i} -= 1`);
  });
}

function branch(k: KernelMaker): void {
  const { t } = k;
  const outer = changeable(k);
  const condition = k.some(I1, []);
  k.nested(`if ${condition.name}:`, t.int(3), () => update(k, outer));
  if (t.chance(0.6)) k.nested('else:', t.int(3), () => update(k, outer));
}

/** A pointer of a tile that moves along as the loop runs. */
function pointerLoop(k: KernelMaker): void {
  const { t } = k;
  const dtype = t.pick(k.inputs);
  const shape = k.shape();
  const count = total(shape);
  const step = t.pick([1, 16, 64]);
  if (count + 4 * step > INPUT) return;
  const p = t.fresh('p');
  const flat = shape.length === 0 ? '0' : k.flat(shape, true);
  t.line(`${p} = in_${dtype.name} + ${flat}`);
  const sum = k.convert(k.some(dtype, shape), dtype);
  if (!sum.name.startsWith('v')) return;
  k.nested(`for ${t.fresh('i')} in range(${t.pick(['3', '(n & 3)'])}):`, t.int(2), () => {
    const x = t.let(dtype, shape, `tl.load(${p})`);
    const mixed = isIntKind(dtype)
      ? `(${sum.name} + ${x.name}).to(${dtype.tl})`
      : `tl.where(${k.some(I1, shape).name}, ${x.name}, ${sum.name})`;
    t.line(`${sum.name} = ${mixed}`);
    t.line(`${p} += ${step}`);
  });
}

/** An early return of some programs. */
function leave(k: KernelMaker): void {
  const { t } = k;
  if (k.depth > 0) return;
  k.nested(`if ${t.chance(0.5) ? 'pid == 1' : k.some(I1, []).name}:`, t.int(2), () =>
    t.line('return'),
  );
}
