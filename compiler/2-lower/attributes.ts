/**
 * `object.name`: modules, dtypes, tensors, tuples, aggregates. Methods come out unbound to a call.
 */
import { MESSAGES } from './codes';
import { isSharedMethod } from './builtins/gluonShared';
import type { Location } from '../ir/location';
import type { AggregateClass } from '../program';
import type { Context } from './context';
import {
  bits,
  intRange,
  isFloating,
  isFp8,
  isInt,
  isSigned,
  isStandardFloating,
  isUnsigned,
  mantissaBits,
  publicName,
  showDtype,
  type Dtype,
} from './dtypes';
import { globalValue } from './functions';
import { instead } from './instead';
import { isLibraryMember } from './library';
import { objectAttribute } from './objects';
import { hint, nearest, tritonAttribute } from './paths';
import { hasPythonMethod } from './pythonMethods';
import { memberBuiltin, memberNames } from './registry';
import { permute } from './semantics/shape';
import {
  bool,
  describe,
  dtypeVal,
  int,
  shapeVal,
  str,
  type Aggregate,
  type Static,
  type Tensor,
  type Val,
} from './values';
import { fromStaticValue } from './staticValues';

export function attribute(cx: Context, object: Val, name: string, at: Location): Val {
  const found = find(cx, object, name, at);
  if (found) return found;
  const more =
    object.kind === 'tuple' && ['append', 'extend', 'insert', 'pop'].includes(name)
      ? ': a list in a kernel is a tuple, which keeps its length'
      : object.kind === 'module'
        ? `, or none that a kernel can use${hint(name)}`
        : '';
  return cx.fail('HC0109', MESSAGES.HC0109.noAttribute({ object: describe(object), name }) + more, {
    at: cx.locate(at),
  });
}

/** `object.name`; undefined or an error if there is none, which are one to `hasattr`. */
export function find(cx: Context, object: Val, name: string, at: Location): Val | undefined {
  switch (object.kind) {
    case 'triton':
      if (object.path.endsWith('PropagateNan'))
        return { kind: 'triton', path: `${object.path}.${name}` };
      return tritonAttribute(cx, object.path, name, at);
    case 'dtype':
      return dtypeAttribute(object.dtype, name, object);
    case 'blocktype':
      return blockTypeAttribute(object, name);
    case 'tensor':
      return tensorAttribute(cx, object, name, at);
    case 'tuple': {
      const index = object.fields?.indexOf(name) ?? -1;
      return index >= 0 ? object.items[index] : undefined;
    }
    case 'aggregate':
      return aggregateAttribute(object, name);
    case 'object':
      return objectAttribute(object, name);
    case 'class':
      return classAttribute(object.description, name);
    case 'module': {
      const member = object.members[name];
      return member ? globalValue(member) : objectMember(cx, object.reference, name);
    }
    case 'other': {
      const member = objectMember(cx, object.reference, name);
      return member ?? (name === 'value' ? object : undefined);
    }
    case 'function':
      return name === '__name__' ? str(object.id) : undefined;
    default:
      // A constexpr's `.value` is the value.
      if (hasPythonMethod(object, name)) return { kind: 'method', self: object, name };
      if (name === 'type' && object.kind !== 'invalid' && object.kind !== 'header')
        return { kind: 'constexpr_type', value: object };
      return name === 'value' ? object : undefined;
  }
}

const elementCount = (shape: readonly number[]): Static => int(shape.reduce((a, b) => a * b, 1));

function blockTypeAttribute(
  type: Extract<Val, { kind: 'blocktype' }>,
  name: string,
): Val | undefined {
  if (name === 'scalar' || name === 'element_ty') return dtypeVal(type.dtype);
  if (name === 'shape') return shapeVal(type.shape);
  if (name === 'numel') return elementCount(type.shape);
  return name.startsWith('is_') || name === 'get_block_shapes'
    ? { kind: 'method', self: type, name }
    : undefined;
}

function tensorAttribute(cx: Context, tensor: Tensor, name: string, at: Location): Val {
  const { dtype, shape } = tensor;
  switch (name) {
    case 'dtype':
      return dtypeVal(dtype);
    case 'shape':
      return shapeVal(shape);
    case 'numel':
      // A scalar's type is a dtype, which has none.
      if (shape.length === 0)
        return cx.fail('HC0109', MESSAGES.HC0109.scalarNoNumel({ object: describe(tensor) }));
      return elementCount(shape);
    case 'type':
      return shape.length > 0 ? { kind: 'blocktype', dtype, shape } : dtypeVal(dtype);
    case 'T':
      if (shape.length !== 2)
        return cx.fail('HC0202', MESSAGES.HC0202.takesTileRank({ object: describe(tensor) }));
      return permute(cx, tensor, [1, 0]);
    default:
      if (memberBuiltin(name) || isLibraryMember(name))
        return { kind: 'method', self: tensor, name };
      return failUnknownTensorAttribute(cx, tensor, name, at);
  }
}

