/**
 * scf.for, scf.while and scf.if. A condition on which a barrier depends is made uniform in WGSL's
 * eyes (`uniformity.ts`); one on which operations of a subgroup depend is the first lane's.
 */
import type { Block, Operation, Value } from '../ir/ir';
import type { ThreadValue } from '../ir/thread/ir';
import { memory, U32 } from '../ir/thread/types';
import { Carried } from './carried';
import { shuffle } from './communication/scratch';
import { dtypeOfValue } from './context';
import type { Lowering } from './context';
import { enterLoop } from './dot/index';
import { boundsOf, reportWait } from './memory/bounds';
import { MOST_TRIES, waitsOn } from './memory/waiting';
import { lowerBlock } from './operations';
import { PAIR } from './registers';
import { crossesLanes, hasBarrier } from './uniformity';

/** The value of a scalar for the condition or a bound of a branch or loop. */
function uniformScalar(t: Lowering, value: Value, op: Operation): ThreadValue {
  const x = t.scalar(value);
  if (t.uniform.has(value) || x.definition?.name === 'thread.constant') return x;
  if (!hasBarrier(op)) {
    // Without subgroups, lanes meet at barriers alone.
    const crosses = t.subgroupSize > 0 && t.threads > 1 && crossesLanes(op);
    return crosses ? shuffle(t, x, t.b.u32(0)) : x;
  }
  const dtype = dtypeOfValue(value);
  const [name, type] = dtype === 'i64' ? ['uniform_pair', PAIR] : ['uniform_word', U32];
  const variable = t.shared.workgroup(name as string, memory('workgroup', type as typeof U32, []));
  const word = dtype === 'i64' ? x : t.x`u32(${x})`;
  const same = t.let('same', t.b.create('thread.workgroup_uniform', [variable, word]).result);
  if (dtype === 'i64') return same;
  return dtype === 'i1' ? t.x`${same} != 0u` : t.x`i32(${same})`;
}

/** The value of an arith.constant. */
function constantOf(value: Value): number | bigint | undefined {
  const op = value.definition;
  if (op?.name !== 'arith.constant') return undefined;
  const constant = op.attributes['value'];
  return typeof constant === 'number' || typeof constant === 'bigint' ? constant : undefined;
}

const registersOf = (t: Lowering, values: readonly Value[]): (readonly ThreadValue[])[] =>
  values.map((value) => t.registers(value));

export function lowerFor(t: Lowering, op: Operation): void {
  const body = op.region(0);
  const carried = new Carried(t, body.args.slice(1));
  const fragments = enterLoop(t, op);
  const init = [
    ...carried.pack(registersOf(t, op.operands.slice(3))),
    ...fragments.flatMap((dot) => dot.values()),
  ];
  const own = carried.hints().length;
  const counter = countLoop(t, op);
  const take = (values: readonly ThreadValue[]): ThreadValue[][] => {
    let at = own;
    for (const dot of fragments) {
      const count = dot.values().length;
      dot.set(values.slice(at, at + count));
      at += count;
    }
    return carried.unpack(values.slice(0, own));
  };
  const results = t.b.for(
    counter.trips,
    init,
    (iteration, values) => {
      take(values).forEach((registers, i) => t.setRegisters(body.args[i + 1]!, registers));
      const induction = body.args[0]!;
      if (induction.uses.size > 0)
        t.setRegisters(induction, [t.let(t.hint(induction), counter.valueAt(iteration))]);
      lowerBlock(t, body);
      for (const dot of fragments) dot.endIteration();
      return [
        ...carried.pack(registersOf(t, body.terminator.operands)),
        ...fragments.flatMap((dot) => dot.values()),
      ];
    },
    {
      hints: [...carried.hints(), ...init.slice(own).map(({ name }) => name)],
      // The values that an iteration hands to the next then stay in place, every other time.
      bodies: counter.known ? 1 : Number(op.attributes['unroll'] ?? 1),
    },
  );
  take(results).forEach((registers, i) => t.setRegisters(op.results[i]!, registers));
}

interface CountedLoop {
  readonly trips: ThreadValue;
  /** The trip count is a constant. */
  readonly known: boolean;
  /** The induction variable in an iteration. */
  valueAt(iteration: ThreadValue): ThreadValue;
}

