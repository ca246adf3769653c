/**
 * For tests: checks the backend contract by brute force, thread by thread and register by register.
 * Says what is wrong, an empty list if nothing is.
 */
import { type Block, type Func, type Operation, type Value, walk } from '../../ir/ir';
import { type Layout, registerCount } from '../../ir/layout';
import {
  classifyConversion,
  coordinates,
  equalLayouts,
  isWellFormed,
  log2,
  sourceLaneBits,
  sourceRegister,
} from '../../ir/layoutAlgebra';
import { hasTrait } from '../../ir/ops';
import { shapeOf } from '../../ir/types';
import type { Target } from '../../target';
import { planOf } from '../dots/index';
import { threadBitsOf, workgroupBytesOf } from '../context';
import { isTile, layoutOf } from '../layoutRules';

/** Threads that are looked at: all of a small workgroup, a spread of a large one. */
function someThreads(threads: number): number[] {
  const out = new Set<number>();
  for (let t = 0; t < threads; t += Math.max(1, threads >> 4)) out.add(t).add(t + 1);
  for (let t = 1; t < threads; t *= 2) out.add(t).add(threads - 1 - t);
  return [...out].filter((t) => t < threads);
}
function someRegisters(layout: Layout): number[] {
  const count = registerCount(layout);
  const out = new Set<number>([0, count - 1]);
  for (let r = 1; r < count; r *= 2)
    out
      .add(r)
      .add(count - 1 - r)
      .add(Math.min(count - 1, r + 1));
  return [...out];
}

/** Which element of which operand an element of result `index` is. */
function sourceElement(
  op: Operation,
  result: number,
  at: readonly number[],
): { operand: number; at: number[] } {
  const from = shapeOf(op.operand(0).type);
  switch (op.name) {
    case 'tt.expand_dims': {
      const axis = Number(op.attributes['axis']);
      return { operand: 0, at: at.filter((_, d) => d !== axis) };
    }
    case 'tt.broadcast':
      return { operand: 0, at: at.map((c, d) => (from[d] === 1 ? 0 : c)) };
    case 'tt.trans': {
      const order = op.attributes['order'] as readonly number[];
      const out: number[] = [];
      order.forEach((d, i) => (out[d] = at[i]!));
      return { operand: 0, at: out };
    }
    case 'tt.reshape': {
      const to = shapeOf(op.result.type);
      let flat = at.reduce((sum, c, d) => sum * to[d]! + c, 0);
      const out = [...from];
      for (let d = from.length - 1; d >= 0; d--) {
        out[d] = flat % from[d]!;
        flat = Math.floor(flat / from[d]!);
      }
      return { operand: 0, at: out };
    }
    case 'ttg.extract_slice': {
      const origin = op.attributes['origin'] as readonly number[];
      return { operand: 0, at: at.map((c, d) => c + origin[d]!) };
    }
    case 'tt.join':
      return { operand: at.at(-1)!, at: at.slice(0, -1) };
    case 'tt.split':
      return { operand: 0, at: [...at, result] };
    case 'tt.cat': {
      const axis = Number(op.attributes['axis']);
      const half = from[axis]!;
      return {
        operand: at[axis]! >= half ? 1 : 0,
        at: at.map((c, d) => (d === axis ? c % half : c)),
      };
    }
    default:
      return { operand: 0, at: [...at] };
  }
}
const RENAMINGS = new Set<string>([
  'tt.expand_dims',
  'tt.broadcast',
  'tt.trans',
  'tt.reshape',
  'tt.join',
  'tt.split',
  'tt.cat',
  'ttg.extract_slice',
]);

