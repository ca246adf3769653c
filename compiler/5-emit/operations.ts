/** What is written for each operation: the table that closes over every name of `ir/ops.ts`. */
import type { Block, Operation } from '../ir/ir';
import type { OpName } from '../ir/ops';
import { addressToOffset, offsetToAddress, pointeeBytes } from './memory/addresses';
import { emitAtomicCas, emitAtomicRmw } from './memory/atomics';
import { emitFor, emitIf, emitWhile } from './control';
import { conversion, isConversion, packsHalves } from './arithmetic/conversions';
import { emitConvertLayout } from './exchange/convertLayout';
import { emitAssert, emitPrint } from './debug';
import { isDirect } from '../4-distribute/directDots';
import { emitDirectDot } from './dot/direct';
import { emitDot } from './dot/dot';
import { arithmetic, isArithmetic } from './arithmetic/elementwise';
import { dtypeOfValue, UNNEEDED } from './emission';
import type { Emission } from './emission';
import { emitMatrixDot, emitReadFragments, matrixCount, matrixType } from './dot/fragments';
import { emitGather, emitHistogram } from './exchange/gather';
import { emitLocalAlloc, emitLocalLoad, emitLocalStore } from './dot/local';
import { emitLoad, emitStore } from './memory/memory';
import { emitMap } from './arithmetic/map';
import { emitReduce } from './exchange/reduce';
import { literal } from './registers';
import { rollOperation } from './rolled/roll';
import { emitScan } from './exchange/scan';
import { emitSort } from './exchange/sort';
import { emitJoin, emitMakeRange, emitRenaming, emitSplat, emitSplit } from './shapes';
import type { ScalarValue } from '../ir/numbers';
import type { DType } from '../ir/types';

type Handler = (e: Emission, op: Operation) => void;
type Arithmetic = Parameters<typeof arithmetic>[2] | Parameters<typeof conversion>[2];

const nothing: Handler = () => undefined;

const HANDLERS: Readonly<Record<Exclude<OpName, Arithmetic>, Handler>> = {
  'arith.constant': emitConstant,
  'tt.bitcast': emitPointerCast,
  'tt.int_to_ptr': (e, op) => eachRegister(e, op, ([x]) => addressToOffset(e, op, x!)),
  'tt.ptr_to_int': (e, op) =>
    eachRegister(e, op, ([x]) => offsetToAddress(e, op.operand(0).type, x!)),
  'tt.get_program_id': (e, op) => e.setRegisters(op.result, [`i32(program.${axis(op)})`]),
  'tt.get_num_programs': (e, op) => {
    const index = Number(op.attributes['axis'] ?? 0) as 0 | 1 | 2;
    e.setRegisters(op.result, [
      e.prelude(`grid ${index}`, 'programs', () => {
        return `i32(${e.parameters.word({ kind: 'grid', axis: index })})`;
      }),
    ]);
  },
  'tt.make_range': emitMakeRange,
  'tt.splat': emitSplat,
  'tt.unsplat': (e, op) => e.setRegisters(op.result, [e.registers(op.operand(0))[0]!]),
  'tt.broadcast': emitRenaming,
  'tt.expand_dims': emitRenaming,
  'tt.reshape': emitRenaming,
  'tt.trans': emitRenaming,
  'tt.join': emitJoin,
  'tt.split': emitSplit,
  'tt.cat': emitJoin,
  'tt.gather': emitGather,
  'tt.load': emitLoad,
  'tt.store': emitStore,
  'tt.atomic_rmw': emitAtomicRmw,
  'tt.atomic_cas': emitAtomicCas,
  'tt.dot': (e, op) => {
    if (isDirect(op)) emitDirectDot(e, op);
    else (op.result.type.kind === 'fragments' ? emitMatrixDot : emitDot)(e, op);
  },
  'tt.reduce': emitReduce,
  'tt.reduce.return': nothing,
  'tt.scan': emitScan,
  'tt.scan.return': nothing,
  'tt.sort': emitSort,
  'tt.sort.return': nothing,
  'tt.map_elementwise': emitMap,
  'tt.map_elementwise.return': nothing,
  'tt.histogram': emitHistogram,
  'scf.for': emitFor,
  'scf.while': emitWhile,
  'scf.if': emitIf,
  'scf.yield': nothing,
  'scf.condition': nothing,
  'tt.return': nothing,
  'tt.print': emitPrint,
  'tt.assert': emitAssert,
  'ttg.convert_layout': emitConvertLayout,
  'ttg.extract_slice': emitRenaming,
  'ttg.local_alloc': emitLocalAlloc,
  'ttg.local_store': emitLocalStore,
  'ttg.local_load': emitLocalLoad,
  'ttg.read_fragments': emitReadFragments,
  'gpu.barrier': (e, op) => {
    if (e.moved.has(op)) return;
    // What a thread wrote to global memory another may read after it.
    const shares = e.memory.groups.some((group) => group.written && group.loaded);
    if (shares && !e.exchange) e.writer.line('storageBarrier();');
    e.barrier();
  },
};