function countLoop(t: Lowering, op: Operation): CountedLoop {
  const [lower, upper, step] = [op.operand(0), op.operand(1), op.operand(2)];
  const wide = dtypeOfValue(lower) === 'i64';
  const [low, high, by] = [constantOf(lower), constantOf(upper), constantOf(step)];
  const one = by === 1 || by === 1n;
  const valueAt = (iteration: ThreadValue): ThreadValue => {
    if (wide) {
      const distance = t.x`i64_mul(vec2<u32>(${iteration}, 0u), ${t.scalar(step)})`;
      return t.call('i64_add', t.scalar(lower), distance);
    }
    const scaled = one ? t.x`i32(${iteration})` : t.x`i32(${iteration}) * ${t.scalar(step)}`;
    return low === 0 ? scaled : t.x`${t.scalar(lower)} + ${scaled}`;
  };
  if (low !== undefined && high !== undefined && by !== undefined) {
    const trips = t.b.u32(Number(tripCount(BigInt(low), BigInt(high), BigInt(by))));
    return { trips, known: true, valueAt };
  }
  const start = uniformScalar(t, lower, op);
  const end = uniformScalar(t, upper, op);
  const stride = uniformScalar(t, step, op);
  const count = wide
    ? t.call('i64_trips', start, end, stride)
    : one
      ? t.x`select(0u, u32(${end} - ${start}), ${end} > ${start})`
      : t.x`select(0u, (u32(${end} - ${start}) - 1u) / u32(${stride}) + 1u, ${end} > ${start})`;
  return { trips: t.let('trips', count), known: false, valueAt };
}

function tripCount(low: bigint, high: bigint, by: bigint): bigint {
  if (by === 0n) return 0n;
  const distance = by > 0n ? high - low : low - high;
  const stride = by > 0n ? by : -by;
  return distance <= 0n ? 0n : (distance + stride - 1n) / stride;
}

export function lowerIf(t: Lowering, op: Operation): void {
  const condition = uniformScalar(t, op.operand(0), op);
  const carried = new Carried(t, op.results);
  const branch = (block: Block | undefined) => (): ThreadValue[] => {
    if (!block) return [];
    lowerBlock(t, block);
    const last = block.terminator;
    return last.name === 'scf.yield' ? carried.pack(registersOf(t, last.operands)) : [];
  };
  const results = t.b.if(condition, branch(op.regions[0]), branch(op.regions[1]), carried.hints());
  carried.unpack(results).forEach((registers, i) => t.setRegisters(op.results[i]!, registers));
}

/**
 * A loop that waits for another program tries a few times (`waiting.ts`); then it is reported, and
 * ends.
 */
function giveUp(
  t: Lowering,
  op: Operation,
  go: ThreadValue,
  tries: ThreadValue | undefined,
): ThreadValue {
  const access = waitsOn(op);
  if (!access || !tries) return go;
  const bounds = boundsOf(t, access, 1);
  if (bounds) reportWait(t, op, bounds, t.x`${go} & (${tries} >= ${MOST_TRIES - 1}u)`);
  return t.x`${go} & (${tries} < ${MOST_TRIES - 1}u)`;
}

export function lowerWhile(t: Lowering, op: Operation): void {
  const [before, after] = [op.region(0), op.region(1)];
  const waits = waitsOn(op) !== undefined;
  const carried = new Carried(t, before.args);
  const forwarded = new Carried(t, after.args, op.results);
  const named = (values: readonly ThreadValue[], hints: readonly string[]): ThreadValue[] =>
    values.map((value, i) => t.let(hints[i] ?? '', value));
  const start = named(carried.pack(registersOf(t, op.operands)), carried.hints());
  const own = start.length;
  let tries: ThreadValue | undefined;
  const results = t.b.while(
    waits ? [...start, t.b.u32(0)] : start,
    (values) => {
      carried
        .unpack(values.slice(0, own))
        .forEach((registers, i) => t.setRegisters(before.args[i]!, registers));
      tries = values[own];
      lowerBlock(t, before);
      const [condition, ...rest] = before.terminator.operands;
      const go = uniformScalar(t, condition!, op);
      return {
        condition: giveUp(t, op, go, tries),
        forwarded: forwarded.pack(registersOf(t, rest)),
      };
    },
    (values) => {
      forwarded.unpack(values).forEach((registers, i) => t.setRegisters(after.args[i]!, registers));
      lowerBlock(t, after);
      const next = carried.pack(registersOf(t, after.terminator.operands));
      return tries ? [...next, t.x`${tries} + 1u`] : next;
    },
  );
  forwarded.unpack(results).forEach((registers, i) => t.setRegisters(op.results[i]!, registers));
}
