/** Arguments of a launch in a trace, each as the statement that makes it anew. */

export interface TraceArgument {
  readonly name: string;
  readonly kind: 'tensor' | 'other';
  /** As people see it: `float16[16, 16]`, `1024`. */
  readonly shown: string;
  /** Python: `name = …`. */
  readonly code: string;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const IDENTIFIER = /^[A-Za-z_]\w*$/;
const MOST_ARGUMENTS = 200;

const integers = (value: unknown): readonly number[] | null =>
  Array.isArray(value) && value.length <= 16 && value.every((each) => Number.isSafeInteger(each))
    ? (value as number[])
    : null;

/** Characters of a text. */
const MOST_TEXT = 1000;
/** A Python text. */
const quoted = (text: string): string => JSON.stringify(text.slice(0, MOST_TEXT));
const tuple = (values: readonly number[]): string =>
  `(${values.join(', ')}${values.length === 1 ? ',' : ''})`;

const DTYPES =
  `bool uint8 int8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64
  float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz complex64 complex128`.split(/\s+/);
const TL_DTYPES: Readonly<Record<string, string>> = {
  fp16: 'float16',
  bf16: 'bfloat16',
  fp32: 'float32',
  fp64: 'float64',
  fp8e4nv: 'float8e4nv',
  fp8e5: 'float8e5',
  int1: 'int1',
  ...Object.fromEntries(['8', '16', '32', '64'].map((bits) => [`int${bits}`, `int${bits}`])),
  ...Object.fromEntries(['8', '16', '32', '64'].map((bits) => [`uint${bits}`, `uint${bits}`])),
};

interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  readonly offset: number;
  /** Begin of its storage; null without an address in the trace. */
  readonly storage: string | null;
  readonly info: Fields;
}

function tensorOf(info: Fields): Tensor | null {
  const dtype = String(info['dtype'] ?? '').replace(/^torch\./, '');
  const shape = integers(info['shape']);
  if (!DTYPES.includes(dtype) || !shape || shape.some((size) => size < 0)) return null;
  const stride = integers(info['stride']) ?? contiguous(shape);
  if (stride.length !== shape.length || stride.some((step) => step < 0)) return null;
  const offset = Number.isSafeInteger(info['storage_offset']) ? Number(info['storage_offset']) : 0;
  const { data_ptr: address, element_size: size } = info;
  const known = typeof address === 'string' && /^0x[\da-f]+$/i.test(address) && offset >= 0;
  const bytes = BigInt(Number.isSafeInteger(size) ? Number(size) : 0) * BigInt(Math.max(0, offset));
  const storage = known ? `${dtype} ${BigInt(address) - bytes}` : null;
  return { dtype, shape, stride, offset: Math.max(0, offset), storage, info };
}

function contiguous(shape: readonly number[]): number[] {
  const stride: number[] = [];
  for (let i = shape.length - 1, step = 1; i >= 0; step *= Math.max(1, shape[i]!), i--)
    stride.unshift(step);
  return stride;
}
/** Elements from the storage's begin to the tensor's end. */
const extentOf = ({ shape, stride, offset }: Tensor): number =>
  shape.includes(0)
    ? offset
    : offset + 1 + shape.reduce((sum, size, i) => sum + (size - 1) * stride[i]!, 0);

