/**
 * `tl.device_print` and `tl.device_assert` on the GPU. Behind the bounds report, in the same
 * binding (adapters have few), lies a queue: every thread that prints takes a place by an atomic
 * counter and writes a record there. Places beyond the buffer's end are counted and not written, so
 * that the host can report how many values it does not have. The host sorts the records and formats
 * them (`app/runtime/gpu/debugReport.ts`).
 *
 * A program is uniform in its control flow, so every thread counts the same prints: that count
 * orders the records of a program. One thread prints a value that several hold.
 */
import type { Operation, Value } from '../ir/ir';
import { registerCount, threadBases } from '../ir/layout';
import type { ThreadValue } from '../ir/thread/ir';
import { memory, U32 } from '../ir/thread/types';
import { bitWidth, elementOf, rowMajorStrides, shapeOf } from '../ir/types';
import type { DebugSite } from '../program';
import { bitsOf } from './arithmetic/conversions';
import { dtypeOfValue, layoutOf } from './context';
import type { Lowering } from './context';
import { plus, registerCoordinate, threadSum } from './layouts';
import { offsetToAddress } from './memory/addresses';
import { isOwner, ownerMask } from './owners';
import { PAIR } from './registers';

/** The words of a value, the low one first. */
type Words = readonly [ThreadValue, ThreadValue];

export function lowerPrint(t: Lowering, op: Operation): void {
  t.b.create('thread.print_iteration', []);
  const signed = op.attributes['signed'];
  const common = {
    kind: 'print',
    location: op.location,
    prefix: String(op.attributes['prefix']),
    hex: op.attributes['hex'] === true,
    operands: op.operands.length,
  } as const;
  if (op.operands.length === 0) {
    const site = addSite(t, { ...common, operand: 0, value: null });
    const zero = t.b.u32(0);
    once(t, undefined, () => record(t, site, zero, [zero, zero]));
    return;
  }
  op.operands.forEach((value, operand) => {
    const element = elementOf(value.type);
    const root = element.kind === 'pointer' ? t.memory.rootsOf(value)[0] : undefined;
    const site = addSite(t, {
      ...common,
      operand,
      value: {
        element,
        shape: value.type.kind === 'tensor' ? shapeOf(value.type) : [],
        signed: Array.isArray(signed) ? signed[operand] !== false && signed[operand] !== 0 : true,
        argument: root ? t.parameters.of(root).path : null,
      },
    });
    once(t, value, () => recordAll(t, site, value, root !== undefined));
  });
}

export function lowerAssert(t: Lowering, op: Operation): void {
  const condition = op.operand(0);
  const mask = op.operands[1] && t.registers(op.operands[1]);
  const message = String(op.attributes['message'] ?? '');
  const shape = condition.type.kind === 'tensor' ? shapeOf(condition.type) : [];
  const site = addSite(t, { kind: 'assert', location: op.location, message, shape });
  const program = t.linearProgram();
  once(t, condition, () => {
    for (const { register, index, r } of elements(t, condition)) {
      const failed = t.every([mask && (mask[r] ?? mask[0]!), t.x`!${register}`])!;
      t.b.create('thread.assert_record', [failed, program, index], { attributes: { site } });
    }
  });
}

/**
 * Records the elements that this thread holds of a value. In a loop where there are more than a
 * few: compilers inline the function that records, and take long over hundreds of copies.
 */
function recordAll(t: Lowering, site: number, value: Value, ofArgument: boolean): void {
  const { b } = t;
  const list = elements(t, value);
  if (list.length <= UNROLLED) {
    for (const { register, index } of list)
      record(t, site, index, words(t, value, register, ofArgument));
    return;
  }
  const held = b.alloc('printed', memory('private', PAIR, [list.length]));
  const at = b.alloc('printed_at', memory('private', U32, [list.length]));
  list.forEach(({ register, index }, i) => {
    b.store(held, b.u32(i), b.vector(words(t, value, register, ofArgument)));
    b.store(at, b.u32(i), index);
  });
  b.for(
    b.u32(list.length),
    [],
    (i) => {
      const [low, high] = b.components(b.load(held, i));
      record(t, site, b.load(at, i), [low!, high!]);
      return [];
    },
    { counter: 'i' },
  );
}
const UNROLLED = 2;

/** The words of a held value. */
function words(t: Lowering, value: Value, register: ThreadValue, ofArgument: boolean): Words {
  const pair = (x: ThreadValue): Words => [t.b.extract(x, 0), t.b.extract(x, 1)];
  if (elementOf(value.type).kind === 'pointer') {
    // The address of an argument's storage is on the host.
    if (ofArgument) return [t.x`u32(${register})`, t.b.u32(0)];
    return pair(offsetToAddress(t, value.type, register));
  }
  const dtype = dtypeOfValue(value);
  if (bitWidth(dtype) === 64) return pair(register);
  return [bitsOf(t, dtype, register), t.b.u32(0)];
}

interface HeldElement {
  readonly register: ThreadValue;
  /** The row-major index. */
  readonly index: ThreadValue;
  /** The register's number. */
  readonly r: number;
}

/** Each element that this thread holds, once. */
function elements(t: Lowering, value: Value): HeldElement[] {
  const registers = t.registers(value);
  if (value.type.kind !== 'tensor') return [{ register: registers[0]!, index: t.b.u32(0), r: 0 }];
  const layout = layoutOf(value);
  const shape = shapeOf(value.type);
  const strides = rowMajorStrides(shape);
  const linear = (at: readonly number[]): number =>
    strides.reduce((sum, stride, d) => sum + stride * (at[d] ?? 0), 0);
  const base = threadSum(t, threadBases(layout).map(linear));
  const seen = new Set<number>();
  const out: HeldElement[] = [];
  for (let r = 0; r < registerCount(layout); r++) {
    const offset = linear(shape.map((_, d) => registerCoordinate(layout, r, d)));
    if (seen.has(offset)) continue;
    seen.add(offset);
    out.push({ register: registers[r] ?? registers[0]!, index: plus(t, base, offset), r });
  }
  return out;
}

/** Runs `body` in the owners of a value, or in one thread. */
function once(t: Lowering, value: Value | undefined, body: () => void): void {
  t.when(isOwner(t, ownerMask(t, value)), body);
}

function addSite(t: Lowering, site: DebugSite): number {
  return t.debugSites.add(site);
}

function record(t: Lowering, site: number, index: ThreadValue, [low, high]: Words): void {
  t.b.create('thread.print_record', [t.linearProgram(), index, low, high], {
    attributes: { site },
  });
}
