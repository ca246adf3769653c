/**
 * Makes operations at an insertion point, with the current source location, and infers their result
 * types by their definitions. Also copies operations and whole functions.
 */
import { Block, Func, Operation } from './ir';
import type { Attribute, Value } from './ir';
import { UNKNOWN_LOCATION } from './location';
import type { Location } from './location';
import { canonicalScalar } from './numbers';
import type { ScalarValue } from './numbers';
import { hasTrait, isOp, isRearrangement } from './ops';
import type { OpName } from './ops';
import type { FloatPredicate, IntPredicate } from './ops/comparisons';
import type { AtomicKind } from './ops/memory';
import { inferResultTypes } from './typeRules';
import { I32, dtypeOf, elementOf, isInteger, shapeOf, tensor } from './types';
import type { ElementType, Type } from './types';

export type { AtomicKind, FloatPredicate, IntPredicate };

export class Builder {
  /** Given to every operation made. */
  location: Location = UNKNOWN_LOCATION;
  /** How many operations it has made. */
  created = 0;
  #block: Block;
  /** New operations go before it; at the block's end where absent. */
  #before: Operation | undefined;

  constructor(block: Block, before?: Operation) {
    this.#block = block;
    this.#before = before;
  }
  /** Inserts before `op`, with its location. */
  static before(op: Operation): Builder {
    if (!op.parent) throw new Error(`${op.name} is detached`);
    const builder = new Builder(op.parent, op);
    builder.location = op.location;
    return builder;
  }

