/**
 * Brings the operands of `tt.dot` into workgroup memory, in pieces of K that fit: the left one with M
 * fastest, the right one with N fastest, rows padded by 16 bytes, so that a thread reads its rows and
 * columns of one k as vec4s without bank conflicts. Operands are widened to 32 bits on the way;
 * accumulators are always f32 or i32. Operands for subgroup matrices stay narrow, and lie in the order in
 * which threads hold them, which matrices can be read from either way; such a dot starts from zero and its
 * result is read back and added (`carry_fragments` takes that out of loops). What does not change in a loop around the dot is staged once,
 * before it, where there is room. Barriers come later (`place_barriers`).
 */
import { Builder, constantOf } from '../ir/builder';
import { type Func, type Operation, outermostLoop, type Value, walk } from '../ir/ir';
import {
  bitWidth,
  byteSize,
  dtypeOf,
  elementOf,
  F16,
  F32,
  type FragmentsType,
  I32,
  I8,
  isInteger,
  type MemdescType,
  type ScalarType,
  shapeOf,
  tensor,
  withElement,
} from '../ir/types';
import type { OpName } from '../ir/ops';
import { blockedLayout, registerRun, restrictTo, type ThreadBits } from '../ir/layoutAlgebra';
import { memdescBytes, MOST_FRAGMENT_SCRATCH, ROW_PADDING } from './allocate_workgroup_memory';
import type { Choices } from './choices';
import { choicesOf, type DistributeContext, threadBitsOf, usableWorkgroupBytes } from './context';
import { isDirect } from './directDots';
import { rowWords } from './fragmentRounds';
import { layoutOf } from './layoutRules';
import { holdsWords } from './memoryLayouts';

/** Workgroup memory for scratch, which may lie where pieces are staged: not both are live at a time. */
const RESERVED_BYTES = 4096;

export function stage_dots(func: Func, context: DistributeContext): boolean {
  const dots: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'tt.dot' && !isDirect(op)) dots.push(op);
  });
  const choices = choicesOf(func, context);
  const limit = usableWorkgroupBytes(context);
  const plans = dots.map((dot) => new DotPlan(dot));
  const threads = threadBitsOf(func);
  for (const plan of plans) plan.cut(choices, limit);

  // Loop-invariant operands, the largest gain first come: the order of the program.
  let kept = 0;
  const pieces = Math.max(0, ...plans.map((plan) => plan.pieceBytes()));
  const scratch = Math.max(RESERVED_BYTES, ...plans.map((plan) => plan.fragmentBytes()));
  for (const plan of plans) {
    for (const side of [0, 1] as const) {
      const bytes = plan.wholeBytes(side);
      const others = Math.max(pieces, scratch);
      if (!plan.fits || !plan.loopAround(side) || kept + bytes + others > limit) continue;
      plan.keep(side);
      kept += bytes;
    }
  }
  for (const plan of plans) plan.hoist(choices, threads);
  const hasRoom = choices.squareBlocks ? hasRoomForBlocks : hasRoomForRows;
  if (choices.parts && hasRoom(plans, limit)) cutIntoParts(plans, limit);
  for (const plan of plans) plan.rewrite(choices, threads);
  return dots.length > 0;
}

/** What the results of matrices take on their way back to registers. */
const FRAGMENT_BYTES = 12_288;

/** What operands take of an array: before a loop, throughout, and the most at a time of what comes and goes. */
interface Taken {
  before: number;
  lasting: number;
  passing: number;
}
/** Of the arrays of rows' parts, of columns', and of what stays whole. `countOf`: into how many parts a side is cut. */
function takenOf(
  plans: readonly DotPlan[],
  countOf: (plan: DotPlan, side: 0 | 1) => number,
  spared = 0,
): [Taken, Taken, Taken] {
  const nothing = (): Taken => ({ before: 0, lasting: 0, passing: 0 });
  const arrays: [Taken, Taken, Taken] = [nothing(), nothing(), nothing()];
  for (const plan of plans)
    for (const side of [0, 1] as const) {
      const count = countOf(plan, side);
      const size = plan.stagedBytes(side) - (count > 1 ? count * spared : 0);
      const array = arrays[count > 1 ? side : 2];
      if (plan.isHoisted(side)) array.before += size;
      else if (plan.isKept(side)) array.lasting += size;
      else array.passing = Math.max(array.passing, size);
    }
  return arrays;
}
const mostOf = ({ before, lasting, passing }: Taken, more = 0): number =>
  Math.max(before, lasting + passing + more);

