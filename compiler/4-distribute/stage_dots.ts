/**
 * Brings the operands of `tt.dot` into workgroup memory, in pieces of K that fit: the left one with M
 * fastest, the right one with N fastest, rows padded by 16 bytes, so that a thread reads its rows and
 * columns of one k as vec4s without bank conflicts. Operands are widened to 32 bits on the way;
 * accumulators are always f32 or i32. What does not change in a loop around the dot is staged once,
 * before it, where there is room. Barriers come later (`place_barriers`).
 */
import { Builder } from '../ir/builder';
import { type Block, type Func, Operation, type Value, walk } from '../ir/ir';
import {
  bitWidth,
  dtypeOf,
  elementOf,
  F32,
  I32,
  isInteger,
  type MemdescType,
  type ScalarType,
  shapeOf,
  tensor,
  withElement,
} from '../ir/types';
import type { OpName } from '../ir/ops';
import { restrictTo } from '../ir/layoutAlgebra';
import { memdescBytes } from './allocate_workgroup_memory';
import type { Choices } from './choices';
import { choicesOf, type DistributeContext, usableWorkgroupBytes } from './context';
import { layoutOf } from './layoutRules';

/** Unused elements after each row: 16 bytes, so that rows start in different banks. */
const PADDING = 4;
/** Workgroup memory that stays free beside operands staged for a whole loop: for scratch. */
const RESERVED_BYTES = 4096;

export function stage_dots(func: Func, context: DistributeContext): boolean {
  const dots: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'tt.dot') dots.push(op);
  });
  const choices = choicesOf(func, context);
  const limit = usableWorkgroupBytes(context);
  const plans = dots.map((dot) => new DotPlan(dot));
  for (const plan of plans) plan.cut(choices, limit);

  // Loop-invariant operands, the largest gain first come: the order of the program.
  let kept = 0;
  const pieces = Math.max(0, ...plans.map((plan) => plan.pieceBytes()));
  for (const plan of plans) {
    for (const side of [0, 1] as const) {
      const bytes = plan.wholeBytes(side);
      if (!plan.fits || !plan.loopAround(side) || kept + bytes + pieces + RESERVED_BYTES > limit)
        continue;
      plan.keep(side);
      kept += bytes;
    }
  }
  for (const plan of plans) plan.rewrite(choices.unroll);
  return dots.length > 0;
}

class DotPlan {
  readonly #shapes: readonly [readonly number[], readonly number[]];
  readonly #k: number;
  readonly #element: ScalarType;
  readonly #kept: [boolean, boolean] = [false, false];
  #piece = 1;
  #buffers: 1 | 2 = 1;
  #fits = true;

  constructor(readonly dot: Operation) {
    this.#shapes = [shapeOf(dot.operand(0).type), shapeOf(dot.operand(1).type)];
    this.#k = this.#shapes[0].at(-1)!;
    const dtype = dtypeOf(dot.operand(0).type) ?? 'f32';
    const staged = elementOf(dot.operand(0).type);
    const wide = dtype === 'f64' && staged.kind === 'scalar' ? staged : F32;
    this.#element = isInteger(dtype) ? I32 : wide;
  }

