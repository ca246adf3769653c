import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Builder } from '../ir/builder';
import type { Value } from '../ir/ir';
import { seededRandom } from '../ir/seededRandom';
import { parseFunc } from '../ir/parser';
import { I32, shapeOf, tensor } from '../ir/types';
import { AxisAnalysis, type AxisInfo } from './axis_analysis';
import { makeFunc, P32 } from './testing/kernels';

/** Facts of the analysis about the value named `name` in a kernel's text. */
function infoOf(text: string, name: string): AxisInfo {
  const func = parseFunc(text);
  const analysis = new AxisAnalysis(func);
  let found: AxisInfo | undefined;
  const visit = (ops: typeof func.body.ops): void => {
    for (const op of ops) {
      for (const result of op.results) if (result.name === name) found = analysis.of(result);
      for (const region of op.regions) {
        for (const arg of region.args) if (arg.name === name) found = analysis.of(arg);
        visit(region.ops);
      }
    }
  };
  visit(func.body.ops);
  if (!found) throw new Error(`no value ${name}`);
  return found;
}

describe('axis_analysis', () => {
  test('pointers of a block', () => {
    const text = `tt.func @k(%x: !tt.ptr<f32> {tt.divisibility = 16}, %n: i32 {tt.divisibility = 16}) {
  %pid = tt.get_program_id {axis = 0} : i32
  %c64 = arith.constant 64 : i32
  %start = arith.muli %pid, %c64 : i32
  %range = tt.make_range {start = 0, end = 64} : tensor<64xi32>
  %starts = tt.splat %start : tensor<64xi32>
  %offs = arith.addi %starts, %range : tensor<64xi32>
  %base = tt.splat %x : tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %base, %offs : tensor<64x!tt.ptr<f32>>
  %ns = tt.splat %n : tensor<64xi32>
  %mask = arith.cmpi %offs, %ns {predicate = "slt"} : tensor<64xi1>
  tt.return
}
`;
    expect(infoOf(text, 'offs')).toMatchObject({ contiguity: [64], divisibility: [64] });
    expect(infoOf(text, 'p')).toMatchObject({ contiguity: [64], divisibility: [16] });
    expect(infoOf(text, 'mask').constancy).toEqual([16]);
  });

  test('another layout changes nothing: rows that a table names stay aligned', () => {
    const text = `#L0 = #linear<{register = [[1]], lane = [[2], [4]], subgroup = [[8], [0], [0]]}>
#L1 = #linear<{register = [[8]], lane = [[1], [2]], subgroup = [[4], [0], [0]]}>
tt.func @k(%t: !tt.ptr<i32>) attributes {threads = 32, subgroupSize = 4} {
  %rows = tt.make_range {start = 0, end = 16} : tensor<16xi32, #L0>
  %ts = tt.splat %t : tensor<16x!tt.ptr<i32>, #L0>
  %tp = tt.addptr %ts, %rows : tensor<16x!tt.ptr<i32>, #L0>
  %page = tt.load %tp : tensor<16xi32, #L0>
  %c64 = arith.constant dense<64> : tensor<16xi32, #L0>
  %at = arith.muli %page, %c64 : tensor<16xi32, #L0>
  %there = ttg.convert_layout %at : tensor<16xi32, #L1>
  tt.return
}
`;
    expect(infoOf(text, 'there').divisibility).toEqual([64]);
  });

  test('loops to a fixpoint: a pointer that moves by 4 floats', () => {
    const text = `tt.func @k(%x: !tt.ptr<f32> {tt.divisibility = 16}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %base = tt.splat %x : tensor<64x!tt.ptr<f32>>
  %range = tt.make_range {start = 0, end = 64} : tensor<64xi32>
  %p0 = tt.addptr %base, %range : tensor<64x!tt.ptr<f32>>
  %four = tt.splat %c4 : tensor<64xi32>
  %r = scf.for %c0, %n, %c4, %p0 : tensor<64x!tt.ptr<f32>> {
  ^(%i: i32, %p: tensor<64x!tt.ptr<f32>>):
    %next = tt.addptr %p, %four : tensor<64x!tt.ptr<f32>>
    scf.yield %next
  }
  %odd = scf.for %c0, %n, %c4, %p0 : tensor<64x!tt.ptr<f32>> {
  ^(%j: i32, %q: tensor<64x!tt.ptr<f32>>):
    %js = tt.splat %n : tensor<64xi32>
    %next2 = tt.addptr %q, %js : tensor<64x!tt.ptr<f32>>
    scf.yield %next2
  }
  tt.return
}
`;
    expect(infoOf(text, 'p')).toMatchObject({ contiguity: [64], divisibility: [16] });
    expect(infoOf(text, 'i').divisibility).toEqual([4]);
    expect(infoOf(text, 'q')).toMatchObject({ contiguity: [64], divisibility: [4] });
  });

  test('a run that is cut shorter loses divisibility', () => {
    const text = `tt.func @k(%n: i32) {
  %c4 = arith.constant dense<4> : tensor<16xi32>
  %c16 = arith.constant dense<16> : tensor<16xi32>
  %range = tt.make_range {start = 0, end = 16} : tensor<16xi32>
  %q = arith.divsi %range, %c4 : tensor<16xi32>
  %steps = arith.muli %q, %c16 : tensor<16xi32>
  %sum = arith.addi %range, %steps : tensor<16xi32>
  tt.return
}
`;
    expect(infoOf(text, 'sum')).toMatchObject({ contiguity: [4], divisibility: [4] });
  });

  test('what it says is true of random index expressions', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (seed) => {
        const random = seededRandom(seed);
        const values: { value: Value; elements: number[]; negative: boolean }[] = [];
        const func = makeFunc(
          'k',
          [
            ['p', P32, 16],
            ['n', I32, 16],
            ['m', I32],
          ],
          (b, args) => grow(b, args, values, random),
        );
        const analysis = new AxisAnalysis(func);
        for (const { value, elements } of values) {
          const problem = falseClaim(analysis.of(value), shapeOf(value.type), elements);
          if (problem) throw new Error(`${value.definition!.name}: ${problem}`);
        }
      }),
      { numRuns: 600 },
    );
  });
});

