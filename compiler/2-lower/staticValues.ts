/** Compile-time values as data, in and out of the compiler (`StaticValue`). */
import type { EnumMember, StaticValue } from '../program';
import { dtypeNamed, publicName } from './dtypes';
import { bool, dtypeVal, NONE, showFloat, type Static, tuple, type Val } from './values';

/** A compile-time value from outside. */
export function fromStaticValue(value: StaticValue): Val {
  switch (value.kind) {
    case 'none':
      return NONE;
    case 'bool':
      return bool(value.value);
    case 'int':
      return { kind: 'int', value: BigInt(value.value), ...memberOf(value) };
    case 'float':
      return { kind: 'float', value: parsePythonFloat(value.value), ...memberOf(value) };
    case 'string':
      return { kind: 'string', value: value.value, ...memberOf(value) };
    case 'dtype':
      return dtypeFromName(value.name) ?? { kind: 'other', type: `dtype ${value.name}` };
    case 'tuple':
      return tuple(value.items.map(fromStaticValue), value.fields);
    case 'constexpr':
      return fromStaticValue(value.value);
    case 'function':
      return { kind: 'function', id: value.id };
    case 'constexpr_function':
      return value;
    case 'triton':
      return { kind: 'triton', path: value.path };
    case 'builtin':
      return { kind: 'builtin', name: value.name };
    case 'module':
    case 'namedtuple':
      return value;
    case 'aggregate':
      return { kind: 'class', description: value.description };
    case 'other':
      return value;
    default:
      return value satisfies never;
  }
}
function dtypeFromName(name: string): Static | undefined {
  const pointee = /^(?:const_)?pointer<(.*)>$/.exec(name)?.[1] ?? /^\*(.*)$/.exec(name)?.[1];
  if (pointee) {
    const inner = dtypeFromName(pointee);
    if (inner?.kind !== 'dtype') return undefined;
    return dtypeVal({ kind: 'pointer', element: inner.dtype, const: name.startsWith('const_') });
  }
  const dtype = dtypeNamed(name);
  return dtype && dtypeVal(dtype);
}
function parsePythonFloat(text: string): number {
  const word = text.toLowerCase();
  if (word.endsWith('inf') || word.endsWith('infinity'))
    return word.startsWith('-') ? -Infinity : Infinity;
  return word.endsWith('nan') ? Number.NaN : Number(word);
}

/** A compile-time value as data; `undefined` for tensors and what only lives here. */
export function toStaticValue(v: Val): StaticValue | undefined {
  switch (v.kind) {
    case 'none':
      return { kind: 'none' };
    case 'bool':
      return { kind: 'bool', value: v.value };
    case 'int':
      return { kind: 'int', value: String(v.value), ...memberOf(v) };
    case 'float':
      return { kind: 'float', value: showFloat(v.value), ...memberOf(v) };
    case 'string':
      return { kind: 'string', value: v.value, ...memberOf(v) };
    case 'dtype':
      return { kind: 'dtype', name: publicName(v.dtype) };
    case 'tuple': {
      const items = v.items.map(toStaticValue);
      if (!items.every((item) => item !== undefined)) return undefined;
      return v.fields ? { kind: 'tuple', items, fields: v.fields } : { kind: 'tuple', items };
    }
    case 'function':
      return { kind: 'function', id: v.id };
    case 'constexpr_function':
      return v;
    case 'triton':
      return { kind: 'triton', path: v.path };
    case 'other':
    case 'module':
      return v.reference === undefined ? undefined : v;
    default:
      return undefined;
  }
}

function memberOf({ member }: EnumMember): EnumMember {
  return member === undefined ? {} : { member };
}
