/**
 * The type rule of every operation: how result types follow from operands and attributes, and what
 * else must hold. The builder infers with it, the verifier checks with it. Exhaustive by type: an
 * operation without a rule does not compile. Shapes and element types are decided here, layouts are
 * not: inference keeps the first operand's layout where shapes agree, and the rules compare types
 * without layouts (`verifier.ts` checks those by the backend contract).
 */
import type { Attribute, Block } from './ir';
import type { OpName } from './ops';
import {
  I1,
  I32,
  bitWidth,
  dtypeOf,
  elementOf,
  isFloat,
  isInteger,
  shapeOf,
  tensor,
} from './types';
import type { DType, ElementType, Type } from './types';

interface Signature {
  readonly operands: readonly Type[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly regions: readonly Block[];
}
/** Result types that follow from the operands, or undefined where the operation states them. */
type Infer = (signature: Signature) => readonly Type[] | undefined;
/** What is wrong with it, or undefined. */
type Check = (signature: Signature, results: readonly Type[]) => string | undefined;
interface TypeRule {
  readonly infer: Infer;
  readonly check?: Check;
}

export function formatScalarType(element: ElementType): string {
  return element.kind === 'pointer'
    ? `!tt.ptr<${formatScalarType(element.pointee)}>`
    : element.dtype;
}
export function sameElement(a: ElementType, b: ElementType): boolean {
  return formatScalarType(a) === formatScalarType(b);
}
export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}
/** Equal but for the layout. */
export function sameTypeIgnoringLayout(a: Type, b: Type): boolean {
  if (a.kind !== b.kind || !sameShape(shapeOf(a), shapeOf(b))) return false;
  if (!sameElement(elementOf(a), elementOf(b))) return false;
  if (a.kind === 'fragments' && b.kind === 'fragments')
    return sameShape(a.block, b.block) && sameShape(a.matrix, b.matrix);
  if (a.kind !== 'memdesc' || b.kind !== 'memdesc') return true;
  if (!sameShape(a.parts ?? [], b.parts ?? [])) return false;
  return sameShape(a.order, b.order) && a.padding === b.padding;
}
function withElementType(type: Type, element: ElementType): Type {
  return type.kind === 'tensor' ? { ...type, element } : element;
}

const stated: Infer = () => undefined;
const none: Infer = () => [];
const first: Infer = ({ operands }) => [operands[0]!];

const all = (types: readonly Type[], test: (dtype: DType) => boolean, what: string) =>
  types.every((type) => {
    const dtype = dtypeOf(type);
    return dtype !== undefined && test(dtype);
  })
    ? undefined
    : `operands must be ${what}`;
const sameOperands: Check = ({ operands }) =>
  operands.every((type) => sameTypeIgnoringLayout(type, operands[0]!))
    ? undefined
    : 'operand types differ';
const integers: Check = (s, r) => sameOperands(s, r) ?? all(s.operands, isInteger, 'integers');
const floats: Check = (s, r) => sameOperands(s, r) ?? all(s.operands, isFloat, 'floats');

const INT: TypeRule = { infer: first, check: integers };
const FLOAT: TypeRule = { infer: first, check: floats };
const COMPARE = (check: Check, predicates: string): TypeRule => ({
  infer: ({ operands }) => [withElementType(operands[0]!, I1)],
  check: (s, r) =>
    check(s, r) ??
    (predicates.split(' ').includes(String(s.attributes['predicate']))
      ? undefined
      : `no such predicate: ${String(s.attributes['predicate'])}`),
});

/** A cast: the shape stays; `test` says of the two dtypes what is wrong. */
const cast = (test: (from: DType, to: DType) => string | undefined): TypeRule => ({
  infer: stated,
  check: ({ operands }, results) => {
    if (!sameShape(shapeOf(operands[0]!), shapeOf(results[0]!))) return 'a cast keeps the shape';
    const [from, to] = [dtypeOf(operands[0]!), dtypeOf(results[0]!)];
    if (!from || !to) return 'a cast is between numbers';
    return test(from, to);
  },
});
const need = (ok: boolean, message: string) => (ok ? undefined : message);
const WIDEN = cast((from, to) =>
  need(isInteger(from) && isInteger(to) && bitWidth(to) > bitWidth(from), 'must widen an integer'),
);

