/**
 * Parses the functions of the runtime library (`ir/thread/library`): the part of WGSL that they are
 * written in. Types of literals without a suffix are left open.
 */
import { PRECEDENCE } from '../../ir/thread/templateParser';

/** `vec2<u32>`, `array<vec2<u32>, 18>`, `ptr<function, …>`. */
export interface TypeNode {
  readonly name: string;
  readonly args: readonly TypeNode[];
}
export type Expression =
  | { readonly kind: 'literal'; readonly value: number; readonly suffix: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: string; readonly x: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly x: Expression;
      readonly y: Expression;
    }
  | { readonly kind: 'call'; readonly type: TypeNode; readonly args: readonly Expression[] }
  | { readonly kind: 'member'; readonly x: Expression; readonly name: string }
  | { readonly kind: 'index'; readonly x: Expression; readonly index: Expression };
export type Statement =
  | {
      readonly kind: 'declare';
      readonly name: string;
      readonly type: TypeNode | undefined;
      readonly value: Expression | undefined;
    }
  /** `operator` of `x += 1`; empty for `=`. */
  | {
      readonly kind: 'assign';
      readonly target: Expression;
      readonly operator: string;
      readonly value: Expression;
    }
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly yes: readonly Statement[];
      readonly no: readonly Statement[];
    }
  | {
      readonly kind: 'for';
      readonly first: Statement;
      readonly condition: Expression;
      readonly next: Statement;
      readonly body: readonly Statement[];
    }
  | { readonly kind: 'break' }
  | { readonly kind: 'return'; readonly value: Expression };
export interface LibraryFunction {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: TypeNode }[];
  readonly result: TypeNode;
  readonly body: readonly Statement[];
}

const TOKEN =
  /\s+|\/\/[^\n]*|(0x[0-9a-fA-F]+(?:p[+-]?\d+f?|u|i)?|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[uifh]?)|([A-Za-z_]\w*)|(<<=|>>=|&&|\|\||<<|>>|<=|>=|==|!=|->|\+\+|--|[-+*/%&|^]=|[-+*/%&|^<>=!~()[\]{},;:.])/y;
/** Names before `<` that take types. */
const GENERIC = /^(bitcast|vec[234]|array|ptr)$/;
const LOGICAL: Readonly<Record<string, number>> = { '||': 0, '&&': 0 };

export function parseLibraryFunction(text: string): LibraryFunction {
  return new Parser(text).func();
}

