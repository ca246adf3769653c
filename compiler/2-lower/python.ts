/** Python's own functions, as far as Triton supports them inside a kernel. */
import { MESSAGES } from './codes';
import { find } from './attributes';
import { apply } from './calls';
import type { Context } from './context';
import { DiagnosticError } from '../diagnostics';
import { callBuiltin, builtin } from './registry';
import { cast, toTensor } from './semantics/convert';
import { extremum } from './semantics/arithmetic';
import { BF16, FP32 } from './dtypes';
import { truthOf } from './static';
import {
  FALSE,
  TRUE,
  bool,
  describe,
  float,
  int,
  isNumber,
  isTensor,
  show,
  str,
  tuple,
  type Static,
  type Val,
} from './values';

export function callPython(
  cx: Context,
  name: string,
  args: readonly Val[],
  keywords: ReadonlyMap<string, Val>,
): Val {
  const [first, second, third] = args;
  const missing = (): never => cx.fail('HC0107', MESSAGES.HC0107.missesArgument({ name }));
  switch (name) {
    case 'len':
      if (first?.kind === 'tuple') return int(first.items.length);
      if (first?.kind === 'string') return int(first.value.length);
      return cx.fail('HC0107', `len() of ${first ? describe(first) : 'nothing'}`);
    case 'range':
      return callBuiltin(cx, builtin('triton.language.range')!, args, keywords);
    case 'float':
      return toFloat(cx, first ?? missing());
    case 'int':
      return toInt(cx, first ?? missing());
    case 'bool': {
      const truth = truthOf(first ?? missing());
      return truth === undefined ? cx.fail('HC0201', MESSAGES.HC0201.boolRunTime()) : bool(truth);
    }
    case 'str':
      return str(show(first ?? missing(), false));
    case 'list':
    case 'tuple':
      if (!first) return tuple([]);
      return first.kind === 'tuple'
        ? tuple(first.items)
        : cx.fail('HC0107', `${name}() of ${describe(first)}`);
    case 'isinstance':
      return bool(isInstance(cx, first ?? missing(), second ?? missing()));
    case 'hasattr': {
      if (second?.kind !== 'string') return cx.fail('HC0107', MESSAGES.HC0107.hasattrTakesName());
      return has(cx, first ?? missing(), second.value) ? TRUE : FALSE;
    }
    case 'getattr': {
      if (second?.kind !== 'string') return cx.fail('HC0107', MESSAGES.HC0107.getattrTakesName());
      const found = has(cx, first ?? missing(), second.value) ?? third;
      return (
        found ??
        cx.fail(
          'HC0109',
          MESSAGES.HC0109.lacksAttribute({ value: describe(first!), name: second.value }),
        )
      );
    }
    case 'print':
      return callBuiltin(cx, builtin('triton.language.device_print')!, args, keywords);
    case 'min':
    case 'max':
      return extreme(cx, name, args.length === 1 && first?.kind === 'tuple' ? first.items : args);
    case 'abs':
      if (first && isNumber(first)) {
        if (first.kind === 'float') return float(Math.abs(first.value));
        const value = BigInt(first.value);
        return { kind: 'int', value: value < 0n ? -value : value };
      }
      return apply(cx, { kind: 'triton', path: 'triton.language.abs' }, args, keywords);
    default:
      return cx.fail('HC0106', MESSAGES.HC0106.pythonFunctionNot({ name }));
  }
}