const dropAxis: Infer = ({ operands, attributes }) =>
  operands.map((type) => {
    const axis = Number(attributes['axis']);
    return tensor(
      shapeOf(type).filter((_, i) => i !== axis),
      elementOf(type),
    );
  });
const mapRegion: Check = ({ operands, regions }, results) => {
  const [first] = operands;
  if (!first) return 'needs an input';
  const all = [...operands, ...results];
  if (!all.every((type) => sameShape(shapeOf(type), shapeOf(first)))) return 'shapes differ';
  const fits = (values: readonly { readonly type: Type }[], tiles: readonly Type[]): boolean =>
    values.length === tiles.length &&
    values.every(({ type }, i) => sameType(type, elementOf(tiles[i]!)));
  if (!fits(regions[0]!.args, operands)) return 'the region takes one element of each input';
  return need(
    fits(regions[0]!.terminator.operands, results),
    'the region must return one element of each result',
  );
};
const combineRegion: Check = ({ operands, attributes, regions }) => {
  const shape = shapeOf(operands[0]!);
  if (!operands.every((type) => sameShape(shapeOf(type), shape))) return 'inputs differ in shape';
  const axis = Number(attributes['axis']);
  if (!(axis >= 0 && axis < shape.length)) return `no axis ${axis}`;
  const elements = operands.map(elementOf);
  const args = regions[0]!.args.map((arg) => arg.type);
  const wanted = [...elements, ...elements];
  const fits = args.length === wanted.length && args.every((t, i) => sameType(t, wanted[i]!));
  if (!fits) return 'the region takes the left elements and then the right ones';
  const yielded = regions[0]!.terminator.operands.map((value) => value.type);
  return need(
    yielded.length === elements.length && yielded.every((t, i) => sameType(t, elements[i]!)),
    'the region must return one element of each input',
  );
};
const sameType = sameTypeIgnoringLayout;

const maskCheck = (pointer: Type, mask: Type | undefined): string | undefined => {
  if (!mask) return undefined;
  if (dtypeOf(mask) !== 'i1') return 'the mask must be i1';
  return need(sameShape(shapeOf(mask), shapeOf(pointer)), 'mask and pointer differ in shape');
};
const pointee = (pointer: Type): Type | undefined => {
  const element = elementOf(pointer);
  return element.kind === 'pointer' ? withElementType(pointer, element.pointee) : undefined;
};
const loaded: Infer = ({ operands }) => {
  const type = pointee(operands[0]!);
  return type && [type];
};
const valueCheck = (pointer: Type, value: Type): string | undefined => {
  const type = pointee(pointer);
  if (!type) return 'needs a pointer';
  return need(sameType(type, value), 'the value does not have the type pointed to');
};

