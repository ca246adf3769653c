/**
 * Parses the printed form of tile IR (`printer.ts`). Used by tests and by whoever writes IR by
 * hand. Every operation's location is its line in the text. Throws `IrParseError` with the line;
 * types and structure beyond the syntax are the verifier's business.
 */
import { FunctionReader } from './functionReader';
import type { Attribute } from './ir';
import { Block, Func, Operation } from './ir';
import type { Basis, Layout } from './layout';
import { canonicalScalar } from './numbers';
import type { ScalarValue } from './numbers';
import { OPS } from './ops';
import type { OpName } from './ops';
import { constantName } from './printer';
import { DTYPES, dtypeOf, isFloat, pointer, scalar } from './types';
import type { DType, ElementType, MemdescType, ScalarType, Type } from './types';

/** One function, with its layouts before it. `file` stands in the locations. */
export function parseFunc(text: string, file = '<ir>'): Func {
  return new Parser(text, file).func();
}

class Parser extends FunctionReader<OpName, Type> {
  readonly #layouts = new Map<string, Layout>();
  // ── types ─────────────────────────────────────────────────────────────────────────────────────
  protected override type(): Type {
    if (this.accept('tensor')) {
      this.expect('<');
      const shape = this.#shape();
      const element = this.#element();
      let layout: Layout | undefined;
      if (this.accept(',')) {
        const name = this.next();
        layout = this.#layouts.get(name);
        if (!layout) throw this.error(`no layout ${name}`, -1);
      }
      this.expect('>');
      return { kind: 'tensor', shape, element, ...(layout ? { layout } : {}) };
    }
    if (this.accept('!ttg.memdesc')) {
      this.expect('<');
      const shape = this.#shape();
      const element = this.#element() as ScalarType;
      this.expect(',');
      this.expect('order');
      this.expect('=');
      this.expect('[');
      const order = this.list(']', () => this.integer());
      this.expect(',');
      this.expect('pad');
      this.expect('=');
      const padding = this.integer();
      let slabs: MemdescType['slabs'];
      if (!this.accept('>')) {
        const [dimension, count] = this.#pair('slabs');
        slabs = [dimension === 0 ? 0 : 1, count];
        this.expect('>');
      }
      const type = { kind: 'memdesc', shape, element, order, padding } as const;
      return slabs ? { ...type, slabs } : type;
    }
    if (this.accept('!ttg.fragments')) {
      this.expect('<');
      const shape = this.#shape();
      const element = this.#element() as ScalarType;
      const [block, matrix] = [this.#pair('block'), this.#pair('matrix')];
      let across: number | undefined;
      if (!this.accept('>')) {
        this.expect(',');
        this.expect('across');
        this.expect('=');
        across = this.integer();
        this.expect('>');
      }
      const type = { kind: 'fragments', shape, element, block, matrix } as const;
      return across === undefined ? type : { ...type, across };
    }
    return this.#element();
  }
  /** `, name = [1, 2]` */
  #pair(name: string): readonly [number, number] {
    this.expect(',');
    this.expect(name);
    this.expect('=');
    this.expect('[');
    const [first = 1, second = 1] = this.list(']', () => this.integer());
    return [first, second];
  }
  /** `128x64x` is one token. */
  #shape(): number[] {
    const text = this.next();
    if (!/^(\d+x)+$/.test(text)) throw this.error(`expected a shape, found ${text}`, -1);
    return text.slice(0, -1).split('x').map(Number);
  }
  #element(): ElementType {
    const word = this.next();
    if (word === '!tt.ptr') {
      this.expect('<');
      const pointee = this.#element();
      this.expect('>');
      return pointer(pointee);
    }
    if (!(DTYPES as string[]).includes(word)) throw this.error(`no type ${word}`, -1);
    return scalar(word as DType);
  }

  // ── operations ────────────────────────────────────────────────────────────────────────────────
  func(): Func {
    while (this.peek().startsWith('#')) this.#layoutAlias();
    const location = this.location();
    this.expect('tt.func');
    const name = this.next().replace('@', '');
    const body = new Block();
    this.expect('(');
    const parameters = this.list(')', () => {
      this.argument(body);
      if (this.peek() !== '{') return {};
      const attributes = this.dictionary();
      const { 'tt.divisibility': divisibility, 'tt.range': range, tensor } = attributes;
      return {
        ...(divisibility === undefined ? {} : { divisibility: Number(divisibility) }),
        ...(Array.isArray(range) ? { range: range.map(Number) } : {}),
        ...(tensor === undefined ? {} : { tensor: Number(tensor) }),
        ...(attributes['wholeVectors'] === true ? { wholeVectors: true } : {}),
      };
    });
    const attributes = this.accept('attributes') ? this.dictionary() : {};
    this.expect('{');
    this.operations(body);
    if (!this.atEnd) throw this.error('text after the function');
    return new Func(name, parameters, body, location, attributes);
  }
  #layoutAlias(): void {
    const name = this.next();
    this.expect('=');
    this.expect('#linear');
    this.expect('<');
    const { register, lane, subgroup } = this.dictionary() as Record<string, Attribute>;
    this.expect('>');
    this.#layouts.set(name, {
      register: register as readonly Basis[],
      lane: lane as readonly Basis[],
      subgroup: subgroup as readonly Basis[],
    });
  }
  protected override operation(): Operation {
    const location = this.location();
    const names = this.resultNames();
    const name = this.next();
    if (!Object.hasOwn(OPS, name)) throw this.error(`no operation ${name}`, -1);
    const operands = this.operands();
    let literal: string | undefined;
    if (name === 'arith.constant' && this.peek() !== '{') {
      const dense = this.accept('dense');
      if (dense) this.expect('<');
      literal = this.next();
      if (dense) this.expect('>');
    }
    const attributes = this.atDictionary() ? this.dictionary() : {};
    const types = this.resultTypes(names);
    if (literal !== undefined) attributes['value'] = this.#constant(literal, types[0]!);
    const regions: Block[] = [];
    while (this.peek() === '{' || this.peek() === 'else' || this.peek() === 'do') {
      if (this.next() !== '{') this.expect('{');
      regions.push(this.region());
    }
    const op = new Operation(name as OpName, operands, types, attributes, regions, location);
    this.defineResults(names, op);
    if (name === 'arith.constant') this.#dropConstantName(op);
    return op;
  }
  #constant(literal: string, type: Type): ScalarValue {
    const dtype = dtypeOf(type);
    if (!dtype) throw this.error('a constant is a number', -1);
    if (literal === 'true' || literal === 'false') return literal === 'true';
    if (isFloat(dtype)) return canonicalScalar(dtype, this.number(literal));
    return canonicalScalar(dtype, BigInt(literal));
  }
  /** The names that the printer gives constants are not hints. */
  #dropConstantName(op: Operation): void {
    const value = op.results[0]!;
    const generated = constantName(value.type, op.attributes['value'] as ScalarValue);
    if (value.name?.replace(/_\d+$/, '') === generated || value.name === generated)
      value.name = undefined;
  }
}
