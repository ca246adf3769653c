/** Steps of operations on numbers: each runs for the listed lanes, component by component. */
import type { ThreadOp } from '../../ir/thread/ir';
import { libraryFunction } from '../../ir/thread/library/index';
import { THREAD_OPS } from '../../ir/thread/ops';
import type { ScalarFunction } from '../../ir/thread/ops/spec';
import type { NumberType } from '../../ir/thread/types';
import type { WorkgroupCompiler } from './compile';
import { roundHalf, scalarFunction } from './components';
import type { Plane, Register, Step } from './lanes';

/** The step of a pure operation with operands. */
export function valueStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  switch (op.name) {
    case 'thread.copy':
    case 'thread.construct':
      return movesOf(
        c.result(op),
        c.operands(op).flatMap(({ planes }) => planes),
      );
    case 'thread.splat': {
      const [plane] = c.operands(op)[0]!.planes;
      const out = c.result(op);
      return movesOf(
        out,
        out.planes.map(() => plane!),
      );
    }
    case 'thread.swizzle': {
      const { planes } = c.operands(op)[0]!;
      const indices = op.attributes['indices'] as readonly number[];
      return movesOf(
        c.result(op),
        indices.map((i) => planes[i]!),
      );
    }
    case 'thread.extract_dynamic':
      return dynamicStep(c, op);
    case 'thread.call':
      return callStep(c, op);
    default:
      return operationStep(c, op);
  }
}

function operationStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const operands = c.operands(op);
  const out = c.result(op);
  const types = operands.map(({ type }) => type);
  if (op.name === 'thread.bitcast' && isReinterpreted(types[0]!, out.type))
    return reinterpret(operands[0]!, out);
  const { whole } = THREAD_OPS[op.name];
  if (whole) return wholeStep(operands[0]!, out, whole(types[0]!, out.type));
  const evaluate = scalarFunction(op.name, types, out.type);
  if (!evaluate) throw new Error(`${op.name} has no value`);
  const round = out.type.scalar === 'f16' ? roundHalf : undefined;
  const steps = out.planes.map((plane, i) =>
    mapStep(
      evaluate,
      plane,
      operands.map(({ planes }) => planes[planes.length === 1 ? 0 : i]!),
      round,
    ),
  );
  return inOrder(steps);
}

/** The planes round to their type, except to halves. */
function mapStep(
  f: ScalarFunction,
  out: Plane,
  [a, b, d]: readonly Plane[],
  round: ((x: number) => number) | undefined,
): Step {
  if (round)
    return (lanes, n) => {
      for (let k = 0; k < n; k++) {
        const i = lanes[k]!;
        out[i] = round(f(a![i]!, b ? b[i]! : 0, d ? d[i]! : 0));
      }
    };
  if (d)
    return (lanes, n) => {
      for (let k = 0; k < n; k++) {
        const i = lanes[k]!;
        out[i] = f(a![i]!, b![i]!, d[i]!);
      }
    };
  if (b)
    return (lanes, n) => {
      for (let k = 0; k < n; k++) {
        const i = lanes[k]!;
        out[i] = f(a![i]!, b[i]!, 0);
      }
    };
  return (lanes, n) => {
    for (let k = 0; k < n; k++) {
      const i = lanes[k]!;
      out[i] = f(a![i]!, 0, 0);
    }
  };
}

function movesOf(out: Register, sources: readonly Plane[]): Step {
  const { planes } = out;
  return (lanes, n) => {
    for (let c = 0; c < planes.length; c++) {
      const [from, to] = [sources[c]!, planes[c]!];
      for (let k = 0; k < n; k++) to[lanes[k]!] = from[lanes[k]!]!;
    }
  };
}

/** Components of 32 bits each: the words stay where they are. */
function isReinterpreted(from: NumberType, to: NumberType): boolean {
  return from.size === to.size && from.scalar !== 'f16' && to.scalar !== 'f16';
}
function reinterpret(x: Register, out: Register): Step {
  const words = ({ planes }: Register): Uint32Array[] =>
    planes.map(({ buffer, byteOffset, length }) => new Uint32Array(buffer, byteOffset, length));
  const [from, to] = [words(x), words(out)];
  return (lanes, n) => {
    for (let c = 0; c < to.length; c++) {
      const [source, target] = [from[c]!, to[c]!];
      for (let k = 0; k < n; k++) target[lanes[k]!] = source[lanes[k]!]!;
    }
  };
}

function wholeStep(
  x: Register,
  out: Register,
  run: (x: readonly number[]) => readonly number[],
): Step {
  const list: number[] = x.planes.map(() => 0);
  return (lanes, n) => {
    for (let k = 0; k < n; k++) {
      const i = lanes[k]!;
      for (let c = 0; c < list.length; c++) list[c] = x.planes[c]![i]!;
      const found = run(list);
      for (let c = 0; c < out.planes.length; c++) out.planes[c]![i] = found[c]!;
    }
  };
}

/** WGSL brings an index beyond the end into the vector; ours are within. */
function dynamicStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const [x, index] = c.operands(op);
  const [at] = index!.planes;
  const [out] = c.result(op).planes;
  return (lanes, n) => {
    for (let k = 0; k < n; k++) {
      const i = lanes[k]!;
      if (at![i]! >= x!.planes.length)
        c.state.findings.add(
          'outside',
          op,
          `component ${at![i]!} of a vector of ${x!.planes.length}`,
        );
      out![i] = x!.planes[Math.min(at![i]!, x!.planes.length - 1)]![i]!;
    }
  };
}

function callStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const { evaluate } = libraryFunction(String(op.attributes['callee']))!;
  const operands = c.operands(op);
  const out = c.result(op);
  return (lanes, n) => {
    for (let k = 0; k < n; k++) {
      const i = lanes[k]!;
      const found = evaluate(operands.map(({ planes }) => planes.map((plane) => plane[i]!)));
      for (let p = 0; p < out.planes.length; p++) out.planes[p]![i] = found[p]!;
    }
  };
}

export function inOrder(steps: readonly Step[]): Step {
  const [only] = steps;
  if (steps.length === 1) return only!;
  return (lanes, n) => {
    for (let s = 0; s < steps.length; s++) steps[s]!(lanes, n);
  };
}
