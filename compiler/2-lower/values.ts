/**
 * Values that a name can be bound to while a kernel is compiled. Tensors carry an IR value; all
 * else exists at compile time only. A constexpr and the Python object in it are one thing here.
 */
import type { Value } from '../ir/ir';
import type { FunctionDef } from '../1-parse/syntax';
import type { AggregateClass, EnumMember, StaticValue } from '../program';
import { sameDtype, showDtype, type Dtype } from './dtypes';

/** A tile (or, with an empty shape, a scalar) of numbers or pointers. */
export interface Tensor {
  readonly kind: 'tensor';
  readonly handle: Value;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
}

export type Static =
  | { readonly kind: 'none' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | ({ readonly kind: 'int'; readonly value: bigint } & EnumMember)
  | ({ readonly kind: 'float'; readonly value: number } & EnumMember)
  | ({ readonly kind: 'string'; readonly value: string } & EnumMember)
  | { readonly kind: 'dtype'; readonly dtype: Dtype }
  /** `x.type` of a tile. */
  | { readonly kind: 'blocktype'; readonly dtype: Dtype; readonly shape: readonly number[] }
  | { readonly kind: 'function'; readonly id: string }
  | {
      readonly kind: 'constexpr_function';
      readonly id: string;
      readonly name: string;
      readonly mustUse?: string;
    }
  /** Something in `triton`, by its canonical path. */
  | { readonly kind: 'triton'; readonly path: string }
  | { readonly kind: 'builtin'; readonly name: string }
  | { readonly kind: 'slice'; readonly lower: Val; readonly upper: Val; readonly step: Val }
  /** A method not yet called. */
  | { readonly kind: 'method'; readonly self: Val; readonly name: string }
  | { readonly kind: 'ellipsis' }
  /** `x.type` of a constexpr. */
  | { readonly kind: 'constexpr_type'; readonly value: Val }
  | Extract<StaticValue, { readonly kind: 'module' | 'namedtuple' }>
  | { readonly kind: 'class'; readonly description: AggregateClass }
  | Extract<StaticValue, { readonly kind: 'other' }>;

export interface Tuple {
  readonly kind: 'tuple';
  readonly items: readonly Val[];
  readonly fields?: readonly string[];
}

/** A block pointer or tensor descriptor: named parts, carried through loops part by part. */
export interface Aggregate {
  readonly kind: 'aggregate';
  readonly type: 'block_ptr' | 'tensor_descriptor' | 'shared_memory';
  readonly parts: Readonly<Record<string, Val>>;
}

/** An instance of a class under `@triton.aggregate`. */
export interface ObjectVal {
  readonly kind: 'object';
  readonly description: AggregateClass;
  /** In the class's order. While `building`, its `__init__` writes them. */
  readonly fields: Record<string, Val>;
  readonly building: boolean;
}

/** `tl.condition(...)`, `tl.range(...)`: only a loop header can use it. */
export interface LoopHeader {
  readonly kind: 'header';
  readonly of: 'range' | 'static_range' | 'condition';
  readonly args: Readonly<Record<string, Val>>;
  /** Attributes of its `scf.for`: hints of the program. */
  readonly hints: LoopHints;
}
export interface LoopHints {
  readonly 'tt.loop_unroll_factor'?: number;
  readonly 'tt.num_stages'?: number;
}

/** Using it is an error: `message`, or silence where the cause was reported already. */
export interface Invalid {
  readonly kind: 'invalid';
  readonly message: string | null;
  /**
   * Makes a value where Triton takes the name although it has none; `silent`: without a warning.
   */
  readonly recover?: (silent: boolean) => Val;
}

export type Val = Tensor | Static | Tuple | Aggregate | ObjectVal | LoopHeader | Invalid;

export const NONE: Static = { kind: 'none' };
export const TRUE: Static = { kind: 'bool', value: true };
export const FALSE: Static = { kind: 'bool', value: false };
export function bool(value: boolean): Static {
  return value ? TRUE : FALSE;
}
export function int(value: number | bigint): Static {
  return { kind: 'int', value: BigInt(value) };
}
export function float(value: number): Static {
  return { kind: 'float', value };
}
export function str(value: string): Static {
  return { kind: 'string', value };
}
export function dtypeVal(dtype: Dtype): Static {
  return { kind: 'dtype', dtype };
}
export function tuple(items: readonly Val[], fields?: readonly string[]): Tuple {
  return fields ? { kind: 'tuple', items, fields } : { kind: 'tuple', items };
}
export function shapeVal(shape: readonly number[]): Tuple {
  return tuple(shape.map(int));
}

export function isTensor(v: Val): v is Tensor {
  return v.kind === 'tensor';
}
/** A Python number: the operand that does not take part in promotion. */
export function isNumber(v: Val): v is Static & { kind: 'bool' | 'int' | 'float' } {
  return v.kind === 'bool' || v.kind === 'int' || v.kind === 'float';
}

/** Python's `repr` of a float. */
export function showFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16))
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** The type of a value, as messages print it: `fp32[128, 64]`, `constexpr[4]`. */
export function describe(v: Val): string {
  switch (v.kind) {
    case 'tensor':
      return v.shape.length === 0
        ? showDtype(v.dtype)
        : `${showDtype(v.dtype)}[${v.shape.join(', ')}]`;
    case 'tuple':
      return `tuple<${v.items.map(describe).join(', ')}>`;
    case 'aggregate':
      if (v.type === 'shared_memory') return 'shared memory descriptor';
      return v.type === 'block_ptr' ? 'block pointer' : 'tensor descriptor';
    case 'object':
      return v.description.name;
    case 'header':
      return `tl.${v.of}`;
    case 'invalid':
      return 'an invalid value';
    case 'none':
      return 'None';
    case 'bool':
    case 'int':
    case 'float':
    case 'string':
      return `constexpr[${show(v)}]`;
    default:
      return show(v);
  }
}

