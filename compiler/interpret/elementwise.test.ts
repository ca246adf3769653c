/**
 * The interpreter's loops over whole tiles, against the function that the IR's table of operations
 * has for one element: property-based, over types and edge values.
 */
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { elementFunction } from '../ir/evaluate';
import { canonicalScalar, roundFloat } from '../ir/numbers';
import type { OpName } from '../ir/ops';
import { Tile, elementAt, setElement } from '../ir/tile';
import { isFloat, type DType } from '../ir/types';
import { elementwiseKernel } from './elementwise';

describe('the fast loops compute what the table says', () => {
  const INT: OpName[] = [
    'arith.addi',
    'arith.subi',
    'arith.muli',
    'arith.divsi',
    'arith.divui',
    'arith.remsi',
    'arith.remui',
    'arith.andi',
    'arith.ori',
    'arith.xori',
    'arith.shli',
    'arith.shrsi',
    'arith.shrui',
    'arith.maxsi',
    'arith.minsi',
    'arith.maxui',
    'arith.minui',
    'tt.mulhiui',
    'math.ctlz',
    'math.ctpop',
    'math.bitreverse',
  ];
  const FLOAT: OpName[] = [
    'arith.addf',
    'arith.subf',
    'arith.mulf',
    'arith.divf',
    'arith.maxnumf',
    'arith.minnumf',
    'arith.maximumf',
    'arith.minimumf',
    'arith.negf',
    'math.absf',
    'math.sqrt',
    'math.exp',
  ];
  const CASTS: [OpName, DType, DType][] = [
    ['arith.extsi', 'i8', 'i32'],
    ['arith.extsi', 'i1', 'i64'],
    ['arith.extsi', 'i32', 'i64'],
    ['arith.extui', 'i32', 'i64'],
    ['arith.extui', 'i16', 'i64'],
    ['arith.extui', 'i8', 'i32'],
    ['arith.extui', 'i1', 'i64'],
    ['arith.trunci', 'i64', 'i32'],
    ['arith.trunci', 'i64', 'i8'],
    ['arith.trunci', 'i64', 'i1'],
    ['arith.trunci', 'i32', 'i16'],
    ['arith.trunci', 'i32', 'i1'],
    ['arith.sitofp', 'i64', 'f32'],
    ['arith.sitofp', 'i32', 'f16'],
    ['arith.uitofp', 'i64', 'f32'],
    ['arith.sitofp', 'i1', 'f32'],
    ['arith.uitofp', 'i8', 'f32'],
    ['arith.fptosi', 'f32', 'i64'],
    ['arith.fptosi', 'f32', 'i8'],
    ['arith.fptoui', 'f32', 'i32'],
    ['arith.truncf', 'f32', 'f16'],
    ['arith.truncf', 'f32', 'bf16'],
    ['arith.truncf', 'f64', 'f16'],
    ['arith.extf', 'f16', 'f32'],
    ['arith.bitcast', 'i32', 'f32'],
    ['arith.bitcast', 'i16', 'bf16'],
    ['arith.bitcast', 'i64', 'f64'],
  ];
  const element = (dtype: DType): fc.Arbitrary<number | bigint> => {
    if (dtype === 'i1') return fc.constantFrom(0, 1);
    if (dtype === 'i64')
      return fc.oneof(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.bigInt({ min: -40n, max: 40n }),
        fc.bigInt({ min: -3n, max: 3n }),
        fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }),
      );
    if (isFloat(dtype))
      return fc
        .oneof(fc.double(), fc.float(), fc.integer({ min: -3, max: 3 }))
        .map((x) => roundFloat(dtype, x));
    return fc
      .oneof(fc.integer(), fc.integer({ min: -3, max: 3 }))
      .map((x) => canonicalScalar(dtype, x) as number);
  };
  const check = (
    name: OpName,
    from: DType,
    to: DType,
    attributes: Record<string, string>,
    columns: readonly (readonly (number | bigint)[])[],
  ) => {
    const n = columns[0]!.length;
    const tiles = columns.map((column) => {
      const tile = new Tile(from, n);
      column.forEach((x, i) => setElement(tile, i, x));
      return tile;
    });
    const out = new Tile(to, n);
    elementwiseKernel(name, attributes, tiles, out)(n);
    // A conversion to a float would keep it.
    if (to === 'i64' && out.data.some((x) => Object.is(x, -0))) throw new Error(`${name} wrote −0`);
    const f = elementFunction(name, { from, to, attributes })!;
    for (let i = 0; i < n; i++) {
      const wanted = f(columns[0]![i]!, columns[1]?.[i] ?? 0, 0);
      const found = elementAt(out, i);
      if (!Object.is(found, wanted) && !(found === 0 && wanted === 0 && !isFloat(to)))
        throw new Error(
          `${name} ${from}->${to} ${JSON.stringify(attributes)} of ${columns.map((c) => String(c[i]))}: ` +
            `${String(found)}, not ${String(wanted)}`,
        );
    }
  };
  const columns = (dtype: DType, count: number) =>
    fc.integer({ min: 1, max: 8 }).chain((n) =>
      fc.array(fc.array(element(dtype), { minLength: n, maxLength: n }), {
        minLength: count,
        maxLength: count,
      }),
    );

  test.each(['i1', 'i8', 'i16', 'i32', 'i64'] as const)('%s arithmetic', (dtype) => {
    fc.assert(
      fc.property(fc.constantFrom(...INT), columns(dtype, 2), (name, values) =>
        check(name, dtype, dtype, {}, values),
      ),
      { numRuns: 1000 },
    );
  });
  test.each(['i1', 'i8', 'i32', 'i64'] as const)('%s comparison', (dtype) => {
    const predicates = ['eq', 'ne', 'slt', 'sle', 'sgt', 'sge', 'ult', 'ule', 'ugt', 'uge'];
    fc.assert(
      fc.property(fc.constantFrom(...predicates), columns(dtype, 2), (predicate, values) =>
        check('arith.cmpi', dtype, 'i1', { predicate }, values),
      ),
      { numRuns: 500 },
    );
  });
  test.each(['f16', 'bf16', 'f32', 'f64', 'f8E5M2', 'f8E4M3FN'] as const)('%s', (dtype) => {
    fc.assert(
      fc.property(fc.constantFrom(...FLOAT), columns(dtype, 2), (name, values) => {
        // Only what Triton has in that format; exp of f16 would be rounded twice.
        if (name === 'math.exp' && dtype !== 'f32' && dtype !== 'f64') return;
        check(name, dtype, dtype, {}, values);
      }),
      { numRuns: 1000 },
    );
  });
  test.each(CASTS)('%s %s to %s', (name, from, to) => {
    fc.assert(
      fc.property(columns(from, 1), (values) => check(name, from, to, {}, values)),
      { numRuns: 300 },
    );
  });
});
