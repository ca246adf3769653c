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
import { holdsWords } from '../memoryLayouts';

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

/** A function's check: what it was distributed for, and what is wrong with it. */
interface Check {
  readonly threads: number;
  /** Bits of a thread's number that are its lane's. */
  readonly laneBits: number;
  /** Whether all passes have run, so that scratch and staged tiles have their places. */
  readonly finished: boolean;
  readonly workgroupBytes: number;
  readonly problems: string[];
}

export function checkContract(func: Func, target: Target, finished = true): string[] {
  const problems = [...threadProblems(func, target), ...layoutProblems(func)];
  if (problems.length > 0) return problems;
  const check: Check = {
    threads: Number(func.attributes['threads']),
    laneBits: threadBitsOf(func).lanes,
    finished,
    workgroupBytes: Number(func.attributes['workgroupBytes']),
    problems,
  };
  walk(func.body, (op) => checkOperation(op, check));
  if (finished) {
    const bytes = check.workgroupBytes + Number(func.attributes['histogramBytes']);
    if (bytes > workgroupBytesOf(target)) problems.push(`${bytes} bytes of workgroup memory`);
  }
  return problems;
}

function threadProblems(func: Func, target: Target): string[] {
  const problems: string[] = [];
  const threads = Number(func.attributes['threads']);
  const subgroup = Number(func.attributes['subgroupSize']);
  const bits = threadBitsOf(func);
  if (threads > target.maxInvocations) problems.push(`${threads} threads`);
  if (threads !== 2 ** (bits.lanes + bits.subgroups)) problems.push('threads: no power of two');
  if (subgroup !== 0 && subgroup !== target.subgroupSize) problems.push(`subgroups of ${subgroup}`);
  return problems;
}

/** Every tile has a layout that is well formed for its shape. */
function layoutProblems(func: Func): string[] {
  const problems: string[] = [];
  const bits = threadBitsOf(func);
  const check = (value: Value, where: string): void => {
    if (!isTile(value)) return;
    const layout = layoutOf(value);
    const shape = shapeOf(value.type);
    if (!layout) problems.push(`${where}: a tile has no layout`);
    else if (!isWellFormed(layout, shape, bits))
      problems.push(`${where}: layout is not well formed for ${shape.join('x')}`);
  };
  walk(func.body, (op) => {
    for (const region of op.regions) region.args.forEach((arg) => check(arg, 'argument'));
    op.results.forEach((result) => check(result, op.name));
  });
  return problems;
}

type Pair = readonly [Value | undefined, Value | undefined];

/** Values of an operation whose layouts are equal if they are tiles. */
function alikeValues(op: Operation): Pair[] {
  const pairs: Pair[] = [];
  if (hasTrait(op.name, 'elementwise'))
    for (const operand of op.operands) pairs.push([operand, op.result]);
  switch (op.name) {
    case 'tt.load':
    case 'tt.store':
    case 'tt.atomic_rmw':
    case 'tt.atomic_cas':
    case 'tt.map_elementwise':
    case 'tt.scan':
      for (const other of [...op.operands, ...op.results]) pairs.push([op.operand(0), other]);
      break;
    case 'tt.reduce':
      for (const other of op.operands) pairs.push([op.operand(0), other]);
      break;
    case 'tt.histogram':
    case 'tt.assert':
      pairs.push([op.operand(0), op.operands[1]]);
      break;
    case 'tt.gather':
      pairs.push([op.operand(1), op.result]);
      break;
    case 'tt.dot':
      pairs.push([op.operand(2), op.result]);
      break;
    case 'scf.for':
    case 'scf.while':
    case 'scf.if':
      pairs.push(...carriedPairs(op));
      break;
    default:
  }
  return pairs;
}

/** A control flow operation's results, with the values that they come from. */
function carriedPairs(op: Operation): Pair[] {
  const pairs: Pair[] = [];
  const yielded = (region: Block, i: number): Value | undefined => region.terminator.operands[i];
  if (op.name === 'scf.for') {
    const body = op.region(0);
    op.results.forEach((result, i) => {
      pairs.push([result, op.operand(i + 3)], [result, body.args[i + 1]]);
      pairs.push([result, yielded(body, i)]);
    });
  } else if (op.name === 'scf.while') {
    const [before, after] = [op.region(0), op.region(1)];
    before.args.forEach((arg, i) => pairs.push([arg, op.operand(i)], [arg, yielded(after, i)]));
    op.results.forEach((result, i) =>
      pairs.push([result, yielded(before, i + 1)], [result, after.args[i]]),
    );
  } else
    for (const region of op.regions)
      op.results.forEach((result, i) => pairs.push([result, yielded(region, i)]));
  return pairs;
}