export function emitBlock(e: Emission, block: Block): void {
  for (const op of block.ops) emitOperation(e, op);
}

export function emitOperation(e: Emission, op: Operation): void {
  e.writer.at(op.location, () => {
    const { name } = op;
    if (rollOperation(e, op)) return;
    if (isArithmetic(name)) eachRegister(e, op, (args) => arithmetic(e, op, name, args));
    else if (packsHalves(e, op)) emitPackedHalves(e, op);
    else if (isConversion(name)) eachRegister(e, op, ([x]) => conversion(e, op, name, x!));
    else HANDLERS[name as Exclude<OpName, Arithmetic>](e, op);
  });
}

/** One expression for each register of the result; equal operands give one register. */
function eachRegister(
  e: Emission,
  op: Operation,
  expression: (args: readonly string[]) => string,
): void {
  const { result } = op;
  const count = e.count(result);
  const needed = e.needed(result);
  const operands = op.operands.map((operand) => e.registers(operand));
  const hint = e.hint(result);
  const seen = new Map<string, string>();
  const out: string[] = [];
  for (let r = 0; r < count; r++) {
    if (needed !== 'all' && !needed.has(r)) {
      out.push(UNNEEDED);
      continue;
    }
    const args = operands.map((registers) =>
      registers.length === 1 ? registers[0]! : registers[r]!,
    );
    const key = args.join('|');
    let register = seen.get(key);
    if (register === undefined) {
      register = e.let(hint, expression(args));
      seen.set(key, register);
    }
    out.push(register);
  }
  e.setRegisters(result, out);
}

/** Neighbouring registers are rounded to halves together, and their word is kept for who stores it. */
function emitPackedHalves(e: Emission, op: Operation): void {
  const x = e.registers(op.operand(0));
  const count = e.count(op.result);
  const at = (r: number): string => x[x.length === 1 ? 0 : r]!;
  const out: string[] = [];
  for (let r = 0; r < count; r += 2) {
    const next = Math.min(r + 1, count - 1);
    const word = e.let('packed', `pack2x16float(vec2<f32>(${at(r)}, ${at(next)}))`);
    const pair = e.let(e.hint(op.result), `bitcast<vec2<f16>>(${word})`);
    e.halfWords.set(pair, word);
    out.push(`${pair}.x`, `${pair}.y`);
  }
  e.setRegisters(op.result, out.slice(0, count));
}

function emitConstant(e: Emission, op: Operation): void {
  const { type } = op.result;
  if (type.kind === 'fragments') {
    const zero = `${matrixType(type)}()`;
    e.setRegisters(op.result, new Array<string>(matrixCount(type)).fill(zero));
    return;
  }
  const value = op.attributes['value'] as ScalarValue;
  const register = constantRegister(e, dtypeOfValue(op.result), value);
  e.setRegisters(op.result, new Array<string>(e.count(op.result)).fill(register));
}

/** A constant's literal, or a name where WGSL has no literal of it. */
export function constantRegister(e: Emission, dtype: DType, value: ScalarValue): string {
  const text = literal(dtype, value, e.native);
  if (!text.includes('runtime_zero')) return text;
  e.usesRuntimeZero = true;
  return e.prelude(`constant ${text}`, 'constant', () => text);
}

/** A pointer to another type: its offset counts other elements. */
function emitPointerCast(e: Emission, op: Operation): void {
  const [from, to] = [pointeeBytes(op.operand(0).type), pointeeBytes(op.result.type)];
  const cast = (x: string): string =>
    from === to ? x : from > to ? `${x} * ${from / to}` : smaller(x, to / from);
  // What lies 1 GiB or less before the start counts backwards; buffers are smaller than 3 GiB.
  const smaller = (x: string, n: number): string =>
    `i32((u32(${x}) / ${n}u) | select(0u, ~(0xffffffffu / ${n}u), u32(${x}) >= 0xc0000000u))`;
  eachRegister(e, op, ([x]) => cast(x!));
}

function axis(op: Operation): string {
  return 'xyz'[Number(op.attributes['axis'] ?? 0)]!;
}