/**
 * Cuts operands as the subgroups' blocks cut them. Parts do not share memory with anything else. Each dimension has
 * one array of parts, so dots that differ do without.
 */
function cutIntoParts(plans: readonly DotPlan[], limit: number): void {
  const counts: [number?, number?] = [];
  for (const plan of plans) {
    for (const side of [0, 1] as const) {
      const count = plan.blocksAlong(side);
      if (count === 1 || (counts[side] ?? count) !== count) continue;
      counts[side] = count;
      plan.parts[side] = count;
    }
  }
  // The rows of each part are padded, a third more of thin ones, and results must still come back.
  const [rows, columns, rest] = takenOf(plans, (plan, side) => plan.parts[side]);
  const passing = Math.max(rest.passing, ...plans.map((plan) => plan.fragmentBytes()));
  if (mostOf(rows) + mostOf(columns) + mostOf({ ...rest, passing }) <= limit) return;
  for (const plan of plans) plan.parts.fill(1);
}

/** Where blocks are rows, or one dot's alone: whether workgroup memory holds all parts, and scratch beside them. */
function hasRoomForRows(plans: readonly DotPlan[], limit: number): boolean {
  // Parts share with none but other parts: of what stays whole and comes and goes, one at a time counts.
  let [lasting, passing, before] = [0, 0, 0];
  for (const plan of plans) {
    for (const side of [0, 1] as const) {
      const size = plan.stagedBytes(side);
      if (plan.isHoisted(side)) before += size;
      else if (plan.isKept(side) || plan.blocksAlong(side) > 1) lasting += size;
      else passing = Math.max(passing, size);
    }
  }
  // What is read as a loop begins shares memory with what the loop stages.
  const bytes = Math.max(lasting + passing, before);
  const fragments = Math.max(FRAGMENT_BYTES, ...plans.map((plan) => plan.fragmentBytes()));
  return bytes + fragments <= limit;
}

/**
 * Where blocks lie side by side, right operands are cut, too, and each dot's come and go in one place. Whether that
 * leaves scratch for as few rounds as without parts, but for the padding behind the last row of each.
 */
function hasRoomForBlocks(plans: readonly DotPlan[], limit: number): boolean {
  const alike = ([0, 1] as const).every((side) => {
    const counts = plans.map((plan) => plan.blocksAlong(side)).filter((count) => count > 1);
    return new Set(counts).size <= 1;
  });
  const countOf = (plan: DotPlan, side: 0 | 1): number => plan.blocksAlong(side);
  const [rows, columns, rest] = takenOf(plans, countOf, ROW_PADDING);
  const scratch = Math.max(0, ...plans.map((plan) => plan.scratchBytes(MOST_FRAGMENT_SCRATCH)));
  return alike && mostOf(rows) + mostOf(columns) + mostOf(rest, scratch) <= limit;
}

class DotPlan {
  /** Parts into which each operand is cut. */
  readonly parts: [number, number] = [1, 1];
  readonly #shapes: readonly [readonly number[], readonly number[]];
  readonly #k: number;
  #element: ScalarType = F32;
  readonly #kept: [boolean, boolean] = [false, false];
  #piece = 1;
  #buffers: 1 | 2 = 1;
  #fits = true;
  #hoisted = false;
  /** M, N and K of the subgroup matrices. */
  #matrix: readonly number[] | undefined;
  /** The dimension of each operand that lies in consecutive elements. */
  #fastest: readonly [number, number] = [0, 1];

