/** Names of dtypes: Triton's short ones, as signatures have them, and the compiler's. */

const DTYPES: Readonly<Record<string, string>> = {
  i1: 'int1',
  i8: 'int8',
  i16: 'int16',
  i32: 'int32',
  i64: 'int64',
  u1: 'int1',
  u8: 'uint8',
  u16: 'uint16',
  u32: 'uint32',
  u64: 'uint64',
  fp8e4nv: 'float8e4nv',
  fp8e4b8: 'float8e4b8',
  fp8e4b15: 'float8e4b15',
  fp8e5: 'float8e5',
  fp8e5b16: 'float8e5b16',
  fp16: 'float16',
  bf16: 'bfloat16',
  fp32: 'float32',
  fp64: 'float64',
};
const NAMES = new Set(Object.values(DTYPES));

/** The compiler's name of a dtype by either name; null where there is none. */
export function dtypeOf(name: string): string | null {
  if (NAMES.has(name)) return name;
  return Object.hasOwn(DTYPES, name) ? DTYPES[name]! : null;
}
