/**
 * Expressions in WGSL's syntax, as a way to write thread IR:
 *
 *     b.x`u32(${offset} - ${begin}) < ${length}`
 *
 * makes the operations that the text says, with values in the holes. A number in a hole needs a
 * suffix (`${n}u`); a type may stand where WGSL has one (`vec4<${type}>`). A call of a name that is
 * no builtin is one of the runtime library. The text of each place in the compiler is parsed once,
 * into a function of the holes.
 */
import type { ThreadBuilder } from './builder';
import type { ThreadValue } from './ir';
import { libraryFunction } from './library/index';
import type { ThreadOpName } from './ops';
import { parseTemplate } from './templateParser';
import type { Node, TypeNode } from './templateParser';
import { BOOL, F16, F32, I32, number, printThreadType, U32 } from './types';
import type { NumberType, VectorSize } from './types';

export type Hole = ThreadValue | number | NumberType;

const BINARY: Readonly<Record<string, ThreadOpName>> = {
  '+': 'thread.add',
  '-': 'thread.sub',
  '*': 'thread.mul',
  '/': 'thread.div',
  '%': 'thread.rem',
  '&': 'thread.and',
  '|': 'thread.or',
  '^': 'thread.xor',
  '<<': 'thread.shl',
  '>>': 'thread.shr',
  '==': 'thread.eq',
  '!=': 'thread.ne',
  '<': 'thread.lt',
  '<=': 'thread.le',
  '>': 'thread.gt',
  '>=': 'thread.ge',
};
/** WGSL's names of operations whose operands stand in the same order. */
const BUILTINS: Readonly<Record<string, ThreadOpName>> = {
  abs: 'thread.abs',
  min: 'thread.min',
  max: 'thread.max',
  clamp: 'thread.clamp',
  fma: 'thread.fma',
  exp: 'thread.exp',
  exp2: 'thread.exp2',
  log: 'thread.log',
  log2: 'thread.log2',
  sin: 'thread.sin',
  cos: 'thread.cos',
  cosh: 'thread.cosh',
  sqrt: 'thread.sqrt',
  inverseSqrt: 'thread.inverse_sqrt',
  floor: 'thread.floor',
  ceil: 'thread.ceil',
  trunc: 'thread.trunc',
  round: 'thread.round',
  sign: 'thread.sign',
  pow: 'thread.pow',
  ldexp: 'thread.ldexp',
  all: 'thread.all',
  any: 'thread.any',
  countLeadingZeros: 'thread.count_leading_zeros',
  countOneBits: 'thread.count_one_bits',
  reverseBits: 'thread.reverse_bits',
  pack2x16float: 'thread.pack2x16float',
  unpack2x16float: 'thread.unpack2x16float',
  subgroupShuffle: 'thread.subgroup_shuffle',
  subgroupShuffleXor: 'thread.subgroup_shuffle_xor',
};
const SCALARS: Readonly<Record<string, NumberType>> = {
  bool: BOOL,
  i32: I32,
  u32: U32,
  f32: F32,
  f16: F16,
};
const SUFFIXES: Readonly<Record<string, NumberType>> = { u: U32, i: I32, f: F32, h: F16 };

/** Makes an expression's value, given what stands in its holes. */
type Make = (b: ThreadBuilder, holes: readonly Hole[]) => ThreadValue;
type MakeType = (holes: readonly Hole[]) => NumberType;

const compiled = new WeakMap<TemplateStringsArray, Make>();

/** The value of an expression. */
export function expression(
  b: ThreadBuilder,
  strings: TemplateStringsArray,
  holes: readonly Hole[],
): ThreadValue {
  let make = compiled.get(strings);
  if (!make) compiled.set(strings, (make = compile(parseTemplate(strings))));
  return make(b, holes);
}

function compile(node: Node): Make {
  switch (node.kind) {
    case 'hole':
      return (_, holes) => {
        const value = holes[node.hole];
        if (typeof value !== 'object' || 'kind' in value) throw new Error('a hole needs a value');
        return value;
      };
    case 'literal': {
      const make = literal(node.suffix);
      return (b) => make(b, node.value);
    }
    case 'holeLiteral': {
      const make = literal(node.suffix);
      return (b, holes) => make(b, Number(holes[node.hole]));
    }
    case 'name':
      if (node.name === 'true' || node.name === 'false') return (b) => b.bool(node.name === 'true');
      if (node.name === 'tid') return (b) => b.threadId();
      throw new Error(`no name ${node.name}`);
    case 'unary': {
      const x = compile(node.x);
      const name = node.operator === '-' ? 'thread.neg' : 'thread.not';
      return (b, holes) => b.value(name, [x(b, holes)]);
    }
    case 'binary': {
      const [x, y] = [compile(node.x), compile(node.y)];
      const name = BINARY[node.operator]!;
      return (b, holes) => b.value(name, [x(b, holes), y(b, holes)]);
    }
    case 'member':
      return member(compile(node.x), node.name);
    case 'index': {
      const [x, index] = [compile(node.x), compile(node.index)];
      return (b, holes) => {
        const [of, at] = [x(b, holes), index(b, holes)];
        if (of.type.kind === 'memory') return b.load(of, at);
        return b.value('thread.extract_dynamic', [of, at]);
      };
    }
    case 'call':
      return call(node);
    default:
      return node satisfies never;
  }
}