  get block(): Block {
    return this.#block;
  }
  setInsertionPointToEnd(block: Block): void {
    this.#block = block;
    this.#before = undefined;
  }
  setInsertionPointBefore(op: Operation): void {
    if (!op.parent) throw new Error(`${op.name} is detached`);
    this.#block = op.parent;
    this.#before = op;
  }
  /** Runs `body` with the insertion point at the end of `block`, then comes back. */
  inside<T>(block: Block, body: () => T): T {
    const [outer, before] = [this.#block, this.#before];
    this.setInsertionPointToEnd(block);
    try {
      return body();
    } finally {
      this.#block = outer;
      this.#before = before;
    }
  }

  insert(op: Operation): Operation {
    this.created++;
    if (this.#before) return this.#block.insertBefore(this.#before, op);
    return this.#block.append(op);
  }

  /**
   * Any operation. Without `resultTypes` they are inferred; throws where the operands do not
   * determine them.
   */
  create(
    name: OpName,
    operands: readonly Value[] = [],
    resultTypes?: readonly Type[],
    attributes: Record<string, Attribute> = {},
    regions: readonly Block[] = [],
  ): Operation {
    const types =
      resultTypes ??
      inferResultTypes(
        name,
        operands.map((value) => value.type),
        attributes,
        regions,
      );
    if (!types) throw new Error(`${name}: the result types do not follow from the operands`);
    return this.insert(new Operation(name, operands, types, attributes, regions, this.location));
  }
  /** As `create`, for operations of one result. */
  value(
    name: OpName,
    operands: readonly Value[],
    type?: Type,
    attributes: Record<string, Attribute> = {},
  ): Value {
    return this.create(name, operands, type && [type], attributes).result;
  }

  // ── arithmetic ────────────────────────────────────────────────────────────────────────────────
  unary(name: OpName, x: Value): Value {
    return this.value(name, [x]);
  }
  binary(name: OpName, lhs: Value, rhs: Value): Value {
    return this.value(name, [lhs, rhs]);
  }
  /** Compares integers or floats, by the predicate. */
  cmp(predicate: IntPredicate | FloatPredicate, lhs: Value, rhs: Value): Value {
    const dtype = dtypeOf(lhs.type);
    const name = dtype && isInteger(dtype) ? 'arith.cmpi' : 'arith.cmpf';
    return this.value(name, [lhs, rhs], undefined, { predicate });
  }
  select(condition: Value, yes: Value, no: Value): Value {
    return this.value('arith.select', [condition, yes, no]);
  }
  /** A conversion operation to another element type; the shape stays. */
  cast(name: OpName, x: Value, element: ElementType): Value {
    const type = x.type.kind === 'tensor' ? { ...x.type, element } : element;
    return this.value(name, [x], type);
  }
  /** A number, or a tile full of it. The value is wrapped or rounded to the dtype. */
  constant(type: Type, value: ScalarValue): Value {
    const dtype = dtypeOf(type);
    if (!dtype) throw new Error('a constant has a number type');
    return this.value('arith.constant', [], type, { value: canonicalScalar(dtype, value) });
  }
  i32(value: number): Value {
    return this.constant(I32, value);
  }

  // ── shapes and pointers ───────────────────────────────────────────────────────────────────────
  programId(axis: number): Value {
    return this.value('tt.get_program_id', [], undefined, { axis });
  }
  numPrograms(axis: number): Value {
    return this.value('tt.get_num_programs', [], undefined, { axis });
  }
  makeRange(start: number, end: number): Value {
    return this.value('tt.make_range', [], undefined, { start, end });
  }
  addptr(pointer: Value, offset: Value): Value {
    return this.value('tt.addptr', [pointer, offset]);
  }
  /** A tile of a scalar; the scalar itself for an empty shape. */
  splat(x: Value, shape: readonly number[]): Value {
    if (shape.length === 0) return x;
    return this.value('tt.splat', [x], tensor(shape, elementOf(x.type)));
  }
  /** Repeats along dimensions of size 1; the value itself where the shape is right already. */
  broadcast(x: Value, shape: readonly number[]): Value {
    const from = shapeOf(x.type);
    if (from.length === 0) return this.splat(x, shape);
    if (from.length === shape.length && from.every((size, i) => size === shape[i])) return x;
    return this.value('tt.broadcast', [x], tensor(shape, elementOf(x.type)));
  }
  expandDims(x: Value, axis: number): Value {
    return this.value('tt.expand_dims', [x], undefined, { axis });
  }
  reshape(x: Value, shape: readonly number[], allowReorder = false): Value {
    if (shape.length === 0) return this.value('tt.unsplat', [x]);
    const type = tensor(shape, elementOf(x.type));
    return this.value('tt.reshape', [x], type, allowReorder ? { allowReorder } : {});
  }
  trans(x: Value, order: readonly number[]): Value {
    return this.value('tt.trans', [x], undefined, { order: [...order] });
  }

  // ── memory ────────────────────────────────────────────────────────────────────────────────────
  load(pointer: Value, mask?: Value, other?: Value, attributes?: Record<string, Attribute>): Value {
    if (other && !mask) throw new Error('tt.load: other without mask');
    const operands = [pointer, ...(mask ? [mask] : []), ...(other ? [other] : [])];
    return this.value('tt.load', operands, undefined, attributes);
  }
  store(
    pointer: Value,
    value: Value,
    mask?: Value,
    attributes?: Record<string, Attribute>,
  ): Operation {
    return this.create('tt.store', [pointer, value, ...(mask ? [mask] : [])], [], attributes);
  }
  atomicRmw(
    kind: AtomicKind,
    pointer: Value,
    value: Value,
    mask?: Value,
    attributes?: Record<string, Attribute>,
  ): Value {
    const operands = [pointer, value, ...(mask ? [mask] : [])];
    return this.value('tt.atomic_rmw', operands, undefined, { kind, ...attributes });
  }

  // ── tiles ─────────────────────────────────────────────────────────────────────────────────────
  dot(a: Value, b: Value, acc: Value, inputPrecision = 'ieee'): Value {
    return this.value('tt.dot', [a, b, acc], undefined, { inputPrecision });
  }
  /** Reduces along `axis`; `combine` gets the left and then the right elements, as scalars. */
  reduce(
    inputs: readonly Value[],
    axis: number,
    combine: (left: Value[], right: Value[]) => Value[],
  ): Value[] {
    const region = this.#combineRegion(inputs, combine, 'tt.reduce.return');
    return this.create('tt.reduce', inputs, undefined, { axis }, [region]).results;
  }
  scan(
    inputs: readonly Value[],
    axis: number,
    reverse: boolean,
    combine: (left: Value[], right: Value[]) => Value[],
  ): Value[] {
    const region = this.#combineRegion(inputs, combine, 'tt.scan.return');
    return this.create('tt.scan', inputs, undefined, { axis, reverse }, [region]).results;
  }
  #combineRegion(
    inputs: readonly Value[],
    combine: (left: Value[], right: Value[]) => Value[],
    end: 'tt.reduce.return' | 'tt.scan.return',
  ): Block {
    const elements = inputs.map((input) => elementOf(input.type));
    const region = new Block([...elements, ...elements]);
    const n = inputs.length;
    this.inside(region, () => {
      this.create(end, combine(region.args.slice(0, n), region.args.slice(n)), []);
    });
    return region;
  }

  // ── control flow ──────────────────────────────────────────────────────────────────────────────
  /** `body` gets the counter and the carried values and returns the next ones. */
  forLoop(
    lower: Value,
    upper: Value,
    step: Value,
    init: readonly Value[],
    body: (counter: Value, carried: Value[]) => readonly Value[],
    attributes: Record<string, Attribute> = {},
  ): Value[] {
    const types = init.map((value) => value.type);
    const region = new Block([lower.type, ...types]);
    this.inside(region, () => this.yield(body(region.args[0]!, region.args.slice(1))));
    return this.create('scf.for', [lower, upper, step, ...init], types, attributes, [region])
      .results;
  }
  /**
   * `before` gets the carried values and returns the condition and the values to forward; `after`
   * gets those and returns the next carried values.
   */
  whileLoop(
    init: readonly Value[],
    before: (carried: Value[]) => { condition: Value; forward: readonly Value[] },
    after: (forwarded: Value[]) => readonly Value[],
  ): Value[] {
    const test = new Block(init.map((value) => value.type));
    const forwarded = this.inside(test, () => {
      const { condition, forward } = before(test.args);
      this.create('scf.condition', [condition, ...forward], []);
      return forward.map((value) => value.type);
    });
    const body = new Block(forwarded);
    this.inside(body, () => this.yield(after(body.args)));
    return this.create('scf.while', init, forwarded, {}, [test, body]).results;
  }
  /** Both branches return values of the same types. */
  ifOp(
    condition: Value,
    then: () => readonly Value[],
    otherwise: () => readonly Value[] = () => [],
  ): Value[] {
    const branch = (build: () => readonly Value[]): [Block, Type[]] => {
      const block = new Block();
      const values = this.inside(block, () => {
        const results = build();
        this.yield(results);
        return results;
      });
      return [block, values.map((value) => value.type)];
    };
    const [thenBlock, types] = branch(then);
    const [elseBlock] = branch(otherwise);
    return this.create('scf.if', [condition], types, {}, [thenBlock, elseBlock]).results;
  }
  yield(values: readonly Value[]): Operation {
    return this.create('scf.yield', values, []);
  }
  return(): Operation {
    return this.create('tt.return', [], []);
  }
}

/** Copies of the original's values; values from outside stand for themselves. */
export type ValueMap = Map<Value, Value>;

/** A copy of an operation with its regions, detached; `map` is extended with its results. */
function cloneOp(op: Operation, map: ValueMap = new Map()): Operation {
  const operands = op.operands.map((value) => map.get(value) ?? value);
  const regions = op.regions.map((region) => {
    const block = new Block();
    for (const arg of region.args) map.set(arg, block.addArg(arg.type, arg.name));
    for (const inner of region.ops) block.append(cloneOp(inner, map));
    return block;
  });
  const types = op.results.map((result) => result.type);
  const copy = new Operation(op.name, operands, types, { ...op.attributes }, regions, op.location);
  op.results.forEach((result, i) => {
    copy.results[i]!.name = result.name;
    map.set(result, copy.results[i]!);
  });
  return copy;
}
/** Copies operations to the end of a block. */
export function cloneOps(ops: readonly Operation[], into: Block, map: ValueMap = new Map()): void {
  for (const op of ops) into.append(cloneOp(op, map));
}
/** An independent copy of a function. */
export function cloneFunc(func: Func): Func {
  const body = new Block();
  const map: ValueMap = new Map();
  for (const arg of func.body.args) map.set(arg, body.addArg(arg.type, arg.name));
  cloneOps(func.body.ops, body, map);
  return new Func(
    func.name,
    func.parameters.map((p) => ({ ...p })),
    body,
    func.location,
    { ...func.attributes },
  );
}

/** May it be removed when its results are unused? True of pure operations and of loads. */
export function isRemovable(op: Operation): boolean {
  if (hasTrait(op.name, 'pure')) return op.regions.every((r) => r.ops.every(isRemovableOrEnd));
  if (op.name === 'tt.load') return op.attributes['isVolatile'] !== true;
  if (op.name === 'scf.if' || op.name === 'scf.for')
    return op.regions.every((r) => r.ops.every(isRemovableOrEnd));
  return ['ttg.local_load', 'ttg.load_fragments', 'ttg.local_alloc'].includes(op.name);
}
function isRemovableOrEnd(op: Operation): boolean {
  return hasTrait(op.name, 'terminator') || isRemovable(op);
}

/** The constant that a value is, looking through splat and shape operations; else undefined. */
export function constantOf(value: Value): ScalarValue | undefined {
  for (let v: Value = value; ;) {
    const op = v.definition;
    if (!op) return undefined;
    if (isOp(op, 'arith.constant')) return op.attributes.value;
    if (!isRearrangement(op.name)) return undefined;
    v = op.operand(0);
  }
}