/** Python's `str` of a compile-time value. */
export function show(v: Val, quoted = true): string {
  switch (v.kind) {
    case 'none':
      return 'None';
    case 'bool':
      return v.value ? 'True' : 'False';
    case 'int':
      return String(v.value);
    case 'float':
      return showFloat(v.value);
    case 'string':
      return quoted ? `'${v.value}'` : v.value;
    case 'dtype':
      return showDtype(v.dtype);
    case 'blocktype':
      return `<[${v.shape.join(', ')}], ${showDtype(v.dtype)}>`;
    case 'function':
    case 'constexpr_function':
      return `function ${v.id}`;
    case 'triton':
      return v.path;
    case 'builtin':
      return `built-in ${v.name}`;
    case 'tuple':
      return `(${v.items.map((item) => show(item)).join(', ')}${v.items.length === 1 ? ',' : ''})`;
    case 'slice':
      return 'slice';
    case 'method':
      return `method ${v.name}`;
    case 'ellipsis':
      return '...';
    case 'constexpr_type':
      return `constexpr_type[${show(v.value)}]`;
    case 'module':
      return `module ${v.name}`;
    case 'namedtuple':
      return `class ${v.name}`;
    case 'class':
      return `class ${v.description.name}`;
    case 'other':
      return `an object of type ${v.type}`;
    case 'tensor':
    case 'aggregate':
    case 'object':
    case 'header':
    case 'invalid':
      return describe(v);
    default:
      return v satisfies never;
  }
}

/** Whether two values have the same type, as loops and branches ask it. */
export function sameType(a: Val, b: Val): boolean {
  if (a.kind === 'tensor')
    return (
      b.kind === 'tensor' &&
      sameDtype(a.dtype, b.dtype) &&
      a.shape.length === b.shape.length &&
      a.shape.every((n, i) => n === b.shape[i])
    );
  if (a.kind === 'tuple')
    return (
      b.kind === 'tuple' &&
      a.items.length === b.items.length &&
      a.items.every((item, i) => sameType(item, b.items[i]!))
    );
  if (a.kind === 'aggregate')
    return (
      b.kind === 'aggregate' &&
      a.type === b.type &&
      Object.entries(a.parts).every(([name, part]) => {
        const other = b.parts[name];
        return other !== undefined && sameType(part, other);
      })
    );
  if (a.kind === 'object')
    return (
      b.kind === 'object' &&
      a.description.id === b.description.id &&
      Object.entries(a.fields).every(([name, field]) => sameType(field, b.fields[name]!))
    );
  return sameStatic(a, b);
}

/** Python's `==` on compile-time values, the type counted (`1` is not `1.0`). */
export function sameStatic(a: Val, b: Val): boolean {
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'none':
    case 'ellipsis':
      return true;
    case 'bool':
    case 'int':
    case 'string':
      return a.value === (b as typeof a).value;
    case 'float':
      return Object.is(a.value, (b as typeof a).value);
    case 'dtype':
      return sameDtype(a.dtype, (b as typeof a).dtype);
    case 'blocktype':
      return (
        sameDtype(a.dtype, (b as typeof a).dtype) && a.shape.join() === (b as typeof a).shape.join()
      );
    case 'function':
    case 'constexpr_function':
      return a.id === (b as typeof a).id;
    case 'triton':
      return a.path === (b as typeof a).path;
    case 'builtin':
      return a.name === (b as typeof a).name;
    case 'constexpr_type':
      return sameStatic(a.value, (b as typeof a).value);
    case 'other':
      return a === b || (a.reference !== undefined && a.reference === (b as typeof a).reference);
    default:
      return a === b;
  }
}

/** The IR values inside a value, in a fixed order. */
export function flatten(v: Val): Value[] {
  switch (v.kind) {
    case 'tensor':
      return [v.handle];
    case 'tuple':
      return v.items.flatMap(flatten);
    case 'aggregate':
      return Object.values(v.parts).flatMap(flatten);
    case 'object':
      return Object.values(v.fields).flatMap(flatten);
    default:
      return [];
  }
}
/** The same value with other IR values in the places of `flatten`. */
export function rebuild(v: Val, handles: Iterator<Value>): Val {
  switch (v.kind) {
    case 'tensor': {
      const next = handles.next();
      if (next.done) throw new Error('too few values');
      return { ...v, handle: next.value };
    }
    case 'tuple':
      return { ...v, items: v.items.map((item) => rebuild(item, handles)) };
    case 'aggregate':
      return {
        ...v,
        parts: Object.fromEntries(
          Object.entries(v.parts).map(([name, part]) => [name, rebuild(part, handles)]),
        ),
      };
    case 'object':
      return {
        ...v,
        fields: Object.fromEntries(
          Object.entries(v.fields).map(([name, field]) => [name, rebuild(field, handles)]),
        ),
      };
    default:
      return v;
  }
}

/** A function with the text it was read from. */
export interface Callable {
  readonly id: string;
  readonly definition: FunctionDef;
  /** A global name as the function sees it. */
  readonly global: (name: string) => Val | undefined;
  readonly defaults: Readonly<Record<string, Val>>;
  /** Globals that are `tl.constexpr`, so that their plain value may be used. */
  readonly constexprGlobals: ReadonlySet<string>;
  /** Written by us: errors inside are shown at the call. */
  readonly library: boolean;
  readonly noinline?: boolean;
  /** Its result must be used; more words for the message. */
  readonly mustUse?: string;
  /** A plain function of Python: numbers stay Python's, `if` tests any truth. */
  readonly python?: boolean;
}
