/**
 * `tl.device_print` and `tl.device_assert` on the GPU. Behind the bounds report, in the same binding
 * (adapters have few), lies a queue: every thread that prints takes a place by an atomic counter and
 * writes a record there. Places beyond the buffer's end are counted and not written, so that the host
 * can say how many values it does not have. The host sorts the records and formats them
 * (`app/runtime/gpu/debugReport.ts`).
 *
 * A program is uniform in its control flow, so every thread counts the same prints: that count (`turn`)
 * orders the records of a program. A value that several threads hold is printed by one.
 */
import type { Operation, Value } from '../ir/ir';
import { freeThreadMask } from '../ir/layoutAlgebra';
import { registerCount, threadBases } from '../ir/layout';
import { bitWidth, elementOf, rowMajorStrides, shapeOf } from '../ir/types';
import { DEBUG_HEADER, DEBUG_RECORD, REPORT_WORDS, type DebugSite } from '../program';
import { offsetToAddress } from './memory/addresses';
import { bitsOf } from './arithmetic/conversions';
import { dtypeOfValue, layoutOf } from './emission';
import type { Emission } from './emission';
import { plus, registerCoordinate, threadSum } from './layouts';

export function emitPrint(e: Emission, op: Operation): void {
  e.writer.line('debug_turn += 1u;');
  const signed = op.attributes['signed'];
  const common = {
    kind: 'print',
    location: op.location,
    prefix: String(op.attributes['prefix']),
    hex: op.attributes['hex'] === true,
    operands: op.operands.length,
  } as const;
  if (op.operands.length === 0) {
    const site = addSite(e, { ...common, operand: 0, value: null });
    once(e, threadMask(e, undefined), () => record(e, site, '0u', ['0u', '0u']));
    return;
  }
  op.operands.forEach((value, operand) => {
    const element = elementOf(value.type);
    const root = element.kind === 'pointer' ? e.memory.rootsOf(value)[0] : undefined;
    const site = addSite(e, {
      ...common,
      operand,
      value: {
        element,
        shape: value.type.kind === 'tensor' ? shapeOf(value.type) : [],
        signed: Array.isArray(signed) ? signed[operand] !== false && signed[operand] !== 0 : true,
        argument: root ? e.parameters.of(root).path : null,
      },
    });
    once(e, threadMask(e, value), () => recordAll(e, site, value, root !== undefined));
  });
}

export function emitAssert(e: Emission, op: Operation): void {
  const condition = op.operand(0);
  const mask = op.operands[1] && e.registers(op.operands[1]);
  const message = String(op.attributes['message'] ?? '');
  const shape = condition.type.kind === 'tensor' ? shapeOf(condition.type) : [];
  const site = addSite(e, { kind: 'assert', location: op.location, message, shape });
  declare(e);
  const program = programIndex(e);
  once(e, threadMask(e, condition), () => {
    for (const { register, index, r } of elements(e, condition)) {
      const masked = mask ? `(${mask[r] ?? mask[0]!}) & !(${register})` : `!(${register})`;
      e.writer.line(`if (${masked}) { debug_fail(${program}, ${site}u, ${index}); }`);
    }
  });
}

/**
 * Records what this thread holds of a value. In a loop where that is more than a little: compilers inline
 * the function that records, and take long over hundreds of copies.
 */
function recordAll(e: Emission, site: number, value: Value, ofArgument: boolean): void {
  const list = elements(e, value);
  if (list.length <= UNROLLED) {
    for (const { register, index } of list)
      record(e, site, index, words(e, value, register, ofArgument));
    return;
  }
  const array = (type: string, items: readonly string[]): string =>
    `array<${type}, ${items.length}>(${items.join(', ')})`;
  const pairs = list.map(
    ({ register }) => `vec2<u32>(${words(e, value, register, ofArgument).join(', ')})`,
  );
  const type = (of: string): string => `array<${of}, ${list.length}>`;
  const held = e.variable('printed', type('vec2<u32>'), array('vec2<u32>', pairs));
  const indices = list.map(({ index }) => index);
  const at = e.variable('printed_at', type('u32'), array('u32', indices));
  const i = e.names.fresh('i');
  e.writer.block(`for (var ${i} = 0u; ${i} < ${list.length}u; ${i}++)`, () =>
    record(e, site, `${at}[${i}]`, [`${held}[${i}].x`, `${held}[${i}].y`]),
  );
}
const UNROLLED = 2;