class Parser {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const match = TOKEN.exec(text);
      if (!match) throw new Error(`not understood: ${text}`);
      const token = match[1] ?? match[2] ?? match[3];
      if (token !== undefined) this.#tokens.push(token);
    }
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }
  #next(): string {
    return this.#tokens[this.#at++] ?? '';
  }
  #accept(text: string): boolean {
    if (this.#peek() !== text) return false;
    this.#at++;
    return true;
  }
  #expect(text: string): void {
    const found = this.#next();
    if (found === text) return;
    // `>>` closes two types at once.
    if (text === '>' && found === '>>') {
      this.#tokens[--this.#at] = '>';
      return;
    }
    throw new Error(`expected ${text}, found ${found}`);
  }
  #list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    while (!this.#accept(close)) {
      if (items.length > 0) this.#expect(',');
      items.push(item());
    }
    return items;
  }

  // ── declarations
  // ────────────────────────────────────────────────────────────────────────────────
  func(): LibraryFunction {
    this.#expect('fn');
    const name = this.#next();
    this.#expect('(');
    const parameters = this.#list(')', () => {
      const parameter = this.#next();
      this.#expect(':');
      return { name: parameter, type: this.#type() };
    });
    this.#expect('->');
    return { name, parameters, result: this.#type(), body: this.#block() };
  }
  #type(): TypeNode {
    const name = this.#next();
    if (!GENERIC.test(name)) return { name, args: [] };
    this.#expect('<');
    const args = [this.#type()];
    while (this.#accept(',')) args.push(this.#type());
    this.#expect('>');
    return { name, args };
  }

  // ── statements
  // ──────────────────────────────────────────────────────────────────────────────────
  #block(): Statement[] {
    this.#expect('{');
    const statements: Statement[] = [];
    while (!this.#accept('}')) statements.push(this.#statement());
    return statements;
  }
  #statement(): Statement {
    if (this.#accept('if')) return this.#if();
    if (this.#accept('for')) {
      this.#expect('(');
      const first = this.#simple();
      this.#expect(';');
      const condition = this.#expression();
      this.#expect(';');
      const next = this.#simple();
      this.#expect(')');
      return { kind: 'for', first, condition, next, body: this.#block() };
    }
    const statement = this.#simple();
    this.#expect(';');
    return statement;
  }
  #if(): Statement {
    const condition = this.#expression();
    const yes = this.#block();
    if (!this.#accept('else')) return { kind: 'if', condition, yes, no: [] };
    const no = this.#accept('if') ? [this.#if()] : this.#block();
    return { kind: 'if', condition, yes, no };
  }
  #simple(): Statement {
    if (this.#accept('return')) return { kind: 'return', value: this.#expression() };
    if (this.#accept('break')) return { kind: 'break' };
    if (this.#accept('let') || this.#accept('var')) {
      const name = this.#next();
      const type = this.#accept(':') ? this.#type() : undefined;
      return {
        kind: 'declare',
        name,
        type,
        value: this.#accept('=') ? this.#expression() : undefined,
      };
    }
    const target = this.#postfix();
    const operator = this.#next();
    if (operator === '++' || operator === '--') {
      const value = { kind: 'literal', value: 1, suffix: '' } as const;
      return { kind: 'assign', target, operator: operator[0]!, value };
    }
    if (!operator.endsWith('=')) throw new Error(`expected =, found ${operator}`);
    return { kind: 'assign', target, operator: operator.slice(0, -1), value: this.#expression() };
  }

  // ── expressions
  // ─────────────────────────────────────────────────────────────────────────────────
  #expression(least = 0): Expression {
    let x = this.#unary();
    for (;;) {
      const operator = this.#peek();
      const binds = LOGICAL[operator] ?? PRECEDENCE[operator];
      if (binds === undefined || binds < least) return x;
      this.#at++;
      x = { kind: 'binary', operator, x, y: this.#expression(binds + 1) };
    }
  }
  #unary(): Expression {
    for (const operator of ['-', '!', '~'])
      if (this.#accept(operator)) return { kind: 'unary', operator, x: this.#unary() };
    // A table is given by reference, which is the table itself.
    if (this.#accept('&') || this.#accept('*')) return this.#unary();
    return this.#postfix();
  }
  #postfix(): Expression {
    let x = this.#primary();
    for (;;) {
      if (this.#accept('.')) x = { kind: 'member', x, name: this.#next() };
      else if (this.#accept('[')) {
        x = { kind: 'index', x, index: this.#expression() };
        this.#expect(']');
      } else return x;
    }
  }
  #primary(): Expression {
    const token = this.#peek();
    if (this.#accept('(')) {
      const x = this.#expression();
      this.#expect(')');
      return x;
    }
    if (/^[\d.]/.test(token)) return literal(this.#next());
    const type = this.#type();
    if (this.#accept('('))
      return { kind: 'call', type, args: this.#list(')', () => this.#expression()) };
    return { kind: 'name', name: type.name };
  }
}

function literal(text: string): Expression {
  const power = /^(0x[0-9a-fA-F]+)p([+-]?\d+)(f?)$/.exec(text);
  if (power)
    return { kind: 'literal', value: Number(power[1]) * 2 ** Number(power[2]), suffix: 'f' };
  const hex = text.startsWith('0x');
  const suffix = /[uih]$/.exec(text)?.[0] ?? (!hex && text.endsWith('f') ? 'f' : '');
  return { kind: 'literal', value: Number(text.slice(0, text.length - suffix.length)), suffix };
}
