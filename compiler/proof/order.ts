/**
 * Atomics whose result depends on the order of programs: the launch runs on the interpreter with
 * its first program first, and with its last one first, on the memory that it had.
 *
 * Guarantee: a difference is an element that two orders of the same programs leave with other
 * bits. Two orders are no proof for all. The order of lanes within a program stays as it is.
 */
import { hasContents, memoryOf, programCount, type LaunchInputs } from '../inspect/launch';
import { bytesOfAccess, parameterOf, type TraceEnd } from '../inspect/trace';
import type { MemoryStorage } from '../interpret/index';
import { accessKind } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import { scalarFromBits, type ScalarValue } from '../ir/numbers';
import { bitWidth, dtypeOf } from '../ir/types';
import { runLaunch, type LaunchRun } from './launchRun';

/** An element of an atomic's tensor, as each order leaves it. */
export interface OrderDifference {
  /** From the pointer that was passed. */
  readonly element: number;
  readonly values: readonly [string, string];
  /** A sum of floats, and all its tensor's differences are within what as many roundings make. */
  readonly isRounding: boolean;
}

export interface OrderCheck {
  readonly atomics: readonly Operation[];
  /** The first difference in the tensor of each atomic; absent where there is none. */
  readonly differences: ReadonlyMap<Operation, OrderDifference>;
  /** Whether any tensor of the launch differs. */
  readonly differs: boolean;
  /** Programs that ran in both orders. */
  readonly programs: number;
  readonly end: TraceEnd;
}

/** @returns undefined where the launch has one program or no atomic: there is no order. */
export function checkOrder(func: Func, inputs: LaunchInputs): OrderCheck | undefined {
  const atomics: Operation[] = [];
  walk(func.body, (op) => {
    if (accessKind(op) === 'atomic') atomics.push(op);
  });
  const all = programCount(inputs);
  if (atomics.length === 0 || all < 2) return undefined;
  const nothing = { atomics, differences: new Map(), differs: false, programs: 0 };
  if (!hasContents(inputs)) return { ...nothing, end: { kind: 'complete' } };
  let forwards = run(func, inputs, all, false);
  const { programs, end } = forwards;
  if (end.kind === 'failed' || programs < 2) return { ...nothing, end };
  if (programs < all) forwards = run(func, inputs, programs, false);
  const backwards = run(func, inputs, programs, true);
  // Programs that wait for one before them do not end in the other order.
  if (backwards.end.kind !== 'complete') return { ...nothing, end: backwards.end };
  const differences = new Map<Operation, OrderDifference>();
  for (const op of atomics) {
    const found = differenceOf(op, func, inputs, forwards.memory, backwards.memory, programs);
    if (found) differences.set(op, found);
  }
  const differs = forwards.memory.some(({ bytes }, i) => {
    const other = backwards.memory[i]!.bytes;
    return bytes.some((byte, at) => byte !== other[at]);
  });
  return { atomics, differences, differs, programs, end };
}

/** The step between 1 and the next number, by bits; a bfloat16 is taken for one, too. */
const STEP: Readonly<Record<number, number>> = { 16: 2 ** -7, 32: 2 ** -23, 64: 2 ** -52 };

interface Ran extends LaunchRun {
  readonly memory: readonly MemoryStorage[];
}

function run(func: Func, inputs: LaunchInputs, count: number, backwards: boolean): Ran {
  const memory = memoryOf(inputs);
  return { memory, ...runLaunch(func, inputs, { memory, count, backwards }) };
}

function differenceOf(
  op: Operation,
  func: Func,
  inputs: LaunchInputs,
  a: readonly MemoryStorage[],
  b: readonly MemoryStorage[],
  programs: number,
): OrderDifference | undefined {
  const argument = parameterOf(op, func);
  const view = argument === null ? undefined : inputs.args[argument];
  const dtype = dtypeOf(op.result.type);
  if (view?.kind !== 'pointer' || !dtype) return undefined;
  const size = bytesOfAccess(op);
  const begin = view.address - inputs.storages[view.storage]!.address;
  const [x, y] = [a[view.storage]!.bytes, b[view.storage]!.bytes];
  const first = x.findIndex((byte, at) => byte !== y[at]);
  if (first < 0) return undefined;
  const element = Math.floor((first - begin) / size);
  const valueAt = (bytes: Uint8Array, at: number): ScalarValue =>
    scalarFromBits(dtype, bitsAt(bytes, begin + at * size, size));
  const values = [String(valueAt(x, element)), String(valueAt(y, element))] as const;
  if (op.attributes['kind'] !== 'fadd') return { element, values, isRounding: false };
  let [largest, difference] = [0, 0];
  for (let at = 0; begin + (at + 1) * size <= x.length; at++) {
    const [p, q] = [Number(valueAt(x, at)), Number(valueAt(y, at))];
    if (Object.is(p, q)) continue;
    largest = Math.max(largest, Math.abs(p), Math.abs(q));
    difference = Math.max(difference, Math.abs(p - q));
  }
  const isRounding =
    Number.isFinite(difference) && difference <= programs * largest * STEP[bitWidth(dtype)]!;
  return { element, values, isRounding };
}

function bitsAt(bytes: Uint8Array, at: number, size: number): bigint {
  let bits = 0n;
  for (let i = size - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(bytes[at + i] ?? 0);
  return bits;
}
