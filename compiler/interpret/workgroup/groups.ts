/** Steps that the lanes of a subgroup, or of the workgroup, do together; matrices. */
import type { ThreadOp } from '../../ir/thread/ir';
import { memoryOf } from '../../ir/thread/ir';
import type { FragmentType } from '../../ir/thread/types';
import type { WorkgroupCompiler } from './compile';
import { roundHalf } from './components';
import { decodeTable, encodeSmall } from '../../ir/numbers';
import type { Fragment, Step } from './lanes';
import type { Memory } from './memory';

export function barrierStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const [workgroup, storage] = [op.attributes['workgroup'], op.attributes['storage']];
  return (_, n) => {
    arrive(c, op, n);
    c.state.barrier(workgroup === true, storage === true);
  };
}
function arrive({ state }: WorkgroupCompiler, op: ThreadOp, n: number): void {
  if (n !== state.lanes)
    state.findings.add('divergence', op, `${n} of ${state.lanes} threads arrive at a barrier`);
}

/** The value of thread 0, for all; a barrier before and behind. */
export function uniformStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const memory = c.memory(op.operand(0));
  const x = c.register(op.operand(1));
  const out = c.result(op);
  const { shadow } = memory;
  const number = shadow?.numberOf(op) ?? 0;
  return (lanes, n) => {
    arrive(c, op, n);
    const first = lanes[0]!;
    x.planes.forEach((plane, i) => {
      shadow?.write(i, first, number);
      memory.set(i, plane[first]!);
    });
    c.state.barrier(true, false);
    for (let k = 0; k < n; k++)
      out.planes.forEach((plane, i) => {
        shadow?.read(i, lanes[k]!, number);
        plane[lanes[k]!] = memory.get(i);
      });
    c.state.barrier(true, false);
  };
}

export function shuffleStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const [x, by] = c.operands(op);
  const out = c.result(op);
  const [other] = by!.planes;
  const { state } = c;
  const { subgroup } = state;
  const across = op.name === 'thread.subgroup_shuffle_xor';
  const active = new Uint8Array(state.lanes);
  return (lanes, n) => {
    for (let k = 0; k < n; k++) active[lanes[k]!] = 1;
    for (let k = 0; k < n; k++) {
      const i = lanes[k]!;
      const within = i % subgroup;
      const source = across ? (within ^ other![i]!) >>> 0 : other![i]!;
      const from = i - within + source;
      const reached = source < subgroup && active[from] === 1;
      if (!reached) state.findings.add('inactive', op, `lane ${within} reads lane ${source}`);
      for (let p = 0; p < out.planes.length; p++)
        out.planes[p]![i] = reached ? x!.planes[p]![from]! : 0;
    }
    for (let k = 0; k < n; k++) active[lanes[k]!] = 0;
  };
}

// ── matrices
// ────────────────────────────────────────────────────────────────────────────────────────

export function matrixStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  switch (op.name) {
    case 'thread.matrix_zero': {
      const { data } = c.fragment(op.result);
      return () => data.fill(0);
    }
    case 'thread.copy':
      return copyStep(c, op);
    case 'thread.matrix_load':
      return loadStep(c, op);
    case 'thread.matrix_store':
      return storeStep(c, op);
    default:
      return multiplyStep(c, op);
  }
}

/** Runs `body` for each subgroup, all of whose lanes must take part. */
function bySubgroup(
  { state }: WorkgroupCompiler,
  op: ThreadOp,
  body: (subgroup: number, lane: number) => void,
): Step {
  const size = state.subgroup;
  return (lanes, n) => {
    for (let k = 0; k < n; k += size) {
      const lane = lanes[k]!;
      const whole = lane % size === 0 && lanes[k + size - 1] === lane + size - 1;
      if (!whole || k + size > n) state.findings.add('inactive', op, 'a subgroup is not complete');
      body(Math.floor(lane / size), lane);
    }
  };
}

/** Components of a fragment in memory: their bytes, and how they are read and written. */
function componentOf(
  memory: Memory,
  { scalar }: FragmentType,
): {
  readonly bytes: number;
  readonly read: (byte: number) => number;
  readonly write: (byte: number, x: number) => void;
} {
  const { buffer, byteOffset, byteLength } = memory.bytes;
  const view = new DataView(buffer, byteOffset, byteLength);
  const halves = decodeTable('f16');
  switch (scalar) {
    case 'f16':
      return {
        bytes: 2,
        read: (at) => halves[view.getUint16(at, true)]!,
        write: (at, x) => view.setUint16(at, encodeSmall('f16', x), true),
      };
    case 'f32':
      return {
        bytes: 4,
        read: (at) => view.getFloat32(at, true),
        write: (at, x) => view.setFloat32(at, x, true),
      };
    case 'i8':
      return { bytes: 1, read: (at) => view.getInt8(at), write: (at, x) => view.setInt8(at, x) };
    case 'u8':
      return { bytes: 1, read: (at) => view.getUint8(at), write: (at, x) => view.setUint8(at, x) };
    case 'i32':
      return {
        bytes: 4,
        read: (at) => view.getInt32(at, true),
        write: (at, x) => view.setInt32(at, x, true),
      };
    case 'u32':
      return {
        bytes: 4,
        read: (at) => view.getUint32(at, true),
        write: (at, x) => view.setUint32(at, x, true),
      };
    default:
      return scalar satisfies never;
  }
}