  constructor(readonly dot: Operation) {
    this.#shapes = [shapeOf(dot.operand(0).type), shapeOf(dot.operand(1).type)];
    this.#k = this.#shapes[0].at(-1)!;
    this.#take(dot.attributes['matrix'] as readonly number[] | undefined);
  }
  /** Decides for subgroup matrices, or against them. */
  #take(matrix: readonly number[] | undefined): void {
    const { dot } = this;
    const dtype = dtypeOf(dot.operand(0).type) ?? 'f32';
    const staged = elementOf(dot.operand(0).type);
    const wide = dtype === 'f64' && staged.kind === 'scalar' ? staged : F32;
    this.#matrix = matrix;
    if (matrix) {
      this.#element = dtype === 'i8' ? I8 : F16;
      this.#fastest = [
        fasterDimension(dot.operand(0), 1),
        fasterDimension(dot.operand(1), dtype === 'i8' ? 0 : 1),
      ];
    } else {
      this.#element = isInteger(dtype) ? I32 : wide;
      const rank = this.#shapes[0].length;
      this.#fastest = [rank - 2, rank - 1];
    }
  }

  /** Chooses how much of K is staged at a time. */
  cut(choices: Choices, limit: number): void {
    const { kPiece: most, smallPieceBytes: small, buffers } = choices;
    const least = this.#matrix?.[2] ?? 1;
    this.#buffers = buffers;
    this.#fits = true;
    this.#piece = Math.min(this.#k, Math.max(least, most));
    // Small tiles take more of K at a time: fewer barriers for the same memory.
    while (this.#piece < this.#k && this.pieceBytes() * 2 <= Math.min(limit / 2, small))
      this.#piece *= 2;
    while (this.#piece > least && this.pieceBytes() > limit) {
      if (this.#buffers === 2) this.#buffers = 1;
      else this.#piece /= 2;
    }
    // Emulated f64 multiplies so slowly that reading its operands does not count.
    const needed = Math.max(this.pieceBytes(), this.fragmentBytes());
    this.#fits = needed <= limit && this.#element.dtype !== 'f64';
    if (this.#fits || !this.#matrix) return;
    this.#take(undefined);
    const { matrix: _, block: __, ...rest } = this.dot.attributes;
    this.dot.attributes = rest;
    this.cut(choices, limit);
  }
  /** The least that a result takes on its way out of matrices: one of each subgroup. */
  fragmentBytes(): number {
    const fragments = this.#fragments();
    if (!fragments) return 0;
    const [rows = 1, columns = 1] = fragments.shape.map(
      (size, d) => (size / fragments.block[d === 0 ? 0 : 1]) * fragments.matrix[d === 0 ? 0 : 1],
    );
    return 4 * rows * rowWords(columns);
  }
  /** What a result takes on its way out of matrices, in as few rounds as take no more than `most`. */
  scratchBytes(most: number): number {
    const fragments = this.#fragments();
    if (!fragments) return 0;
    const [rows = 1, columns = 1] = fragments.shape;
    let width = columns;
    while (width > fragments.matrix[1] && 4 * rows * rowWords(width) > most) width /= 2;
    return 4 * rows * rowWords(width);
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
  /** How many subgroups' blocks lie side by side along the operand's own dimension; 1 without. */
  blocksAlong(side: 0 | 1): number {
    const block = this.dot.attributes['block'] as readonly number[] | undefined;
    return this.#matrix && block ? shapeOf(this.dot.result.type)[side]! / block[side]! : 1;
  }
  /** The outermost loop around the dot in which this operand does not change. */
  loopAround(side: 0 | 1): Operation | undefined {
    return outermostLoop(this.dot, this.dot.operand(side));
  }

  /** Decides whether the left operand is read into matrices before the loop. */
  hoist({ hoistOperands, hoistedWords }: Choices, threads: ThreadBits): void {
    this.#hoisted = hoistOperands && this.#kept[0] && this.#staysInMatrices(threads, hoistedWords);
  }
  isHoisted(side: 0 | 1): boolean {
    return side === 0 && this.#hoisted;
  }
  isKept(side: 0 | 1): boolean {
    return this.#kept[side];
  }
  /** What an operand takes at a time. */
  stagedBytes(side: 0 | 1): number {
    if (!this.#fits) return 0;
    return this.#kept[side]
      ? this.wholeBytes(side)
      : this.#bytes(side, this.#piece) * this.#buffers;
  }
  /** Whether a subgroup's rows of the left operand, all of K, are few enough to stay in registers. */
  #staysInMatrices(threads: ThreadBits, most: number): boolean {
    const block = this.dot.attributes['block'] as readonly number[] | undefined;
    const loop = this.loopAround(0);
    const direct = loop?.name === 'scf.for' && loop === this.dot.parent?.parent;
    if (!block || !direct || this.#element.dtype !== 'f16') return false;
    const blocks = this.blocksAlong(0) * this.blocksAlong(1);
    const words = (block[0]! * this.#k) / 2 / 2 ** threads.lanes;
    return blocks === 2 ** threads.subgroups && words <= most;
  }

  rewrite({ unroll }: Choices, threads: ThreadBits): void {
    const { dot } = this;
    const builder = Builder.before(dot);
    const wideType = withElement(
      dot.result.type,
      isInteger(this.#element.dtype) ? I32 : this.#wide(),
    );
    const start = convert(builder, dot.operand(2), elementOf(wideType) as ScalarType);
    if (!this.#fits) return this.#finish(builder, this.#stepByStep(builder, start));

    const kept = ([0, 1] as const).map((side) =>
      this.#kept[side] ? this.#stageBefore(side, threads) : [],
    );
    const sources = ([0, 1] as const).map((side) =>
      this.#kept[side] ? undefined : this.#source(builder, side, threads),
    );
    const fragments = this.#fragments();
    let acc = fragments ? builder.constant(fragments, 0) : start;
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
      acc = builder.value('tt.dot', [...operands, acc], fragments ?? wideType, {
        ...dot.attributes,
        unroll: Math.min(unroll, this.#piece),
        ...(this.#hoisted ? { hoisted: true } : {}),
      });
    }
    if (!fragments) return this.#finish(builder, acc);
    const sum = builder.value('ttg.read_fragments', [acc], wideType);
    const add = isInteger(this.#element.dtype) ? 'arith.addi' : 'arith.addf';
    this.#finish(builder, isZero(start) ? sum : builder.binary(add, sum, start));
  }

  #fragments(): FragmentsType | undefined {
    if (!this.#matrix) return undefined;
    const [M = 1, N = 1] = this.#matrix;
    const [rows = 1, columns = 1] = this.dot.attributes['block'] as readonly number[];
    return {
      kind: 'fragments',
      shape: shapeOf(this.dot.result.type),
      element: isInteger(this.#element.dtype) ? I32 : F32,
      block: [rows, columns],
      matrix: [M, N],
    };
  }

  /** An operand as it is staged; for narrow elements in a layout that holds whole words. */
  #source(builder: Builder, side: 0 | 1, threads: ThreadBits): Value {
    const source = convert(builder, this.dot.operand(side), this.#element);
    const { type } = source;
    const layout = layoutOf(source);
    const type2 = this.#type(side);
    if (!this.#matrix || type.kind !== 'tensor' || !layout || holdsWords(layout, type2))
      return source;
    const fastest = this.#fastest[side];
    const run = 16 / byteSize(this.#element);
    const whole = blockedLayout(type.shape, threads, run, [fastest, 1 - fastest]);
    return builder.value('ttg.convert_layout', [source], { ...type, layout: whole });
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
  #stageBefore(side: 0 | 1, threads: ThreadBits): Value[] {
    const builder = Builder.before(this.loopAround(side)!);
    builder.location = this.dot.location;
    const source = this.#source(builder, side, threads);
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
    const fastest = this.#fastest[side];
    const order = [fastest, rank - 2 + rank - 1 - fastest, ...batches];
    const padding = ROW_PADDING / Math.min(4, byteSize(this.#element));
    const type = { kind: 'memdesc', shape, element: this.#element, order, padding } as const;
    const count = this.parts[side];
    return count === 1 ? type : { ...type, parts: [side, count] };
  }
  #bytes(side: 0 | 1, piece: number): number {
    return memdescBytes(this.#type(side, piece));
  }
}

/** Of a matrix, the dimension along which threads hold longer runs; `otherwise` where none is longer. */
function fasterDimension(value: Value, otherwise: 0 | 1): 0 | 1 {
  const layout = layoutOf(value);
  if (!layout) return otherwise;
  const [rows, columns] = [registerRun(layout, 0), registerRun(layout, 1)];
  return rows === columns ? otherwise : rows > columns ? 0 : 1;
}

function isZero(value: Value): boolean {
  return constantOf(value) === 0;
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
