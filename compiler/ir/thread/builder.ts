/**
 * Builds a kernel in thread IR: values, memory, and what `insertion.ts` makes. Constants exist
 * once, at the function's start; so does what the prelude computes, which every block can use. An
 * integer operation on constants becomes its result.
 */
import type { UniformWord } from '../../program';
import { UNKNOWN_LOCATION } from '../location';
import { cast, fold, identity, isConstant } from './folding';
import { InsertionPoint, nameOf } from './insertion';
import type { Extra } from './insertion';
import { newBlock, newOperation } from './ir';
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadParameter, ThreadValue } from './ir';
import type { ThreadOpName } from './ops';
import { expression } from './template';
import type { Hole } from './template';
import { BOOL, F32, I32, memory, number, U32 } from './types';
import type { MemoryType, NumberType, ThreadType, VectorSize } from './types';

export class ThreadBuilder extends InsertionPoint {
  readonly #constants = newBlock();
  readonly #prelude = newBlock();
  readonly #constantOf = new Map<NumberType, Map<number | '-0', ThreadValue>>();
  readonly #ids = new Map<ThreadValue, number>();
  readonly #placeholders = new Set<ThreadValue>();
  readonly #preludeOf = new Map<string, ThreadValue>();
  readonly #words = new Map<string, ThreadValue>();
  readonly #behindOf = new Map<ThreadOp, Map<string, ThreadValue>>();
  readonly #components = new Map<ThreadValue, (ThreadValue | undefined)[]>();

