/**
 * The syntax trees of expressions in WGSL's syntax with holes (`template.ts`): tokens, precedence,
 * types.
 */

export type Node =
  | { readonly kind: 'hole'; readonly hole: number }
  | { readonly kind: 'literal'; readonly value: number; readonly suffix: string }
  | { readonly kind: 'holeLiteral'; readonly hole: number; readonly suffix: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: string; readonly x: Node }
  | { readonly kind: 'binary'; readonly operator: string; readonly x: Node; readonly y: Node }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly type?: TypeNode;
      readonly args: readonly Node[];
    }
  | { readonly kind: 'member'; readonly x: Node; readonly name: string }
  | { readonly kind: 'index'; readonly x: Node; readonly index: Node };
/** A type in angle brackets, or the type that is called: `vec4<f32>`. */
export type TypeNode =
  { readonly hole: number } | { readonly name: string; readonly inner?: TypeNode };

/** How tight operators bind; higher binds tighter. */
export const PRECEDENCE: Readonly<Record<string, number>> = {
  '|': 1,
  '^': 2,
  '&': 3,
  '==': 4,
  '!=': 4,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '<<': 6,
  '>>': 6,
  '+': 7,
  '-': 7,
  '*': 8,
  '/': 8,
  '%': 8,
};
type Token =
  | { readonly kind: 'hole'; readonly hole: number; readonly suffix: string | undefined }
  | { readonly kind: 'number' | 'name' | 'symbol'; readonly text: string };
const TOKEN =
  /\s+|(0x[0-9a-fA-F]+u?|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[uifh]?)|([A-Za-z_]\w*)|(<<|>>|<=|>=|==|!=|[-+*/%&|^<>!~()[\],.])/y;

function tokenize(strings: readonly string[]): Token[] {
  const tokens: Token[] = [];
  strings.forEach((text, i) => {
    TOKEN.lastIndex = 0;
    if (i > 0) {
      const suffix = /^[uifh](?!\w)/.exec(text)?.[0];
      tokens.push({ kind: 'hole', hole: i - 1, suffix });
      TOKEN.lastIndex = suffix?.length ?? 0;
    }
    while (TOKEN.lastIndex < text.length) {
      const match = TOKEN.exec(text);
      if (!match) throw new Error(`unexpected text in \`${strings.join('${}')}\``);
      const [, digits, name, symbol] = match;
      if (digits !== undefined) tokens.push({ kind: 'number', text: digits });
      else if (name !== undefined) tokens.push({ kind: 'name', text: name });
      else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol });
    }
  });
  return tokens;
}

class Parser {
  #at = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  all(): Node {
    const node = this.#binary(0);
    if (this.#at < this.tokens.length) throw new Error('text after the expression');
    return node;
  }
  #symbol(text?: string): string | undefined {
    const token = this.tokens[this.#at];
    if (token?.kind !== 'symbol' || (text !== undefined && token.text !== text)) return undefined;
    return token.text;
  }
  #accept(text: string): boolean {
    if (this.#symbol(text) === undefined) return false;
    this.#at++;
    return true;
  }
  #expect(text: string): void {
    if (!this.#accept(text)) throw new Error(`expected ${text}`);
  }
  #binary(least: number): Node {
    let x = this.#unary();
    for (;;) {
      const operator = this.#symbol();
      const binds = operator === undefined ? undefined : PRECEDENCE[operator];
      if (operator === undefined || binds === undefined || binds <= least) return x;
      this.#at++;
      x = { kind: 'binary', operator, x, y: this.#binary(binds) };
    }
  }
  #unary(): Node {
    const operator = this.#symbol();
    if (operator === '-' || operator === '!' || operator === '~') {
      this.#at++;
      return { kind: 'unary', operator, x: this.#unary() };
    }
    return this.#postfix(this.#primary());
  }
  #postfix(first: Node): Node {
    let x = first;
    for (;;) {
      if (this.#accept('.')) {
        const token = this.tokens[this.#at++];
        if (token?.kind !== 'name') throw new Error('expected a component');
        x = { kind: 'member', x, name: token.text };
      } else if (this.#accept('[')) {
        x = { kind: 'index', x, index: this.#binary(0) };
        this.#expect(']');
      } else return x;
    }
  }
  #primary(): Node {
    const token = this.tokens[this.#at++];
    switch (token?.kind) {
      case 'hole':
        return token.suffix === undefined
          ? { kind: 'hole', hole: token.hole }
          : { kind: 'holeLiteral', hole: token.hole, suffix: token.suffix };
      case 'number':
        return literal(token.text);
      case 'name': {
        const takesType = /^(vec[234]|bitcast)$/.test(token.text) && this.#accept('<');
        const type = takesType ? this.#type() : undefined;
        if (takesType) this.#expect('>');
        if (!this.#accept('(')) return { kind: 'name', name: token.text };
        const args = this.#args();
        return { kind: 'call', name: token.text, ...(type && { type }), args };
      }
      default: {
        if (token?.text !== '(') throw new Error(`unexpected ${token?.text ?? 'end'}`);
        const inner = this.#binary(0);
        this.#expect(')');
        return inner;
      }
    }
  }
  #args(): Node[] {
    const args: Node[] = [];
    while (!this.#accept(')')) {
      if (args.length > 0) this.#expect(',');
      args.push(this.#binary(0));
    }
    return args;
  }
  #type(): TypeNode {
    const token = this.tokens[this.#at++];
    if (token?.kind === 'hole') return { hole: token.hole };
    if (token?.kind !== 'name') throw new Error('expected a type');
    if (!/^vec[234]$/.test(token.text)) return { name: token.text };
    this.#expect('<');
    const inner = this.#type();
    // `>>` closes two types at once.
    const close = this.tokens[this.#at];
    if (close?.kind === 'symbol' && close.text === '>>')
      (this.tokens as Token[])[this.#at] = { kind: 'symbol', text: '>' };
    else this.#expect('>');
    return { name: token.text, inner };
  }
}

function literal(text: string): Node {
  const hex = text.startsWith('0x');
  const suffix = /[uih]$/.exec(text)?.[0] ?? (!hex && text.endsWith('f') ? 'f' : '');
  return { kind: 'literal', value: Number(text.slice(0, text.length - suffix.length)), suffix };
}

/** @throws where the text is no expression */
export function parseTemplate(strings: readonly string[]): Node {
  return new Parser(tokenize(strings)).all();
}