export function checkContract(func: Func, target: Target, finished = true): string[] {
  const problems: string[] = [];
  const threads = Number(func.attributes['threads']);
  const subgroup = Number(func.attributes['subgroupSize']);
  const bits = threadBitsOf(func);
  if (threads > target.maxInvocations) problems.push(`${threads} threads`);
  if (threads !== 2 ** (bits.lanes + bits.subgroups)) problems.push('threads: no power of two');
  if (subgroup !== 0 && subgroup !== target.subgroupSize) problems.push(`subgroups of ${subgroup}`);

  const value = (op: Operation | undefined, v: Value): void => {
    if (!isTile(v)) return;
    const layout = layoutOf(v);
    const where = op?.name ?? 'argument';
    if (!layout) problems.push(`${where}: a tile has no layout`);
    else if (!isWellFormed(layout, shapeOf(v.type), bits))
      problems.push(`${where}: layout is not well formed for ${shapeOf(v.type).join('x')}`);
  };
  const same = (op: Operation, a: Value | undefined, b: Value | undefined): void => {
    if (!a || !b || !isTile(a) || !isTile(b)) return;
    if (!equalLayouts(layoutOf(a)!, layoutOf(b)!)) problems.push(`${op.name}: layouts differ`);
  };
  const block = (b: Block): readonly Value[] => b.terminator.operands;

  walk(func.body, (op) => {
    for (const region of op.regions) region.args.forEach((arg) => value(undefined, arg));
    op.results.forEach((result) => value(op, result));
  });
  if (problems.length > 0) return problems;

  walk(func.body, (op) => {
    if (hasTrait(op.name, 'elementwise'))
      for (const operand of op.operands) same(op, operand, op.result);
    if (RENAMINGS.has(op.name)) checkRenaming(op, threads, problems);
    switch (op.name) {
      case 'tt.load':
      case 'tt.store':
      case 'tt.atomic_rmw':
      case 'tt.atomic_cas':
        for (const other of [...op.operands, ...op.results]) same(op, op.operand(0), other);
        if (op.attributes['vector'] !== undefined) checkVector(op, problems);
        break;
      case 'tt.reduce':
      case 'tt.scan': {
        for (const other of op.operands) same(op, op.operand(0), other);
        const axis = Number(op.attributes['axis']);
        const layout = layoutOf(op.operand(0))!;
        if (op.name === 'tt.scan') {
          for (const other of op.results) same(op, op.operand(0), other);
          const along = [...layout.register, ...layout.lane, ...layout.subgroup]
            .map((basis) => basis[axis]!)
            .filter((c) => c > 0);
          if (along.some((c, i) => c !== 1 << i)) problems.push('tt.scan: the axis is shuffled');
        } else {
          const [result] = op.results;
          if (result && isTile(result)) checkReduced(op, layout, layoutOf(result)!, axis, problems);
        }
        const needs = layout.subgroup.some((basis) => basis[axis] !== 0);
        if (finished && needs && op.attributes['scratch'] === undefined)
          problems.push(`${op.name}: no scratch`);
        break;
      }
      case 'tt.map_elementwise':
        for (const other of [...op.operands, ...op.results]) same(op, op.operand(0), other);
        break;
      case 'tt.histogram':
      case 'tt.assert':
        same(op, op.operand(0), op.operands[1]);
        break;
      case 'tt.gather':
        same(op, op.operand(1), op.result);
        break;
      case 'tt.dot':
        same(op, op.operand(2), op.result);
        if (finished && planOf(op).staging && op.operand(0).type.kind !== 'memdesc')
          problems.push('tt.dot: not staged');
        break;
      case 'ttg.convert_layout':
        checkConversion(op, threads, bits.lanes, finished, problems);
        break;
      case 'scf.for': {
        const body = op.region(0);
        op.results.forEach((result, i) => {
          same(op, result, op.operand(i + 3));
          same(op, result, body.args[i + 1]);
          same(op, result, block(body)[i]);
        });
        break;
      }
      case 'scf.while': {
        const [before, after] = [op.region(0), op.region(1)];
        before.args.forEach((arg, i) => {
          same(op, arg, op.operand(i));
          same(op, arg, block(after)[i]);
        });
        op.results.forEach((result, i) => {
          same(op, result, block(before)[i + 1]);
          same(op, result, after.args[i]);
        });
        break;
      }
      case 'scf.if':
        for (const region of op.regions)
          op.results.forEach((result, i) => same(op, result, block(region)[i]));
        break;
      default:
    }
    const scratch = op.attributes['scratch'];
    if (scratch !== undefined) {
      const end = Number(scratch) + Number(op.attributes['scratchBytes']);
      if (end > Number(func.attributes['workgroupBytes'])) problems.push(`${op.name}: scratch`);
    }
  });
  if (finished) {
    const bytes =
      Number(func.attributes['workgroupBytes']) + Number(func.attributes['histogramBytes']);
    if (bytes > workgroupBytesOf(target)) problems.push(`${bytes} bytes of workgroup memory`);
  }
  return problems;
}