/** The words of a held value, the low one first. */
function words(e: Emission, value: Value, register: string, ofArgument: boolean): [string, string] {
  if (elementOf(value.type).kind === 'pointer') {
    // Where an argument's storage lies, only the host knows.
    if (ofArgument) return [`u32(${register})`, '0u'];
    const address = e.let('address', offsetToAddress(e, value.type, register));
    return [`${address}.x`, `${address}.y`];
  }
  const dtype = dtypeOfValue(value);
  if (bitWidth(dtype) === 64) return [`${register}.x`, `${register}.y`];
  return [bitsOf(e, dtype, register), '0u'];
}

/** Each element that this thread holds, once: its register and its row-major index, an expression. */
function elements(e: Emission, value: Value): { register: string; index: string; r: number }[] {
  const registers = e.registers(value);
  if (value.type.kind !== 'tensor') return [{ register: registers[0]!, index: '0u', r: 0 }];
  const layout = layoutOf(value);
  const shape = shapeOf(value.type);
  const strides = rowMajorStrides(shape);
  const linear = (at: readonly number[]): number =>
    strides.reduce((sum, stride, d) => sum + stride * (at[d] ?? 0), 0);
  const base = threadSum(e, threadBases(layout).map(linear));
  const seen = new Set<number>();
  const out: { register: string; index: string; r: number }[] = [];
  for (let r = 0; r < registerCount(layout); r++) {
    const offset = linear(shape.map((_, d) => registerCoordinate(layout, r, d)));
    if (seen.has(offset)) continue;
    seen.add(offset);
    out.push({ register: registers[r] ?? registers[0]!, index: plus(base, offset), r });
  }
  return out;
}

/** The bits of a thread's number that must be 0 for it to be the one that speaks. */
function threadMask(e: Emission, value: Value | undefined): number {
  if (value?.type.kind === 'tensor') return freeThreadMask(layoutOf(value));
  return e.threads - 1;
}
function once(e: Emission, mask: number, body: () => void): void {
  if (mask === 0) return body();
  const owner = e.prelude(`owner ${mask}`, 'owner', () => `(tid & 0x${mask.toString(16)}u) == 0u`);
  e.writer.block(`if (${owner})`, body);
}

function addSite(e: Emission, site: DebugSite): number {
  return e.debugSites.push(site) - 1;
}

function record(e: Emission, site: number, index: string, value: readonly [string, string]): void {
  declare(e);
  e.writer.line(`debug_record(${programIndex(e)}, ${site}u, ${index}, ${value[0]}, ${value[1]});`);
}

/** The program's linear index, x fastest. */
function programIndex(e: Emission): string {
  return e.prelude('debug program', 'debug_program', () => {
    const [x, y] = ([0, 1] as const).map((axis) => e.parameters.word({ kind: 'grid', axis }));
    return `program.x + ${x} * (program.y + ${y} * program.z)`;
  });
}

const [COUNT, FAILURES, FAILURE] = [REPORT_WORDS, REPORT_WORDS + 1, REPORT_WORDS + 2];
const FIRST = REPORT_WORDS + DEBUG_HEADER;

function declare(e: Emission): void {
  e.define(
    'debug',
    `var<private> debug_turn: u32;

fn debug_record(program: u32, site: u32, index: u32, low: u32, high: u32) {
  let place = atomicAdd(&report[${COUNT}], 1u);
  if (place < (arrayLength(&report) - ${FIRST}u) / ${DEBUG_RECORD}u) {
    let at = ${FIRST}u + place * ${DEBUG_RECORD}u;
    atomicStore(&report[at], program);
    atomicStore(&report[at + 1u], debug_turn);
    atomicStore(&report[at + 2u], site);
    atomicStore(&report[at + 3u], index);
    atomicStore(&report[at + 4u], low);
    atomicStore(&report[at + 5u], high);
  }
}
fn debug_fail(program: u32, site: u32, index: u32) {
  if (atomicAdd(&report[${FAILURES}], 1u) == 0u) {
    atomicStore(&report[${FAILURE}], program);
    atomicStore(&report[${FAILURE + 1}], site);
    atomicStore(&report[${FAILURE + 2}], index);
  }
}`,
  );
}