function literal(suffix: string): (b: ThreadBuilder, value: number) => ThreadValue {
  const type = SUFFIXES[suffix];
  if (!type) throw new Error('a number needs a suffix');
  return (b, value) => b.constant(type, type === F32 ? Math.fround(value) : value);
}

function member(x: Make, name: string): Make {
  const indices = [...name].map((c) => 'xyzw'.indexOf(c));
  if (indices.length === 1) return (b, holes) => b.extract(x(b, holes), indices[0]!);
  return (b, holes) => b.value('thread.swizzle', [x(b, holes)], { attributes: { indices } });
}

function call({ name, type, args }: Extract<Node, { kind: 'call' }>): Make {
  const vector = /^vec([234])$/.exec(name)?.[1];
  if (vector) return vectorCall(Number(vector) as VectorSize, compileType(type!), args);
  const scalar = SCALARS[name];
  if (scalar) {
    const x = argument(args[0]!);
    return (b, holes) => b.convert(x(b, holes, scalar), scalar);
  }
  const makes = args.map(compile);
  const [x, y, z] = makes;
  if (name === 'bitcast') {
    const to = compileType(type!);
    return (b, holes) => b.bitcast(x!(b, holes), to(holes));
  }
  if (name === 'select')
    return (b, holes) => {
      const [no, yes, condition] = [x!(b, holes), y!(b, holes), z!(b, holes)];
      return b.value('thread.select', [condition, yes, no]);
    };
  const builtin = BUILTINS[name];
  if (builtin)
    return (b, holes) =>
      b.value(
        builtin,
        makes.map((make) => make(b, holes)),
      );
  const callee = libraryFunction(name);
  if (!callee) throw new Error(`no function ${name}`);
  return (b, holes) =>
    b.call(
      name,
      callee.result,
      makes.map((make) => make(b, holes)),
    );
}

/** An argument whose literal may lack its suffix: it is of the scalar type that is called. */
function argument(
  node: Node,
): (b: ThreadBuilder, holes: readonly Hole[], scalar: NumberType) => ThreadValue {
  if (node.kind === 'literal' && node.suffix === '')
    return (b, _, scalar) => b.constant(scalar, node.value);
  return compile(node);
}

function compileType(node: TypeNode): MakeType {
  if ('hole' in node)
    return (holes) => {
      const type = holes[node.hole];
      if (typeof type !== 'object' || !('kind' in type)) throw new Error('a hole needs a type');
      return type;
    };
  const size = /^vec([234])$/.exec(node.name)?.[1];
  if (size) {
    const inner = compileType(node.inner!);
    return (holes) => number(inner(holes).scalar, Number(size) as VectorSize);
  }
  const found = SCALARS[node.name];
  if (!found) throw new Error(`no type ${node.name}`);
  return () => found;
}

function vectorCall(size: VectorSize, element: MakeType, nodes: readonly Node[]): Make {
  const args = nodes.map(argument);
  return (b, holes) => {
    const to = number(element(holes).scalar, size);
    const scalar = number(to.scalar);
    return vectorOf(
      b,
      to,
      args.map((arg) => arg(b, holes, scalar)),
    );
  };
}
function vectorOf(b: ThreadBuilder, to: NumberType, values: readonly ThreadValue[]): ThreadValue {
  const [first] = values;
  const type = first!.type as NumberType;
  if (values.length === 1 && type.size === to.size) return b.convert(first!, to);
  if (values.length === 1)
    return b.vector(new Array<ThreadValue>(to.size).fill(b.convert(first!, number(to.scalar))));
  const made = values.every((value) => (value.type as NumberType).size === 1)
    ? b.vector(values)
    : b.value('thread.construct', values);
  if (made.type !== to)
    throw new Error(`${printThreadType(made.type)} is no ${printThreadType(to)}`);
  return made;
}