function checkRenaming(op: Operation, threads: number, problems: string[]): void {
  op.results.forEach((result, index) => {
    const layout = layoutOf(result)!;
    for (const register of someRegisters(layout)) {
      const source = sourceElement(op, index, coordinates(layout, register, 0));
      const from = layoutOf(op.operand(source.operand))!;
      const held = registerHolding(from, source.at, 0);
      for (const thread of someThreads(threads)) {
        const wanted = sourceElement(op, index, coordinates(layout, register, thread));
        if (
          held === undefined ||
          wanted.operand !== source.operand ||
          coordinates(from, held, thread).join() !== wanted.at.join()
        ) {
          problems.push(`${op.name}: thread ${thread} does not hold register ${register}`);
          return;
        }
      }
    }
  });
}
function registerHolding(
  layout: Layout,
  at: readonly number[],
  thread: number,
): number | undefined {
  for (let register = 0; register < registerCount(layout); register++)
    if (coordinates(layout, register, thread).join() === at.join()) return register;
  return undefined;
}
function checkReduced(
  op: Operation,
  from: Layout,
  to: Layout,
  axis: number,
  problems: string[],
): void {
  const drop = (bases: readonly (readonly number[])[]): string =>
    bases.map((basis) => basis.filter((_, d) => d !== axis).join()).join(' ');
  const registers = from.register
    .map((basis) => basis.filter((_, d) => d !== axis))
    .filter((basis) => basis.some((c) => c > 0));
  if (
    drop([...from.lane, ...from.subgroup]) !==
      [...to.lane, ...to.subgroup].map((basis) => basis.join()).join(' ') ||
    registers.join(' ') !== to.register.join(' ')
  )
    problems.push(`${op.name}: the result is not the operand's slice`);
}
function checkConversion(
  op: Operation,
  threads: number,
  lanes: number,
  finished: boolean,
  problems: string[],
): void {
  const [from, to] = [layoutOf(op.operand(0))!, layoutOf(op.result)!];
  const kind = classifyConversion(from, to);
  if (kind === 'memory') {
    const { scratch, scratchBytes } = op.attributes;
    if (finished && (scratch === undefined || log2(Number(scratchBytes)) < 2))
      problems.push('ttg.convert_layout: no scratch');
    return;
  }
  const laneBits = sourceLaneBits(from, to);
  for (const register of someRegisters(to)) {
    const source = sourceRegister(from, to, register);
    for (const thread of someThreads(threads)) {
      let lane = thread & ((1 << lanes) - 1);
      if (kind === 'shuffle') {
        const reader = lane;
        lane = laneBits.reduce(
          (sum, bit, i) => (bit >= 0 && (reader >> bit) & 1 ? sum | (1 << i) : sum),
          0,
        );
      }
      const holder = (thread & ~((1 << lanes) - 1)) | lane;
      if (coordinates(to, register, thread).join() !== coordinates(from, source, holder).join()) {
        problems.push(`ttg.convert_layout: ${kind} is wrong`);
        return;
      }
    }
  }
}
/** Registers in runs of `vector` are neighbours along one dimension. */
function checkVector(op: Operation, problems: string[]): void {
  const vector = Number(op.attributes['vector']);
  const layout = layoutOf(op.operand(0));
  if (!layout || vector === 1) return;
  const first = coordinates(layout, 0, 0);
  for (let register = 1; register < vector; register++) {
    const at = coordinates(layout, register, 0);
    if (at.filter((c, d) => c !== first[d]).length !== 1 || Math.max(...at) !== register)
      problems.push(`${op.name}: registers of a vector are no run`);
  }
}
