/** The lowering of each operation: the table that closes over every name of `ir/ops/`. */
import type { Block, Operation } from '../ir/ir';
import type { ScalarValue } from '../ir/numbers';
import type { OpName } from '../ir/ops';
import type { ThreadValue } from '../ir/thread/ir';
import { conversion, isConversion } from './arithmetic/conversions';
import { arithmetic, isArithmetic } from './arithmetic/elementwise';
import { lowerMap } from './arithmetic/map';
import { lowerFor, lowerIf, lowerWhile } from './control';
import { dtypeOfValue } from './context';
import type { Lowering } from './context';
import { lowerAssert, lowerPrint } from './debug';
import { matrixCount, matrixType, zeroMatrix } from './dot/blocks';
import { lowerDot } from './dot/index';
import { lowerLocalAlloc, lowerLocalLoad, lowerLocalStore } from './dot/local';
import { lowerLoadFragments } from './dot/matrices';
import { lowerReadFragments } from './dot/readFragments';
import { lowerConvertLayout } from './communication/convertLayout';
import { lowerLocalGather, lowerLocalScatter } from './communication/localAccess';
import { lowerGather, lowerHistogram } from './communication/gather';
import { lowerReduce } from './communication/reduce';
import { lowerScan } from './communication/scan';
import { lowerSort } from './communication/sort';
import { addressToOffset, offsetToAddress, pointeeBytes } from './memory/addresses';
import { lowerAtomicCas, lowerAtomicRmw } from './memory/atomics';
import { lowerLoad, lowerStore } from './memory/memory';
import { constantOf } from './registers';
import { lowerInLoopForm } from './loopForm/loopForm';
import { lowerJoin, lowerMakeRange, lowerRenaming, lowerSplat, lowerSplit } from './shapes';

type Handler = (t: Lowering, op: Operation) => void;
type Arithmetic = Parameters<typeof arithmetic>[2] | Parameters<typeof conversion>[2];

const nothing: Handler = () => undefined;
const axisOf = (op: Operation): 0 | 1 | 2 => Number(op.attributes['axis'] ?? 0) as 0 | 1 | 2;

const HANDLERS: Readonly<Record<Exclude<OpName, Arithmetic>, Handler>> = {
  'arith.constant': lowerConstant,
  'tt.bitcast': lowerPointerCast,
  'tt.int_to_ptr': (t, op) => eachRegister(t, op, ([x]) => addressToOffset(t, op, x!)),
  'tt.ptr_to_int': (t, op) =>
    eachRegister(t, op, ([x]) => offsetToAddress(t, op.operand(0).type, x!)),
  'tt.get_program_id': (t, op) =>
    t.setRegisters(op.result, [t.x`i32(${t.b.programId(axisOf(op))})`]),
  'tt.get_num_programs': (t, op) => {
    const axis = axisOf(op);
    const count = (): ThreadValue => t.x`i32(${t.b.word({ kind: 'grid', axis })})`;
    t.setRegisters(op.result, [t.b.prelude(`grid ${axis}`, 'programs', count)]);
  },
  'tt.make_range': lowerMakeRange,
  'tt.splat': lowerSplat,
  'tt.unsplat': (t, op) => t.setRegisters(op.result, [t.registers(op.operand(0))[0]!]),
  'tt.broadcast': lowerRenaming,
  'tt.expand_dims': lowerRenaming,
  'tt.reshape': lowerRenaming,
  'tt.trans': lowerRenaming,
  'tt.join': lowerJoin,
  'tt.split': lowerSplit,
  'tt.cat': lowerJoin,
  'tt.gather': lowerGather,
  'tt.load': lowerLoad,
  'tt.store': lowerStore,
  'tt.atomic_rmw': lowerAtomicRmw,
  'tt.atomic_cas': lowerAtomicCas,
  'tt.dot': lowerDot,
  'tt.reduce': lowerReduce,
  'tt.reduce.return': nothing,
  'tt.scan': lowerScan,
  'tt.scan.return': nothing,
  'tt.sort': lowerSort,
  'tt.sort.return': nothing,
  'tt.map_elementwise': lowerMap,
  'tt.map_elementwise.return': nothing,
  'tt.histogram': lowerHistogram,
  'scf.for': lowerFor,
  'scf.while': lowerWhile,
  'scf.if': lowerIf,
  'scf.yield': nothing,
  'scf.condition': nothing,
  'tt.return': nothing,
  'tt.print': lowerPrint,
  'tt.assert': lowerAssert,
  'ttg.convert_layout': lowerConvertLayout,
  'ttg.extract_slice': lowerRenaming,
  'ttg.local_alloc': lowerLocalAlloc,
  'ttg.local_store': lowerLocalStore,
  'ttg.local_load': lowerLocalLoad,
  'ttg.local_gather': lowerLocalGather,
  'ttg.local_scatter': lowerLocalScatter,
  'ttg.load_fragments': lowerLoadFragments,
  'ttg.read_fragments': lowerReadFragments,
  'gpu.barrier': (t, op) => {
    // `dot/overlapped.ts` puts it elsewhere.
    if (op.attributes['rotated'] === true) return;
    // A word of global memory that a thread wrote may be read by another after it.
    const shares = t.memory.groups.some((group) => group.written && group.loaded);
    if (shares && !t.shared.inStorage) t.shared.storageBarrier();
    t.shared.barrier();
  },
};