/** Calls `each` with every component's place in the matrix and in memory. */
function walker(
  c: WorkgroupCompiler,
  op: ThreadOp,
  type: FragmentType,
  transposed: boolean,
  touch: 'read' | 'write',
): { readonly memory: Memory; readonly walk: Walk } {
  const memory = c.memory(op.operand(0));
  const { shape } = memoryOf(op.operand(0));
  const indices = op.operands.slice(1, 1 + shape.length).map((x) => c.register(x).planes[0]!);
  const entry = memory.stride * memory.view.BYTES_PER_ELEMENT;
  const { bytes } = componentOf(memory, type);
  const stride = Number(op.attributes['stride']) * entry;
  const unit = memory.view.BYTES_PER_ELEMENT;
  const { shadow } = memory;
  const number = shadow?.numberOf(op) ?? 0;
  const { lanes, subgroup: size } = c.state;
  const agents = lanes + number * Math.ceil(lanes / size);
  const walk: Walk = (subgroup, lane, each) => {
    const element = indices.reduce((at, index, d) => at * (shape[d] || 1) + index[lane]!, 0);
    for (let row = 0; row < type.rows; row++)
      for (let column = 0; column < type.columns; column++) {
        const [line, across] = transposed ? [column, row] : [row, column];
        const at = element * entry + line * stride + across * bytes;
        if (at + bytes > memory.bytes.length) {
          c.state.findings.add('outside', op, `a matrix beyond the end of ${memory.name}`, memory);
          continue;
        }
        if (shadow && at % unit === 0) shadow[touch](at / unit, agents + subgroup, number);
        each(row * type.columns + column, at);
      }
  };
  return { memory, walk };
}
type Walk = (
  subgroup: number,
  lane: number,
  each: (component: number, byte: number) => void,
) => void;

const sizeOf = ({ rows, columns }: FragmentType): number => rows * columns;

function loadStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const { data, type } = c.fragment(op.result);
  const transposed = op.attributes['transposed'] === true;
  const { memory, walk } = walker(c, op, type, transposed, 'read');
  const { read } = componentOf(memory, type);
  return bySubgroup(c, op, (subgroup, lane) => {
    const first = subgroup * sizeOf(type);
    walk(subgroup, lane, (component, byte) => (data[first + component] = read(byte)));
  });
}
function storeStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const { data, type } = c.fragment(op.operands.at(-1)!);
  const { memory, walk } = walker(c, op, type, false, 'write');
  const { write } = componentOf(memory, type);
  return bySubgroup(c, op, (subgroup, lane) => {
    const first = subgroup * sizeOf(type);
    walk(subgroup, lane, (component, byte) => write(byte, data[first + component]!));
  });
}

function copyStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const [from, to] = [c.fragment(op.operand(0)), c.fragment(op.result)];
  const size = sizeOf(to.type);
  return bySubgroup(c, op, (subgroup) => {
    const start = subgroup * size;
    to.data.set(from.data.subarray(start, start + size), start);
  });
}
function multiplyStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const [left, right, sum] = op.operands.map((value) => c.fragment(value));
  const out = c.fragment(op.result);
  return bySubgroup(c, op, (subgroup) => multiply(left!, right!, sum!, out, subgroup));
}
/** Products are summed exactly enough, and rounded once. */
function multiply(
  left: Fragment,
  right: Fragment,
  sum: Fragment,
  out: Fragment,
  subgroup: number,
): void {
  const [rows, depth, columns] = [left.type.rows, left.type.columns, right.type.columns];
  const a = subgroup * sizeOf(left.type);
  const b = subgroup * sizeOf(right.type);
  const d = subgroup * sizeOf(out.type);
  const half = out.type.scalar === 'f16';
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      let total = sum.data[d + i * columns + j]!;
      for (let k = 0; k < depth; k++)
        total += left.data[a + i * depth + k]! * right.data[b + k * columns + j]!;
      out.data[d + i * columns + j] = half ? roundHalf(total) : total;
    }
}