const RULES: Record<OpName, TypeRule> = {
  'arith.constant': {
    infer: stated,
    check: ({ attributes }, [type]) => {
      const dtype = dtypeOf(type!);
      if (!dtype) return 'a constant is a number';
      const wanted = dtype === 'i1' ? 'boolean' : dtype === 'i64' ? 'bigint' : 'number';
      return need(typeof attributes['value'] === wanted, `value of a ${dtype} must be a ${wanted}`);
    },
  },
  'arith.addi': INT,
  'arith.subi': INT,
  'arith.muli': INT,
  'arith.divsi': INT,
  'arith.divui': INT,
  'arith.remsi': INT,
  'arith.remui': INT,
  'arith.andi': INT,
  'arith.ori': INT,
  'arith.xori': INT,
  'arith.shli': INT,
  'arith.shrsi': INT,
  'arith.shrui': INT,
  'arith.maxsi': INT,
  'arith.maxui': INT,
  'arith.minsi': INT,
  'arith.minui': INT,
  'tt.mulhiui': INT,
  'arith.addf': FLOAT,
  'arith.subf': FLOAT,
  'arith.mulf': FLOAT,
  'arith.divf': FLOAT,
  'arith.remf': FLOAT,
  'arith.negf': FLOAT,
  'arith.maximumf': FLOAT,
  'arith.maxnumf': FLOAT,
  'arith.minimumf': FLOAT,
  'arith.minnumf': FLOAT,
  'tt.clampf': FLOAT,
  'tt.precise_divf': FLOAT,
  'tt.precise_sqrt': FLOAT,
  'arith.cmpi': COMPARE(integers, 'eq ne slt sle sgt sge ult ule ugt uge'),
  'arith.cmpf': COMPARE(floats, 'oeq ogt oge olt ole une'),
  'arith.select': {
    infer: ({ operands }) => [operands[1]!],
    check: ({ operands: [condition, yes, no] }) => {
      if (!sameType(yes!, no!)) return 'the two values differ in type';
      if (dtypeOf(condition!) !== 'i1') return 'the condition must be i1';
      const shape = shapeOf(condition!);
      return need(
        shape.length === 0 || sameShape(shape, shapeOf(yes!)),
        'condition and values differ in shape',
      );
    },
  },
  'arith.extsi': WIDEN,
  'arith.extui': WIDEN,
  'arith.trunci': cast((from, to) =>
    need(isInteger(from) && isInteger(to) && bitWidth(to) < bitWidth(from), 'must narrow'),
  ),
  'arith.extf': cast((from, to) =>
    need(isFloat(from) && isFloat(to) && bitWidth(to) > bitWidth(from), 'must widen a float'),
  ),
  'arith.truncf': cast((from, to) =>
    need(isFloat(from) && isFloat(to) && bitWidth(to) < bitWidth(from), 'must narrow a float'),
  ),
  'tt.fp_to_fp': cast((from, to) => need(isFloat(from) && isFloat(to), 'must be floats')),
  'arith.sitofp': cast((from, to) => need(isInteger(from) && isFloat(to), 'integer to float')),
  'arith.uitofp': cast((from, to) => need(isInteger(from) && isFloat(to), 'integer to float')),
  'arith.fptosi': cast((from, to) => need(isFloat(from) && isInteger(to), 'float to integer')),
  'arith.fptoui': cast((from, to) => need(isFloat(from) && isInteger(to), 'float to integer')),
  'arith.bitcast': cast((from, to) => need(bitWidth(from) === bitWidth(to), 'widths differ')),
  'tt.bitcast': {
    infer: stated,
    check: ({ operands: [x] }, [type]) =>
      need(
        sameShape(shapeOf(x!), shapeOf(type!)) &&
          elementOf(x!).kind === 'pointer' &&
          elementOf(type!).kind === 'pointer',
        'must be pointers of one shape',
      ),
  },
  'tt.int_to_ptr': {
    infer: stated,
    check: ({ operands: [x] }, [type]) =>
      need(dtypeOf(x!) === 'i64' && elementOf(type!).kind === 'pointer', 'i64 to pointer'),
  },
  'tt.ptr_to_int': {
    infer: stated,
    check: ({ operands: [x] }, [type]) =>
      need(elementOf(x!).kind === 'pointer' && dtypeOf(type!) === 'i64', 'pointer to i64'),
  },
  'math.exp': FLOAT,
  'math.exp2': FLOAT,
  'math.log': FLOAT,
  'math.log2': FLOAT,
  'math.log1p': FLOAT,
  'math.expm1': FLOAT,
  'math.sin': FLOAT,
  'math.cos': FLOAT,
  'math.tan': FLOAT,
  'math.asin': FLOAT,
  'math.acos': FLOAT,
  'math.atan': FLOAT,
  'math.atan2': FLOAT,
  'math.sinh': FLOAT,
  'math.cosh': FLOAT,
  'math.tanh': FLOAT,
  'math.powf': FLOAT,
  'math.sqrt': FLOAT,
  'math.rsqrt': FLOAT,
  'math.erf': FLOAT,
  'math.floor': FLOAT,
  'math.ceil': FLOAT,
  'math.round': FLOAT,
  'math.roundeven': FLOAT,
  'math.trunc': FLOAT,
  'math.absf': FLOAT,
  'math.absi': INT,
  'math.fma': FLOAT,
  'tt.get_program_id': { infer: () => [I32] },
  'tt.get_num_programs': { infer: () => [I32] },
  'tt.make_range': {
    infer: ({ attributes }) => [
      tensor([Number(attributes['end']) - Number(attributes['start'])], I32),
    ],
  },
  'tt.addptr': {
    infer: first,
    check: ({ operands: [pointer, offset] }) => {
      if (elementOf(pointer!).kind !== 'pointer') return 'needs a pointer';
      if (!all([offset!], isInteger, '') && sameShape(shapeOf(pointer!), shapeOf(offset!)))
        return undefined;
      return 'the offset must be an integer of the shape of the pointer';
    },
  },
  'tt.splat': {
    infer: stated,
    check: ({ operands: [x] }, [type]) =>
      need(
        shapeOf(x!).length === 0 &&
          type!.kind === 'tensor' &&
          sameElement(elementOf(x!), elementOf(type!)),
        'a scalar to a tile of it',
      ),
  },
  'tt.unsplat': {
    infer: ({ operands }) => [elementOf(operands[0]!)],
    check: ({ operands: [x] }) =>
      need(
        shapeOf(x!).every((size) => size === 1),
        'needs one element',
      ),
  },
  'tt.broadcast': {
    infer: stated,
    check: ({ operands: [x] }, [type]) => {
      const [from, to] = [shapeOf(x!), shapeOf(type!)];
      return need(
        from.length === to.length &&
          from.every((size, i) => size === to[i] || size === 1) &&
          sameElement(elementOf(x!), elementOf(type!)),
        'only dimensions of size 1 grow',
      );
    },
  },
  'tt.expand_dims': {
    infer: ({ operands, attributes }) => {
      const shape = [...shapeOf(operands[0]!)];
      shape.splice(Number(attributes['axis']), 0, 1);
      return [tensor(shape, elementOf(operands[0]!))];
    },
  },
  'tt.reshape': {
    infer: stated,
    check: ({ operands: [x] }, [type]) =>
      need(
        shapeOf(x!).reduce((a, b) => a * b, 1) === shapeOf(type!).reduce((a, b) => a * b, 1) &&
          sameElement(elementOf(x!), elementOf(type!)),
        'the number of elements changes',
      ),
  },
  'tt.trans': {
    infer: ({ operands, attributes }) => {
      const shape = shapeOf(operands[0]!);
      const order = attributes['order'] as readonly number[];
      return [
        tensor(
          order.map((i) => shape[i]!),
          elementOf(operands[0]!),
        ),
      ];
    },
    check: ({ operands, attributes }) => {
      const order = attributes['order'] as readonly number[];
      const rank = shapeOf(operands[0]!).length;
      return need(
        order.length === rank &&
          new Set(order).size === rank &&
          order.every((i) => i >= 0 && i < rank),
        'order is not a permutation',
      );
    },
  },
  'tt.join': {
    infer: ({ operands: [x] }) => [tensor([...shapeOf(x!), 2], elementOf(x!))],
    check: sameOperands,
  },
  'tt.split': {
    infer: ({ operands: [x] }) => {
      const half = tensor(shapeOf(x!).slice(0, -1), elementOf(x!));
      return [half, half];
    },
    check: ({ operands: [x] }) => need(shapeOf(x!).at(-1) === 2, 'the last dimension must be 2'),
  },
  'tt.cat': {
    infer: ({ operands: [x], attributes }) => {
      const shape = [...shapeOf(x!)];
      const axis = Number(attributes['axis']);
      shape[axis] = shape[axis]! * 2;
      return [tensor(shape, elementOf(x!))];
    },
    check: sameOperands,
  },
  'tt.gather': {
    infer: ({ operands: [source, indices] }) => [tensor(shapeOf(indices!), elementOf(source!))],
    check: ({ operands: [source, indices], attributes }) => {
      const axis = Number(attributes['axis']);
      const [a, b] = [shapeOf(source!), shapeOf(indices!)];
      return need(
        a.length === b.length && a.every((size, i) => i === axis || size === b[i]),
        'source and indices may differ along the axis only',
      );
    },
  },
  'tt.load': {
    infer: loaded,
    check: ({ operands: [pointer, mask, other] }) =>
      pointee(pointer!)
        ? (maskCheck(pointer!, mask) ?? (other && valueCheck(pointer!, other)))
        : 'needs a pointer',
  },
  'tt.store': {
    infer: none,
    check: ({ operands: [pointer, value, mask] }) =>
      valueCheck(pointer!, value!) ?? maskCheck(pointer!, mask),
  },
  'tt.atomic_rmw': {
    infer: loaded,
    check: ({ operands: [pointer, value, mask] }) =>
      valueCheck(pointer!, value!) ?? maskCheck(pointer!, mask),
  },
  'tt.atomic_cas': {
    infer: loaded,
    check: ({ operands: [pointer, compare, value] }) =>
      valueCheck(pointer!, compare!) ?? valueCheck(pointer!, value!),
  },
  'tt.dot': {
    infer: ({ operands }) => [operands[2]!],
    check: ({ operands: [a, b, acc] }) => {
      const [x, y, z] = [shapeOf(a!), shapeOf(b!), shapeOf(acc!)];
      const rank = z.length;
      if ((rank !== 2 && rank !== 3) || x.length !== rank || y.length !== rank)
        return 'tiles must have two dimensions, or three';
      const m = rank - 2;
      return need(
        x[m + 1] === y[m] &&
          x[m] === z[m] &&
          y[m + 1] === z[m + 1] &&
          (m === 0 || (x[0] === y[0] && x[0] === z[0])),
        'shapes must be M×K, K×N, M×N',
      );
    },
  },
  'tt.reduce': { infer: dropAxis, check: combineRegion },
  'tt.reduce.return': { infer: none },
  'tt.scan': { infer: ({ operands }) => operands, check: combineRegion },
  'tt.scan.return': { infer: none },
  'tt.sort': {
    infer: stated,
    check: ({ operands: [x], attributes, regions }, [result]) => {
      const [from, to] = [shapeOf(x!), shapeOf(result!)];
      const keep = Number(attributes['keep']);
      const first = Number(attributes['first']);
      const steps = Math.log2(from.at(-1) ?? 0);
      if (!(keep >= 0 && keep <= steps && first >= 1)) return 'no such stages';
      if (!sameShape(to, [...from.slice(0, -1), 2 ** keep])) return 'the result has another shape';
      if (!sameType(elementOf(x!), elementOf(result!))) return 'element types differ';
      const region = regions[0]!;
      const types = region.args.map((arg) => arg.type);
      if (types.length !== 2 || types.some((type) => !sameType(type, elementOf(x!))))
        return 'the region takes two elements';
      const given = region.terminator.operands.map((value) => value.type);
      return need(
        given.length === 2 && given.every((type) => sameType(type, I1)),
        'the region must return two truth values',
      );
    },
  },
  'tt.sort.return': { infer: none },
  'tt.map_elementwise': { infer: stated, check: mapRegion },
  'tt.map_elementwise.return': { infer: none },
  'tt.histogram': {
    infer: stated,
    check: ({ operands: [x, mask] }) => {
      if (shapeOf(x!).length !== 1) return 'needs one dimension';
      return mask && maskCheck(x!, mask);
    },
  },
  'scf.for': {
    infer: ({ operands }) => operands.slice(3),
    check: ({ operands, regions }, results) => {
      const [lower, upper, step] = operands;
      if (![lower!, upper!, step!].every((t) => t.kind === 'scalar' && sameType(t, lower!)))
        return 'bounds and step must be scalars of one type';
      const args = regions[0]!.args.map((arg) => arg.type);
      return carried('body', [lower!, ...results], args) ?? yields(regions[0]!, results);
    },
  },
  'scf.while': {
    infer: ({ regions }) => regions[1]!.args.map((arg) => arg.type),
    check: ({ operands, regions }, results) => {
      const [before, after] = [regions[0]!, regions[1]!];
      if (before.terminator.name !== 'scf.condition') return '`before` must end in scf.condition';
      const forwarded = before.terminator.operands.slice(1).map((value) => value.type);
      return (
        carried(
          'before',
          operands,
          before.args.map((arg) => arg.type),
        ) ??
        carried('scf.condition', results, forwarded) ??
        carried(
          'after',
          results,
          after.args.map((arg) => arg.type),
        ) ??
        yields(after, operands)
      );
    },
  },
  'scf.if': {
    infer: ({ regions }) => regions[0]!.terminator.operands.map((value) => value.type),
    check: ({ operands: [condition], regions }, results) => {
      if (condition!.kind !== 'scalar' || condition!.dtype !== 'i1')
        return 'condition must be a scalar i1';
      return yields(regions[0]!, results) ?? yields(regions[1]!, results);
    },
  },
  'scf.yield': { infer: none },
  'scf.condition': { infer: none },
  'tt.return': { infer: none },
  'tt.print': { infer: none },
  'tt.assert': {
    infer: none,
    check: ({ operands: [condition] }) =>
      need(dtypeOf(condition!) === 'i1', 'condition must be i1'),
  },
  'ttg.convert_layout': {
    infer: stated,
    check: ({ operands: [x] }, [type]) => need(sameType(x!, type!), 'only the layout may change'),
  },
  'ttg.extract_slice': {
    infer: stated,
    check: ({ operands: [x], attributes }, [type]) => {
      const [from, to] = [shapeOf(x!), shapeOf(type!)];
      const origin = attributes['origin'];
      return need(
        Array.isArray(origin) &&
          from.length === to.length &&
          sameElement(elementOf(x!), elementOf(type!)) &&
          to.every(
            (size, d) => Number(origin[d]) % size === 0 && Number(origin[d]) + size <= from[d]!,
          ),
        'takes an aligned part of a tile of the same element type',
      );
    },
  },
  'ttg.local_alloc': {
    infer: stated,
    check: (_, [type]) => need(type!.kind === 'memdesc', 'allocates a memdesc'),
  },
  'ttg.local_store': {
    infer: none,
    check: ({ operands: [x, target] }) =>
      need(
        target!.kind === 'memdesc' && sameElement(elementOf(x!), target!.element),
        'stores a tile into a memdesc of its element type',
      ),
  },
  'ttg.local_load': {
    infer: stated,
    check: ({ operands: [source] }, [type]) =>
      need(
        source!.kind === 'memdesc' && sameShape(source!.shape, shapeOf(type!)),
        'loads a tile of the shape of the memdesc',
      ),
  },
  'ttg.read_fragments': {
    infer: stated,
    check: ({ operands: [x], attributes }, [type]) => {
      const [rows = 0, columns] = shapeOf(type!);
      const [from = 0] = (attributes['origin'] as readonly number[] | undefined) ?? [];
      return need(
        x!.kind === 'fragments' &&
          columns === x!.shape[1] &&
          (attributes['origin']
            ? rows % x!.matrix[0] === 0 && from % rows === 0 && from + rows <= x!.shape[0]!
            : rows === x!.shape[0]) &&
          sameElement(x!.element, elementOf(type!)),
        'gives a tile of the shape and element type of the fragments, or whole rows of matrices',
      );
    },
  },
  'gpu.barrier': { infer: none },
};