export function lowerBlock(t: Lowering, block: Block): void {
  for (const op of block.ops) {
    t.block = block;
    lowerOperation(t, op);
  }
}

export function lowerOperation(t: Lowering, op: Operation): void {
  t.b.at(op.location, () => {
    const { name } = op;
    if (lowerInLoopForm(t, op)) return;
    if (isArithmetic(name)) eachRegister(t, op, (args) => arithmetic(t, op, name, args));
    else if (isConversion(name)) eachRegister(t, op, ([x]) => conversion(t, op, name, x!));
    else HANDLERS[name as Exclude<OpName, Arithmetic>](t, op);
  });
}

/** Each register of the result; equal operands give one register. */
function eachRegister(
  t: Lowering,
  op: Operation,
  make: (args: readonly ThreadValue[]) => ThreadValue,
): void {
  const { result } = op;
  const count = t.count(result);
  const demanded = t.demanded(result);
  const operands = op.operands.map((operand) => t.registers(operand));
  const hint = t.hint(result);
  const seen = new Map<string | ThreadValue, ThreadValue>();
  const out: ThreadValue[] = [];
  for (let r = 0; r < count; r++) {
    if (demanded !== 'all' && !demanded.has(r)) {
      out.push(t.notDemanded(t.registerTypeOf(result)));
      continue;
    }
    const args = operands.map((registers) =>
      registers.length === 1 ? registers[0]! : registers[r]!,
    );
    const key = args.length === 1 ? args[0]! : args.map((arg) => t.b.idOf(arg)).join(' ');
    let register = seen.get(key);
    if (register === undefined) {
      register = t.let(hint, make(args));
      seen.set(key, register);
    }
    out.push(register);
  }
  t.setRegisters(result, out);
}

function lowerConstant(t: Lowering, op: Operation): void {
  const { type } = op.result;
  if (type.kind === 'fragments') {
    const zero = zeroMatrix(t, matrixType(type));
    t.setRegisters(op.result, new Array<ThreadValue>(matrixCount(type)).fill(zero));
    return;
  }
  const value = op.attributes['value'] as ScalarValue;
  const register = constantOf(t.b, dtypeOfValue(op.result), value, t.native);
  t.setRegisters(op.result, new Array<ThreadValue>(t.count(op.result)).fill(register));
}

/** A pointer to another type: its offset counts other elements. */
function lowerPointerCast(t: Lowering, op: Operation): void {
  const [from, to] = [pointeeBytes(op.operand(0).type), pointeeBytes(op.result.type)];
  eachRegister(t, op, ([x]) => {
    if (from === to) return x!;
    if (from > to) return t.x`${x!} * ${from / to}i`;
    // An offset of 1 GiB or less before the start counts backwards; buffers are smaller than 3 GiB.
    const n = to / from;
    const high = ~(0xffffffff / n) >>> 0;
    return t.x`i32((u32(${x!}) / ${n}u) | select(0u, ${high}u, u32(${x!}) >= 0xc0000000u))`;
  });
}