function has(cx: Context, object: Val, name: string): Val | undefined {
  try {
    return find(cx, object, name, cx.location);
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

function toFloat(cx: Context, v: Val): Val {
  if (isNumber(v)) return float(Number(v.value));
  if (v.kind === 'string') {
    const word = v.value.trim().toLowerCase().replace(/^\+/, '');
    if (/^-?inf(inity)?$/.test(word)) return float(word.startsWith('-') ? -Infinity : Infinity);
    if (/^-?nan$/.test(word)) return float(Number.NaN);
    const value = Number(word.replaceAll('_', ''));
    if (word !== '' && !Number.isNaN(value)) return float(value);
  }
  return cx.fail('HC0201', MESSAGES.HC0201.floatTakesCompile({ v: describe(v) }));
}
function toInt(cx: Context, v: Val): Val {
  if (v.kind === 'float') {
    if (Number.isFinite(v.value)) return int(BigInt(Math.trunc(v.value)));
  } else if (isNumber(v)) return int(BigInt(v.value));
  else if (v.kind === 'string' && /^\s*[+-]?\d+\s*$/.test(v.value))
    return int(BigInt(v.value.trim()));
  return cx.fail('HC0201', MESSAGES.HC0201.intTakesCompile({ v: describe(v) }));
}

/** `min`/`max`: Python's on numbers, `tl.minimum`/`tl.maximum` as soon as a tensor takes part. */
function extreme(cx: Context, name: 'min' | 'max', args: readonly Val[]): Val {
  const [first, ...rest] = args;
  if (!first) return cx.fail('HC0107', MESSAGES.HC0107.ofNothing({ name }));
  const numbers = args.filter(isNumber);
  if (numbers.length < args.length && rest.length === 0)
    return cx.fail('HC0107', MESSAGES.HC0107.takesTwoValues({ name }));
  if (numbers.length === args.length) {
    for (const v of numbers)
      if (Number.isNaN(Number(v.value)) || Object.is(v.value, -0))
        return cx.fail('HC0214', MESSAGES.HC0214.constantsDoesNot({ name, v: show(v) }));
    const better = (a: Static, b: Static): boolean => {
      const order = Number((a as { value: number }).value) - Number((b as { value: number }).value);
      return name === 'min' ? order < 0 : order > 0;
    };
    return numbers.reduce((best, v) => (better(v, best) ? v : best));
  }
  const found = rest.reduce((best: Val, v) => {
    const operands = [best, v].map((x) => {
      const t = toTensor(cx, x);
      return t.dtype === BF16 ? cast(cx, t, FP32) : t;
    });
    return extremum(cx, name, operands[0]!, operands[1]!, 'none');
  }, first);
  if (isTensor(found) && found.shape.length > 0)
    cx.warn('HC0301', MESSAGES.HC0301.builtinOnTiles({ name, other: `${name}imum` }));
  return found;
}

function isInstance(cx: Context, v: Val, type: Val): boolean {
  if (type.kind === 'tuple') return type.items.some((item) => isInstance(cx, v, item));
  if (type.kind === 'builtin')
    switch (type.name) {
      case 'int':
        return v.kind === 'int' || v.kind === 'bool';
      case 'float':
      case 'bool':
        return v.kind === type.name;
      case 'str':
        return v.kind === 'string';
      case 'tuple':
      case 'list':
        return v.kind === 'tuple';
    }
  if (type.kind === 'class') return v.kind === 'object' && v.description.id === type.description.id;
  if (type.kind === 'namedtuple')
    return v.kind === 'tuple' && v.fields?.join() === type.fields.join();
  if (type.kind === 'triton')
    switch (type.path) {
      case 'triton.language.tensor':
        return isTensor(v);
      case 'triton.language.constexpr':
        // Triton takes constexprs out of their wrapper before it checks: the answer is always no.
        return false;
      case 'triton.language.constexpr_type':
        return v.kind === 'constexpr_type';
      case 'triton.language.base_value':
        return isTensor(v) || v.kind === 'tuple' || v.kind === 'object' || v.kind === 'aggregate';
      case 'triton.language.dtype':
        return v.kind === 'dtype';
      case 'triton.language.pointer_type':
        return v.kind === 'dtype' && v.dtype.kind === 'pointer';
      case 'triton.language.block_type':
        return v.kind === 'blocktype';
      case 'triton.language.tuple':
        return v.kind === 'tuple';
      case 'triton.language.tensor_descriptor':
        return v.kind === 'aggregate' && v.type === 'tensor_descriptor';
    }
  return cx.fail('HC0106', MESSAGES.HC0106.isinstanceWith({ type: describe(type) }));
}