function checkOperation(op: Operation, check: Check): void {
  const { problems, finished } = check;
  for (const [a, b] of alikeValues(op))
    if (a && b && isTile(a) && isTile(b) && !equalLayouts(layoutOf(a)!, layoutOf(b)!))
      problems.push(`${op.name}: layouts differ`);
  if (RENAMINGS.has(op.name)) checkRenaming(op, check.threads, problems);
  switch (op.name) {
    case 'tt.load':
    case 'tt.store':
    case 'tt.atomic_rmw':
    case 'tt.atomic_cas':
      if (op.attributes['vector'] !== undefined) checkVector(op, problems);
      break;
    case 'tt.reduce':
    case 'tt.scan':
      checkAlongAxis(op, check);
      break;
    case 'tt.dot':
      if (finished && planOf(op).staging && op.operand(0).type.kind !== 'memdesc')
        problems.push('tt.dot: not staged');
      break;
    case 'ttg.convert_layout':
      checkConversion(op, check);
      break;
    default:
  }
  const { scratch, scratchBytes } = op.attributes;
  if (scratch !== undefined && Number(scratch) + Number(scratchBytes) > check.workgroupBytes)
    problems.push(`${op.name}: scratch`);
}

/** A reduction's result is a slice, a scan's axis in order; across subgroups both have scratch. */
function checkAlongAxis(op: Operation, { finished, problems }: Check): void {
  const axis = Number(op.attributes['axis']);
  const layout = layoutOf(op.operand(0))!;
  if (op.name === 'tt.scan') {
    const along = [...layout.register, ...layout.lane, ...layout.subgroup]
      .map((basis) => basis[axis]!)
      .filter((c) => c > 0);
    if (along.some((c, i) => c !== 1 << i)) problems.push('tt.scan: the axis is shuffled');
  } else {
    const [result] = op.results;
    if (result && isTile(result)) checkReduced(op, layout, layoutOf(result)!, axis, problems);
  }
  const crosses = layout.subgroup.some((basis) => basis[axis] !== 0);
  if (finished && crosses && op.attributes['scratch'] === undefined)
    problems.push(`${op.name}: no scratch`);
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
/**
 * Whether a conversion leads to another layout, follows no other one, and does not only feed a
 * store to workgroup memory that takes the layout that the tile has.
 */
function isNeeded(op: Operation, from: Layout, to: Layout): boolean {
  if (equalLayouts(from, to) || op.operand(0).definition?.name === op.name) return false;
  const users = [...op.result.uses];
  return !users.every((user) => {
    const type = user.name === 'ttg.local_store' ? user.operand(1).type : undefined;
    return type?.kind === 'memdesc' && holdsWords(from, type);
  });
}
function checkConversion(op: Operation, { threads, laneBits, finished, problems }: Check): void {
  const [from, to] = [layoutOf(op.operand(0))!, layoutOf(op.result)!];
  if (!isNeeded(op, from, to)) problems.push('ttg.convert_layout: not needed');
  const kind = classifyConversion(from, to);
  if (kind === 'memory') {
    const { scratch, scratchBytes } = op.attributes;
    if (finished && (scratch === undefined || log2(Number(scratchBytes)) < 2))
      problems.push('ttg.convert_layout: no scratch');
    return;
  }
  const sources = sourceLaneBits(from, to);
  const sourceLane = (lane: number): number =>
    sources.reduce((sum, bit, i) => (bit >= 0 && (lane >> bit) & 1 ? sum | (1 << i) : sum), 0);
  const lanes = (1 << laneBits) - 1;
  for (const register of someRegisters(to)) {
    const source = sourceRegister(from, to, register);
    for (const thread of someThreads(threads)) {
      const lane = thread & lanes;
      const holder = (thread & ~lanes) | (kind === 'shuffle' ? sourceLane(lane) : lane);
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
