/**
 * scf.for, scf.while and scf.if. Carried values live in variables. Loops are written so that Tint sees
 * that they end, but for those of two turns: it then adds no counter of its own. A condition on which a
 * barrier depends is made uniform in WGSL's eyes (`uniformity.ts`).
 */
import type { Block, Operation, Value } from '../ir/ir';
import { dtypeOfValue } from './emission';
import { UNNEEDED } from './emission';
import type { Emission } from './emission';
import { emitHoistedOperand, matrixType } from './dot/fragments';
import { beginOverlap, endOverlap } from './dot/overlapped';
import { leaveEarly } from './leaveEarly';
import { emitBlock } from './operations';
import { components, vectorOf, wholeVector } from './dot/pack';
import { boundsOf } from './memory/bounds';
import { i32Literal, zeroOf } from './registers';
import { hasBarrier } from './uniformity';
import { prepareTogether } from './memory/together';
import { MOST_TRIES, waitsOn } from './memory/waiting';

/** Variables for the registers of a value, with initial values or none; vectors of four if possible. */
function variables(e: Emission, value: Value, initial?: readonly string[]): string[] {
  if (value.type.kind === 'fragments') {
    const matrix = matrixType(value.type);
    const from = initial ?? new Array<string>(e.count(value)).fill(`${matrix}()`);
    return from.map((text) => e.variable(e.hint(value), matrix, text));
  }
  const type = e.registerTypeOf(value);
  const needed = e.needed(value);
  const count = e.count(value);
  const hint = e.hint(value);
  const start = initial ?? new Array<string>(count).fill(zeroOf(type));
  if (needed === 'all' && count >= 4 && type !== 'vec2<u32>') {
    return Array.from({ length: count / 4 }, (_, i) =>
      components(e.variable(hint, `vec4<${type}>`, vectorOf(type, start.slice(4 * i, 4 * i + 4)))),
    ).flat();
  }
  return start.map((from, r) =>
    needed === 'all' || needed.has(r) ? e.variable(hint, type, from) : UNNEEDED,
  );
}

/** Assigns values to variables as if at once: one may be among the others' sources. */
function assignAll(
  e: Emission,
  targets: readonly string[],
  sources: readonly string[],
  types: readonly string[],
): void {
  const pairs: { readonly target: string; source: string; readonly type: string }[] = [];
  for (let i = 0; i < targets.length; i++) {
    const vector = wholeVector(targets.slice(i, i + 4));
    if (vector) {
      const source = vectorOf(types[i]!, sources.slice(i, i + 4));
      pairs.push({ target: vector, source, type: `vec4<${types[i]}>` });
      i += 3;
    } else if (targets[i] !== UNNEEDED) {
      pairs.push({ target: targets[i]!, source: sources[i]!, type: types[i]! });
    }
  }
  const moving = pairs.filter(({ target, source }) => target !== source);
  const written = new Set(moving.map(({ target }) => target));
  for (const pair of moving) {
    const names = pair.source.match(/[A-Za-z_]\w*/g) ?? [];
    if (!names.some((name) => written.has(name) && name !== pair.target)) continue;
    const saved = e.names.fresh('next');
    e.writer.line(`let ${saved} = ${pair.source};`);
    pair.source = saved;
  }
  for (const { target, source } of moving) e.writer.line(`${target} = ${source};`);
}

/** The register types of values, one for each register. */
function typesOf(e: Emission, values: readonly Value[]): string[] {
  return values.flatMap((value) => new Array<string>(e.count(value)).fill(e.registerTypeOf(value)));
}
const registersOf = (e: Emission, values: readonly Value[]): string[] =>
  values.flatMap((value) => [...e.registers(value)]);

/** The value of a scalar for a condition on which barriers depend. */
function uniformScalar(e: Emission, value: Value, barrier: boolean): string {
  const text = e.scalar(value);
  if (!barrier || e.uniform.has(value)) return text;
  const dtype = dtypeOfValue(value);
  const type = dtype === 'i64' ? 'vec2<u32>' : 'u32';
  const name = e.workgroupVariable(`uniform_${type === 'u32' ? 'word' : 'pair'}`, type);
  const plain = dtype === 'i64' ? text : `u32(${text})`;
  // The load has a barrier before and behind it, so nobody still reads what is written here.
  e.writer.line(`if (tid == 0u) { ${name} = ${plain}; }`);
  const loaded = e.let('same', `workgroupUniformLoad(&${name})`);
  if (dtype === 'i64') return loaded;
  return dtype === 'i1' ? `(${loaded} != 0u)` : `i32(${loaded})`;
}

/** The value of an arith.constant. */
export function constantOf(value: Value): number | bigint | undefined {
  const op = value.definition;
  if (op?.name !== 'arith.constant') return undefined;
  const constant = op.attributes['value'];
  return typeof constant === 'number' || typeof constant === 'bigint' ? constant : undefined;
}

