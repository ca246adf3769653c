/**
 * Layouts that the program's author wrote: what tiles get, on machines that count threads
 * otherwise.
 */
import { expect, it } from 'vitest';
import { type Diagnostic } from '../diagnostics';
import { authoredName, linearOf, parseLayout } from '../ir/authoredLayout';
import { type Func, walk } from '../ir/ir';
import { threadBases } from '../ir/layout';
import { parseFunc } from '../ir/parser';
import { allocate_shared_memory } from './allocate_shared_memory';
import { checkContract } from './testing/checkContract';
import { PREPARED, SMALL } from './testing/passes';
import { distributeContext } from './index';
import { layoutOf } from './layoutRules';

const ROWS = authoredName(parseLayout('BlockedLayout([1, 2], [4, 8], [2, 1], [1, 0])'));
const COLUMNS = authoredName(parseLayout('BlockedLayout([2, 1], [8, 4], [1, 2], [0, 1])'));
const SUMS = `#ttg.slice<{dim = 1, parent = ${COLUMNS}}>`;
const KERNEL = `tt.func @k(%x: !tt.ptr<f32> {tt.divisibility = 16}) attributes {numWarps = 2} {
  %r = tt.make_range {start = 0, end = 16} : tensor<16xi32>
  %c = tt.make_range {start = 0, end = 32} : tensor<32xi32>
  %r1 = tt.expand_dims %r {axis = 1} : tensor<16x1xi32>
  %c1 = tt.expand_dims %c {axis = 0} : tensor<1x32xi32>
  %r2 = tt.broadcast %r1 : tensor<16x32xi32>
  %c2 = tt.broadcast %c1 : tensor<16x32xi32>
  %offs = arith.addi %r2, %c2 : tensor<16x32xi32>
  %xs = tt.splat %x : tensor<16x32x!tt.ptr<f32>>
  %p = tt.addptr %xs, %offs : tensor<16x32x!tt.ptr<f32>>
  %v = tt.load %p {layout = "${ROWS}"} : tensor<16x32xf32>
  %w = arith.addf %v, %v : tensor<16x32xf32>
  %there = ttg.convert_layout %w {layout = "${COLUMNS}"} : tensor<16x32xf32>
  %sum = tt.reduce %there {axis = 1} : tensor<16xf32> {
  ^(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s
  }
  %ys = tt.splat %x : tensor<16x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<16x!tt.ptr<f32>>
  tt.store %q, %sum {layout = "${SUMS}"}
  tt.return
}
`;

function distributed(warps: number, target = SMALL): { func: Func; said: string[] } {
  const func = parseFunc(KERNEL);
  const said: string[] = [];
  const report = ({ message }: Diagnostic): number => said.push(message);
  const context = distributeContext(target, warps, {}, false, { report });
  for (const pass of [...PREPARED, allocate_shared_memory]) pass(func, context);
  expect(checkContract(func, target)).toEqual([]);
  return { func, said };
}

it('are the layouts of loads, of what is computed of them, and of conversions', () => {
  const { func, said } = distributed(2);
  expect(func.attributes['threads']).toBe(64);
  const layouts = new Map<string, unknown>();
  walk(func.body, (op) => {
    if (op.name === 'tt.load' || op.name === 'arith.addf' || op.name.startsWith('ttg.'))
      if (op.results[0]?.type.kind === 'tensor') layouts.set(op.name, layoutOf(op.result));
    if (op.name === 'tt.store') layouts.set(op.name, layoutOf(op.operand(0)));
  });
  const expected = { ROWS, COLUMNS, SUMS };
  const shape = { ROWS: [16, 32], COLUMNS: [16, 32], SUMS: [16] };
  for (const [name, key] of [
    ['tt.load', 'ROWS'],
    ['arith.addf', 'ROWS'],
    ['ttg.convert_layout', 'COLUMNS'],
    ['tt.store', 'SUMS'],
  ] as const) {
    const wanted = linearOf(parseLayout(expected[key]), shape[key]);
    const found = layouts.get(name) as typeof wanted;
    expect(found.register, name).toEqual(wanted.register);
    expect(threadBases(found), name).toEqual(threadBases(wanted));
  }
  expect(said).toEqual([]);
});

it('on fewer threads than they count on, by more registers, and it is said', () => {
  const { func, said } = distributed(2, { ...SMALL, maxInvocations: 32 });
  expect(func.attributes['threads']).toBe(32);
  expect(said).toEqual([expect.stringContaining('count on 64 threads, and the target takes 32')]);
});