/** Suggests what to use instead, or the nearest name there is. */
function failUnknownTensorAttribute(
  cx: Context,
  tensor: Tensor,
  name: string,
  at: Location,
): never {
  const known = instead(name);
  const close = known === '' ? nearest(name, memberNames()) : undefined;
  const what = tensor.dtype.kind === 'pointer' ? 'a pointer' : 'a tensor';
  return cx.fail(
    'HC0109',
    `${what} has no attribute ${name}${close ? `. Did you mean ${close}?` : known}`,
    {
      at: cx.locate(at),
      ...(close ? { fix: { title: `Change to ${close}`, location: at, text: close } } : {}),
    },
  );
}

const SHARED_PARTS: ReadonlySet<string> = new Set(['shape', 'dtype', 'rank', 'numel', 'layout']);
const AGGREGATE_METHODS: readonly string[] = ['load', 'store', 'advance', 'gather', 'scatter'];

function aggregateAttribute(aggregate: Aggregate, name: string): Val | undefined {
  // A block pointer's type is a pointer; Triton's points to a block, whose dtype casts go by.
  if (name === 'type' && aggregate.type === 'block_ptr') return aggregate.parts['dtype'];
  if (aggregate.type === 'shared_memory') {
    const known = SHARED_PARTS.has(name) ? aggregate.parts[name] : undefined;
    return known ?? (isSharedMethod(name) ? { kind: 'method', self: aggregate, name } : undefined);
  }
  const part = aggregate.parts[name];
  if (part) return part;
  return AGGREGATE_METHODS.includes(name) || name.startsWith('atomic_')
    ? { kind: 'method', self: aggregate, name }
    : undefined;
}

function classAttribute(description: AggregateClass, name: string): Val | undefined {
  const method = description.methods[name];
  if (method) return { kind: 'function', id: method.function };
  const fallback = description.defaults[name];
  return fallback && fromStaticValue(fallback);
}

/** The attribute of a Python object with this name. */
function objectMember(cx: Context, reference: string | undefined, name: string): Val | undefined {
  if (reference === undefined || !cx.services.callConstexpr) return undefined;
  const object = { kind: 'other', type: 'object', reference } as const;
  try {
    const words = { kind: 'string', value: name } as const;
    return fromStaticValue(cx.services.callConstexpr('getattr', [object, words], {}));
  } catch {
    return undefined;
  }
}

const PREDICATES: Record<string, (d: Dtype) => boolean> = {
  is_floating: isFloating,
  is_standard_floating: isStandardFloating,
  is_fp8: isFp8,
  is_int: isInt,
  is_int_signed: isSigned,
  is_int_unsigned: isUnsigned,
  is_bool: (d) => showDtype(d) === 'int1',
  is_ptr: (d) => d.kind === 'pointer',
  is_const: (d) => d.kind === 'pointer' && d.const,
  is_block: () => false,
};

function dtypeAttribute(d: Dtype, name: string, self: Static): Val | undefined {
  switch (name) {
    case 'name':
      return str(showDtype(d));
    case 'value':
    case 'scalar':
      return self;
    case 'primitive_bitwidth':
      return int(bits(d));
    case 'int_bitwidth':
      return isInt(d) ? int(bits(d)) : undefined;
    case 'itemsize':
      return int(bits(d) >> 3);
    case 'fp_mantissa_width':
      return d.kind === 'number' && isFloating(d) ? int(mantissaBits(d)) : undefined;
    case 'element_ty':
      return d.kind === 'pointer' ? dtypeVal(d.element) : undefined;
    default:
      return name.startsWith('is_') || name.startsWith('get_int_')
        ? { kind: 'method', self, name }
        : undefined;
  }
}

/** Calls a method of a dtype: its predicates. */
export function callDtypeMethod(cx: Context, d: Dtype, name: string): Val {
  const predicate = PREDICATES[name];
  if (predicate) return bool(predicate(d));
  const exact = /^is_((?:u?int|fp|bf)\w+)$/.exec(name)?.[1];
  if (exact) return bool(showDtype(d) === exact);
  if (isInt(d) && name === 'get_int_max_value') return { kind: 'int', value: intRange(d).max };
  if (isInt(d) && name === 'get_int_min_value') return { kind: 'int', value: intRange(d).min };
  return cx.fail('HC0109', MESSAGES.HC0109.noMethod({ d: publicName(d), name }));
}