  /** For a pass: a builder on a kernel that exists, with its constants. */
  static editing(func: ThreadFunc): ThreadBuilder {
    const b = new ThreadBuilder(
      func.name,
      func.location,
      func.attributes['compilesSlowly'] === true,
      func,
    );
    for (let op = func.body.first; op?.name === 'thread.constant'; op = op.next)
      b.#keep(op.result, op.attributes['value'] as number);
    return b;
  }
  #keep(constant: ThreadValue, value: number): void {
    const type = constant.type as NumberType;
    let known = this.#constantOf.get(type);
    if (!known) this.#constantOf.set(type, (known = new Map()));
    known.set(Object.is(value, -0) ? '-0' : value, constant);
  }

  /** Puts constants and prelude in front of the body. To be called once, at the end. */
  finish(): ThreadFunc {
    const { body } = this.func;
    let { first } = body;
    while (first?.name === 'thread.constant') first = first.next;
    for (const section of [this.#constants, this.#prelude])
      for (const op of section.ops) {
        section.remove(op);
        if (first) body.insertBefore(first, op);
        else body.append(op);
      }
    return this.func;
  }

  /** As `create`, for operations of one result; folds integers and truth values. */
  value(name: ThreadOpName, operands: readonly ThreadValue[], extra?: Extra): ThreadValue {
    if (operands.some(isConstant)) {
      const known = operands.some((each) => this.#placeholders.has(each))
        ? undefined
        : fold(name, operands);
      if (known) return this.constant(known.type, known.value);
      const given = identity(name, operands, this.func.attributes['threads']);
      if (given) return given;
    }
    return this.create(name, operands, extra).results[0]!;
  }

  // ── values
  // ──────────────────────────────────────────────────────────────────────────────────────

  /**
   * A number; every component, where the type is a vector. Floats: a value, or its bits by `bits`.
   */
  constant(type: NumberType, value: number | boolean): ThreadValue {
    const number = Number(value);
    const key = Object.is(number, -0) ? '-0' : number;
    let found = this.#constantOf.get(type)?.get(key);
    if (!found) {
      found = this.inside(this.#constants, () =>
        this.at(UNKNOWN_LOCATION, () =>
          this.create('thread.constant', [], { attributes: { value: number }, types: [type] }),
        ),
      ).result;
      this.#keep(found, number);
    }
    return found;
  }
  /** A constant of its own, 0 until somebody writes its value into the operation. */
  placeholder(type: NumberType): ThreadValue {
    const { result } = this.inside(this.#constants, () =>
      this.at(UNKNOWN_LOCATION, () =>
        this.create('thread.constant', [], { attributes: { value: 0 }, types: [type] }),
      ),
    );
    this.#placeholders.add(result);
    return result;
  }
  u32(value: number): ThreadValue {
    return this.constant(U32, value >>> 0);
  }
  i32(value: number): ThreadValue {
    return this.constant(I32, value | 0);
  }
  f32(value: number): ThreadValue {
    return this.constant(F32, Math.fround(value));
  }
  bool(value: boolean): ThreadValue {
    return this.constant(BOOL, value);
  }
  zero(type: NumberType): ThreadValue {
    return this.constant(type, 0);
  }

  /** A number for a value, the same every time: for keys. */
  idOf(value: ThreadValue): number {
    const id = this.#ids.get(value) ?? this.#ids.size;
    this.#ids.set(value, id);
    return id;
  }
  /** A value computed once, at the kernel's start; the same key gives the same value. */
  prelude(key: string, hint: string, make: () => ThreadValue): ThreadValue {
    let found = this.#preludeOf.get(key);
    if (!found) {
      found = this.#inPrelude(make);
      if (found.definition?.parent === this.#prelude) this.named(hint, found);
      this.#preludeOf.set(key, found);
    }
    return found;
  }
  /** A value that several lines of the program may share belongs to the kernel's own line. */
  #inPrelude<T>(make: () => T): T {
    return this.inside(this.#prelude, () => this.at(this.func.location, make));
  }
  /** A value made once for an operation and a key, right behind the operation. */
  onceBehind(op: ThreadOp, key: string, make: () => ThreadValue): ThreadValue {
    let known = this.#behindOf.get(op);
    if (!known) this.#behindOf.set(op, (known = new Map()));
    let found = known.get(key);
    if (!found) known.set(key, (found = this.behind(op, make)));
    return found;
  }
  threadId(): ThreadValue {
    return this.prelude('thread', 'tid', () => this.value('thread.thread_id', []));
  }
  programId(axis: 0 | 1 | 2): ThreadValue {
    return this.prelude(`program ${axis}`, `program_${'xyz'[axis]}`, () =>
      this.value('thread.program_id', [], { attributes: { axis } }),
    );
  }
  /** The u32 of a launch's word. */
  word(word: UniformWord): ThreadValue {
    const key = JSON.stringify(word);
    let found = this.#words.get(key);
    if (!found) {
      found = this.func.addParameter(U32, { kind: 'word', word }, wordName(word));
      this.#words.set(key, found);
    }
    return found;
  }
  buffer(type: MemoryType, parameter: ThreadParameter, name: string): ThreadValue {
    return this.func.addParameter(type, parameter, name);
  }

  /** An expression in WGSL's syntax over values; see `template.ts`. */
  x(strings: TemplateStringsArray, ...holes: readonly Hole[]): ThreadValue {
    return expression(this, strings, holes);
  }
  /** Gives a value a name for people, where it has none; an empty hint gives none. */
  named(hint: string, value: ThreadValue): ThreadValue {
    if (hint !== '' && value.definition?.name !== 'thread.constant') value.name ??= hint;
    return value;
  }
  /** Component `index` of a vector: one value however often it is taken. */
  extract(vector: ThreadValue, index: number): ThreadValue {
    const type = vector.type as NumberType;
    if (type.size === 1) return vector;
    const made = vector.definition;
    if (made?.name === 'thread.splat') return made.operand(0);
    if (made?.name === 'thread.construct' && made.operands.length === type.size)
      return made.operand(index);
    let list = this.#components.get(vector);
    if (!list) this.#components.set(vector, (list = []));
    let found = list[index];
    if (!found) {
      const op = newOperation(
        'thread.extract',
        [vector],
        [number(type.scalar)],
        { index },
        [],
        made?.location ?? this.location,
      );
      this.created++;
      // Right behind the vector, so that it exists wherever the vector does.
      if (made) made.parent!.insertAfter(made, op);
      else {
        const block = vector.owner as ThreadBlock;
        if (block.first) block.insertBefore(block.first, op);
        else block.append(op);
      }
      found = list[index] = op.result;
    }
    return found;
  }
  components(vector: ThreadValue): ThreadValue[] {
    const list: ThreadValue[] = [];
    const { size } = vector.type as NumberType;
    for (let i = 0; i < size; i++) list.push(this.extract(vector, i));
    return list;
  }
  /** A vector of scalars; the vector itself where they are its components in order. */
  vector(values: readonly ThreadValue[]): ThreadValue {
    const [first] = values;
    const type = first!.type as NumberType;
    if (values.length === 1) return first!;
    const whole = wholeVector(values);
    if (whole) return whole;
    const to = number(type.scalar, values.length as VectorSize);
    if (values.every((value) => value === first)) return this.splat(first!, to.size);
    return this.value('thread.construct', values);
  }
  /** A vector with a scalar in every component. */
  splat(x: ThreadValue, size: VectorSize): ThreadValue {
    const to = number((x.type as NumberType).scalar, size);
    const made = x.definition;
    if (made?.name === 'thread.constant')
      return this.constant(to, made.attributes['value'] as number);
    return this.value('thread.splat', [x], { types: [to] });
  }
  convert(value: ThreadValue, to: NumberType): ThreadValue {
    if (value.type === to) return value;
    const made = value.definition;
    const from = value.type as NumberType;
    const exact = to.scalar !== 'f16' && from.scalar !== 'f32' && from.scalar !== 'f16';
    if (made?.name === 'thread.constant' && exact) {
      const x = Number(made.attributes['value']);
      return this.constant(to, cast(to.scalar, x));
    }
    return this.value('thread.convert', [value], { types: [to] });
  }
  bitcast(value: ThreadValue, to: NumberType): ThreadValue {
    if (value.type === to) return value;
    return this.value('thread.bitcast', [value], { types: [to] });
  }
  call(callee: string, result: ThreadType, args: readonly ThreadValue[]): ThreadValue {
    return this.value('thread.call', args, { attributes: { callee }, types: [result] });
  }

  // ── memory
  // ──────────────────────────────────────────────────────────────────────────────────────

  /** A variable or an array of this thread. */
  alloc(hint: string, type: MemoryType): ThreadValue {
    const make = (): ThreadValue => this.create('thread.alloc', [], { types: [type] }).result;
    const value = type.space === 'workgroup' ? this.#inPrelude(make) : make();
    value.name = nameOf(hint);
    return value;
  }
  /** A variable of this thread that every block can use. */
  variable(hint: string, type: NumberType, initial: ThreadValue): ThreadValue {
    const value = this.#inPrelude(() =>
      this.create('thread.alloc', [initial], { types: [memory('private', type, [])] }),
    ).result;
    value.name = hint;
    return value;
  }
  load(from: ThreadValue, ...indices: readonly ThreadValue[]): ThreadValue {
    const name = (from.type as MemoryType).atomic ? 'thread.atomic_load' : 'thread.load';
    return this.create(name, [from, ...indices]).result;
  }
  /** The value comes last. */
  store(to: ThreadValue, ...indicesAndValue: readonly ThreadValue[]): void {
    const name = (to.type as MemoryType).atomic ? 'thread.atomic_store' : 'thread.store';
    this.create(name, [to, ...indicesAndValue]);
  }
}

/** The vector whose components these values are, in order. */
export function wholeVector(values: readonly ThreadValue[]): ThreadValue | undefined {
  const vector = values[0]?.definition?.operands[0];
  if (!vector || vector.type.kind !== 'number' || vector.type.size !== values.length)
    return undefined;
  for (let i = 0; i < values.length; i++) {
    const { definition } = values[i]!;
    if (definition?.name !== 'thread.extract' || definition.operands[0] !== vector)
      return undefined;
    if (definition.attributes['index'] !== i) return undefined;
  }
  return vector;
}

function wordName(word: UniformWord): string {
  switch (word.kind) {
    case 'grid':
      return `grid_${'xyz'[word.axis]}`;
    case 'scalar':
      return word.word === 0 ? 'argument' : 'argument_high';
    default:
      return word.kind.replaceAll('-', '_');
  }
}