  /** Chooses how much of K is staged at a time. */
  cut({ kPiece: most, smallPieceBytes: small, buffers }: Choices, limit: number): void {
    this.#buffers = buffers;
    this.#piece = Math.min(this.#k, most);
    // Small tiles take more of K at a time: fewer barriers for the same memory.
    while (this.#piece < this.#k && this.pieceBytes() * 2 <= Math.min(limit / 2, small))
      this.#piece *= 2;
    while (this.#piece > 1 && this.pieceBytes() > limit) {
      if (this.#buffers === 2) this.#buffers = 1;
      else this.#piece /= 2;
    }
    // Emulated f64 multiplies so slowly that reading its operands does not count.
    this.#fits = this.pieceBytes() <= limit && this.#element.dtype !== 'f64';
  }
  pieceBytes(): number {
    if (!this.#fits) return 0;
    return (this.#bytes(0, this.#piece) + this.#bytes(1, this.#piece)) * this.#buffers;
  }
  /** Whether one step of K fits; the least that staging takes. */
  get fits(): boolean {
    return this.#fits;
  }
  wholeBytes(side: 0 | 1): number {
    return (this.#k / this.#piece) * this.#bytes(side, this.#piece);
  }
  keep(side: 0 | 1): void {
    this.#kept[side] = true;
  }
  /** The outermost loop around the dot in which this operand does not change. */
  loopAround(side: 0 | 1): Operation | undefined {
    const home = blockOf(this.dot.operand(side));
    let found: Operation | undefined;
    for (let block = this.dot.parent; block && block !== home; block = block.parent?.parent) {
      const { parent } = block;
      if (parent?.name === 'scf.for' || parent?.name === 'scf.while') found = parent;
    }
    return found;
  }

  rewrite(unroll: number): void {
    const { dot } = this;
    const builder = Builder.before(dot);
    const wideType = withElement(
      dot.result.type,
      isInteger(this.#element.dtype) ? I32 : this.#wide(),
    );
    let acc = convert(builder, dot.operand(2), elementOf(wideType) as ScalarType);
    if (!this.#fits) return this.#finish(builder, this.#stepByStep(builder, acc));

    const kept = ([0, 1] as const).map((side) => (this.#kept[side] ? this.#stageBefore(side) : []));
    const sources = ([0, 1] as const).map((side) =>
      this.#kept[side] ? undefined : convert(builder, dot.operand(side), this.#element),
    );
    const buffers = ([0, 1] as const).map((side) =>
      this.#kept[side]
        ? []
        : Array.from({ length: this.#buffers }, () =>
            builder.value('ttg.local_alloc', [], this.#type(side)),
          ),
    );
    for (let piece = 0; piece < this.#k / this.#piece; piece++) {
      const operands = ([0, 1] as const).map((side) => {
        const before = kept[side]![piece];
        if (before) return before;
        const memory = buffers[side]![piece % this.#buffers]!;
        this.#store(builder, side, sources[side]!, memory, piece);
        return memory;
      });
      acc = builder.value('tt.dot', [...operands, acc], wideType, {
        ...dot.attributes,
        unroll: Math.min(unroll, this.#piece),
      });
    }
    this.#finish(builder, acc);
  }

  #finish(builder: Builder, sum: Value): void {
    const { dot } = this;
    const result = convert(builder, sum, elementOf(dot.result.type) as ScalarType);
    result.name ??= dot.result.name;
    dot.result.replaceAllUsesWith(result);
    dot.erase();
  }

  /**
   * Without room for one step of K, and for f64: a loop that gathers a column and a row, in rounds
   * through as little scratch as there is. Slow, for tiles of thousands of rows or batches that nobody
   * multiplies.
   */
  #stepByStep(builder: Builder, start: Value): Value {
    const layout = layoutOf(start)!;
    const rank = this.#shapes[0].length;
    const shape = shapeOf(start.type);
    const sources = ([0, 1] as const).map((side) =>
      convert(builder, this.dot.operand(side), this.#element),
    );
    const [sum] = builder.forLoop(
      builder.i32(0),
      builder.i32(this.#k),
      builder.i32(1),
      [start],
      (k, [acc]) => {
        const [x, y] = ([0, 1] as const).map((side) => {
          const axis = rank - 1 - side;
          const thin = shape.map((size, d) => (d === axis ? 1 : size));
          const at = restrictTo(layout, thin);
          const indices = builder.value('tt.splat', [k], tensor(thin, I32, at));
          const type = tensor(thin, this.#element, at);
          const one = builder.value('tt.gather', [sources[side]!, indices], type, { axis });
          return builder.value('tt.broadcast', [one], tensor(shape, this.#element, layout));
        });
        if (this.#element.dtype !== 'i32') return [builder.value('math.fma', [x!, y!, acc!])];
        return [builder.binary('arith.addi', builder.binary('arith.muli', x!, y!), acc!)];
      },
    );
    return sum!;
  }

  #wide(): ScalarType {
    return this.#element.dtype === 'f64' ? this.#element : F32;
  }
  /** All pieces of an operand, written before the loop. */
  #stageBefore(side: 0 | 1): Value[] {
    const builder = Builder.before(this.loopAround(side)!);
    builder.location = this.dot.location;
    const source = convert(builder, this.dot.operand(side), this.#element);
    return Array.from({ length: this.#k / this.#piece }, (_, piece) => {
      const memory = builder.value('ttg.local_alloc', [], this.#type(side));
      this.#store(builder, side, source, memory, piece);
      return memory;
    });
  }
  #store(builder: Builder, side: 0 | 1, source: Value, memory: Value, piece: number): void {
    const shape = this.#shapes[side];
    const summed = shape.length - 1 - side;
    const slice = shape.map((_, d) => (d === summed ? piece * this.#piece : 0));
    builder.create('ttg.local_store', [source, memory], [], { slice });
  }
  #type(side: 0 | 1, piece = this.#piece): MemdescType {
    const rank = this.#shapes[side].length;
    const summed = rank - 1 - side;
    const shape = this.#shapes[side].map((size, d) => (d === summed ? piece : size));
    const batches = Array.from({ length: rank - 2 }, (_, i) => rank - 3 - i);
    const order = [side === 0 ? rank - 2 : rank - 1, summed, ...batches];
    return { kind: 'memdesc', shape, element: this.#element, order, padding: PADDING };
  }
  #bytes(side: 0 | 1, piece: number): number {
    return memdescBytes(this.#type(side, piece));
  }
}

function blockOf(value: Value): Block | undefined {
  return value.owner instanceof Operation ? value.owner.parent : value.owner;
}

/** Between number types of a dot's operands and accumulators; exact when it widens. */
function convert(builder: Builder, value: Value, element: ScalarType): Value {
  const from = dtypeOf(value.type);
  if (!from || from === element.dtype) return value;
  const widens = bitWidth(from) < bitWidth(element.dtype);
  const name: OpName = isInteger(from)
    ? widens
      ? 'arith.extsi'
      : 'arith.trunci'
    : widens
      ? from.startsWith('f8')
        ? 'tt.fp_to_fp'
        : 'arith.extf'
      : 'arith.truncf';
  return builder.value(name, [value], withElement(value.type, element));
}