export function emitFor(e: Emission, op: Operation): void {
  const body = op.region(0);
  const [lower, upper, step] = [op.operand(0), op.operand(1), op.operand(2)];
  const inits = op.operands.slice(3);
  const barrier = hasBarrier(op);
  const hoisted = body.ops.filter((dot) => dot.attributes['hoisted'] === true);
  for (const dot of hoisted) emitHoistedOperand(e, dot);
  if (op.attributes['barrierBehindHoisted']) e.barrier();
  const overlapping = body.ops.filter((dot) => dot.attributes['overlaps'] === true);
  for (const dot of overlapping) beginOverlap(e, dot);
  prepareTogether(e, op);
  const carried = inits.map((init, i) => variables(e, body.args[i + 1]!, e.registers(init)));
  body.args.slice(1).forEach((arg, i) => e.setRegisters(arg, carried[i]!));

  const counter = e.names.fresh('k');
  const wide = dtypeOfValue(lower) === 'i64';
  const [low, high, by] = [constantOf(lower), constantOf(upper), constantOf(step)];
  const induction = body.args[0]!;
  let head: string;
  let leave: string | undefined;
  let value: string;
  let trips: number | string;
  if (low !== undefined && high !== undefined && by !== undefined) {
    trips = Number(tripCount(BigInt(low), BigInt(high), BigInt(by)));
    head = `for (var ${counter} = 0u; ${counter} < ${trips}u; ${counter}++)`;
  } else {
    const start = uniformScalar(e, lower, barrier);
    const end = uniformScalar(e, upper, barrier);
    const stride = uniformScalar(e, step, barrier);
    trips = e.let(
      'trips',
      wide
        ? e.call('i64_trips', start, end, stride)
        : by === 1 || by === 1n
          ? `select(0u, u32(${end} - ${start}), ${end} > ${start})`
          : `select(0u, (u32(${end} - ${start}) - 1u) / u32(${stride}) + 1u, ${end} > ${start})`,
    );
    head = `for (var ${counter} = 0u; ${counter} < 0xffffffffu; ${counter}++)`;
    leave = `if (${counter} >= ${trips}) { break; }`;
  }
  if (wide) {
    const distance = e.call('i64_mul', `vec2<u32>(${counter}, 0u)`, e.scalar(step));
    value = e.call('i64_add', e.scalar(lower), distance);
  } else {
    const scaled =
      by === 1 || by === 1n
        ? `i32(${counter})`
        : `i32(${counter}) * ${by === undefined ? e.scalar(step) : i32Literal(Number(by))}`;
    value = low === 0 ? scaled : `${e.scalar(lower)} + ${scaled}`;
  }
  const turn = (): void => {
    e.setRegisters(induction, [
      induction.uses.size > 0 ? e.let(e.hint(induction), value) : 'unused',
    ]);
    emitBlock(e, body);
    for (const dot of overlapping) endOverlap(e, dot);
    const next = body.terminator.operands;
    assignAll(e, carried.flat(), registersOf(e, next), typesOf(e, next));
  };
  e.writer.block(head, () => {
    if (leave) e.writer.line(leave);
    turn();
    // What an iteration hands to the next one then stays where it is, every other time. Tint sees no end here.
    if (leave && op.attributes['turns'] === 2) {
      e.writer.line(`${counter}++;`);
      e.writer.line(leave);
      turn();
    }
    leaveEarly(e, counter, trips);
  });
  op.results.forEach((result, i) => e.setRegisters(result, carried[i]!));
}

function tripCount(low: bigint, high: bigint, by: bigint): bigint {
  if (by === 0n) return 0n;
  const distance = by > 0n ? high - low : low - high;
  const stride = by > 0n ? by : -by;
  return distance <= 0n ? 0n : (distance + stride - 1n) / stride;
}

export function emitIf(e: Emission, op: Operation): void {
  const condition = uniformScalar(e, op.operand(0), hasBarrier(op));
  const results = op.results.map((result) => variables(e, result));
  op.results.forEach((result, i) => e.setRegisters(result, results[i]!));
  const branch = (block: Block | undefined): void => {
    if (!block) return;
    emitBlock(e, block);
    const last = block.ops.at(-1);
    if (last?.name !== 'scf.yield') return;
    assignAll(e, results.flat(), registersOf(e, last.operands), typesOf(e, last.operands));
  };
  const otherwise = op.regions[1];
  const hasElse = otherwise !== undefined && (op.results.length > 0 || otherwise.ops.length > 1);
  const then = (): void => branch(op.regions[0]);
  if (hasElse) e.writer.ifElse(condition, then, () => branch(otherwise));
  else e.writer.block(`if (${condition})`, then);
}

/** A loop that waits for another program tries a few times: see `waiting.ts`. */
function giveUp(e: Emission, op: Operation, counter: string): void {
  const access = waitsOn(op);
  if (!access) return;
  e.writer.block(`if (${counter} >= ${MOST_TRIES}u)`, () => {
    const bounds = boundsOf(e, access, access.name === 'tt.load' ? 'load' : 'atomic', 1);
    if (bounds) {
      const index = e.accesses.length;
      e.accesses.push({ ...e.accesses[bounds.access]!, location: op.location, kind: 'wait' });
      e.writer.line(`bad_write = ${index}u;`);
    }
    e.writer.line('break;');
  });
}

export function emitWhile(e: Emission, op: Operation): void {
  const [before, after] = [op.region(0), op.region(1)];
  const barrier = hasBarrier(op);
  const carried = op.operands.map((init, i) => variables(e, before.args[i]!, e.registers(init)));
  before.args.forEach((arg, i) => e.setRegisters(arg, carried[i]!));
  const results = op.results.map((result) => variables(e, result));
  const counter = e.names.fresh('k');
  e.writer.block(`for (var ${counter} = 0u; ${counter} < 0xffffffffu; ${counter}++)`, () => {
    giveUp(e, op, counter);
    emitBlock(e, before);
    const [condition, ...forwarded] = before.terminator.operands;
    const registers = forwarded.map((value) => e.registers(value));
    const go = uniformScalar(e, condition!, barrier);
    e.writer.block(`if (!(${go}))`, () => {
      assignAll(e, results.flat(), registers.flat(), typesOf(e, forwarded));
      e.writer.line('break;');
    });
    // The values are named before the variables that they may be change.
    after.args.forEach((arg, i) => e.setRegisters(arg, registers[i]!));
    emitBlock(e, after);
    const next = after.terminator.operands;
    assignAll(e, carried.flat(), registersOf(e, next), typesOf(e, next));
  });
  op.results.forEach((result, i) => e.setRegisters(result, results[i]!));
}