/** Elements as the trace has them: their range, if anything. */
function filled({ dtype, info }: Tensor, size: string): string {
  const finite = (name: string): number | null => {
    const value = info[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  const [low, high, mean, std] = [finite('min'), finite('max'), finite('mean'), finite('std')];
  const device = `device="cuda"`;
  if (dtype === 'bool') return `torch.randint(0, 2, ${size}, ${device}).bool()`;
  if (/^u?int/.test(dtype)) {
    const bounded = low !== null && high !== null && high >= low && high - low < 2 ** 31;
    if (!bounded) return `torch.zeros(${size}, dtype=torch.${dtype}, ${device})`;
    return `torch.randint(${Math.round(low)}, ${Math.round(high) + 1}, ${size}, ${device}).to(torch.${dtype})`;
  }
  const normal = `torch.randn(${size}, ${device})`;
  const scaled = mean !== null && std !== null ? `(${normal} * ${std} + ${mean})` : normal;
  return dtype === 'float32' && scaled === normal ? normal : `${scaled}.to(torch.${dtype})`;
}

/** @param args the event's `extracted_args`. */
export function argumentsOf(args: Fields): TraceArgument[] {
  const all = Object.entries(args)
    .filter(([name]) => IDENTIFIER.test(name) && name !== '_note')
    .slice(0, MOST_ARGUMENTS);
  const tensors = new Map<string, Tensor>();
  const storages = new Map<string, string[]>();
  for (const [name, value] of all) {
    const info = fieldsOf(value);
    const tensor = info['type'] === 'tensor' ? tensorOf(info) : null;
    if (!tensor) continue;
    tensors.set(name, tensor);
    const key = tensor.storage ?? `apart ${name}`;
    storages.set(key, [...(storages.get(key) ?? []), name]);
  }
  return all.map(([name, value]) => {
    const tensor = tensors.get(name);
    if (!tensor) return otherArgument(name, fieldsOf(value), value);
    const shown = `${tensor.dtype}[${tensor.shape.join(', ')}]`;
    const sharing = storages.get(tensor.storage ?? `apart ${name}`)!;
    const simple = sharing.length === 1 && tensor.offset === 0;
    if (simple && String(tensor.stride) === String(contiguous(tensor.shape))) {
      const code = `${name} = ${filled(tensor, tuple(tensor.shape))}`;
      return { name, kind: 'tensor', shown, code };
    }
    // A view: the first of those that share a storage makes it.
    const [first = name] = sharing;
    const extent = Math.max(...sharing.map((each) => extentOf(tensors.get(each)!)));
    const made = `${first}_storage = ${filled(tensor, tuple([extent]))}\n`;
    const view = `${name} = ${first}_storage.as_strided(${tuple(tensor.shape)}, ${tuple(tensor.stride)}, ${tensor.offset})`;
    return { name, kind: 'tensor', shown, code: first === name ? made + view : view };
  });
}

function otherArgument(name: string, info: Fields, raw: unknown): TraceArgument {
  const type = typeof info['type'] === 'string' ? info['type'] : typeof raw;
  const value = Object.hasOwn(info, 'value') ? info['value'] : raw;
  const made = (text: string): TraceArgument => ({
    name,
    kind: 'other',
    shown: text,
    code: `${name} = ${text}`,
  });
  if (type === 'NoneType') return made('None');
  if (typeof value === 'boolean') return made(value ? 'True' : 'False');
  if (typeof value === 'number') {
    // Another number than the trace's, which JSON's reader rounded.
    if (type !== 'float' && Number.isInteger(value) && !Number.isSafeInteger(value))
      return unknown(name, `integer of more than 53 bits`);
    return made(type === 'float' ? float(value) : String(value));
  }
  if (type === 'float' && typeof value === 'string') return made(`float(${quoted(value)})`);
  if (typeof value === 'string')
    return value.length > MOST_TEXT ? unknown(name, 'text too long to copy') : made(quoted(value));
  const shown = typeof info['repr'] === 'string' ? info['repr'] : '';
  const dtype =
    /^(?:triton\.language\.)?(?:core\.)?(?:dtype\(')?([a-z]+\d+[a-z0-9]*)(?:'\))?$/.exec(
      shown,
    )?.[1];
  if (dtype !== undefined && Object.hasOwn(TL_DTYPES, dtype)) return made(`tl.${TL_DTYPES[dtype]}`);
  const constant = /^constexpr\[(-?\d+(?:\.\d+)?|True|False|None)\]$/.exec(shown)?.[1];
  if (constant !== undefined) return made(constant);
  if (type === 'TensorDescriptor') return descriptor(name, info);
  return unknown(name, type);
}

/** Raises where the program makes it: nothing stands for a value that is not in the trace. */
const unknown = (name: string, type: string): TraceArgument => ({
  name,
  kind: 'other',
  shown: type,
  code: `raise NotImplementedError(${quoted(`the trace has no value of ${name}, a ${type}: make it here`)})`,
});

/** Python's text of a float: `1.0`, `-0.0`, `1e+21`. */
function float(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function descriptor(name: string, info: Fields): TraceArgument {
  const base = tensorOf(fieldsOf(info['base']));
  const block = integers(info['block_shape']);
  const [shape, strides] = [integers(info['shape']), integers(info['strides'])];
  if (!base || !block || !shape || !strides) return otherArgument(name, { type: 'descriptor' }, {});
  const code =
    `from triton.tools.tensor_descriptor import TensorDescriptor\n` +
    `${name}_storage = ${filled(base, tuple([extentOf(base)]))}\n` +
    `${name}_base = ${name}_storage.as_strided(${tuple(base.shape)}, ${tuple(base.stride)}, ${base.offset})\n` +
    `${name} = TensorDescriptor(${name}_base, [${shape.join(', ')}], [${strides.join(', ')}], [${block.join(', ')}])`;
  const shown = `descriptor of ${base.dtype}[${base.shape.join(', ')}]`;
  return { name, kind: 'other', shown, code };
}