const SIZE = 16;
/** Random operations on tiles of 16 and 4×16 numbers, with their elements computed beside them. */
function grow(
  b: Builder,
  args: readonly Value[],
  values: { value: Value; elements: number[]; negative: boolean }[],
  random: () => number,
): void {
  const below = (n: number): number => Math.floor(random() * n);
  const n = 16 * below(6);
  const m = below(100);
  const all = Array.from({ length: SIZE }, (_, i) => i);
  const add = (value: Value, elements: number[], negative = false): void =>
    void values.push({ value, elements, negative });
  add(b.makeRange(0, SIZE), all);
  const start = 2 ** below(6);
  add(
    b.makeRange(start, start + SIZE),
    all.map((i) => start + i),
  );
  add(
    b.splat(args[1]!, [SIZE]),
    all.map(() => n),
  );
  add(
    b.splat(args[2]!, [SIZE]),
    all.map(() => m),
  );
  for (let i = 0; i < 12; i++) {
    const x = values[below(values.length)]!;
    const shape = shapeOf(x.value.type);
    const like = values.filter((v) => shapeOf(v.value.type).join() === shape.join());
    const y = like[below(like.length)]!;
    const constant = random() < 0.5 ? 2 ** below(7) : 1 + below(40);
    const c = b.constant(tensor(shape, I32), constant);
    const each = (f: (p: number, q: number) => number): number[] =>
      x.elements.map((p, j) => f(p, y.elements[j]!) | 0);
    const withC = (f: (p: number) => number): number[] => x.elements.map((p) => f(p) | 0);
    const small = Math.max(...x.elements.map(Math.abs)) < 1e5;
    switch (below(11)) {
      case 0:
      case 1:
        add(
          b.binary('arith.addi', x.value, y.value),
          each((p, q) => p + q),
          x.negative || y.negative,
        );
        break;
      case 2:
        add(
          b.binary('arith.subi', x.value, y.value),
          each((p, q) => p - q),
          true,
        );
        break;
      case 3:
        if (small)
          add(
            b.binary('arith.muli', x.value, c),
            withC((p) => p * constant),
            x.negative,
          );
        break;
      case 4:
        add(
          b.binary('arith.divsi', x.value, c),
          withC((p) => Math.trunc(p / constant)),
          x.negative,
        );
        break;
      case 5:
        add(
          b.binary('arith.remsi', x.value, c),
          withC((p) => p % constant),
          x.negative,
        );
        break;
      case 6: {
        const names = ['slt', 'sle', 'sgt', 'sge', 'eq'] as const;
        const test = names[below(5)]!;
        const table = {
          slt: (p: number, q: number) => p < q,
          sle: (p: number, q: number) => p <= q,
          sgt: (p: number, q: number) => p > q,
          sge: (p: number, q: number) => p >= q,
          eq: (p: number, q: number) => p === q,
        };
        const holds = each((p, q) => Number(table[test](p, q)));
        const condition = b.cmp(test, x.value, y.value);
        add(
          b.select(condition, x.value, y.value),
          holds.map((h, j) => (h ? x : y).elements[j]!),
          x.negative || y.negative,
        );
        add(b.cast('arith.extui', condition, I32), holds);
        break;
      }
      case 7:
        add(b.binary('arith.minsi', x.value, y.value), each(Math.min), x.negative || y.negative);
        break;
      case 8:
        if (shape.join() === `${SIZE}`) {
          const wide = b.broadcast(b.expandDims(x.value, 0), [4, SIZE]);
          add(
            wide,
            [0, 1, 2, 3].flatMap(() => x.elements),
            x.negative,
          );
        } else if (shape.length === 2) {
          const turned = [...Array(SIZE).keys()].flatMap((j) =>
            [0, 1, 2, 3].map((r) => x.elements[r * SIZE + j]!),
          );
          if (shape[0] === 4) add(b.trans(x.value, [1, 0]), turned, x.negative);
        }
        break;
      case 9:
        if (shape.join() === `${SIZE}`) {
          const row = b.expandDims(x.value, 1);
          add(
            b.broadcast(row, [SIZE, 4]),
            x.elements.flatMap((p) => [p, p, p, p]),
            x.negative,
          );
        } else if (shape.length === 2) add(b.reshape(x.value, [64]), x.elements, x.negative);
        break;
      default:
        add(
          b.binary('arith.shrsi', x.value, b.constant(tensor(shape, I32), 2)),
          withC((p) => p >> 2),
          x.negative,
        );
    }
  }
}

function falseClaim(
  info: AxisInfo,
  shape: readonly number[],
  elements: readonly number[],
): string | undefined {
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, c) => a * c, 1));
  for (let index = 0; index < elements.length; index++) {
    for (let d = 0; d < shape.length; d++) {
      const at = Math.floor(index / strides[d]!) % shape[d]!;
      const here = elements[index]!;
      const before = at > 0 ? elements[index - strides[d]!]! : undefined;
      const [run, same] = [info.contiguity[d]!, info.constancy[d]!];
      if (at % run !== 0 && here !== before! + 1) return `contiguity ${run} along ${d}`;
      if (at % run === 0 && here % info.divisibility[d]! !== 0)
        return `divisibility ${info.divisibility[d]} along ${d}, but ${here}`;
      if (at % same !== 0 && here !== before) return `constancy ${same} along ${d}`;
    }
    if (info.constant !== undefined && elements[index] !== info.constant) return 'constant';
  }
  return undefined;
}
