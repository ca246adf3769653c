/**
 * Digests of all that a run of a launch's programs writes, so that two runs in which something
 * differs can be compared (`undefined.ts`, `lanes.ts`).
 */
import type { Step } from '../interpret/compile';
import { accessKind, isMaskedOff, maskOf } from '../ir/access';
import type { Operation } from '../ir/ir';
import type { AccessInRun, LaunchRun, Program } from './launchRun';

/** The first store or atomic in which two runs differ, or load that goes out of range in one. */
export interface WriteDifference {
  readonly op: Operation;
  readonly program: Program;
}

/** An access that writes or a load out of range, as far as two runs can differ in it. */
export interface Written {
  readonly op: Operation;
  readonly program: Program;
  readonly digest: number;
}
export interface WritingRun extends LaunchRun {
  readonly written: readonly Written[];
}

export type OnWrite = (op: Operation, program: Program, digest: number) => void;

const NO_LANES: ReadonlySet<number> = new Set();

/**
 * The step of a store or an atomic, and a digest of what it writes, where it writes something.
 * @param ignored lanes that do not count
 */
export function noting(
  { op, kind, step, compiler }: AccessInRun,
  onWrite: OnWrite,
  ignored: ReadonlySet<number> = NO_LANES,
): Step {
  const pointer = compiler.tile(op.operand(0));
  const last = op.name === 'tt.atomic_cas' ? 3 : 2;
  const values = op.operands.slice(1, last).map((operand) => compiler.tile(operand));
  const masked = maskOf(op);
  const mask = masked && compiler.tile(masked);
  // The old value decides what an atomic leaves in memory, but for an exchange.
  const isExchange = op.attributes['kind'] === 'exch';
  if (kind === 'atomic' && !isExchange) values.push(compiler.tile(op.result));
  return () => {
    step();
    const isWritten = pointer.data.some((_, i) => !isMaskedOff(mask?.data, i) && !ignored.has(i));
    if (!isWritten) return;
    let digest = 0x811c9dc5;
    for (const { wide, big, data } of values)
      digest = digestOf(digest, pointer.data, mask?.data, wide ? big! : data, ignored);
    onWrite(op, compiler.program, digest);
  };
}

/** A digest of the addresses that are written, and of the values: 32 bits. */
function digestOf(
  from: number,
  addresses: ArrayLike<number>,
  mask: ArrayLike<number> | undefined,
  values: ArrayLike<number | bigint>,
  ignored: ReadonlySet<number>,
): number {
  let digest = from;
  const mix = (word: number): void => {
    digest = Math.imul(digest ^ word, 0x01000193);
    digest ^= digest >>> 15;
  };
  for (let i = 0; i < addresses.length; i++) {
    if (isMaskedOff(mask, i) || ignored.has(i)) continue;
    mix(addresses[i]!);
    const value = values[values.length === 1 ? 0 : i]!;
    if (typeof value === 'bigint') {
      mix(Number(BigInt.asIntN(32, value)));
      mix(Number(BigInt.asIntN(32, value >> 32n)));
      continue;
    }
    NUMBER[0] = value;
    mix(WORDS[0]!);
    mix(WORDS[1]!);
  }
  return digest;
}
const NUMBER = new Float64Array(1);
const WORDS = new Int32Array(NUMBER.buffer);

/** The first write in which two runs differ; past the end of a budget nothing is known. */
export function firstDifference(a: WritingRun, b: WritingRun): WriteDifference | undefined {
  const count = Math.min(a.written.length, b.written.length);
  for (let i = 0; i < count; i++) {
    const [x, y] = [a.written[i]!, b.written[i]!];
    if (x.op === y.op && x.digest === y.digest && x.program.join() === y.program.join()) continue;
    // The run that goes out of range has one more event.
    const { op, program } = x.op !== y.op && accessKind(y.op) === 'load' ? y : x;
    return { op, program };
  }
  const complete = a.end.kind === 'complete' && b.end.kind === 'complete';
  const longer = a.written.length > count ? a : b;
  const next = longer.written[count];
  return complete && next ? { op: next.op, program: next.program } : undefined;
}
