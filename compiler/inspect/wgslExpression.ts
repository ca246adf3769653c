/**
 * The little of WGSL's expressions that addresses of workgroup memory are made of: numbers, names,
 * `+ - * / % ^ & |`, shifts, comparisons, `select`-free logic and casts between integers. What depends on
 * anything but the thread's number is not understood, and said so.
 */
export type Scope = Map<
  string,
  | { readonly kind: 'thread' }
  | { readonly kind: 'value'; readonly value: number }
  /** Of a `let`: compiled where it is first used. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'compiled'; readonly evaluate: Evaluate | null }
>;

/** The value for a thread; truth is 1 and 0. */
export type Evaluate = (thread: number) => number;

/** Null where the expression is not understood. */
export function compileExpression(text: string, scope: Scope, depth = 0): Evaluate | null {
  if (depth > 40) return null;
  const tokens = tokenize(text);
  if (!tokens) return null;
  try {
    const parser = new ExpressionParser(tokens, scope, depth);
    const result = parser.binary(0);
    return parser.done ? result : null;
  } catch (error) {
    if (error instanceof NotUnderstood) return null;
    throw error;
  }
}

/** The indices in brackets that follow each other from a place on, and where they end. */
export function indicesAt(
  text: string,
  start: number,
): { readonly indices: readonly string[]; readonly after: number } {
  const indices: string[] = [];
  let after = start;
  while (text[after] === '[') {
    const end = closing(text, after);
    indices.push(text.slice(after + 1, end));
    after = end + 1;
  }
  return { indices, after };
}
function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '[') depth++;
    if (text[i] === ']' && --depth === 0) return i;
  }
  return text.length;
}

class NotUnderstood extends Error {}

const TOKEN =
  /\s*(0x[0-9a-f]+[ui]?|\d+[ui]?|[A-Za-z_]\w*|<<|>>|==|!=|<=|>=|&&|\|\||[-+*/%^&|<>()!,])/iy;

function tokenize(text: string): string[] | null {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  let at = 0;
  while (at < text.trimEnd().length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return null;
    tokens.push(match[1]!);
    at = TOKEN.lastIndex;
  }
  return tokens;
}

const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];

const OPERATIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '||': (a, b) => a | b,
  '&&': (a, b) => a & b,
  '|': (a, b) => (a | b) >>> 0,
  '^': (a, b) => (a ^ b) >>> 0,
  '&': (a, b) => (a & b) >>> 0,
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
  '<': (a, b) => Number(a < b),
  '>': (a, b) => Number(a > b),
  '<=': (a, b) => Number(a <= b),
  '>=': (a, b) => Number(a >= b),
  '<<': (a, b) => (a << b) >>> 0,
  '>>': (a, b) => a >>> b,
  '+': (a, b) => (a + b) >>> 0,
  '-': (a, b) => (a - b) >>> 0,
  '*': (a, b) => Math.imul(a, b) >>> 0,
  '/': (a, b) => Math.trunc(a / b),
  '%': (a, b) => a % b,
};

class ExpressionParser {
  #at = 0;
  constructor(
    private readonly tokens: readonly string[],
    private readonly scope: Scope,
    private readonly depth: number,
  ) {}
  get done(): boolean {
    return this.#at === this.tokens.length;
  }

  binary(level: number): Evaluate {
    const names = LEVELS[level];
    if (!names) return this.unary();
    let left = this.binary(level + 1);
    for (
      let name = this.tokens[this.#at];
      name && names.includes(name);
      name = this.tokens[this.#at]
    ) {
      this.#at++;
      const [a, b, run] = [left, this.binary(level + 1), OPERATIONS[name]!];
      left = (thread) => run(a(thread), b(thread));
    }
    return left;
  }

  private unary(): Evaluate {
    const token = this.tokens[this.#at++];
    if (token === undefined) throw new NotUnderstood();
    if (token === '!') {
      const inner = this.unary();
      return (thread) => Number(inner(thread) === 0);
    }
    if (token === '(') {
      const inner = this.binary(0);
      if (this.tokens[this.#at++] !== ')') throw new NotUnderstood();
      return inner;
    }
    if (/^\d/.test(token)) {
      const value = Number(token.replace(/[ui]$/, ''));
      return () => value;
    }
    if ((token === 'u32' || token === 'i32') && this.tokens[this.#at] === '(') return this.unary();
    const named = this.scope.get(token);
    if (!named || this.tokens[this.#at] === '(') throw new NotUnderstood();
    switch (named.kind) {
      case 'thread':
        return (thread) => thread;
      case 'value':
        return () => named.value;
      case 'text': {
        const evaluate = compileExpression(named.text, this.scope, this.depth + 1);
        this.scope.set(token, { kind: 'compiled', evaluate });
        if (!evaluate) throw new NotUnderstood();
        return evaluate;
      }
      case 'compiled':
        if (!named.evaluate) throw new NotUnderstood();
        return named.evaluate;
      default:
        return named satisfies never;
    }
  }
}