function carried(
  what: string,
  wanted: readonly Type[],
  found: readonly Type[],
): string | undefined {
  return need(
    wanted.length === found.length && wanted.every((type, i) => sameType(type, found[i]!)),
    `types of ${what} do not match the carried values`,
  );
}
function yields(block: Block, wanted: readonly Type[]): string | undefined {
  const last = block.terminator;
  if (last.name !== 'scf.yield') return 'a region must end in scf.yield';
  return carried(
    'scf.yield',
    wanted,
    last.operands.map((value) => value.type),
  );
}

/** Result types that follow from the operands; undefined where the operation must state them. */
export function inferResultTypes(
  name: OpName,
  operands: readonly Type[],
  attributes: Readonly<Record<string, Attribute>>,
  regions: readonly Block[] = [],
): readonly Type[] | undefined {
  return RULES[name].infer({ operands, attributes, regions });
}

/** What is wrong with an operation's types, or undefined. Regions must already be well formed. */
export function checkTypes(
  name: OpName,
  operands: readonly Type[],
  attributes: Readonly<Record<string, Attribute>>,
  regions: readonly Block[],
  results: readonly Type[],
): string | undefined {
  const signature = { operands, attributes, regions };
  const problem = RULES[name].check?.(signature, results);
  if (problem) return problem;
  const inferred = RULES[name].infer(signature);
  if (!inferred) return undefined;
  return need(
    inferred.length === results.length && inferred.every((t, i) => sameType(t, results[i]!)),
    'the result type does not follow from the operands',
  );
}
