/**
 * For tests of single passes: small kernels as text, the passes before the one under test, and what
 * that one changes as a diff of printed IR.
 */
import { expect } from 'vitest';
import { type Func, type Value, walk } from '../../ir/ir';
import { parseFunc } from '../../ir/parser';
import { printIr } from '../../ir/printer';
import { assertValid } from '../../ir/verifier';
import { BASELINE_TARGET, type Target } from '../../target';
import type { DistributePass } from '../context';
import { type Choices, DISTRIBUTE_PASSES, distributeContext } from '../index';
import { propagate_layouts } from '../propagate_layouts';
import { choose_threads } from '../choose_threads';
import { select_dot_path } from '../select_dot_path';

/** Lanes of 4, so that layouts are short to read. */
export const SMALL: Target = { ...BASELINE_TARGET, name: 'small', subgroupSize: 4 };
/** The same with subgroup matrices of 8×8. */
export const SMALL_MATRICES: Target = {
  ...SMALL,
  f16: true,
  subgroupMatrices: [{ component: 'f16', result: 'f32', M: 8, N: 8, K: 8 }],
};

export const PREPARED = [choose_threads, select_dot_path, propagate_layouts] as const;

/** The function after the last pass; the ones before it only prepare. */
export function after(
  text: string,
  passes: readonly DistributePass[],
  choices: Partial<Choices> = {},
  target = SMALL,
): string {
  const func = parseFunc(text);
  assertValid(func, 'parsing');
  const context = distributeContext(target, 1, choices);
  for (const pass of passes) {
    pass(func, context);
    assertValid(func, pass.name);
  }
  return printIr(func);
}

/** Prints without layouts, which tests of other passes are about. */
export const plain = (text: string): string =>
  text.replaceAll(/, #L\d+/g, '').replaceAll(/^#L.*\n/gm, '');
export const onlyLoop = (text: string): string =>
  text.slice(text.lastIndexOf('\n', text.indexOf('scf.for')) + 1, text.lastIndexOf('  }\n') + 4);

/**
 * Runs the passes of distribution up to `pass`. The lines of IR that it removes (`-`) and adds
 * (`+`), each with the line before; empty where it changes nothing.
 */
export function changeBy(
  pass: string,
  source: string | Func,
  choices: Partial<Choices> = {},
  target = SMALL,
): string {
  const func = typeof source === 'string' ? parseFunc(source) : source;
  const context = distributeContext(target, 1, choices);
  for (const { name, run } of DISTRIBUTE_PASSES) {
    if (name !== pass) {
      run(func, context);
      continue;
    }
    nameValues(func);
    const before = plain(printIr(func)).split('\n');
    const changed = run(func, context);
    assertValid(func, pass);
    const difference = diff(before, plain(printIr(func)).split('\n'));
    expect(changed, 'reports whether it changed anything').toBe(difference.length > 0);
    return difference.join('\n');
  }
  throw new Error(`no pass ${pass}`);
}

/**
 * Gives every value a name of its own: what the printer numbers would move with other operations.
 */
function nameValues(func: Func): void {
  const names = new Set<string>();
  const name = (value: Value): void => {
    const stem = value.name ?? 'v';
    let own = value.name ?? 'v0';
    for (let count = 1; names.has(own); count++) own = `${stem}${count}`;
    names.add(own);
    value.name = own;
  };
  walk(func.body, (op) => {
    for (const region of op.regions) region.args.forEach(name);
    op.results.forEach(name);
  });
}

/** By the longest common subsequence of lines. */
function diff(a: readonly string[], b: readonly string[]): string[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i]![j] =
        a[i] === b[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const lines: string[] = [];
  let context: string | undefined;
  const push = (line: string): void => {
    if (context !== undefined) lines.push(`  ${context}`);
    context = undefined;
    lines.push(line);
  };
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      context = a[i];
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      push(`- ${a[i++]}`);
    else push(`+ ${b[j++]}`);
  }
  return lines;
}

/** One tile in, one out. */
export const COPY = `tt.func @copy(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32>) {
  %range = tt.make_range {start = 0, end = 64} : tensor<64xi32>
  %xs = tt.splat %x : tensor<64x!tt.ptr<f32>>
  %from = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>
  %v = tt.load %from : tensor<64xf32>
  tt.store %to, %v
  tt.return
}
`;

/** A loop of dots whose left operand is loop-invariant. */
export const DOTS = `tt.func @dots(%x: !tt.ptr<f16> {tt.divisibility = 16}, %y: !tt.ptr<f16> {tt.divisibility = 16}, %z: !tt.ptr<f32> {tt.divisibility = 16}, %n: i32) {
  %c0_i32 = arith.constant 0 : i32
  %c16_i32 = arith.constant 16 : i32
  %r = tt.make_range {start = 0, end = 16} : tensor<16xi32>
  %r1 = tt.expand_dims %r {axis = 1} : tensor<16x1xi32>
  %c1 = tt.expand_dims %r {axis = 0} : tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %r2 = arith.muli %r1, %c16 : tensor<16x1xi32>
  %r3 = tt.broadcast %r2 : tensor<16x16xi32>
  %c2 = tt.broadcast %c1 : tensor<16x16xi32>
  %offs = arith.addi %r3, %c2 : tensor<16x16xi32>
  %xs = tt.splat %x : tensor<16x16x!tt.ptr<f16>>
  %p = tt.addptr %xs, %offs : tensor<16x16x!tt.ptr<f16>>
  %a = tt.load %p : tensor<16x16xf16>
  %ys = tt.splat %y : tensor<16x16x!tt.ptr<f16>>
  %q = tt.addptr %ys, %offs : tensor<16x16x!tt.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %c0_i32, %n, %c16_i32, %zero : tensor<16x16xf32> {
  ^(%i: i32, %acc: tensor<16x16xf32>):
    %is = tt.splat %i : tensor<16x16xi32>
    %qi = tt.addptr %q, %is : tensor<16x16x!tt.ptr<f16>>
    %b = tt.load %qi : tensor<16x16xf16>
    %d = tt.dot %a, %b, %acc {inputPrecision = "ieee"} : tensor<16x16xf32>
    scf.yield %d
  }
  %zs = tt.splat %z : tensor<16x16x!tt.ptr<f32>>
  %o = tt.addptr %zs, %offs : tensor<16x16x!tt.ptr<f32>>
  tt.store %o, %sum
  tt.return
}
`;
