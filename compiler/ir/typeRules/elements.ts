/** Arithmetic, comparisons, mathematics and casts: an element of the result from one of each operand. */
import { sameShape, sameTypeIgnoringLayout as sameType } from '../sameType';
import { I1, bitWidth, dtypeOf, elementOf, isFloat, isInteger, shapeOf } from '../types';
import type { DType } from '../types';
import { first, floats, integers, need, stated, withElementType } from './rule';
import type { Check, TypeRule } from './rule';

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
const WIDEN = cast((from, to) =>
  need(isInteger(from) && isInteger(to) && bitWidth(to) > bitWidth(from), 'must widen an integer'),
);

export const ELEMENT_RULES = {
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
} satisfies Record<string, TypeRule>;
